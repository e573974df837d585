"""Speech of espeak-ng with the true times of its words, through ctypes and the library that `espeakng_loader` carries.

espeak-ng reports marks (one set before every word), words, phonemes and pauses with the sample at which each begins
(`espeak_EVENT` in its `speak_lib.h`). A word lasts from its first phoneme to the pause or word after its last one.

The library keeps one state for the whole process. Calls take turns behind a lock; the same calls in the same order
give the same speech, while in another order its timing differs by a few milliseconds.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from asr_punct.errors import AsrPunctError, InputError, MissingExtraError
from asr_punct.words import Seconds, Word

_OUTPUT_SYNCHRONOUS = 2
_REPORT_PHONEMES, _DO_NOT_EXIT = 1, 1 << 15
_UTF8, _SSML = 1, 0x10
_RATE, _PITCH = 1, 3
_END_OF_LIST, _MARK, _PHONEME = 0, 3, 7
_PAUSES = frozenset(("_", "_:", "_::", "_|", "_^_"))
"""espeak's silent phonemes; `_!`, a glottal stop, belongs to its word."""
_Span = tuple[int, int]
_LOCK = threading.Lock()


class VoiceError(InputError):
    """espeak-ng has no such voice or variant."""


@dataclass(frozen=True)
class Speech:
    """Synthetic speech.

    Attributes:
        samples: float32 (samples,), in -1..1.
        rate: samples a second.
        words: the white-space tokens of the text with their times, None where espeak says nothing for a token.
            Between one word's end and the next one's start there is silence.
    """

    samples: npt.NDArray[np.float32]
    rate: int
    words: tuple[Word, ...]


def synthesise(
    text: str,
    voice: str,
    *,
    words_per_minute: int = 175,
    pitch: int = 50,
    breaks: Mapping[int, Seconds] | None = None,
) -> Speech:
    """Speak `text` and say when each of its words begins and ends.

    Args:
        text: words and marks; marks shape intonation and pauses.
        voice: espeak's code, with a variant after `+` if wanted (`es`, `eu+f2`, `en-us`).
        words_per_minute: speaking rate, 80 to 450.
        pitch: 0 to 99.
        breaks: word index -> least silence after that word; marks may make it longer. espeak rounds it by some ms.

    Raises:
        VoiceError: there is no such voice or variant.
        MissingExtraError: `espeakng_loader` is not installed.
    """
    words = text.split()
    with _LOCK:
        engine = _engine()
        samples, events = engine.run(_mark_words(words, breaks or {}), voice, words_per_minute, pitch)
    phonemes = _phonemes(events, len(words))
    _share_merged(words, phonemes)
    rate = engine.rate
    timed = (
        Word(word, spoken[0][0] / rate, spoken[-1][1] / rate) if spoken else Word(word)
        for word, spoken in zip(words, phonemes, strict=True)
    )
    return Speech(samples, rate, tuple(timed))


@dataclass(frozen=True, slots=True)
class _Event:
    """What espeak reports: kind, sample, and the name of a mark or phoneme."""

    kind: int
    sample: int
    name: str


def _mark_words(words: Sequence[str], breaks: Mapping[int, Seconds]) -> str:
    """SSML with a mark, its name the index, before every word.

    A word a line: after a full stop and a blank, espeak swallows a mark.
    """
    pauses = (f'<break time="{round(breaks[i] * 1000)}ms"/>' if i in breaks else "" for i in range(len(words)))
    return "\n".join(
        f'<mark name="{index}"/>{escape(word)}{pause}'
        for index, (word, pause) in enumerate(zip(words, pauses, strict=True))
    )


def _phonemes(events: Sequence[_Event], words: int) -> list[list[_Span]]:
    """First and last sample of every phoneme of every word; a word's first one begins with the word."""
    phonemes: list[list[_Span]] = [[] for _ in range(words)]
    word = begin = 0
    for event, following in pairwise(events):
        if event.kind == _MARK:
            word, begin = int(event.name), event.sample
        elif event.kind == _PHONEME and event.name in _PAUSES:
            begin = following.sample
        elif event.kind == _PHONEME:
            phonemes[word].append((event.sample if phonemes[word] else begin, following.sample))
    return phonemes


def _share_merged(words: Sequence[str], phonemes: list[list[_Span]]) -> None:
    """Give words that espeak spoke as one with the word before ("of the") their part of its phonemes, by letters."""
    for index in range(len(words) - 1, 0, -1):
        first = index
        while first > 0 and not phonemes[first] and any(c.isalnum() for c in words[first]):
            first -= 1
        letters = np.cumsum([len(word) for word in words[first : index + 1]])
        spoken = phonemes[first]
        if first < index and len(spoken) > index - first:
            cuts = [0, *np.rint(letters * len(spoken) / letters[-1]).astype(int)]
            phonemes[first : index + 1] = [spoken[i:j] for i, j in pairwise(cuts)]


class _Id(ctypes.Union):
    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8))


class _EventStruct(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _Id),
    )


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_EventStruct))
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "espeak_Initialize": (ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_int),
    "espeak_SetSynthCallback": (_CALLBACK,),
    "espeak_SetVoiceByName": (ctypes.c_char_p,),
    "espeak_SetParameter": (ctypes.c_int, ctypes.c_int, ctypes.c_int),
    "espeak_Synth": (
        *(ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_int, ctypes.c_uint, ctypes.c_uint),
        *(ctypes.c_void_p, ctypes.c_void_p),
    ),
}
"""Arguments of the functions in use; all give an int, and all but the callback's setter and the first one 0 if well."""


@dataclass
class _Engine:
    """The initialised library, its sample rate, and what the running call has produced so far."""

    library: ctypes.CDLL
    rate: int
    variants: Path
    chunks: list[npt.NDArray[np.int16]] = field(default_factory=list)
    events: list[_Event] = field(default_factory=list)
    error: BaseException | None = None

    def run(
        self, ssml: str, voice: str, words_per_minute: int, pitch: int
    ) -> tuple[npt.NDArray[np.float32], list[_Event]]:
        """Samples and events of one text."""
        self.chunks, self.events, self.error = [], [], None
        name, _, variant = voice.partition("+")
        known = not variant or (self.variants / variant).is_file()
        if not name or not known or self.library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise VoiceError("voice", repr(voice), "a voice of espeak-ng, with a variant after + if wanted (es, eu+f2)")
        self.library.espeak_SetParameter(_RATE, words_per_minute, 0)
        self.library.espeak_SetParameter(_PITCH, pitch, 0)
        data = ssml.replace("\0", "").encode(errors="replace")
        status = self.library.espeak_Synth(data, len(data) + 1, 0, 1, 0, _UTF8 | _SSML, None, None)
        if self.error is not None:
            raise self.error
        if status != 0:
            raise AsrPunctError(f"espeak-ng: found status {status:#x} from synthesis, expected 0")
        pcm = np.concatenate(self.chunks) if self.chunks else np.zeros(0, np.int16)
        return pcm.astype(np.float32) / np.float32(32768), self.events

    def receive(self, wave: Any, length: int, events: Any) -> int:
        """espeak's callback: keep a piece of the sound and the events; what goes wrong ends the synthesis."""
        try:
            self._keep(wave, length, events)
        except BaseException as error:  # ctypes would print it and go on
            self.error = error
            return 1
        return 0

    def _keep(self, wave: Any, length: int, events: Any) -> None:
        """Copy what is the library's own and changes after the callback; the list of events ends with type 0."""
        if wave and length > 0:
            self.chunks.append(np.ctypeslib.as_array(wave, (length,)).copy())
        index = 0
        while events and events[index].type != _END_OF_LIST:
            event = events[index]
            self.events.append(_Event(event.type, event.sample, _name(event)))
            index += 1


def _name(event: Any) -> str:
    if event.type == _MARK:
        return str(event.id.name.decode())
    return str(event.id.string.decode(errors="replace")) if event.type == _PHONEME else ""


def _engine() -> _Engine:
    """The library, initialised once a process."""
    try:
        import espeakng_loader
    except ImportError:
        raise MissingExtraError("speech synthesis", "audio", "espeakng-loader") from None
    return _initialise(espeakng_loader.get_library_path(), espeakng_loader.get_data_path())


_CALLBACKS: list[Any] = []
"""Kept as long as the process lives: the library holds their addresses."""


@cache
def _initialise(path: str, data: str) -> _Engine:
    """Done once: to initialise the library again replaces tables and buffers that it may still point to."""
    library = ctypes.CDLL(path)
    for name, arguments in _SIGNATURES.items():
        getattr(library, name).argtypes = arguments
    rate = library.espeak_Initialize(_OUTPUT_SYNCHRONOUS, 0, data.encode(), _REPORT_PHONEMES | _DO_NOT_EXIT)
    if rate <= 0:
        raise AsrPunctError(f"espeak-ng: found status {rate} from {data}, expected its data")
    engine = _Engine(library, rate, Path(data) / "voices" / "!v")
    _CALLBACKS.append(_CALLBACK(engine.receive))
    library.espeak_SetSynthCallback(_CALLBACKS[-1])
    return engine


def _renew_lock() -> None:
    """A process that was forked while another thread spoke would wait for that thread for ever."""
    global _LOCK
    _LOCK = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
