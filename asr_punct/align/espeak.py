"""Speech synthesis by espeak-ng with exact word times, through ctypes and `espeakng_loader`.

espeak-ng reports the first sample of every SSML `<mark>`, phoneme and pause (`espeak_EVENT` in its `speak_lib.h`). The
text gets a `<mark>` before every word. A word lasts from its `<mark>`, or the end of a pause after it, to the next
pause or word.

The library has one state per process, so calls are serialised by a lock. The same calls in the same order give the same
speech. In another order its timing differs by a few milliseconds.
"""

import ctypes
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from asr_punct.audio import Samples
from asr_punct.errors import ArgumentError, AsrPunctError, MissingExtraError
from asr_punct.words import Seconds, Word

# Constants of speak_lib.h
_OUTPUT_SYNCHRONOUS = 2  # AUDIO_OUTPUT_SYNCHRONOUS
_PHONEME_EVENTS, _DONT_EXIT = 1, 1 << 15  # espeakINITIALIZE_*
_UTF8, _SSML = 1, 0x10  # espeakCHARS_UTF8, espeakSSML
_POSITION_IN_CHARACTERS = 1  # POS_CHARACTER
_RATE, _PITCH = 1, 3  # espeakRATE, espeakPITCH
_LIST_TERMINATED, _MARK, _PHONEME = 0, 3, 7  # espeakEVENT_*
_PAUSES = frozenset(("_", "_:", "_::", "_|", "_^_"))
"""espeak's silent phonemes; `_!`, a glottal stop, is part of its word."""
_Span = tuple[int, int]
"""(begin, end) in samples, end exclusive."""
_LOCK = threading.Lock()


class VoiceError(ArgumentError):
    """espeak-ng has no such voice or variant."""


@dataclass(frozen=True)
class Speech:
    """Synthetic speech, float32 (samples,) in -1..1, and the white-space tokens of its text with their times.

    Each word starts where the previous one ends, or after a silent pause. Tokens that espeak does not pronounce have
    no times.
    """

    samples: Samples
    rate: int
    words: tuple[Word, ...]


def synthesise(
    text: str, voice: str, *, words_per_minute: int = 175, pitch: int = 50, breaks: Mapping[int, Seconds] | None = None
) -> Speech:
    """Synthesise words, and punctuation for intonation and pauses.

    `voice` is an espeak voice, with an optional variant after `+` (`es`, `eu+f2`, `en-us`). The rate is 80 to 450 words
    per minute, the pitch 0 to 99. `breaks` are minimum silences after words, by word index, accurate to a few ms.
    Raises VoiceError for an unknown voice or variant, MissingExtraError without `espeakng_loader`, and AsrPunctError if
    espeak-ng cannot load its data, or fails.
    """
    words = text.split()
    with _LOCK:
        rate, samples, events = _run(_mark_words(words, breaks or {}), voice, words_per_minute, pitch)
    phonemes = _phonemes(events, len(words))
    _split_merged_words(words, phonemes)
    timed = (
        Word(word, spans[0][0] / rate, spans[-1][1] / rate) if spans else Word(word)
        for word, spans in zip(words, phonemes, strict=True)
    )
    return Speech(samples, rate, tuple(timed))


class _Event(NamedTuple):
    """An event of espeak: its type, its first sample, and the name of its `<mark>` or phoneme."""

    kind: int
    sample: int
    name: str


def _mark_words(words: Sequence[str], breaks: Mapping[int, Seconds]) -> str:
    """Return SSML with a `<mark>` before every word, named by the word's index.

    Words are on separate lines because espeak drops a `<mark>` that follows a full stop and a space.
    """
    pauses = {i: f'<break time="{round(seconds * 1000)}ms"/>' for i, seconds in breaks.items()}
    return "\n".join(f'<mark name="{i}"/>{escape(word)}{pauses.get(i, "")}' for i, word in enumerate(words))


def _phonemes(events: Sequence[_Event], words: int) -> list[list[_Span]]:
    """Return the spans of the phonemes of every word.

    A word's first phoneme starts at the word's `<mark>`, or at the end of a pause that follows the `<mark>`.
    """
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


def _split_merged_words(words: Sequence[str], phonemes: list[list[_Span]]) -> None:
    """Divide the phonemes of words that espeak pronounced as one, in proportion to their characters, in place.

    Espeak assigns all phonemes of `of the` to `of`. Merged words with fewer phonemes than words do not change.
    """
    for last in range(len(words) - 1, 0, -1):
        first = last
        while first > 0 and not phonemes[first] and any(c.isalnum() for c in words[first]):
            first -= 1
        lengths = np.cumsum([len(word) for word in words[first : last + 1]])
        merged = phonemes[first]
        if first < last and len(merged) > last - first:
            cuts = [0, *np.rint(lengths * len(merged) / lengths[-1]).astype(int)]
            phonemes[first : last + 1] = [merged[i:j] for i, j in pairwise(cuts)]


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

    def copy(self) -> _Event:
        """Copy the event to Python's memory: the library reuses its own after the callback."""
        name = self.id.name if self.type == _MARK else self.id.string if self.type == _PHONEME else b""
        return _Event(self.type, self.sample, name.decode(errors="replace"))


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_EventStruct))


def _run(ssml: str, voice: str, words_per_minute: int, pitch: int) -> tuple[int, Samples, list[_Event]]:
    """Synthesise text in SSML. Return the sample rate, the samples and the events."""
    library, rate, variants = _library()
    chunks, events, errors = [np.zeros(0, np.int16)], list[_Event](), list[BaseException]()

    def receive(wave: Any, length: int, event: Any) -> int:
        try:
            if wave and length > 0:
                chunks.append(np.ctypeslib.as_array(wave, (length,)).copy())
            index = 0
            while event and event[index].type != _LIST_TERMINATED:
                events.append(event[index].copy())
                index += 1
        except BaseException as error:  # ctypes would only print it
            errors.append(error)
        return len(errors)  # not 0: espeak-ng stops

    name, _, variant = voice.partition("+")
    variant_exists = not variant or (variants / variant).is_file()
    if not name or not variant_exists or library.espeak_SetVoiceByName(voice.encode()) != 0:
        raise VoiceError("voice", repr(voice), "a voice of espeak-ng, with a variant after + if wanted (es, eu+f2)")
    callback = _CALLBACK(receive)  # a variable, to keep it alive until the synthesis ends
    library.espeak_SetSynthCallback(callback)
    library.espeak_SetParameter(_RATE, words_per_minute, 0)
    library.espeak_SetParameter(_PITCH, pitch, 0)
    data = ssml.replace("\0", "").encode(errors="replace")
    whole = 0, _POSITION_IN_CHARACTERS, 0  # from the first character, without an end position
    status = library.espeak_Synth(data, ctypes.c_size_t(len(data) + 1), *whole, _UTF8 | _SSML, None, None)
    if errors:
        raise errors[0]
    if status != 0:
        raise AsrPunctError("espeak-ng", f"status {status:#x} from synthesis", "0")
    return rate, np.concatenate(chunks).astype(np.float32) / np.float32(32768), events


@cache
def _library() -> tuple[ctypes.CDLL, int, Path]:
    """Load the library once, because a second initialisation replaces buffers in use.

    Returns it with its sample rate and the directory of the voice variants.
    """
    try:
        import espeakng_loader
    except ImportError:
        raise MissingExtraError("speech synthesis", "audio", "espeakng-loader") from None
    library, data = ctypes.CDLL(espeakng_loader.get_library_path()), espeakng_loader.get_data_path()
    rate = library.espeak_Initialize(_OUTPUT_SYNCHRONOUS, 0, data.encode(), _PHONEME_EVENTS | _DONT_EXIT)
    if rate <= 0:
        raise AsrPunctError("espeak-ng", f"status {rate} on loading {data}", "espeak-ng's data")
    return library, rate, Path(data) / "voices" / "!v"
