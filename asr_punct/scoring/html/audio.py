"""The recording that a score page plays."""

import os
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from asr_punct.audio import check_ends, check_file, duration
from asr_punct.errors import EXPECTED_TIMES, AsrPunctError, InputError, MissingExtraError
from asr_punct.formats.files import Pathlike
from asr_punct.words import Utterance

EMBEDDED_BYTES = 8 << 20
"""Largest audio file that is embedded in the page; larger files are linked."""
_TYPES = {
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".webm": "audio/webm",
}


def audio_source(audio: Path, page: Pathlike) -> str:
    """Return the address of the recording: a data URL, or a path from the page for a large file."""
    check_file(audio)
    media_type = _TYPES.get(audio.suffix.lower())
    if media_type is None:
        raise InputError(audio, f"a {audio.suffix or 'nameless'} file", f"audio that browsers play: {' '.join(_TYPES)}")
    try:
        if audio.stat().st_size > EMBEDDED_BYTES:
            return quote(Path(os.path.relpath(audio, Path(page).parent)).as_posix())
        return f"data:{media_type};base64,{b64encode(audio.read_bytes()).decode('ascii')}"
    except OSError as error:
        raise InputError(audio, error.strerror or "an error", "an audio file that can be read") from None


def check_times(hypotheses: Sequence[Utterance], name: str, audio: Path) -> None:
    """Raise AsrPunctError unless the words, called `name`, have times of one recording, within its length.

    The length is not checked without the extra "audio".
    """
    recordings = {utterance.recording for utterance in hypotheses if utterance.words}
    if len(recordings) > 1:
        raise AsrPunctError(f"--audio: found {len(recordings)} recordings in {name}, expected one")
    if all(word.start is None for utterance in hypotheses for word in utterance.words):
        raise AsrPunctError(f"--audio: found no times in {name}, expected {EXPECTED_TIMES}")
    with suppress(MissingExtraError):
        check_ends(hypotheses, audio, duration(audio))
