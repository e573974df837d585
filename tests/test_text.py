"""Reading written text: tables of lines, tokens and labels."""

from collections import Counter

import pytest
from dummies import examples, json_lines
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.glyphs import glyphs, write_text
from asr_punct.marks import CASES, MARKS, Case, Labels, Mark, format_marks, parse_marks
from asr_punct.text import canonical, clean, parse, read_marks, split_sound, split_token

SIGN = {Case.O: "", Case.FIRST_CAP: "^", Case.ALL_CAPS: "^^"}


def show(text, language="es"):
    """Words with their marks and case: `Hola, tú` -> `hola^/COMMA tú`."""
    parsed = parse(text, language)
    return " ".join(
        word + SIGN[label.case] + (f"/{format_marks(label.marks)}" if label.marks else "")
        for word, label in zip(parsed.words, parsed.labels, strict=True)
    )


def again(text, language="es"):
    parsed = parse(text, language)
    return write_text(parsed.words, parsed.labels, glyphs(language))


@pytest.mark.parametrize(
    ("language", "text", "expected"), [*examples("parse_examples.tsv"), ("es", "", ""), ("es", "- - —", "")]
)
def test_parse(language, text, expected):
    assert show(text, language) == expected


@pytest.mark.parametrize(
    "text",
    [
        "3.500 3,5 1.234,56 10:30 10:30h 50% 1º 2.ª 1/2 1.000€ $5 .5 +34 2+2",
        "km/h y/o c/u teórico-práctico o'clock d'or i+d+i at&t c++ c# 20ºc",
        "info@correo.eus http://a.eus/b?c=d,e#f www.a.eus/b/ https://a.es foo_bar archivo.txt",
    ],
)
def test_words_that_are_not_split(text):
    assert parse(text).words == tuple(text.split())
    assert again(text) == text


def test_dropped_characters_are_counted():
    text = ". (Sí!!) [no] * niño(s) ==== <b> a\u200bb \ufeff «» ¿"
    parsed = parse(text)
    assert parsed.words == ("sí", "no", "niños", "b", "ab")
    assert parsed.dropped == Counter(
        {"(": 2, ")": 2, "!": 1, "[": 1, "]": 1, "*": 1, "=": 4, "<": 1, ">": 1, "\u200b": 1, "\ufeff": 1}
    ) + Counter("«»¿.")
    assert parse("a.,; b!..!").dropped == Counter({",": 1, ";": 1, "!": 1})


def test_unicode_forms():
    assert parse("e\u0301l ca\u00adsa\u00a0y\u2028ya").words == ("él", "casa", "y", "ya")
    assert clean("e\u0301\ufeff") == "é"


@pytest.mark.parametrize(
    ("word", "marks", "case", "language", "after", "expected"), json_lines("canonical_labels.jsonl")
)
def test_canonical(word, marks, case, language, after, expected):
    """Rows of word, marks, case, language, words that follow, and the marks and case."""
    labels = [Labels(parse_marks(marks), Case(case)), *(Labels(case=Case.FIRST_CAP) for _ in after)]
    label = canonical([word, *after], labels, language)[0]
    assert [format_marks(label.marks), label.case] == expected


@pytest.mark.parametrize(("token", "language", "expected"), json_lines("split_examples.jsonl"))
def test_split_token(token, language, expected):
    """Rows of token, language, and the marks before, the word and the marks after it."""
    assert split_token(token, language) == tuple(expected)


SOUNDS = "[noise] [vocalized-noise] [BLANK_AUDIO] <unk> </s> (risas) {NOISE} ♪ ♪♪ >> %HESITATION (%uh) spn"


@pytest.mark.parametrize("before", ["", "«"])
@pytest.mark.parametrize("after", ["", ".", "?»"])
@pytest.mark.parametrize("sound", SOUNDS.split())
def test_sounds(before, sound, after):
    assert split_sound(before + sound + after) == (before, sound, after)


OTHERS = """laughs (as know) [1] (2019) niño(s) [T]he <ana@x.es> (www.x.es) [a]b (a)(b)
    - . « ( ) [] & 50% / * ♪hola"""


@pytest.mark.parametrize("token", ["", *OTHERS.split(), "(" * 90_000, "(" + "a" * 90_000])
def test_other_tokens_are_no_sounds(token):
    assert split_sound(token) is None


def test_read_marks():
    assert read_marks("«¿", "?»,") == parse_marks("OPEN_QUOTE+OPEN_QUES+QUESTION+QUOTE+COMMA")
    assert read_marks("-\"'", "'\"...-") == parse_marks("OPEN_DASH+OPEN_QUOTE+QUOTE+ELLIPSIS+DASH")
    assert read_marks("(", ")*") == frozenset()
    assert read_marks(",", "¿") == frozenset()
    assert read_marks("", "–") == {Mark.DASH}


@pytest.mark.parametrize(
    "pattern",
    ["a", "a ", "a-", "--", "- ", "' ", "a'", '"', "a.", "A. ", "a.Bc", "a(b)", "(", "1,", "www.", "http://", "a-, "],
)
@pytest.mark.parametrize("more", ["", "é", "…", " eta "])
def test_long_input_is_read_in_reasonable_time(pattern, more):
    """Quadratic work on this length would take minutes."""
    text = (pattern + more) * 4_000
    parsed = parse(text, "eu+en")
    written = write_text(parsed.words, parsed.labels, glyphs("eu"))
    assert parse(written, "eu+en").words == parsed.words
    token = text.replace(" ", "")
    assert "".join(split_token(token, "eu+en")) == token


# Reading inverts writing


DRAWN_LANGUAGES = st.sampled_from(["es", "eu", "en", "es+eu", "bn", "xx"])
LABELS = st.builds(Labels, st.frozensets(st.sampled_from(MARKS)), st.sampled_from(CASES))
LETTERS = "abcdeghijlmnñopqrstuvwxyzáéíóúüçàßåøœéλж"
PLAIN = st.text(LETTERS, min_size=1, max_size=7)
NUMBERS = st.from_regex(r"[1-9][0-9]{0,3}(\.[0-9]{3})?(,[0-9]{1,2})?(%|º|ª|€|h)?", fullmatch=True)
TIMES = st.from_regex(r"[0-9]{1,2}:[0-5][0-9]", fullmatch=True)
COMPOUNDS = st.builds(lambda a, joint, b: a + joint + b, PLAIN, st.sampled_from(["-", "'", "’", "/", "_", "·"]), PLAIN)
ODD = st.sampled_from(
    ["-5", "−3,5", ".5", "+34", "&", "%", "y/o", "km/h", "i+d+i", "c++", "'90s", "2.º", "1.ª.foo", "ee.uu.", "u.s."]
) | st.sampled_from(["info@correo.eus", "http://a.eus/b?c=d", "i̇", "ǆ", "1ºa"])
WORDS = st.one_of(PLAIN, PLAIN, NUMBERS, TIMES, COMPOUNDS, ODD)
ABBREVIATIONS = {
    "es": "sr. dra. etc. ee. uu. jj. p.ej. núm. ud.",
    "eu": "jn. and. etab. adib. k.a. h.d. zk.",
    "en": "mr. dr. etc. e.g. p.m. inc. jr. vs.",
}
FRAGMENTS = st.one_of(
    st.sampled_from("abAB ñÑßİ'’‘\"«»“”.,;:?!¿¡…-–—()[]<>012%º/&*|\u0301\u200b"),
    st.sampled_from(["''", "``", ". . .", "Sr.", "etc.", "U.S.", "EE. UU.", "XX.", "http://a.b", "ko", "s'", "- eta "]),
    st.sampled_from([" The ", " El ", " Eta ", "j. ", "J. "]),
)
TEXTS = st.one_of(st.text(), st.lists(FRAGMENTS, max_size=25).map("".join))


@st.composite
def labelled(draw):
    """Words that reading can yield in one language, with any labels."""
    language = draw(st.sampled_from(["es", "eu", "en", "es+eu"]))
    own = st.sampled_from([word for code in language.split("+") for word in ABBREVIATIONS[code].split()])
    pairs = draw(st.lists(st.tuples(st.one_of(WORDS, WORDS, own), LABELS), max_size=8))
    return [word for word, _ in pairs], [label for _, label in pairs], language


@given(labelled())
def test_reading_inverts_writing(given_labels):
    words, labels, language = given_labels
    labels = canonical(words, labels, language)
    parsed = parse(write_text(words, labels, glyphs(language)), language)
    assert parsed.words == tuple(words)
    assert parsed.labels == labels
    assert not parsed.dropped


@given(labelled())
def test_canonical_is_idempotent_and_changes_only_stops(given_labels):
    words, labels, language = given_labels
    result = canonical(words, labels, language)
    assert canonical(words, result, language) == result
    stops = {Mark.COMMA, Mark.COLON, Mark.SEMICOLON, Mark.PERIOD}
    for before, after in zip(labels, result, strict=True):
        assert after.marks - stops == before.marks - stops
        assert len(after.marks & stops) <= 1
        assert after.marks - {Mark.PERIOD} <= before.marks


@given(TEXTS, DRAWN_LANGUAGES)
def test_reading_any_text_is_stable_after_one_pass(text, language):
    first = parse(text, language)
    written = write_text(first.words, first.labels, glyphs(language))
    second = parse(written, language)
    assert (second.words, second.labels) == (first.words, first.labels)
    assert write_text(second.words, second.labels, glyphs(language)) == written
    assert not second.dropped


@given(TEXTS, DRAWN_LANGUAGES)
def test_words_are_lower_case_tokens_with_canonical_labels(text, language):
    parsed = parse(text, language)
    assert len(parsed.words) == len(parsed.labels)
    assert all(word == word.lower() and word.split() == [word] for word in parsed.words)
    assert all(any(c.isalnum() for c in word) or len(word) == 1 for word in parsed.words)
    assert canonical(parsed.words, parsed.labels, language) == parsed.labels


@given(TEXTS, DRAWN_LANGUAGES)
def test_a_split_token_joins_again(text, language):
    for token in text.split():
        before, core, after = split_token(token, language)
        assert before + core + after == token
        assert core == "" or split_token(core, language)[1] == core
        assert read_marks(before, after) <= frozenset(MARKS)


@pytest.mark.parametrize("language", ["es", "eu", "en"])
@given(words=st.lists(WORDS, min_size=1, max_size=5), tail=st.sampled_from("?!,;:…"))
def test_the_core_of_a_token_is_the_word_that_is_read(language, words, tail):
    for word in words:
        assert split_token(word + tail, language)[1].lower() == parse(word + tail, language).words[0]
