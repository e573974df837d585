"""Evaluate a model on labelled text: remove marks and capitals, restore them, and pair the words for scoring."""

from collections.abc import Iterable
from dataclasses import replace

from asr_punct import progress
from asr_punct.errors import InputError
from asr_punct.files import Pathlike, display_name
from asr_punct.formats.labelled import read_labelled
from asr_punct.glyphs import Glyphs
from asr_punct.inference.punctuator import Punctuator
from asr_punct.letter_case import case_of
from asr_punct.marks import Labels
from asr_punct.scoring.paired_texts import PairedTexts, pair_words
from asr_punct.text.bare import bare
from asr_punct.words import Utterance, annotate, word_count


def evaluate(
    punctuator: Punctuator,
    test: Pathlike,
    format_name: str | None = None,
    merge: int | None = None,
    *,
    probabilities: bool = False,
) -> PairedTexts:
    """Restore marks and case of a test set, and pair its words and the restored ones.

    The model reads the words in lower case, without labels, with their times and pauses.

    Args:
        punctuator: the model.
        test: a file with labels (TSV, JSON) or written text; of a NeMo manifest, the key `text` is read.
        format_name: format of the file; None: detected.
        merge: see `scoring.pair_words`.
        probabilities: whether to add the probabilities of labels, for the score page.

    Raises:
        InputError: the file is malformed or has no marks and capitals.
    """
    language = punctuator.info.model.language
    references = list(read_labelled(test, language, format_name, reference=True))
    if all(label == Labels() for utterance in references for label in utterance.labels):
        raise InputError(display_name(test), "no marks and no capitals", "labels, or written text")
    words = sum(map(word_count, references))
    restored = punctuator.restore(map(bare, references), probabilities=probabilities)
    found: Iterable[Utterance] = progress.track(restored, "words", size=word_count, total=words)
    if any(word.text != word.text.lower() for utterance in references for word in utterance.words):
        found = (_as_written(utterance, punctuator.glyphs) for utterance in found)
    return pair_words(references, found, merge, name=display_name(test))


def _as_written(utterance: Utterance, glyphs: Glyphs) -> Utterance:
    """Return the utterance with the case of its written words, also for forms of a casing list (`EiTB`)."""
    written = with_capitals(utterance, glyphs)
    labels = [
        Labels(label.marks, case_of(word.text)) for word, label in zip(written.words, written.labels, strict=True)
    ]
    return annotate(written, labels=labels)


def with_capitals(utterance: Utterance, glyphs: Glyphs) -> Utterance:
    """Return the utterance with the capitals of its labels in the words, as `punctuate` writes them in text."""
    cased = glyphs.of(utterance.language).cased
    labelled = zip(utterance.words, utterance.labels, strict=True)
    return replace(utterance, words=tuple(replace(word, text=cased(word.text, label.case)) for word, label in labelled))
