"""Casing lists: words written by them, files, commands."""

import io
import json
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from asr_punct import Punctuator
from asr_punct.casing import Casing, parse_casing, read_casing, write_casing
from asr_punct.checkpoint import CASING, read_info, write_info
from asr_punct.errors import InputError, ModelError
from asr_punct.formats.ctm import write_ctm
from asr_punct.formats.json import write_json
from asr_punct.formats.text import write_text_lines
from asr_punct.formats.tsv import write_tsv
from asr_punct.marks import CASES, Labels, Mark, apply_case
from asr_punct.words import Utterance, Word, annotate

LIST = ["EAE", "EAJ", "PSE", "EiTB", "McDonald", "iPhone", "ETA-", "NASA", "AEB", "aeben"]
NONE, FIRST, ALL = CASES
ENDED_FORMS = """EAEko EAEn EAEk EAEtik EAEra EAErako EAEren EAErekin EAErentzat EAEri EAEz EAEkoak EAEraino EAEgatik
    EiTBk EiTBko EiTBren EiTBrekin EAJren EAJk EAJri EAJrekin PSEko PSEk PSEren ETAk ETAren ETAko ETAri McDonaldek
    McDonalden AEBetan AEBetako AEBko AEBean NASAk"""


def write(word, case, language="es+eu", lines=LIST):
    return Casing.of(lines, language).apply(word, case)


# Words


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("written", ["EiTB", "McDonald", "iPhone", "EAE", "EAE-ko", "ETA-ren", "«EiTB»,", "(EAE"])
def test_a_form_is_written_with_any_label(written, case):
    assert write(written.lower(), case) == written


@pytest.mark.parametrize("case", [FIRST, ALL])
@pytest.mark.parametrize("written", ENDED_FORMS.split())
def test_a_form_with_a_basque_ending_needs_a_capital_of_the_model(written, case):
    assert write(written.lower(), case) == write(written.lower(), case, "eu") == written
    assert write(written.lower(), NONE) == written.lower()


@pytest.mark.parametrize(
    ("word", "case", "language", "lines", "written"),
    [
        ("eta", NONE, "es+eu", LIST, "eta"),
        ("eta", ALL, "es+eu", LIST, "ETA"),
        ("eta", FIRST, "es+eu", LIST, "Eta"),
        ("aeben", FIRST, "es+eu", LIST, "Aeben"),
        ("aebe", FIRST, "es+eu", LIST, "Aebe"),
        ("eaeko", FIRST, "es", LIST, "Eaeko"),
        ("nasa's", FIRST, "en", LIST, "NASA's"),
        ("nasa’s", FIRST, "en", LIST, "NASA’s"),
        ("nasas", ALL, "en", LIST, "NASAs"),
        ("nasa's", FIRST, "es+eu", LIST, "Nasa's"),
        ("nasa's", NONE, "en", LIST, "nasa's"),
        ("casa", FIRST, "es+eu", LIST, "Casa"),
        ("casa", NONE, "es+eu", LIST, "casa"),
        ("EITB", FIRST, "es+eu", LIST, "EITB"),
        ("Eitb", NONE, "es+eu", LIST, "Eitb"),
        ("-", ALL, "es+eu", LIST, "-"),
        ("ko", FIRST, "es+eu", LIST, "Ko"),
        # a common word is not a form with an ending
        ("para", FIRST, "es+eu", ["PAR"], "Para"),
        ("park", FIRST, "es+eu", ["PAR"], "PARk"),
        # the longest form wins
        ("ppek", FIRST, "es+eu", ["PP", "PPE"], "PPEk"),
        ("ppek", FIRST, "es+eu", ["PP"], "PPek"),
        ("ppek", FIRST, "es+eu", ["PP", "PPE", "ppe"], "PPek"),
        # the later line wins
        ("eitb", NONE, "es+eu", ["EITB", "EiTB"], "EiTB"),
        ("eitbko", FIRST, "es+eu", ["EITB", "EiTB"], "EiTBko"),
        ("eitb", FIRST, "es+eu", ["EiTB", "eitb"], "Eitb"),
        ("eitbk", FIRST, "es+eu", ["EiTB", "eitb"], "Eitbk"),
        ("etak", FIRST, "es+eu", ["ETA-", "eta-"], "Etak"),
        # tags and addresses
        *((word, ALL, "es+eu", LIST, word.upper()) for word in ("[eitb]", "<nasa>", "www.eitb.eus", "a@eae.eus")),
        ("nasa@eae.eus", NONE, "es+eu", ["nasa@EAE.eus"], "nasa@eae.eus"),
    ],
)
def test_words_by_list_and_label(word, case, language, lines, written):
    assert write(word, case, language, lines) == written


def test_lines_are_parsed_like_a_file():
    assert parse_casing(["# ours", "", " EiTB ", "#EiTB"]) == ("EiTB", "#EiTB")
    assert write("#eitb", NONE, lines=["#EiTB"]) == "#EiTB"
    with pytest.raises(InputError, match="casing:2: found 'El País', expected one word"):
        parse_casing(["EiTB", "El País"])


CASINGS = st.lists(st.one_of(st.sampled_from(LIST), st.text(min_size=1, max_size=6)), max_size=6)
ENDED = st.builds(
    "".join, st.tuples(st.sampled_from(LIST).map(str.lower), st.sampled_from(["", "ko", "-k", "'s", ","]))
)
TOKENS = st.one_of(st.text(min_size=1), ENDED, st.text("EAeaKkİıßǆῼ-’'", min_size=1, max_size=5))


@settings(deadline=None)
@given(TOKENS, st.sampled_from(CASES), CASINGS, st.sampled_from(["es", "es+eu", "en"]))
@example("i̇ko", FIRST, ["İ"], "es+eu")
@example("ßko", FIRST, ["ẞ"], "es+eu")
def test_words_survive(word, case, lines, language):
    casing = Casing.of(lines, language)
    written = casing.apply(word, case)
    assert written == word or written.lower() == word.lower()
    assert casing.apply(written, NONE) in (written, casing.apply(written.lower(), NONE))
    if written != written.lower():
        assert casing.apply(written, NONE) == written


@given(TOKENS, st.sampled_from(CASES))
def test_without_a_list_only_labels_count(word, case):
    assert Casing.of((), "es+eu").apply(word, case) == apply_case(word, case)


# Files


@given(st.lists(st.from_regex(r"[A-Za-zñÑ][\w.'/+-]{0,8}", fullmatch=True).filter(lambda s: s.split() == [s])))
def test_a_list_is_read_as_it_was_written(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("list") / CASING
    write_casing(lines, path, "a comment")
    assert read_casing(path) == tuple(unicodedata.normalize("NFC", line) for line in lines)


def test_comments_and_empty_lines_are_skipped(tmp_path):
    path = tmp_path / CASING
    path.write_text("# Names of ours\n\nEiTB \n  McDonald\r\n#hashTag\nCafe\u0301X\n", encoding="utf-8")
    assert read_casing(path) == ("EiTB", "McDonald", "#hashTag", "CaféX")


@pytest.mark.parametrize("line", ["El País", "-", "a\tb"])
def test_a_line_is_one_word(tmp_path, line):
    path = tmp_path / CASING
    path.write_text(f"EiTB\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"casing\.txt:2: found .*, expected one word"):
        read_casing(path)


# Writing


def test_text_has_the_surface_form_and_data_the_word(punctuator_with):
    style = punctuator_with("EiTB").glyphs
    said = annotate(
        Utterance((Word("eitb", 0.0, 0.5),), "u", recording="r"), labels=(Labels(frozenset({Mark.PERIOD}), FIRST),)
    )
    for writer, expected in ((write_text_lines, "EiTB.\n"), (write_ctm, "r 1 0.00 0.50 EiTB.\n")):
        out = io.StringIO()
        writer([said], out, style)
        assert out.getvalue() == expected
    out = io.StringIO()
    write_tsv([said], out, style)
    assert "eitb\tPERIOD\t-\tFIRST_CAP" in out.getvalue()
    out = io.StringIO()
    write_json([said], out, style)
    item = json.loads(out.getvalue())["utterances"][0]
    assert item["text"] == item["words"][0]["written"] == "EiTB."
    assert (item["words"][0]["word"], item["words"][0]["case"]) == ("eitb", "FIRST_CAP")


@pytest.fixture
def punctuator_with(model, tmp_path):
    """A punctuator with a user's list of these lines."""

    def make(*lines, directory=model, **options):
        write_casing(lines, tmp_path / "mine.txt")
        return Punctuator.from_pretrained(directory, casing=tmp_path / "mine.txt", threads=1, **options)

    return make


@pytest.fixture
def model_with_list(model, tmp_path):
    """A model directory with a casing list of its own."""
    directory = shutil.copytree(model, tmp_path / "model", ignore=shutil.ignore_patterns("training"))
    write_casing(["MESA", "LeY", "CaSa"], directory / CASING)
    write_info(directory, read_info(directory))
    return directory


def test_the_list_of_the_user_wins(model, model_with_list, punctuator_with):
    text = "ana mira la mesa luis mira la casa miren mira la ley"
    forms = {"mesa", "MESA", "LeY", "CaSa", "casa", "Ley"}

    def written(punctuator):
        once = punctuator(text)
        assert punctuator(once) == once
        return {word.strip(".,?¿") for word in once.split()} & forms

    assert written(Punctuator.from_pretrained(model, threads=1)) == {"mesa", "casa"}
    assert written(Punctuator.from_pretrained(model_with_list, threads=1)) == {"MESA", "LeY", "CaSa"}
    assert written(punctuator_with("Ley", "casa", directory=model_with_list)) == {"MESA", "Ley", "casa"}
    assert written(punctuator_with("Ley", directory=model_with_list, case=False)) == {"mesa", "casa"}


def test_a_changed_list_is_reported(model_with_list):
    (model_with_list / CASING).write_text("other\n")
    with pytest.raises(ModelError, match=r"casing\.txt: found SHA-256"):
        Punctuator.from_pretrained(model_with_list)


def test_command(model, tmp_path):
    write_casing(["LeY"], tmp_path / "mine.txt")
    command = [Path(sys.executable).parent / "asr-punct", "punctuate", "--model", model]
    done = subprocess.run(
        [*command, "--casing", tmp_path / "mine.txt"], input="ana mira la ley\n", capture_output=True, text=True
    )
    assert done.stdout == "Ana, mira la LeY.\n"
    for options, message in (
        (["--casing", tmp_path / "none.txt"], "none.txt: found no such file"),
        (["--casing", tmp_path / "mine.txt", "--no-case"], "found --casing and --no-case"),
    ):
        done = subprocess.run([*command, *options], input="ana\n", capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
