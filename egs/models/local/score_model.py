#!/usr/bin/env python3
"""Score a model on held-out text: OUTPUT/scores.json, and for each set OUTPUT/SET.ref.tsv and OUTPUT/SET.hyp.tsv.

The sets of a model are CORPUS/LANGUAGE/test/* for each of its languages, then texts that may only be tested on,
CORPUS/nc/LANGUAGE/*_test and conll2002_*; with English also the test sets of the IWSLT benchmark, test2011 and
test2011asr in CORPUS/iwslt, on their own tokens and mapped to three marks. The model reads the words of a file in lower
case, each document of the file as a whole; the lines of tatoeba_*, everyday sentences, are documents of their own.
`asr-punct score` gives the same numbers for the two TSV files, and compares them with those of another model.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import tee
from pathlib import Path
from typing import Annotated, NamedTuple

from typer import Option

from asr_punct.corpora.iwslt import CLASSES, find_file, join_clitics, label_tokens, read_iwslt
from asr_punct.errors import InputError, run_script
from asr_punct.files import write_file
from asr_punct.formats.labelled import read_labelled
from asr_punct.formats.lines.tsv import read_tsv, write_tsv
from asr_punct.inference.evaluate import with_capitals
from asr_punct.inference.punctuator import Punctuator
from asr_punct.marks import Labels
from asr_punct.scoring import Scores, score, write_score_sets
from asr_punct.scoring.markdown import percent
from asr_punct.text.bare import bare
from asr_punct.words import Utterance, annotate

_ALONE = "tatoeba_"
_BENCHMARK = ("test2011", "test2011asr")

Pair = tuple[Utterance, Utterance]


class HeldOut(NamedTuple):
    """One file of held-out text.

    `punctuate` returns its labelled utterances, each with the model's output for its bare words. For scoring, the marks
    are merged into `merge` classes, unless it is None.
    """

    path: Path
    punctuate: Callable[[Punctuator, Path], Iterator[Pair]]
    merge: int | None = None


def find_sets(corpus: Path, language: str) -> dict[str, HeldOut]:
    """Return the test sets for a model of `language` (`es`, `es+eu`) by name. Raises InputError if there is none."""
    codes = language.split("+")
    sets = {
        f"{code}/{path.name.split('.')[0]}": HeldOut(path, partial(punctuate_text, code, path.name.startswith(_ALONE)))
        for code in codes
        for pattern in (f"{code}/test/*.txt*", f"nc/{code}/*_test.txt*", f"nc/{code}/conll2002_*.txt*")
        for path in sorted(corpus.glob(pattern))
    }
    if "en" in codes:
        sets |= {
            f"iwslt/{name}": HeldOut(path, punctuate_iwslt, CLASSES)
            for name in _BENCHMARK
            if (path := find_file(corpus / "iwslt", name))
        }
    if not sets:
        raise InputError(corpus, "no test set", f"texts in {', '.join(f'{code}/test' for code in codes)}")
    return sets


def punctuate_text(language: str, alone: bool, punctuator: Punctuator, path: Path) -> Iterator[Pair]:
    """Yield the lines of a text, each with the model's output; with `alone` each line is a document of its own."""
    lines = (line for line in read_labelled(path, language, "text") if line.words)
    return punctuate_bare(punctuator, (replace(line, document=line.id) for line in lines) if alone else lines)


def punctuate_bare(punctuator: Punctuator, references: Iterable[Utterance]) -> Iterator[Pair]:
    """Yield each reference with the model's output for its words in lower case."""
    references, inputs = tee(references)
    restored = punctuator.restore(map(bare, inputs))
    written = (with_capitals(utterance, punctuator.glyphs) for utterance in restored)
    return zip(references, written, strict=True)


def punctuate_iwslt(punctuator: Punctuator, path: Path) -> Iterator[Pair]:
    """Yield the tokens of a file of the IWSLT benchmark, and the same tokens with the model's marks, without case."""
    references, joined = tee(read_iwslt(path))
    pairs = punctuate_bare(punctuator, map(join_clitics, joined))
    for tokens, (_, words) in zip(references, pairs, strict=True):
        without_case = annotate(words, labels=[Labels(label.marks) for label in words.labels])
        yield tokens, label_tokens(without_case, tokens)


def score_set(punctuator: Punctuator, test_set: HeldOut, target: Path) -> Scores:
    """Write TARGET.ref.tsv and TARGET.hyp.tsv with the output of a model for one set, and score them."""
    target.parent.mkdir(parents=True, exist_ok=True)
    reference, hypothesis = (target.with_name(f"{target.name}.{side}.tsv") for side in ("ref", "hyp"))
    with write_file(reference) as ref, write_file(hypothesis) as hyp:
        for expected, found in test_set.punctuate(punctuator, test_set.path):
            write_tsv([expected], ref)
            write_tsv([found], hyp)
    return score(read_tsv(reference), read_tsv(hypothesis), test_set.merge)


def main(
    model: str,
    output: Path,
    corpus: Annotated[Path, Option(help="Folder of the texts.")],
) -> None:
    punctuator, scores = Punctuator.from_pretrained(model), {}
    for name, test_set in find_sets(corpus, punctuator.info.model.language).items():
        scores[name] = found = score_set(punctuator, test_set, output / name)
        marks, case = percent(found.micro.f1), percent(found.case.micro.f1)
        print(f"{name}: {found.words} words, marks F1 {marks}, case F1 {case}", flush=True)
    write_score_sets(scores, output / "scores.json")


if __name__ == "__main__":
    run_script(main)
