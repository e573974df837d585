"""Read the marks and capitals of a file as labels: references, corpora, output of any system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from asr_punct import formats, progress
from asr_punct.formats.files import Pathlike, display_name
from asr_punct.formats.nemo import reference_of
from asr_punct.text import parse
from asr_punct.words import Utterance, Word, annotate, word_count


def read_labelled(
    path: Pathlike, language: str, format_name: str | None = None, *, reference: bool = False
) -> Iterator[Utterance]:
    """Yield utterances with labels: those of the file, else those read from the marks and capitals of its words.

    Args:
        path: the file.
        language: language of the words, for its conventions of punctuation.
        format_name: format of the file; None: detected.
        reference: whether the file is a reference: then `text` of a NeMo manifest is read, not `pred_text`.
    """
    read = formats.read(path, format_name)
    words = f"words of {display_name(path)}"
    for utterance in progress.counted(read, words, size=word_count, source=path):
        utterance = reference_of(utterance) if reference else utterance
        yield utterance if utterance.is_labelled else labelled(utterance, language, as_written=True)


def labelled(
    utterance: Utterance, language: str, dropped: Counter[str] | None = None, *, as_written: bool = False
) -> Utterance:
    """Parse the utterance's tokens as written text and return labelled words; times are kept if tokens match words.

    Args:
        utterance: the tokens of a file.
        language: language of the words, for its conventions of punctuation.
        dropped: counter of characters that are neither words nor marks.
        as_written: whether words keep their capitals (`EiTB`), which labels cannot express, or are in lower case.
    """
    parsed = parse(" ".join(word.text for word in utterance.words), language)
    if dropped is not None:
        dropped.update(parsed.dropped)
    texts = parsed.forms if as_written else parsed.words
    if _same(utterance.words, parsed.words, language):
        words = tuple(replace(word, text=text) for word, text in zip(utterance.words, texts, strict=True))
        return annotate(replace(utterance, words=words), labels=parsed.labels)
    words = tuple(map(Word, texts))
    return annotate(
        replace(utterance, words=words, time_source="none"), labels=parsed.labels, pauses=None, probabilities=None
    )


def _same(tokens: Sequence[Word], words: Sequence[str], language: str) -> bool:
    """Whether each word is the word of its token: equal numbers of tokens and words do not imply that."""
    if len(tokens) != len(words):
        return False
    return all(
        _bare(parse(token.text, language).words) == _bare([word]) for token, word in zip(tokens, words, strict=True)
    )


def _bare(words: Iterable[str]) -> list[str]:
    """Return the words without periods: whether a period belongs to a word depends on the words around it."""
    return [word.strip(".") for word in words]
