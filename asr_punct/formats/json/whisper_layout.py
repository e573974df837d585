"""Which entries of a segment's list of words form each word of Whisper's segment.

An entry may be a part of a word (` self`, `-driving`), and `text` may have words that the list lacks. If a person has
corrected `text`, it counts: its words have the entries, and so the times, of equal words of the list.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import TypeVar

from asr_punct.formats.entries import part_sizes, subsequence
from asr_punct.formats.json import nodes
from asr_punct.formats.values import Object

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Layout:
    """The words of a segment; `spans` has the first and last token of each in the list of words, the last excluded."""

    words: list[str]
    spans: list[tuple[int, int]]

    def grouped(self, tokens: Sequence[_Item]) -> list[Sequence[_Item]]:
        """Return for each word its tokens of the list; none for a word that the list lacks."""
        return [tokens[first:last] for first, last in self.spans]

    def replaced(self, tokens: Sequence[_Item], parts: Iterable[_Item]) -> list[_Item]:
        """Return the tokens of the list, with those of words replaced by `parts`, in order."""
        places = (i for span in self.spans for i in range(*span))
        changed = dict(zip(places, parts, strict=True))
        return [changed.get(i, token) for i, token in enumerate(tokens)]


def layout_of(segment: nodes.Node) -> Layout:
    """Return the words of a segment. Raises InputError if its text is not a string."""
    text, entries = segment.text("text"), segment.get("words") or []
    key = text_key(entries)
    sizes = part_sizes([entry[key] for entry in entries])
    spans = list(pairwise(accumulate(sizes, initial=0)))
    tokens = nodes.tokens_of(entries, key)
    timed = ["".join(tokens[first:last]) for first, last in spans]
    written = text.split()
    found = subsequence(timed, written)
    positions: Sequence[int | None] = found or ()
    if found is None:
        in_text, in_entries = (list(map(letters, words)) for words in (written, timed))
        if "".join(in_text) in ("", "".join(in_entries)):  # they differ in punctuation and spaces
            return Layout(timed, spans)
        positions = _equal_words(in_entries, in_text)
    span_at = {place: span for place, span in zip(positions, spans, strict=True) if place is not None}
    return Layout(written, [span_at.get(place, (0, 0)) for place in range(len(written))])


def _equal_words(words: Sequence[str], others: Sequence[str]) -> list[int | None]:
    """Return the place of each word in a text with other words, in order; None where it has others."""
    places: list[int | None] = [None] * len(words)
    for first, second, size in SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks():
        places[first : first + size] = range(second, second + size)
    return places


def entry_tokens(segments: Iterable[Object]) -> list[str]:
    """Return the tokens of the lists of words of segments."""
    lists = (item.get("words") or [] for item in segments)
    return [token for entries in lists for token in nodes.tokens_of(entries, text_key(entries))]


def letters(token: str) -> str:
    """Return the letters and digits of a token, without case."""
    return "".join(filter(str.isalnum, token)).casefold()


def text_key(entries: Sequence[Object]) -> str:
    """Return the key of a word's text; whisper-timestamped uses `text`."""
    return "text" if entries and "text" in entries[0] and "word" not in entries[0] else "word"
