"""The records of languages: everything that a language has of its own is in one module."""

import ast
import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from asr_punct.languages import DESCRIBED, LANGUAGES, Language

PACKAGE = Path(__file__).parent.parent / "asr_punct"
SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.parent.name != "languages"]
WITH_CODES = {
    "asr/pocketsphinx.py": "its only model is English",
    "corpora/mintzai.py": "the folders of the corpus",
    "formats/json/whisper.py": "Whisper translates into English",
    "formats/json/whisper_cpp.py": "Whisper translates into English",
    "nemo/model.py": "the name of a shipped model",
}
OTHER_WORDS = {"id", "it", "pt"}  # a key of JSON, a word, PyTorch
MADE_UP = """
from asr_punct.languages.record import Language, abbreviations, digits, words

LANGUAGE = Language(
    "xq", "Elvish", words("quenya"), words("TENGWAR"), "es", "xq-ME", "55", "", {"xq": "elf"},
    quotes="<>", inside_quotes=",.", period="~", opens_sentences=True,
    abbreviations=abbreviations(title="hdr"), sounds=words("lalla"), asking=words("quet"),
    digits=digits("munta mine atta nelde canta lempe enque otso tolto nerte"), speakers=words("quenda"),
    headings=words("tengwe"), phrase_openers=words("i"), reading_speeds={"netflix": 9}, sound_rules="qu>kw",
)
"""
ASKED = """
from asr_punct.formats.cues.stl import stl_content
from asr_punct.glyphs import glyphs, write_text
from asr_punct.identifier import known_languages
from asr_punct.inference.speaker_labels import with_speakers
from asr_punct.languages import DESCRIBED, describe_languages, parse_language
from asr_punct.marks import Labels, Mark
from asr_punct.serve.page_tables import page_tables
from asr_punct.subtitles import parse_limits
from asr_punct.subtitles.binding import opens_phrase
from asr_punct.text import parse
from asr_punct.text.pieces import count_pieces
from asr_punct.text.reporting import asks
from asr_punct.text.sounds import sound_length
from asr_punct.training.confusions import sound_keys
from asr_punct.words import Utterance, Word

assert describe_languages([parse_language("Quenya")]) == "Elvish (xq)" and "xq" in known_languages()
assert {"xq", "es+xq"} <= {*DESCRIBED}
marks = Labels(frozenset({Mark.OPEN_QUES, Mark.PERIOD, Mark.QUOTE}))
assert write_text(["a"], [marks], glyphs("xq")) == "¿a~>"
parsed = parse("Hdr. Amon~", "xq")
assert parsed.words == ("hdr.", "amon") and parsed.labels[1].marks == {Mark.PERIOD}
assert sound_length(["x", "(ai", "lalla)"][1:], False) == 2 and asks(["quet"])
assert count_pieces(["atta"], ["otso", "mine"], "xq") == 2
lines = [Utterance((Word(f"{name}:"), Word("a"))) for name in ("Tengwe", "Quenda1", "Tengwe", "Quenda1")]
assert [name for _, name, _ in with_speakers(lines, "xq")] == ["", "Quenda1", "", "Quenda1"]
assert opens_phrase("i", "xq") and opens_phrase("sobre", "xq") and not opens_phrase("sobre", "bn")
assert parse_limits("netflix").of_language("xq").speed == 9 and sound_keys(["qua"], "xq") == ["kwa"]
assert stl_content([], glyphs("xq"))[14:16] == b"55"
assert '"xq"' in page_tables()
"""


def test_only_records_name_languages():
    codes = {*LANGUAGES, *DESCRIBED} - OTHER_WORDS
    found = {
        str(path.relative_to(PACKAGE))
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in codes
    }
    assert found == WITH_CODES.keys()


def test_every_fact_is_asked_for():
    code = "\n".join(path.read_text(encoding="utf-8") for path in (*SOURCES, *(PACKAGE / "languages").glob("*.py")))
    assert [each.name for each in fields(Language) if not re.search(rf"\.{each.name}\b", code)] == []


def test_a_language_is_added_in_one_module(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "asr_punct", ignore=shutil.ignore_patterns("pretrained", "__pycache__"))
    (tmp_path / "asr_punct/languages/elvish.py").write_text(MADE_UP, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-c", ASKED], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=True
    )
