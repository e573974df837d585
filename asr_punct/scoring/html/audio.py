"""The recording that a page plays."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from asr_punct.audio import check_ends, check_file, duration
from asr_punct.errors import TIMES, AsrPunctError, InputError, MissingExtraError
from asr_punct.formats.files import Pathlike
from asr_punct.scoring.html.markup import Html, tag
from asr_punct.words import Utterance

EMBEDDED_BYTES = 8 << 20
"""Audio up to this size stands in the page itself, a larger file is linked."""
_TYPES = {
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".webm": "audio/webm",
}


def player(audio: Path, page: Pathlike) -> Html:
    """The audio element.

    Raises:
        InputError: no file that can be read, or none of the types that browsers play.
    """
    check_file(audio)
    kind = _TYPES.get(audio.suffix.lower())
    if kind is None:
        raise InputError(audio, f"a {audio.suffix or 'nameless'} file", f"audio that browsers play: {' '.join(_TYPES)}")
    try:
        embedded = audio.stat().st_size <= EMBEDDED_BYTES
        content = audio.read_bytes() if embedded else b""
    except OSError as error:
        raise InputError(audio, error.strerror or "an error", "an audio file that can be read") from None
    if embedded:
        source = f"data:{kind};base64,{b64encode(content).decode('ascii')}"
    else:
        source = quote(Path(os.path.relpath(audio, Path(page).parent)).as_posix())
    return tag("audio", "This browser plays no audio.", id="player", src=source, controls=True, preload="auto")


def check_times(hypotheses: Sequence[Utterance], name: str, audio: Path) -> None:
    """See that the recording can be played for these words; how long it is, only where it can be read (extra "audio").

    Args:
        hypotheses: the words.
        name: what they are called in an error.
        audio: the recording.

    Raises:
        AsrPunctError: they have no times, are of several recordings, or end after it; or it is no audio file.
    """
    recordings = {utterance.recording for utterance in hypotheses if utterance.words}
    if len(recordings) > 1:
        raise AsrPunctError(f"--audio: found {len(recordings)} recordings in {name}, expected one")
    if all(word.start is None for utterance in hypotheses for word in utterance.words):
        raise AsrPunctError(f"--audio: found no times in {name}, expected {TIMES}")
    try:
        check_ends(hypotheses, audio, duration(audio))
    except MissingExtraError:
        return
