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
    Mark,
    apply_case,
    case_of,
    format_marks,
    glyphs,
    mark_bits,
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


def test_inventory_is_that_of_the_paper_in_file_order():
    assert " ".join(MARKS) == (
        "COMMA PERIOD QUESTION COLON DASH OPEN_QUES SEMICOLON OPEN_QUOTE QUOTE ELLIPSIS EXCLAMATION OPEN_EXCL OPEN_DASH"
    )
    assert " ".join(CASES) == "O FIRST_CAP ALL_CAPS"
    assert sorted(LEFT + RIGHT) == sorted(MARKS)


@given(MARK_SETS)
def test_parse_marks_inverts_format_marks(marks):
    assert parse_marks(format_marks(marks)) == marks


@given(st.lists(st.sampled_from(MARKS), min_size=1))
def test_parse_marks_takes_any_order_and_repeats(marks):
    assert parse_marks("+".join(marks)) == frozenset(marks)


@pytest.mark.parametrize("text", ["", "comma", "COMMA+", "O+COMMA", "COMMA PERIOD"])
def test_parse_marks_refuses(text):
    with pytest.raises(AsrPunctError, match="expected O or names"):
        parse_marks(text)


def test_named_marks():
    assert named_marks(iter(["COMMA", "PERIOD", "COMMA"])) == named_marks({Mark.COMMA, Mark.PERIOD}) == set(MARKS[:2])
    assert named_marks(iter(())) == set()


@pytest.mark.parametrize(
    ("names", "found"),
    [(["COMMA", "STOP"], "'STOP'"), (["O"], "'O'"), ([""], "''"), ([3], "3"), ("COMMA", "'COMMA'"), ("", "''")],
)
def test_what_is_no_list_of_marks_is_told(names, found):
    with pytest.raises(AsrPunctError, match=f"--marks: found {found}, expected a list of names from COMMA,PERIOD,"):
        named_marks(names)


def test_parse_case():
    assert [parse_case(case) for case in ("O", "FIRST_CAP", "ALL_CAPS")] == list(CASES)
    with pytest.raises(AsrPunctError, match="FIRST_CAP ALL_CAPS"):
        parse_case("UPPER")


@pytest.mark.parametrize(
    ("word", "case"),
    [
        ("casa", "O"),
        ("Casa", "FIRST_CAP"),
        ("BOE", "ALL_CAPS"),
        ("Y", "FIRST_CAP"),
        ("EiTB", "FIRST_CAP"),
        ("eBay", "O"),
        ("3D", "FIRST_CAP"),
        ("G20", "FIRST_CAP"),
        ("EE.UU.", "ALL_CAPS"),
        ("50%", "O"),
        ("1ºA", "FIRST_CAP"),
        ("¿Qué", "FIRST_CAP"),
        ("STRASSE", "ALL_CAPS"),
        ("İ", "FIRST_CAP"),
        ("<UNK>", "ALL_CAPS"),
        ("Info@x.es", "FIRST_CAP"),
        ("", "O"),
    ],
)
def test_case_of(word, case):
    assert case_of(word) == case


@pytest.mark.parametrize(
    ("word", "case", "cased"),
    [
        ("euskadi", "FIRST_CAP", "Euskadi"),
        ("eaeko", "ALL_CAPS", "EAEKO"),
        ("ñandú", "FIRST_CAP", "Ñandú"),
        ("1ºa", "FIRST_CAP", "1ºA"),
        ("'em", "FIRST_CAP", "'Em"),
        ("straße", "ALL_CAPS", "straße"),
        ("ßa", "FIRST_CAP", "ßa"),
        ("casa", "O", "casa"),
        ("Casa", "O", "Casa"),
        ("50", "ALL_CAPS", "50"),
        ("<unk>", "ALL_CAPS", "<UNK>"),
        ("info@x.es", "FIRST_CAP", "Info@x.es"),
        ("", "FIRST_CAP", ""),
    ],
)
def test_apply_case(word, case, cased):
    assert apply_case(word, Case(case)) == cased


@given(st.text(), st.sampled_from(CASES))
def test_case_never_changes_anything_but_case(word, case):
    assert apply_case(word, case).lower() == word.lower()


@given(st.text(), st.sampled_from(CASES))
def test_the_case_that_was_written_writes_the_same_again(word, case):
    lower = word.lower()
    cased = apply_case(lower, case)
    assert apply_case(lower, case_of(cased)) == cased


SIGNS = st.sampled_from(["<", ">", "[", "]", "@", "://", "www.", "WWW."])


@given(st.text(max_size=5), SIGNS, st.text(max_size=5))
def test_tags_and_addresses_take_no_case(before, sign, after):
    assert not takes_case(before + sign + after)


@given(st.text("aeñEÑ'-.ß5¿", max_size=5))
def test_other_words_take_case(word):
    assert takes_case(word)


def test_all_marks_on_one_word_by_language():
    everything = labels("+".join(MARKS))
    assert write_word("a", everything, glyphs("es")) == "–«¿¡a…?!»,;:.–"
    assert write_word("a", everything, glyphs("eu")) == "–«¿¡a…?!»,;:.–"
    assert write_word("a", everything, glyphs("en")) == "–“¿¡a…?!,.”;:–"
    assert write_word("a", everything, glyphs("bn")) == "–“¿¡a…?!”,;:।–"
    assert write_word("a", everything, glyphs("pt")) == "–“¿¡a…?!”,;:.–"


def test_a_mixture_is_written_as_its_first_language():
    assert glyphs("en+es") is glyphs("en")


def test_an_abbreviation_has_one_period():
    assert write_word("etc.", labels("PERIOD"), glyphs("es")) == "etc."
    assert write_word("etc.", labels("PERIOD+QUOTE"), glyphs("es")) == "etc.»"
    assert write_word("etc.", labels("COMMA"), glyphs("es")) == "etc.,"
    assert write_word("etc.", labels("PERIOD"), glyphs("bn")) == "etc.।"


def test_running_text_sets_a_dash_apart():
    given = [labels("OPEN_QUOTE", Case.FIRST_CAP), labels("DASH+COMMA"), labels("OPEN_DASH+PERIOD")]
    assert write_text(["sí", "señor", "dijo"], given, glyphs("es")) == "«Sí señor, – –dijo."
    assert write_word("señor", given[1], glyphs("es")) == "señor,–"
    assert write_text([], [], glyphs("es")) == ""


def test_one_label_a_word():
    with pytest.raises(ValueError, match="shorter"):
        write_text(["a", "b"], [Labels()], glyphs("es"))


@given(st.lists(st.tuples(st.text("aeñ'-", min_size=1), MARK_SETS), max_size=5))
def test_taking_the_marks_away_gives_the_words_back(pairs):
    words = [word for word, _ in pairs]
    text = write_text(words, [Labels(marks) for _, marks in pairs], glyphs("es"))
    assert text.translate({ord(c): None for c in "–«¿¡…?!»,;:."}).split() == words


@given(MARK_SETS)
def test_a_bit_for_each_mark(marks):
    bits = mark_bits(marks)
    assert {mark for i, mark in enumerate(MARKS) if bits >> i & 1} == marks
    assert mark_bits([*marks, *marks]) == bits
