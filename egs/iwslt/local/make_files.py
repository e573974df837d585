#!/usr/bin/env python3
"""Make small files in the format of a benchmark, `token TAB label` per line, from a few templates.

They test the recipe; their scores mean nothing for real speech.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from typer import Option

from asr_punct.errors import run_script
from asr_punct.files import write_file
from asr_punct.formats.kaldi.tables import read_mapping
from asr_punct.partial import make_directory

_SENTENCES = {"train": 3000, "dev": 800}
_OTHERS = 300
_SEED = 1
_THINGS = ("river", "house", "letter", "machine", "garden", "teacher", "story", "city", "bridge", "picture", "engine")
_VERBS = ("built", "moved", "opened", "painted", "found", "forgot", "carried", "measured", "answered", "changed")
_TIMES = ("last winter", "years later", "in the morning", "after the war", "one day")
_OPENERS = ("well", "you see", "of course", "in fact", "so")
_QUESTIONS = ("who {verb} the {a}", "why was the {a} {verb}", "do you remember the {a}", "what is a {a}")
_STATEMENTS = (
    "the {a} was {verb} near the {b}.",
    "{time}, we {verb} the {a}.",
    "{opener}, nobody {verb} the {a}, the {b} or the {c}.",
    "when the {a} was {verb}, the {b} stood still.",
    "it is n't a {a}, it 's a {b}.",
    "we {verb} the {a} and the {b} {time}.",
)
_LABELS = {",": "COMMA", ".": "PERIOD", "?": "QUESTION"}


def sentences(count: int, rng: random.Random) -> Iterator[str]:
    for _ in range(count):
        template = rng.choice(_QUESTIONS) + "?" if rng.random() < 0.2 else rng.choice(_STATEMENTS)
        a, b, c = rng.sample(_THINGS, 3)
        words = {"verb": rng.choice(_VERBS), "time": rng.choice(_TIMES), "opener": rng.choice(_OPENERS)}
        yield template.format(a=a, b=b, c=c, **words)


def lines(count: int, rng: random.Random) -> Iterator[str]:
    """Draw sentences as tokens with labels."""
    for sentence in sentences(count, rng):
        for token in sentence.split():
            yield f"{token.rstrip(',.?')}\t{_LABELS.get(token[-1], 'O')}\n"


def main(output: Path, sets: Annotated[Path, Option(help="Table of set names and file names.")]) -> None:
    make_directory(output)
    rng = random.Random(_SEED)
    for name, file in read_mapping(sets).items():
        with write_file(output / file) as out:
            out.writelines(lines(_SENTENCES.get(name, _OTHERS), rng))


if __name__ == "__main__":
    run_script(main)
