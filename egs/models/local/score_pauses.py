#!/usr/bin/env python3
"""Score a model on a recording with its pauses and with all pauses unknown; writes pauses.json for the model's card.

WORDS is a JSON list of `{"word", "start", "end", "exact", "sent"}`: words with a person's marks and capitals, times in
seconds and the number of the sentence. Times that are not exact (interpolated) are not used. A paired bootstrap over
the sentences compares the two runs on the same words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from asr_punct.errors import InputError, run_script
from asr_punct.files import read_json_file, write_json_file
from asr_punct.formats.entries import entry_words
from asr_punct.inference.punctuator import Punctuator
from asr_punct.pauses import with_pauses
from asr_punct.scoring import compare_counts, pair_words, score_counts
from asr_punct.scoring.markdown import comparison
from asr_punct.scoring.significance import SAMPLES, SEED
from asr_punct.text import parse
from asr_punct.words import Utterance, Word, annotate, has_times, without_labels

_EXPECTED = "a list of words with word, start, end, exact and sent"


def read_recording(path: Path, language: str) -> list[Utterance]:
    """Read the sentences of a recording with labels, and with times where these are exact.

    Raises InputError if the file has another form, or the words of a sentence differ from those of its tokens.
    """
    items = read_json_file(path)
    try:
        rows = [(row["sent"], " ".join(row["word"].split()), *_times(row)) for row in items]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(path, f"{type(error).__name__} {error}", _EXPECTED) from None
    sentences = []
    for number, group in groupby(rows, key=lambda row: row[0]):
        texts, timed, place = list[str](), list[Word](), f"{path}: sentence {number}"
        for _, text, start, end in group:
            texts.append(text)
            timed += entry_words(" ".join(parse(text, language).words), start, end, None, place)
        parsed = parse(" ".join(texts), language)
        if tuple(word.text for word in timed) != parsed.words:
            raise InputError(place, "other words than in its tokens", "tokens with their marks")
        sentence = Utterance(tuple(timed), str(number), recording=path.stem, time_source="aligner")
        sentences.append(annotate(sentence, labels=parsed.labels))
    return sentences


def _times(row: dict[str, Any]) -> tuple[float | None, float | None]:
    return (float(row["start"]), float(row["end"])) if row["exact"] else (None, None)


def withhold_times(utterances: Iterable[Utterance]) -> list[Utterance]:
    """Return the utterances with a time source for which no pauses are computed."""
    return [replace(utterance, time_source="segment") for utterance in utterances]


def compare(punctuator: Punctuator, sentences: Sequence[Utterance]) -> dict[str, Any]:
    """Return scores with pauses and without, and their differences; print them as a table as well."""
    runs = {"with": sentences, "without": withhold_times(sentences)}
    restored = {
        name: list(punctuator.restore(without_labels(utterance) for utterance in utterances))
        for name, utterances in runs.items()
    }
    counts = {name: pair_words(sentences, hypotheses).count() for name, hypotheses in restored.items()}
    differences = compare_counts(counts["without"], counts["with"])
    print(comparison(differences, "without", "with"), end="")
    pauses = [pause for utterance in with_pauses(sentences) for pause in utterance.pauses]
    return {
        "words": sum(len(utterance.words) for utterance in sentences),
        "known_pauses": sum(pause is not None for pause in pauses),
        **{name: score_counts(values).as_dict() for name, values in counts.items()},
        "differences": {metric: difference.as_dict() for metric, difference in differences.items()},
        "bootstrap": {"samples": SAMPLES, "seed": SEED, "units": len(sentences)},
    }


def main(model: str, words: Path, output: Path) -> None:
    punctuator = Punctuator.from_pretrained(model)
    sentences = read_recording(words, punctuator.info.model.language)
    if not any(has_times(sentence.words) for sentence in sentences):
        raise InputError(words, "no exact times", "words with times")
    write_json_file(output, compare(punctuator, sentences))


if __name__ == "__main__":
    run_script(main)
