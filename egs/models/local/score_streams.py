#!/usr/bin/env python3
"""Compare live streams of a model with whole texts: F1 of marks on the first words of its test sets.

The sets are those of score_model.py without the IWSLT benchmark. Their words are pushed in lower case, one by one, to a
stream with the default settings; the whole texts are the same words in `restore`. The delay of a word is the number of
words that have followed it when it is committed; words that the end of a document commits have none.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby, islice
from operator import attrgetter
from pathlib import Path
from statistics import mean
from typing import Annotated

from score_model import find_sets, punctuate_bare
from typer import Option

from asr_punct.errors import InputError, run_script
from asr_punct.formats.labelled import read_labelled
from asr_punct.inference.punctuator import Punctuator
from asr_punct.marks import Labels
from asr_punct.scoring import score
from asr_punct.scoring.markdown import percent
from asr_punct.text.bare import bare
from asr_punct.words import Utterance, annotate, word_count


def first_utterances(utterances: Sequence[Utterance], min_words: int) -> list[Utterance]:
    """Return as few utterances from the start as have `min_words` words in total; all utterances if it is 0."""
    words_before = accumulate(map(word_count, utterances), initial=0)
    pairs = zip(utterances, words_before, strict=False)
    return [utterance for utterance, before in pairs if before < min_words or not min_words]


def push_bare(punctuator: Punctuator, references: Sequence[Utterance]) -> tuple[list[Utterance], list[int]]:
    """Return the references with the labels that a stream gives to their bare words, and the delays of the words."""
    labels, delays = list[Labels](), list[int]()
    with punctuator.stream() as stream:
        for _, document in groupby(map(bare, references), key=attrgetter("context")):
            committed = 0
            for position, word in enumerate(word for utterance in document for word in utterance.words):
                found = [each.labels for each in stream.push(word)]
                delays += range(position - committed, position - committed - len(found), -1)
                committed += len(found)
                labels += found
            labels += [each.labels for each in stream.flush()]
    rest = iter(labels)
    return [annotate(each, labels=list(islice(rest, len(each.words)))) for each in references], delays


def micro_f1(references: Iterable[Utterance], hypotheses: Iterable[Utterance], place: Path) -> float:
    """Return the F1 of all marks. Raises InputError if the references have none."""
    f1 = score(references, hypotheses).micro.f1
    if f1 is None:
        raise InputError(place, "no marks", "a text with marks")
    return f1


def main(
    model: str,
    corpus: Annotated[Path, Option(help="Folder of the texts.")],
    words: Annotated[int, Option(min=1, help="Words of each set; the last line is read to its end.")] = 8_000,
) -> None:
    punctuator = Punctuator.from_pretrained(model)
    rows, delays = [], list[int]()
    for name, test_set in find_sets(corpus, punctuator.info.model.language).items():
        if test_set.merge is not None:
            continue
        labelled = read_labelled(test_set.path, name.split("/")[0], "text")
        references = first_utterances([utterance for utterance in labelled if utterance.words], words)
        restored = [found for _, found in punctuate_bare(punctuator, references)]
        streamed, set_delays = push_bare(punctuator, references)
        rows.append([micro_f1(references, found, test_set.path) for found in (restored, streamed)])
        delays += set_delays
        count = sum(len(utterance.words) for utterance in references)
        print(f"{name}: {count} words, whole texts {percent(rows[-1][0])}, streams {percent(rows[-1][1])}", flush=True)
    if not delays:
        raise InputError(corpus, "no document of more words than the look-ahead", "longer test sets")
    restored_mean, streamed_mean = map(mean, zip(*rows, strict=True))
    means = f"whole texts {percent(restored_mean)}, streams {percent(streamed_mean)}"
    print(f"mean: {means}, {mean(delays):.1f} words after a word when it is committed")


if __name__ == "__main__":
    run_script(main)
