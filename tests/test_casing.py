"""Casing lists: words, files, the model, the user and the command."""

import io
import shutil

import pytest
from dummies import json_lines
from hypothesis import example, given
from hypothesis import strategies as st
from training_text.casing_list import learn_casing
from training_text.sources import Source

from asr_punct import Punctuator
from asr_punct.casing import Casing, read_casing, write_casing
from asr_punct.checkpoint import CASING, read_info, write_info
from asr_punct.errors import InputError, ModelError
from asr_punct.formats.json.own import write_json
from asr_punct.formats.kaldi.ctm import write_ctm
from asr_punct.formats.lines.text import write_text_lines
from asr_punct.formats.lines.tsv import write_tsv
from asr_punct.marks import CASES, Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate

LIST = ["EAE", "EAJ", "PSE", "EiTB", "McDonald", "iPhone", "ETA-", "NASA", "AEB", "aeben"]
NONE, FIRST, ALL = CASES


def write(word, case, language="es+eu", lines=LIST):
    return Casing.of(lines, language).apply(word, case)


# Words


@pytest.mark.parametrize("written", ["EiTB", "McDonald", "iPhone", "EAE-ko", "ETA-ren", "«EiTB»,", "(EAE"])
def test_a_form_is_written_with_any_label(written):
    assert [write(written.lower(), case) for case in CASES] == [written] * 3


@pytest.mark.parametrize("written", ["EAEko", "EAErentzat", "EAEkoak", "EiTBrekin", "ETAk", "McDonaldek", "AEBetako"])
def test_a_form_with_a_basque_ending_needs_a_capital_of_the_model(written):
    assert [write(written.lower(), case) for case in CASES] == [written.lower(), written, written]


@pytest.mark.parametrize(("word", "case", "language", "lines", "written"), json_lines("casing_examples.jsonl"))
def test_words_by_list_and_label(word, case, language, lines, written):
    """Rows of word, case, language, lines of the list (null: those above) and the written word."""
    assert write(word, Case(case), language, lines or LIST) == written


CASINGS = st.lists(st.one_of(st.sampled_from(LIST), st.text(min_size=1, max_size=6)), max_size=6)
ENDED = st.builds(
    "".join, st.tuples(st.sampled_from(LIST).map(str.lower), st.sampled_from(["", "ko", "-k", "'s", ","]))
)
TOKENS = st.one_of(st.text(min_size=1), ENDED, st.text("EAeaKkİıßǆῼ-’'", min_size=1, max_size=5))


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


# Files


def test_a_list_is_read_as_it_was_written(tmp_path):
    write_casing(["EiTB", "ETA-", "#EiTB"], tmp_path / CASING, "a comment")
    assert read_casing(tmp_path / CASING) == ("EiTB", "ETA-", "#EiTB")


def test_comments_and_empty_lines_are_skipped(tmp_path):
    path = tmp_path / CASING
    path.write_text("# Names of ours\n\nEiTB \n  McDonald\r\n#hashTag\nCafe\u0301X\n", encoding="utf-8")
    assert read_casing(path) == ("EiTB", "McDonald", "#hashTag", "CaféX")


@pytest.mark.parametrize("line", ["El País", "-", "a\tb"])
def test_a_line_is_one_word(tmp_path, line):
    path = tmp_path / CASING
    path.write_text(f"EiTB\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_casing(path)
    assert error.value.place.endswith("casing.txt:2")


# Writing


@pytest.mark.parametrize(
    ("writer", "expected"),
    [
        (write_text_lines, "EiTB.\n"),
        (write_ctm, "r 1 0.00 0.50 EiTB.\n"),
        (write_tsv, "eitb\tPERIOD\t-\tFIRST_CAP"),
        (write_json, '"written": "EiTB."'),
    ],
)
def test_text_has_the_surface_form_and_tsv_the_word(punctuator_with, writer, expected):
    labels = (Labels(frozenset({Mark.PERIOD}), FIRST),)
    utterance = annotate(Utterance((Word("eitb", 0.0, 0.5),), "u", recording="r"), labels=labels)
    out = io.StringIO()
    writer([utterance], out, punctuator_with("EiTB").glyphs)
    assert expected in out.getvalue()


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


def test_the_command_punctuate_uses_a_list(model, tmp_path, run):
    write_casing(["LeY"], tmp_path / "mine.txt")
    (tmp_path / "in.txt").write_text("ana mira la ley\n")
    command = "punctuate", tmp_path / "in.txt", "--model", model, "--casing"
    assert run(*command, tmp_path / "mine.txt")[:2] == (0, "Ana, mira la LeY.\n")
    status, text, error = run(*command, tmp_path / "none.txt")
    assert (status, text) == (2, "")
    assert "none.txt: found no such file" in error


# Lists learnt from written text


@pytest.fixture
def learn(tmp_path):
    """Learn a casing list from lines by language."""

    def learn(min_count=3, **texts):
        for language, lines in texts.items():
            (tmp_path / f"{language}.txt").write_text("\n".join(lines), encoding="utf-8")
        return learn_casing(tmp_path, [Source(name, name, "yes", 1.0, 0, "CC0") for name in texts], min_count)

    return learn


@pytest.mark.parametrize(
    ("language", "lines", "expected"),
    [
        ("es", ["Ana vio EiTB y el PSOE en Bilbao con McDonald."] * 3, ("EiTB", "McDonald", "PSOE")),
        ("es", ["Ana vio EiTB."] * 2, ()),  # too few
        # capitals at beginnings of sentences and quotations, of speakers, and in headings do not count
        ("es", ["NATO va. UE dice «CEE no» y el señor GIL: sí, ONU"] * 3, ("ONU",)),
        ("es", ["LA LEY DEL SUELO en PDF"] * 3, ()),
        ("es", ["el AVE llega"] * 8 + ["el ave llega"] * 2, ()),  # ambiguous
        ("eu", ["gaur EAEko jendea", "gaur EAErekin dago", "gaur EAEn dago"] * 2, ("EAE",)),
        ("eu", ["gaur ETAk eta ETAren etsaiak eta ETAri etan"] * 2, ("ETA-",)),  # `eta` is a word
        ("en", ["ask Ann@Mail.org or http://A.Org/MyPage on R&D of AT&T in MY_NAME"] * 3, ("AT&T", "R&D")),
    ],
)
def test_forms(learn, language, lines, expected):
    assert learn(**{language: lines}) == expected


def test_languages_have_equal_weight(learn):
    spanish = ["el grupo de ETA no ha sido nunca de aquí ni de allá"] * 50
    assert learn(es=spanish) == ("ETA",)
    assert learn(es=spanish, eu=["hau eta hori"] * 3) == ()


def test_common_words_that_look_like_a_form_with_an_ending_are_exceptions(learn):
    found = learn(eu=["el PPA y el UGA", "hay una ppak aquí y Ugan"] * 3)
    assert set(found) == {"PPA", "UGA", "ppak", "ugan"}
    casing = Casing.of(found, "eu")
    assert [casing.apply(word, Case.FIRST_CAP) for word in ("ugan", "ugak")] == ["Ugan", "UGAk"]


def test_a_missing_text_is_reported(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt"):
        learn_casing(tmp_path, [Source("es/none", "es", "yes", 1.0, 0, "CC0")])
