"""Hints: what is special about an input, of which its user should know, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from asr_punct.errors import Setting, plural
from asr_punct.files import InputFile
from asr_punct.formats.times import OnBadTimes
from asr_punct.letter_case import takes_case
from asr_punct.marks import Labels
from asr_punct.words import Utterance, Word


@dataclass(frozen=True, slots=True)
class Hint:
    """What is special about an input, and the setting with which the output is another, if there is one."""

    found: str
    remedy: str = ""
    setting: Setting | None = None


CAPITALS_STAY = Hint("all words are in capitals, which stay in the output", "to restore capitals", Setting("lowercase"))
LABELS_STAY = Hint(
    "found labels, which stay in the output", "to restore all marks and capitals", Setting("ignore_labels")
)
REPEATED_LINES = Hint(
    "rolling captions: each line is in several cues", "for cues that show it once", Setting("subtitles", "netflix")
)
OnHint = Callable[[Hint], object]
_NO_LABELS = Labels()
_MIN_CAPITALS = 3
"""Number of words in capitals from which an input counts as written in capitals: one or two may be names."""


def about_encoding(file: InputFile, on_hint: OnHint, *, stays: bool) -> None:
    """Give a hint if the encoding was guessed, or bytes were not in UTF-8; `stays`: whether they are written again."""
    remedy, setting = "if the file is in another encoding", Setting("encoding")
    if file.form.is_guessed:
        on_hint(Hint(file.form.guess, remedy, setting))
    count, first = file.undecoded
    if count:
        found = f"{plural(count, 'byte')} not in UTF-8 (first: {first})"
        on_hint(Hint(f"{found}, written {'unchanged' if stays else 'as U+FFFD'}", remedy, setting))


def with_hint(
    utterances: Iterable[Utterance], has_it: Callable[[Utterance], bool], hint: Hint, on_hint: OnHint
) -> Iterator[Utterance]:
    """Yield the utterances; give the hint once, at the first that has it."""
    is_new = True
    for utterance in utterances:
        if is_new and has_it(utterance):
            is_new = False
            on_hint(hint)
        yield utterance


def as_hint(on_hint: OnHint | None) -> OnBadTimes | None:
    """Return a function that reports times that make no sense as a hint."""
    return (lambda bad: on_hint(Hint(str(bad)))) if on_hint else None


def with_hints_about_marks(
    utterances: Iterable[Utterance], on_hint: OnHint, about_capitals: bool
) -> Iterator[Utterance]:
    """Yield the utterances; give a hint at the first labels, and at the end if all words are in capitals."""
    capitals, is_labelled = CapitalsCheck(), False
    for utterance in utterances:
        if not is_labelled and any(label != _NO_LABELS for label in utterance.labels):
            is_labelled = True
            on_hint(LABELS_STAY)
        capitals.add(utterance.words)
        yield utterance
    if about_capitals and capitals.are_capitals():
        on_hint(CAPITALS_STAY)


class CapitalsCheck:
    """Checks whether all words of an input are in capitals."""

    def __init__(self) -> None:
        self._count, self._only_capitals = 0, True

    def add(self, words: Iterable[Word]) -> None:
        """Check more words; tags, addresses and words whose letters have no case (`123`) do not count."""
        if not self._only_capitals:
            return
        for text in filter(takes_case, (word.text for word in words)):
            if text != text.upper():
                self._only_capitals = False
                return
            self._count += text != text.lower()

    def are_capitals(self, minimum: int = _MIN_CAPITALS) -> bool:
        """Whether there were at least `minimum` words, all in capitals."""
        return self._only_capitals and self._count >= minimum
