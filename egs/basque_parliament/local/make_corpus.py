#!/usr/bin/env python3
"""Convert the Basque Parliament Speech Corpus 1.0 to the layout of mintzai-ST.

SOURCE has metadata/{train,train_clean,dev,test}.tsv, with columns path, language (es, eu or bi) and sentence among
others, and audio/{train,dev,test}_N.tar with the MP3 files. OUTPUT gets {es-eu,eu-es}/{train,dev,test} with audio and
transcriptions. It is kept if it was made from the same arguments.
"""

import csv
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from typer import Option

from asr_punct import Punctuator
from asr_punct.corpora import PARTS
from asr_punct.corpora.mintzai import FOLDERS
from asr_punct.errors import InputError, run_script
from asr_punct.files import read_json_file, read_text_file, write_json_file
from asr_punct.identifier import identify
from asr_punct.partial import write_directory
from asr_punct.text import parse
from asr_punct.words import Utterance, split_words

_COLUMNS = ("path", "language", "length", "sentence")
_MIXED = "bi"
_FACTS = "made.json"


@dataclass(frozen=True)
class Segment:
    """A row of the metadata: the name of its audio file without suffix, language, seconds and text."""

    name: str
    language: str
    seconds: float
    text: str


def read_segments(path: Path) -> Iterator[Segment]:
    """Yield the segments of a table, mixed ones with their likelier language. Raises InputError if it is malformed."""
    if not path.is_file():
        raise InputError(path, "no such file", "a table of the corpus")
    rows = csv.DictReader(read_text_file(path).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    missing = [column for column in _COLUMNS if column not in (rows.fieldnames or ())]
    if missing:
        raise InputError(f"{path}:1", f"no column {missing[0]}", f"columns {', '.join(_COLUMNS)}")
    for number, row in enumerate(rows, start=2):
        language, text = row["language"], row["sentence"]
        if language not in (*FOLDERS, _MIXED) or not text:
            raise InputError(f"{path}:{number}", f"language {language!r} and text {text!r}", "es, eu or bi, and words")
        try:
            seconds = float(row["length"])
        except (TypeError, ValueError):
            raise InputError(f"{path}:{number}", f"length {row['length']!r}", "seconds") from None
        yield Segment(PurePosixPath(row["path"]).stem, _single(language, text), seconds, text)


def _single(language: str, text: str) -> str:
    guess = identify(text.split()) if language == _MIXED else None
    if guess is None:
        return "es" if language == _MIXED else language
    return max(FOLDERS, key=lambda code: guess.probability_of([code]))


def first_hours(segments: Iterable[Segment], hours: float) -> list[Segment]:
    """Return the first segments of each language, up to a number of hours; 0: all."""
    kept, seconds = list[Segment](), dict.fromkeys(FOLDERS, 0.0)
    for segment in segments:
        if not hours or seconds[segment.language] < hours * 3600:
            seconds[segment.language] += segment.seconds
            kept.append(segment)
    return kept


def marked_by_table(path: Path, segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield the segments that a table has with the same words, with its text."""
    lines = (line.partition(" ") for line in read_text_file(path).splitlines() if line.strip())
    texts = {name: text.strip() for name, _, text in lines}
    for segment in segments:
        text = texts.get(segment.name, "")
        if [word.lower() for word in parse(text, segment.language).words] == segment.text.lower().split():
            yield replace(segment, text=text)


def marked_by_model(model: str, segments: list[Segment]) -> Iterator[Segment]:
    """Yield the segments with the marks and capitals of a model, in the context of their language's segments."""
    for language in FOLDERS:
        own = [segment for segment in segments if segment.language == language]
        punctuator = Punctuator.from_pretrained(model, language=language)
        utterances = [Utterance(split_words(segment.text), segment.name, document=language) for segment in own]
        for segment, restored in zip(own, punctuator.restore(utterances), strict=True):
            yield replace(segment, text=punctuator.write(restored))


def write_part(folder: Path, part: str, segments: Iterable[Segment], archives: Iterable[Path]) -> dict[str, int]:
    """Write audio and transcriptions of a part, and return the number of segments by language.

    Segments without audio are left out.
    """
    waiting, counts = {segment.name: segment for segment in segments}, dict.fromkeys(FOLDERS, 0)
    for archive in archives:
        with tarfile.open(archive) as members:
            for member in members:
                segment = waiting.pop(PurePosixPath(member.name).stem, None) if member.isfile() else None
                content = members.extractfile(member) if segment else None
                if segment is None or content is None:
                    continue
                root = folder / FOLDERS[segment.language] / part
                for name in ("audio", "transcriptions"):
                    (root / name).mkdir(parents=True, exist_ok=True)
                with open(root / "audio" / f"{segment.name}{PurePosixPath(member.name).suffix}", "wb") as out:
                    shutil.copyfileobj(content, out)
                text = root / "transcriptions" / f"{segment.name}.{segment.language}"
                text.write_text(segment.text + "\n", encoding="utf-8")
                counts[segment.language] += 1
    return counts


def make_corpus(
    source: Path, output: Path, train: str, hours: float, mark: Callable[[str, list[Segment]], Iterable[Segment]]
) -> dict[str, dict[str, int]]:
    """Write the corpus and return the number of segments by part and language; `mark` writes the marks of a part."""
    counts = {}
    with write_directory(output) as folder:
        for part in PARTS:
            table = train if part == "train" else part
            segments = list(read_segments(source / "metadata" / f"{table}.tsv"))
            chosen = first_hours(segments, hours) if part == "train" else segments
            archives = sorted((source / "audio").glob(f"{part}_*.tar"))
            if not archives:
                raise InputError(source / "audio", f"no {part}_*.tar", "the archives of the corpus")
            counts[part] = write_part(folder, part, mark(part, chosen), archives)
    return counts


def main(
    source: Path,
    output: Path,
    part: Annotated[Literal["train", "train_clean"], Option(help="Table of the training segments.")] = "train_clean",
    hours: Annotated[float, Option(min=0, help="Hours of train in each language; 0: all.")] = 10,
    model: Annotated[str, Option(help="Model that writes the marks.")] = "es-eu",
    marked: Annotated[Path | None, Option(help="Folder of tables of texts with marks.")] = None,
) -> None:
    facts = {"source": str(source.resolve()), "part": part, "hours": hours, "marks": str(marked or model)}
    if (output / _FACTS).exists():
        if read_json_file(output / _FACTS) == facts:
            return
        shutil.rmtree(output)
    counts = make_corpus(
        source,
        output,
        part,
        hours,
        lambda name, segments: marked_by_table(marked / name, segments) if marked else marked_by_model(model, segments),
    )
    write_json_file(output / _FACTS, facts)
    for name, by_language in counts.items():
        print(f"{name}: {', '.join(f'{count} segments of {code}' for code, count in by_language.items())}")


if __name__ == "__main__":
    run_script(main)
