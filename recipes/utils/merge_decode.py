#!/usr/bin/env python3
"""Merge the output of restore_part.py for all parts.

TARGET/text has every utterance of DATA, in its order; TARGET/ctm the rows of CTM with marks and capitals on the words;
TARGET/srt the subtitles of each recording. If the text of DATA has marks, TARGET/scoring gets ref.tsv and hyp.tsv.
"""

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from split_decode import read_decode, utterance_names

from asr_punct import formats
from asr_punct.errors import InputError, run_script
from asr_punct.files import write_file
from asr_punct.formats.entries import written_words
from asr_punct.formats.kaldi.decode_ctm import write_labelled
from asr_punct.formats.kaldi.tables import read_mapping
from asr_punct.formats.labelled import labelled
from asr_punct.glyphs import Glyphs
from asr_punct.inference.punctuator import Punctuator
from asr_punct.partial import write_directory
from asr_punct.words import Utterance, annotate, split_words


def read_restored(data: Path, ctm: Path, parts: Path) -> list[Utterance]:
    """Return the utterances of the CTM, in the order of time, with the labels of the parts.

    Raises InputError if the parts are of another CTM.
    """
    restored = {each.id: each for part in parts.glob("*/restored.json") for each in formats.read(part)}
    utterances = []
    for utterance in read_decode(data, ctm):
        found = restored.pop(utterance.id, Utterance(()))
        if [word.text for word in found.words] != [word.text for word in utterance.words]:
            raise InputError(parts, f"other words for {utterance.id!r}", f"those of {ctm} (run stage 1)")
        utterance = replace(utterance, pause_before=found.pause_before, language=found.language)
        utterances.append(annotate(utterance, labels=found.labels, pauses=found.pauses))
    return utterances


def write_text(utterances: Sequence[Utterance], data: Path, path: Path, glyphs: Glyphs) -> None:
    """Write a `text` with a line for every utterance of the data directory; only its name if it has no words."""
    lines = {utterance.id: " ".join(written_words(utterance, glyphs)) for utterance in utterances}
    with write_file(path) as out:
        out.writelines(f"{name} {lines[name]}".rstrip() + "\n" for name in utterance_names(data))


def write_subtitles(utterances: Iterable[Utterance], path: Path, glyphs: Glyphs) -> None:
    shutil.rmtree(path, ignore_errors=True)
    spoken = (utterance for utterance in utterances if utterance.words)
    in_order = sorted(spoken, key=lambda utterance: (utterance.recording, utterance.words[0].start or 0.0))
    with write_directory(path) as out:
        for recording, group in groupby(in_order, key=attrgetter("recording")):
            file = out / f"{recording.replace('/', '_')}.srt"
            if file.exists():
                raise InputError(
                    f"recording {recording!r}", f"another one with the file name {file.name}", "other names"
                )
            formats.write(group, file, glyphs, "srt")


def write_scored(utterances: Sequence[Utterance], data: Path, language: str, path: Path, glyphs: Glyphs) -> None:
    """Write the folder for scoring, if the reference has marks; leaves out utterances with no or an empty reference.

    `language` is that of the utterances whose language was not identified.
    """
    shutil.rmtree(path, ignore_errors=True)
    languages = {utterance.id: utterance.language for utterance in utterances if utterance.language}
    written = (Utterance(split_words(text), name) for name, text in read_mapping(data / "text").items())
    references = (labelled(each, languages.get(each.id, language), as_written=True) for each in written)
    expected = [utterance for utterance in references if utterance.words]
    names = {utterance.id for utterance in expected}
    if not any(label.marks for utterance in expected for label in utterance.labels):
        return
    with write_directory(path) as out:
        formats.write(expected, out / "ref.tsv", glyphs, "tsv")
        found = (utterance for utterance in utterances if utterance.id in names and utterance.words)
        formats.write(found, out / "hyp.tsv", glyphs, "tsv")
        known = sorted({languages.get(utterance.id, language) for utterance in expected})
        (out / "language").write_text("+".join(dict.fromkeys("+".join(known).split("+"))))


def main(data: Path, ctm: Path, parts: Path, target: Path, model: str = "", lang: str = "") -> None:
    utterances = read_restored(data, ctm, parts)
    punctuator = Punctuator.from_pretrained(model or None, language=lang or None, threads=1)
    glyphs = punctuator.glyphs
    write_text(utterances, data, target / "text", glyphs)
    with write_file(target / "ctm") as out:
        write_labelled(ctm, utterances, out, glyphs)
    write_subtitles(utterances, target / "srt", glyphs)
    write_scored(utterances, data, lang or punctuator.info.model.language, target / "scoring", glyphs)


if __name__ == "__main__":
    run_script(main)
