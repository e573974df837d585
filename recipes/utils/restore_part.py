#!/usr/bin/env python3
"""Restore marks and case of a part of split_decode.py; writes PART/restored.json.

Refines pauses on the recordings of PART/wav.scp, if any; runs a command there (`… |`) as Kaldi does. Restores each
document separately, so that the result does not depend on the other documents of the part.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from asr_punct import formats
from asr_punct.errors import run_script
from asr_punct.formats.kaldi.tables import read_mapping, read_wav_scp
from asr_punct.inference.punctuator import Punctuator
from asr_punct.pauses import with_pauses
from asr_punct.recordings import recording_table, with_pauses_from_audio
from asr_punct.words import Utterance


def read_part(part: Path) -> Iterator[Utterance]:
    """Read utterances with documents, and pauses that are refined if there is audio."""
    documents, table = read_mapping(part / "utt2doc"), part / "wav.scp"
    utterances = (replace(each, document=documents[each.id]) for each in formats.read(part / "words.json"))
    if table.exists():
        return with_pauses_from_audio(utterances, recording_table(read_wav_scp(table), table))
    return with_pauses(utterances)


def main(part: Path, model: str = "", lang: str = "") -> None:
    punctuator = Punctuator.from_pretrained(model or None, language=lang or None, threads=1)
    documents = groupby(read_part(part), key=attrgetter("context"))
    restored = (utterance for _, document in documents for utterance in punctuator.restore(document))
    formats.write(restored, part / "restored.json", punctuator.glyphs, "json")


if __name__ == "__main__":
    run_script(main)
