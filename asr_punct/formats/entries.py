"""Words of a recogniser's entries, and written words put back into the texts that they were read from.

An entry is a text with times: an object of JSON, an interval, a row. Its text is mostly one token, with or without
white space around it. If it has several (` - sí`), each is a word: the first has the entry's start, the last its end.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice, pairwise
from operator import attrgetter
from typing import Any, Protocol, TypeVar

from asr_punct.channels import chronological
from asr_punct.errors import EXPECTED_TIMES, InputError
from asr_punct.formats.values import short_repr
from asr_punct.glyphs import Glyphs, write_text, write_word
from asr_punct.words import Seconds, Utterance, Word, has_times

_Item = TypeVar("_Item")
_TURN_PAUSE: Seconds = 1.0
_SILENCE = frozenset({"", "sil", "sp", "<eps>", "<p:>", "<sil>"})
"""Texts of intervals that are not words, in lower case."""


def entry_words(
    text: Any, start: Seconds | None, end: Seconds | None, confidence: float | None, place: str
) -> list[Word]:
    """Return the words of an entry. Raises InputError if its text is not a string."""
    if not isinstance(text, str):
        raise InputError(place, f"the word {short_repr(text)}", "a string")
    tokens = text.split()
    last = len(tokens) - 1
    return [Word(token, None if i else start, end if i == last else None, confidence) for i, token in enumerate(tokens)]


def with_edge_times(words: Sequence[Word], start: Seconds | None, end: Seconds | None) -> tuple[Word, ...]:
    """Return the words, the first one with this start and the last one with this end."""
    words = (replace(words[0], start=start), *words[1:])
    return (*words[:-1], replace(words[-1], end=end))


def spoken_tokens(text: str) -> list[str]:
    """Return the words of an interval or annotation, none for silence."""
    return [] if text.strip().lower() in _SILENCE else text.split()


class _Timed(Protocol):
    """A word or an annotation."""

    @property
    def start(self) -> Seconds | None:
        """Start in seconds, or None."""

    @property
    def end(self) -> Seconds | None:
        """End in seconds, or None."""


_TimedItem = TypeVar("_TimedItem", bound=_Timed)


def cut_at_pauses(words: Sequence[_TimedItem]) -> list[list[_TimedItem]]:
    """Return the turns of one of several speakers: words between pauses of more than a second."""
    turns = [list(words[:1])]
    for before, after in pairwise(words):
        if before.end is not None and after.start is not None and after.start - before.end > _TURN_PAUSE:
            turns.append([])
        turns[-1].append(after)
    return turns


def sorted_by_start(utterances: Iterable[Utterance]) -> list[Utterance]:
    """Return the utterances sorted by start; one without times follows its predecessor.

    Raises InputError if utterances with times belong to several recordings.
    """
    utterances = list(utterances)
    recordings = {utterance.recording for utterance in utterances if has_times(utterance.words)}
    if len(recordings) > 1:
        found = f"the times of {len(recordings)} recordings"
        raise InputError(f"recording {min(recordings)!r}", found, "those of one, for the format has one line of time")
    return chronological(utterances, attrgetter("start"))


def segment_times(words: Iterable[Word], place: str) -> tuple[Seconds, Seconds]:
    """Return the first start and the last end, or the other time if one is unknown. Raises InputError without times."""
    words = tuple(words)
    starts = [word.start for word in words if word.start is not None]
    ends = [word.end for word in words if word.end is not None]
    if not (starts or ends):
        raise InputError(place, "words without times", EXPECTED_TIMES)
    start, end = min(starts or ends), max(ends or starts)
    return start, max(start, end)


def mean_confidence(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known confidences; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def written_words(utterance: Utterance, glyphs: Glyphs, *, running: bool = False) -> list[str]:
    """Return each word with its marks and case, without spaces; with `running`, a dash has a space before it."""
    if not utterance.is_labelled:
        return [word.text for word in utterance.words]
    glyphs = glyphs.of(utterance.language)
    pairs = zip(utterance.words, utterance.labels, strict=True)
    if running:
        return [write_text([word.text], [labels], glyphs) for word, labels in pairs]
    return [write_word(word.text, labels, glyphs) for word, labels in pairs]


def replace_tokens(text: str, old: Sequence[str], new: Sequence[str]) -> str:
    """Replace the tokens `old`, of which the text consists, by `new`, and keep its white space.

    If the text consists of other tokens, return the new ones joined by spaces.
    """
    if old == new:
        return text
    parts, position = list[str](), 0
    for before, after in zip(old, new, strict=True):
        place = text.find(before, position)
        if place < 0 or text[position:place].strip():
            break
        parts += [text[position:place], after]
        position = place + len(before)
    else:
        if not text[position:].strip():
            return "".join([*parts, text[position:]])
    return text[: len(text) - len(text.lstrip())] + " ".join(filter(None, new))


def replace_words(texts: Iterable[str], words: Sequence[str]) -> list[str]:
    """Return the texts with all their tokens replaced, in order, by `words`."""
    left = iter(words)
    return [replace_tokens(text, old := text.split(), list(islice(left, len(old)))) for text in texts]


def subsequence(part: Sequence[str], tokens: Sequence[str]) -> list[int] | None:
    """Return the earliest positions of the tokens of `part` in `tokens`, in order; None if it is not a subsequence."""
    places, first = list[int](), 0
    for token in part:
        try:
            places.append(tokens.index(token, first))
        except ValueError:
            return None
        first = places[-1] + 1
    return places


# Words in several tokens, as in Whisper's output: ` self` and `-driving`, ` $5` and `,000`. White space at the start of
# a token, or at the end of the one before, starts a new word.


def grouped(items: Iterable[_Item], sizes: Iterable[int]) -> Iterator[list[_Item]]:
    """Yield consecutive groups of the given sizes."""
    left = iter(items)
    return (list(islice(left, size)) for size in sizes)


def word_sizes(texts: Iterable[str]) -> list[int]:
    """Return the number of tokens of each word of consecutive texts: 2 and 1 for ` self`, `-driving`, ` car`."""
    sizes, continues = list[int](), False
    for text in filter(None, texts):
        tokens = len(text.split())
        if tokens and continues and not text[0].isspace():
            sizes[-1] += 1
            tokens -= 1
        sizes += [1] * tokens
        continues = not text[-1].isspace()
    return sizes


def part_sizes(texts: Sequence[str]) -> list[int]:
    """Return `word_sizes`, or 1 for each token if no text begins with white space (WhisperX, Chinese)."""
    if any(text[:1].isspace() for text in texts):
        return word_sizes(texts)
    return [1] * sum(len(text.split()) for text in texts)


def join_parts(parts: Sequence[Word]) -> Word:
    """Return one word: first start, last end, mean confidence. An end before the start becomes None."""
    if len(parts) == 1:
        return parts[0]
    start, end = parts[0].start, parts[-1].end
    goes_back = start is not None and end is not None and end < start
    text = "".join(part.text for part in parts)
    confidence = mean_confidence(part.confidence for part in parts)
    return Word(text, start, None if goes_back else end, confidence, speaker=parts[0].speaker)


def written_parts(
    utterance: Utterance, parts: Iterable[Sequence[str]], glyphs: Glyphs, *, running: bool = False
) -> list[str]:
    """Return the written words cut into their tokens: left marks on the first token, right marks on the last.

    `parts` has the tokens of each word; none for a word without an entry, which is left out. With `running`, a dash of
    a word of one token has a space before it.
    """
    found: list[str] = []
    glyphs = glyphs.of(utterance.language)
    whole = written_words(utterance, glyphs, running=running)
    cut = written_words(utterance, glyphs)
    for single, text, labels, tokens in zip(whole, cut, utterance.labels, parts, strict=True):
        if len(tokens) == 1:
            found.append(single)
        elif tokens:
            before = len(glyphs.before(labels.marks))
            cuts = [0, *(before + end for end in accumulate(map(len, tokens[:-1]))), len(text)]
            found += [text[first:last] for first, last in pairwise(cuts)]
    return found
