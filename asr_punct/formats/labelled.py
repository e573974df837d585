"""Turn the marks and capitals of written words into labels: of references, corpora, output of any system."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from asr_punct import formats, progress
from asr_punct.files import Pathlike, display_name
from asr_punct.formats.json.nemo import reference_of
from asr_punct.formats.source import Source
from asr_punct.identifier import identify
from asr_punct.languages import parse_language
from asr_punct.text import parse
from asr_punct.words import Utterance, Word, annotate, word_count

_LANGUAGE_WORDS = 100
"""A language is identified by at most this many words."""


def read_labelled(
    path: Pathlike, language: str, format_name: str | None = None, *, reference: bool = False
) -> Iterator[Utterance]:
    """Yield utterances with the labels of the file, or else with labels from the marks and capitals of its words.

    With `reference` the words of a NeMo manifest are those of `text`, not `pred_text`.
    """
    written = read_written(path, format_name, reference=reference)
    return (with_labels(utterance, language) for utterance in written)


def read_written(path: Pathlike, format_name: str | None = None, *, reference: bool = False) -> Iterator[Utterance]:
    """Yield the utterances of `read_labelled` as they are in the file."""
    source = Source(path, format_name)
    words = f"words of {display_name(path)}"
    for utterance in progress.track(formats.read(source), words, size=word_count, position=source.file.position):
        yield reference_of(utterance) if reference else utterance


def with_labels(utterance: Utterance, language: str) -> Utterance:
    """Return the utterance with its labels, or else with labels from the marks and capitals of its words."""
    return utterance if utterance.is_labelled else labelled(utterance, language, as_written=True)


def language_of(utterances: Iterable[Utterance]) -> str:
    """Return the language that utterances name, else the one identified from their first words; "" without either."""
    words = list[str]()
    for utterance in utterances:
        if code := parse_language(utterance.language):
            return code
        words += (word.text for word in utterance.words)
        if len(words) >= _LANGUAGE_WORDS:
            break
    guess = identify(words[:_LANGUAGE_WORDS])
    return guess.language if guess else ""


def labelled(
    utterance: Utterance, language: str, dropped: Counter[str] | None = None, *, as_written: bool = False
) -> Utterance:
    """Parse the utterance's tokens as written text. Words keep their times if each token is one word.

    `dropped` counts the characters that are neither words nor marks. With `as_written` words keep capitals that labels
    cannot express (`EiTB`); otherwise they are lower case.
    """
    parsed = parse(" ".join(word.text for word in utterance.words), language)
    if dropped is not None:
        dropped.update(parsed.dropped)
    texts = parsed.forms if as_written else parsed.words
    if _are_one_to_one(utterance.words, parsed.words, language):
        words = tuple(replace(word, text=text) for word, text in zip(utterance.words, texts, strict=True))
        return annotate(replace(utterance, words=words), labels=parsed.labels)
    return annotate(replace(utterance, words=tuple(map(Word, texts)), time_source="none"), labels=parsed.labels)


def _are_one_to_one(tokens: Sequence[Word], words: Sequence[str], language: str) -> bool:
    """Whether each token, parsed alone, is the word at its position: not in `Uno,dos - tres`, with three of each."""
    if len(tokens) != len(words):
        return False
    alone = (parse(token.text, language).words for token in tokens)
    # without outer periods: the next word decides whether `sr.` is an abbreviation
    return all(
        [each.strip(".") for each in found] == [word.strip(".")] for found, word in zip(alone, words, strict=True)
    )
