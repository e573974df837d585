"""Numbers in words: Basque cardinals and ordinals, and the digits of labelled lines."""

import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asr_punct.marks import LEFT, Case, Labels, glyphs, write_text
from asr_punct.text import parse
from asr_punct.words import Word

sys.path.insert(0, str(Path(__file__).parent.parent / "egs" / "models" / "local"))

from training_text.basque_numbers import basque_cardinal, basque_ordinal
from training_text.spoken_numbers import spelled_out

UNITS = """zero bat bi hiru lau bost sei zazpi zortzi bederatzi hamar hamaika hamabi hamahiru hamalau hamabost hamasei
    hamazazpi hemezortzi hemeretzi hogei"""
VALUES = {
    **{word: number for number, word in enumerate(UNITS.split())},
    **{"berrogei": 40, "hirurogei": 60, "laurogei": 80},
    **{f"{stem}ehun": 100 * number for number, stem in enumerate(
        ["", "berr", "hirur", "laur", "bost", "sei", "zazpi", "zortzi", "bederatzi"], start=1)},
}  # fmt: skip


def value(words):
    """The number of Basque words, added up from left to right."""
    total, part = 0, 0
    for word in words.split():
        if word == "mila":
            total, part = total + 1000 * (part or 1), 0
        elif word == "milioi":
            total, part = (total + part or 1) * 10**6, 0
        elif word != "eta":
            part += VALUES[word if word in VALUES else word.removesuffix("ta")]
    return total + part


@given(st.integers(1, 999_999))
def test_basque_cardinals(number):
    assert value(basque_cardinal(number)) == number


@given(st.integers(2_000_000, 10**12 - 1))
def test_basque_millions(number):
    millions, _, rest = basque_cardinal(number).partition(" milioi")
    assert (value(millions), value(rest)) == divmod(number, 10**6)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (31, "hogeita hamaika"),
        (101, "ehun eta bat"),
        (1100, "mila eta ehun"),
        (1150, "mila ehun eta berrogeita hamar"),
        (1936, "mila bederatziehun eta hogeita hamasei"),
        (2015, "bi mila eta hamabost"),
        (1_500_000, "milioi bat eta bostehun mila"),
    ],
)
def test_basque_examples(number, words):
    assert basque_cardinal(number) == words


@pytest.mark.parametrize(
    ("number", "words"), [(1, "lehen"), (5, "bosgarren"), (15, "hamabosgarren"), (21, "hogeita batgarren")]
)
def test_basque_ordinals(number, words):
    assert basque_ordinal(number) == words


def spell(text, language):
    """Texts and labels of the spoken words."""
    parsed = parse(text, language)
    words = [Word(text, labels=labels) for text, labels in zip(parsed.words, parsed.labels, strict=True)]
    spoken = spelled_out(words, language)
    return [word.text for word in spoken], [word.labels for word in spoken]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("es", "21 casas, 21 barcos, 21 días.", "Veintiuna casas, veintiún barcos, veintiún días."),
        ("es", "200 mesas, 500 personas.", "Doscientas mesas, quinientas personas."),
        ("es", "200.200.000 mesas", "Doscientos millones doscientas mil mesas"),
        ("es", "21.021 y 101.000", "Veintiún mil veintiuno y ciento un mil"),
        ("es", "Con £200 o £1, no $1 ni 21€.", "Con doscientas libras o una libra, no un dólar ni veintiún euros."),
        ("es", "Por 1 €, £3,1.", "Por un euro, tres libras con diez peniques."),
        ("es", "De 21 las 3 de 1 los.", "De veintiuno las tres de uno los."),
        ("es", "Un 3,5 %, un 4%, un 0,05%", "Un tres coma cinco por ciento, un cuatro por ciento, un cero coma cero "
         "cinco por ciento"),
        ("es", "¿2015? Sí. 1978.", "¿Dos mil quince? Sí. Mil novecientos setenta y ocho."),
        ("es", "El código 007 de 2015-2016, 4k a las 10:30.", "El código 007 de 2015-2016, 4k a las 10:30."),
        ("es", "Son 3,145 € y £3 %.", "Son 3,145 € y £3 %."),
        ("eu", "2015ean hasi zen 3,25.", "Bi mila eta hamabostean hasi zen hiru koma hogeita bost."),
        ("eu", "Otsailaren 10ean %25 igo da.", "Otsailaren hamarrean ehuneko hogeita bost igo da."),
        ("eu", "Prezioa % 12ko da, 2. artikulua 30€.", "Prezioa ehuneko hamabiko da, bigarren artikulua hogeita hamar "
         "euro."),
        ("en", "It cost $5 billion, $1 or $3.50.", "It cost five billion dollars, one dollar or three dollars and "
         "fifty cents."),
        ("en", "In 1999, the 21st of 1,500.", "In nineteen ninety nine, the twenty first of one thousand five "
         "hundred."),
        ("en", "About 3.25% of 123.", "About three point two five percent of one hundred twenty three."),
        ("en", "The 401(k) and 9/11 stay.", "The 401k and 9/11 stay."),
    ],
)  # fmt: skip
def test_digits_in_words(language, text, expected):
    assert write_text(*spell(text, language), glyphs(language)) == expected


@example("0 -%", "es")
@given(st.text("0123456789.,%€$ºs?¿:ean -", max_size=30), st.sampled_from(["es", "eu", "en"]))
def test_marks_and_other_words_stay(text, language):
    def others(words):
        return [
            word for word in words if word in parsed.words and not any(c.isdigit() for c in word + "0" * (word in "%€"))
        ]

    parsed = parse(text, language)
    words, spoken_labels = spell(text, language)
    marks = [sorted(mark for label in labels for mark in label.marks) for labels in (parsed.labels, spoken_labels)]
    assert marks[0] == marks[1]
    assert others(words) == others(parsed.words)


def test_left_marks_go_to_the_first_word_and_right_marks_to_the_last():
    _, labels = spell("Dijo: «1978».", "es")
    assert labels[1].marks <= frozenset(LEFT)
    assert labels[1].case is Case.O
    assert labels[2:-1] == [Labels()] * 3
    assert not labels[-1].marks & frozenset(LEFT)
