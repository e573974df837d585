"""The audio of utterances, for pauses: a file, or those of a `wav.scp`, in which a command may stand for a file."""

import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from asr_punct import audio
from asr_punct.audio import FRAMES_A_SECOND
from asr_punct.channels import by_channel, channel_index
from asr_punct.errors import EXPECTED_TIMES, InputError
from asr_punct.files import Pathlike
from asr_punct.pauses import with_pauses, with_refined_pauses
from asr_punct.words import Seconds, Utterance, has_times

AudioOf = Callable[[Utterance], Path]
"""A function that returns the audio file of an utterance. It may be gone after a call for another recording."""
_WORD_TOLERANCE: Seconds = 0.5
"""A word may end this much after the end of its audio: recognisers count in frames, and files have rounded times."""


def is_command(value: str) -> bool:
    """Whether a value of Kaldi's `wav.scp` is a command (`sox a.sph -t wav - |`), not a path."""
    return value.endswith("|")


class AudioFiles:
    """Files of the values of `wav.scp`; the output of the last command is kept in a temporary folder."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._command, self._count = "", 0

    def find(self, value: str, place: str) -> Path:
        """Return the path, or that of the command's output; a command is not run again if it was the last one.

        Raises InputError at `place` if the command fails.
        """
        if not is_command(value):
            return Path(value)
        if self._folder is None:
            self._folder = TemporaryDirectory()
        if value != self._command:
            self._output.unlink(missing_ok=True)
            self._command, self._count = value, self._count + 1  # other audio has another path
            with self._output.open("wb") as out:
                status = subprocess.run(
                    ["bash", "-o", "pipefail", "-c", value[:-1]], stdout=out, check=False
                ).returncode
            if status:
                self._command = ""
                raise InputError(place, f"status {status} of {value!r}", "a command that writes audio")
        return self._output

    @property
    def _output(self) -> Path:
        return Path(self._folder.name if self._folder else "", f"{self._count}.wav")


def check_ends(utterances: Iterable[Utterance], path: Path, length: Seconds) -> None:
    """Raise InputError if a word of the recording ends more than `_WORD_TOLERANCE` after its audio."""
    ends = ((word.end, utterance.id) for utterance in utterances for word in utterance.words if word.end is not None)
    end, name = max(ends, default=(0.0, ""))
    if end > length + _WORD_TOLERANCE:
        found = f"{length:.2f} s of audio, and a word{f' of {name!r}' if name else ''} ends at {end:.2f} s"
        raise InputError(path, found, "the recording of these words")


def single_recording(path: Path) -> AudioOf:
    """Return an `AudioOf` for utterances of one recording. It raises InputError if there is a second one."""
    names: set[str] = set()

    def find(utterance: Utterance) -> Path:
        names.add(utterance.recording)
        if len(names) > 1:
            raise InputError(path, f"recordings {' and '.join(map(repr, sorted(names)))}", "words of one recording")
        return path

    return find


def recording_table(table: Mapping[str, str], place: Pathlike) -> AudioOf:
    """Return an `AudioOf` that looks up recordings in a `wav.scp`, named `place` in errors.

    It raises InputError for other recordings, and for a command that fails.
    """
    files = AudioFiles()

    def find(utterance: Utterance) -> Path:
        if utterance.recording not in table:
            raise InputError(place, f"no recording {utterance.recording!r}", "a line for each recording")
        return files.find(table[utterance.recording], f"{place}: recording {utterance.recording!r}")

    return find


def with_pauses_from_audio(
    utterances: Iterable[Utterance], audio_of: AudioOf, counts: Counter[str] | None = None
) -> Iterator[Utterance]:
    """Yield the utterances with pauses refined on their audio. Words and times are unchanged.

    The pauses of several channels are refined on the audio's channels, if it has several: 1 or A is the first one.
    Audio is not read if the times of all its utterances are an aligner's. See `with_pauses` for `counts`. Raises
    InputError if an utterance has no times, or a word ends after its audio; AudioError if the audio cannot be read.
    """
    for _, group in groupby(utterances, key=attrgetter("recording")):
        recording = list(group)
        path = audio_of(recording[0])
        for utterance in recording:
            if utterance.words and not has_times(utterance.words):
                raise InputError(f"utterance {utterance.id!r}", "words without times", EXPECTED_TIMES)
        if any(utterance.time_source != "aligner" for utterance in recording):
            yield from _refined_on(path, recording, counts)
        else:
            yield from with_pauses(recording, counts)


def _refined_on(path: Path, recording: Sequence[Utterance], counts: Counter[str] | None) -> Iterator[Utterance]:
    """Yield the utterances of a recording with pauses refined on its audio, those of several channels on their own."""
    several = len({utterance.channel for utterance in recording}) > 1
    count = audio.channel_count(path) if several else 1
    energy_of = lru_cache(maxsize=1)(audio.energy)

    def refine(separated: Iterable[Utterance]) -> Iterator[Utterance]:
        for name, channel in groupby(separated, key=attrgetter("channel")):
            index = channel_index(name) if several else None
            energy, part = energy_of(path, index if index in range(count) and count > 1 else None), list(channel)
            check_ends(part, path, len(energy) / FRAMES_A_SECOND)
            yield from with_refined_pauses(part, energy, counts)

    return by_channel(recording, refine)
