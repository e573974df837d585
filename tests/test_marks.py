"""Marks and case: parsing, case of words, writing; characters of marks."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.characters import characters_of
from asr_punct.decode.word_marks import Pair
from asr_punct.errors import AsrPunctError
from asr_punct.glyphs import glyphs, write_text, write_word
from asr_punct.languages import LANGUAGES
from asr_punct.letter_case import apply_case, case_of, takes_case
from asr_punct.marks import (
    CASES,
    LEFT,
    MARKS,
    PAIRS,
    RIGHT,
    STOPS,
    STRONGEST_FIRST,
    Case,
    Kind,
    Labels,
    Mark,
    format_marks,
    mark_bits,
    marks_of_bits,
    named_marks,
    parse_case,
    parse_marks,
)
from asr_punct.text import read_marks

MARK_SETS = st.frozensets(st.sampled_from(MARKS))


def labels(marks="O", case=Case.O):
    return Labels(parse_marks(marks), case)


def test_inventory_of_the_paper_in_file_order():
    assert " ".join(MARKS) == (
        "COMMA PERIOD QUESTION COLON DASH OPEN_QUES SEMICOLON OPEN_QUOTE QUOTE ELLIPSIS EXCLAMATION OPEN_EXCL OPEN_DASH"
    )
    assert " ".join(CASES) == "O FIRST_CAP ALL_CAPS"
    assert sorted(LEFT + RIGHT) == sorted(MARKS)


def test_every_mark_has_a_side_and_pairs_are_mutual():
    places = [mark.place for mark in MARKS]
    assert 0 not in places
    assert len(set(places)) == len(places)
    assert [mark.is_left for mark in (*LEFT, *RIGHT)] == [True] * len(LEFT) + [False] * len(RIGHT)
    for mark in MARKS:
        if mark.partner:
            assert mark.partner.partner is mark
            assert (mark.partner.kind, mark.partner.is_left) == (mark.kind, not mark.is_left)
    assert {mark for pair in PAIRS for mark in pair} == {mark for mark in MARKS if mark.partner}


def test_the_decoder_has_a_flag_for_each_pair():
    """In its order: the pairs of sentences first, then quotation marks."""
    assert [Pair[closing].bit_length() - 1 for _, closing in PAIRS] == list(range(len(PAIRS)))
    assert sum(Pair[closing] for _, closing in PAIRS if closing.kind is Kind.END) == Pair.SENTENCE


def test_a_class_of_the_benchmark_has_the_name_of_one_of_its_marks():
    for mark in MARKS:
        assert not mark.merged or Mark(mark.merged).merged == mark.merged


def test_marks_are_ordered_by_strength():
    assert "".join(mark.glyph for mark in STRONGEST_FIRST) == "?!.…;:,–»"
    assert "".join(mark.glyph for mark in STOPS) == ".;:,"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_glyph_is_read_as_its_mark(language):
    for mark, glyph in glyphs(language).glyph.items():
        assert read_marks(*((glyph, "") if mark.is_left else ("", glyph))) == {mark}


@given(MARK_SETS)
def test_parse_marks_inverts_format_marks(marks):
    assert parse_marks(format_marks(marks)) == marks
    assert parse_marks("+".join([*marks, *marks]) or "O") == named_marks([*marks, *marks]) == marks
    assert marks_of_bits(mark_bits([*marks, *marks])) == marks


@pytest.mark.parametrize(
    ("parse", "value", "place", "found", "expected"),
    [
        *((parse_marks, text, "", text, "COMMA PERIOD") for text in ("", "comma", "COMMA+", "O+COMMA", "COMMA PERIOD")),
        (named_marks, ["COMMA", "STOP"], "marks", "STOP", "COMMA,PERIOD,"),
        (named_marks, "COMMA", "marks", "string 'COMMA'", "list"),
        (parse_case, "UPPER", "", "UPPER", "O FIRST_CAP ALL_CAPS"),
    ],
)
def test_unknown_names_are_reported(parse, value, place, found, expected):
    with pytest.raises(AsrPunctError) as error:
        parse(value)
    assert error.value.place == place
    assert found in error.value.found
    assert expected in error.value.expected


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
    text = write_text(words, [Labels(marks, inside=len(marks) > 2) for _, marks in pairs], glyphs("es"))
    assert text.translate({ord(c): None for c in "–«¿¡…?!»,;:."}).split() == words


@pytest.mark.parametrize(
    ("word", "marks", "language", "outside", "inside"),
    [
        ('"quién', "OPEN_QUES", "es", '¿"quién', '"¿quién'),
        ('-"quién', "OPEN_QUES", "es", '-¿"quién', '-"¿quién'),
        ('es"', "QUESTION+COMMA", "es", 'es"?,', 'es?",'),
        ("es»)", "ELLIPSIS+PERIOD", "es", "es»)….", "es…»)."),
        ('no"', "PERIOD", "es", 'no".', 'no".'),
        ('no"', "PERIOD", "en", 'no".', 'no."'),
        ("(no)", "PERIOD", "en", "(no).", "(no)."),
        ("dogs'", "COMMA", "en", "dogs',", "dogs,'"),
        ("no", "QUESTION+OPEN_QUES", "es", "¿no?", "¿no?"),
    ],
)
def test_marks_are_written_outside_or_inside_quotation_marks(word, marks, language, outside, inside):
    for is_inside, written in ((False, outside), (True, inside)):
        label = Labels(labels(marks).marks, inside=is_inside)
        assert write_word(word, label, glyphs(language)) == written


PACKAGE = Path(__file__).parent.parent / "asr_punct"
WITH_CHARACTERS = {
    "marks.py": "the marks",
    "characters.py": "the characters of each",
    "languages": "the glyphs of each language",
    "checkpoint.py": "a shortened list",
    "encoding.py": "replacements in ASCII",
    "formats/cues/clock.py": "arrows between times",
    "formats/cues/stl.py": "the character set of EBU STL",
    "formats/json/cloud.py": "opening brackets of Amazon and Azure",
    "formats/json/monologues.py": "characters inside words of Rev",
    "formats/values.py": "a shortened text",
    "scoring/markdown.py": "an empty cell",
    "subtitles/limits.py": "the dash of a preset",
    "text/parsing.py": "quotation marks that may open or close",
    "text/pieces.py": "characters inside numbers",
    "text/scanner.py": "shapes",
}


def test_only_tables_have_characters_of_marks():
    """Other modules ask `characters_of`. Apostrophes are none; texts for people have words."""
    ascii_glyphs = {mark.glyph for mark in MARKS if mark.glyph.isascii()}
    others = {char for char in characters_of(MARKS) if not char.isascii()} - set("‘‛’")
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node in docs:
                continue
            chars = set(node.value)
            needed = 2 if re.search(r"[^\W\d_]{2}", node.value) else 1
            if len(chars & others) >= needed or (len(chars) > 1 and chars <= ascii_glyphs):
                place = path.relative_to(PACKAGE)
                found.add(place.parts[0] if place.parts[0] == "languages" else str(place))
    assert found == WITH_CHARACTERS.keys()


@pytest.mark.parametrize("mark", MARKS)
def test_characters_are_read_as_their_mark(mark):
    assert mark.glyph in characters_of([mark])
    for char in characters_of([mark]):
        assert read_marks(*((char, "") if mark.is_left else ("", char))) == {mark}
