"""Marks and case: parsing, case of words, writing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.errors import AsrPunctError
from asr_punct.marks import (
    CASES,
    LEFT,
    MARKS,
    RIGHT,
    Case,
    Labels,
    apply_case,
    case_of,
    format_marks,
    glyphs,
    mark_bits,
    marks_of_bits,
    named_marks,
    parse_case,
    parse_marks,
    takes_case,
    write_text,
    write_word,
)

MARK_SETS = st.frozensets(st.sampled_from(MARKS))


def labels(marks="O", case=Case.O):
    return Labels(parse_marks(marks), case)


def test_inventory_of_the_paper_in_file_order():
    assert " ".join(MARKS) == (
        "COMMA PERIOD QUESTION COLON DASH OPEN_QUES SEMICOLON OPEN_QUOTE QUOTE ELLIPSIS EXCLAMATION OPEN_EXCL OPEN_DASH"
    )
    assert " ".join(CASES) == "O FIRST_CAP ALL_CAPS"
    assert sorted(LEFT + RIGHT) == sorted(MARKS)


@given(MARK_SETS)
def test_parse_marks_inverts_format_marks(marks):
    assert parse_marks(format_marks(marks)) == marks
    assert parse_marks("+".join([*marks, *marks]) or "O") == named_marks([*marks, *marks]) == marks
    assert marks_of_bits(mark_bits([*marks, *marks])) == marks


@pytest.mark.parametrize(
    ("parse", "value", "message"),
    [
        *((parse_marks, text, "expected O or names") for text in ("", "comma", "COMMA+", "O+COMMA", "COMMA PERIOD")),
        (named_marks, ["COMMA", "STOP"], "marks: found 'STOP', expected a list of names from COMMA,PERIOD,"),
        (named_marks, "COMMA", "marks: found the string 'COMMA', expected a list of names"),
        (parse_case, "UPPER", "found case 'UPPER', expected one of O FIRST_CAP ALL_CAPS"),
    ],
)
def test_unknown_names_are_reported(parse, value, message):
    with pytest.raises(AsrPunctError, match=message):
        parse(value)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("O", ["casa", "eBay", "50%", ""]),
        ("FIRST_CAP", ["Casa", "Y", "EiTB", "3D", "G20", "1ºA", "¿Qué", "İ", "Info@x.es"]),
        ("ALL_CAPS", ["BOE", "EE.UU.", "STRASSE", "<UNK>"]),
    ],
)
def test_case_of(case, words):
    assert {word: case_of(word) for word in words} == dict.fromkeys(words, case)


@pytest.mark.parametrize(
    ("word", "case", "cased"),
    [
        ("euskadi", "FIRST_CAP", "Euskadi"),
        ("ñandú", "FIRST_CAP", "Ñandú"),
        ("1ºa", "FIRST_CAP", "1ºA"),
        ("'em", "FIRST_CAP", "'Em"),
        ("straße", "ALL_CAPS", "straße"),
        ("ßa", "FIRST_CAP", "ßa"),
        ("Casa", "O", "Casa"),
        ("eaeko", "ALL_CAPS", "EAEKO"),
        ("", "FIRST_CAP", ""),
    ],
)
def test_apply_case(word, case, cased):
    assert apply_case(word, Case(case)) == cased


@given(st.text(), st.sampled_from(CASES))
def test_case_changes_nothing_else_and_is_read_back(word, case):
    assert apply_case(word, case).lower() == word.lower()
    cased = apply_case(word.lower(), case)
    assert apply_case(word.lower(), case_of(cased)) == cased


@given(st.text("aeñEÑ'-.ß5¿", max_size=5), st.sampled_from(["", "<", ">", "[", "]", "@", "://", "www.", "WWW."]))
def test_tags_and_addresses_take_no_case(word, sign):
    assert takes_case(word + sign + word) == (not sign)


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("es", "–«¡¿a…?!»,;:.–"),
        ("eu", "–«¡¿a…?!»,;:.–"),
        ("en", "–“¡¿a…?!,.”;:–"),
        ("en+es", "–“¡¿a…?!,.”;:–"),
        ("bn", "–“¡¿a…?!”,;:।–"),
        ("pt", "–“¡¿a…?!”,;:.–"),
    ],
)
def test_all_marks_on_one_word_by_language(language, written):
    assert write_word("a", labels("+".join(MARKS)), glyphs(language)) == written


@pytest.mark.parametrize(
    ("marks", "language", "written"),
    [("PERIOD", "es", "etc."), ("PERIOD+QUOTE", "es", "etc.»"), ("COMMA", "es", "etc.,"), ("PERIOD", "bn", "etc.।")],
)
def test_an_abbreviation_has_one_period(marks, language, written):
    assert write_word("etc.", labels(marks), glyphs(language)) == written


def test_a_dash_is_written_apart_in_running_text():
    given = [labels("OPEN_QUOTE", Case.FIRST_CAP), labels("DASH+COMMA"), labels("OPEN_DASH+PERIOD")]
    assert write_text(["sí", "señor", "dijo"], given, glyphs("es")) == "«Sí señor, – –dijo."
    assert write_word("señor", given[1], glyphs("es")) == "señor,–"
    assert write_text([], [], glyphs("es")) == ""
    with pytest.raises(ValueError, match="shorter"):
        write_text(["a", "b"], [Labels()], glyphs("es"))


@given(st.lists(st.tuples(st.text("aeñ'-", min_size=1), MARK_SETS), max_size=5))
def test_removing_the_marks_restores_the_words(pairs):
    words = [word for word, _ in pairs]
    text = write_text(words, [Labels(marks) for _, marks in pairs], glyphs("es"))
    assert text.translate({ord(c): None for c in "–«¿¡…?!»,;:."}).split() == words
