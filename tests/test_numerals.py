"""Numbers in words: the three languages' cardinals, and digits of labelled lines."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asr_punct.corpora.numerals import LARGEST, basque_cardinal, basque_ordinal, cardinal, decimal
from asr_punct.corpora.spoken_numbers import spelled_out
from asr_punct.marks import LEFT, Case, Labels, glyphs, write_text
from asr_punct.text import parse
from asr_punct.words import Word

UNITS = dict(
    zip(
        """bat bi hiru lau bost sei zazpi zortzi bederatzi hamar hamaika hamabi hamahiru hamalau hamabost hamasei
        hamazazpi hemezortzi hemeretzi""".split(),  # noqa: SIM905
        range(1, 20),
        strict=True,
    )
) | {"hogei": 20, "berrogei": 40, "hirurogei": 60, "laurogei": 80}
STEMS = ["", "berr", "hirur", "laur", "bost", "sei", "zazpi", "zortzi", "bederatzi"]
HUNDREDS = {f"{stem}ehun": count for count, stem in enumerate(STEMS, start=1)}


def value(words):
    """The number of Basque words, added up from left to right."""
    total, part = 0, 0
    for word in words.split():
        known = UNITS.get(word, UNITS.get(word.removesuffix("ta")))
        if word == "mila":
            total, part = total + 1000 * (part or 1), 0
        elif word == "milioi":
            total, part = (total + part or 1) * 10**6, 0
        elif word in HUNDREDS:
            part += 100 * HUNDREDS[word]
        elif known is not None:
            part += known
        else:
            assert word == "eta", word
    return total + part


@given(st.integers(1, 999_999))
def test_basque_cardinals(number):
    assert value(basque_cardinal(number)) == number


@given(st.integers(2_000_000, LARGEST - 1))
def test_basque_millions(number):
    millions, _, rest = basque_cardinal(number).partition(" milioi")
    assert value(millions) == number // 10**6
    assert value(rest) == number % 10**6


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (20, "hogei"),
        (31, "hogeita hamaika"),
        (40, "berrogei"),
        (99, "laurogeita hemeretzi"),
        (101, "ehun eta bat"),
        (1000, "mila"),
        (1100, "mila eta ehun"),
        (1150, "mila ehun eta berrogeita hamar"),
        (1936, "mila bederatziehun eta hogeita hamasei"),
        (2015, "bi mila eta hamabost"),
        (1_000_000, "milioi bat"),
        (1_500_000, "milioi bat eta bostehun mila"),
    ],
)
def test_basque_goldens(number, words):
    assert basque_cardinal(number) == words


def test_ordinals_and_decimals():
    assert [basque_ordinal(n) for n in (1, 2, 5, 15, 20, 25, 21)] == [
        "lehen",
        "bigarren",
        "bosgarren",
        "hamabosgarren",
        "hogeigarren",
        "hogeita bosgarren",
        "hogeita batgarren",
    ]
    assert decimal(3, "25", "eu") == "hiru koma hogeita bost"
    assert decimal(3, "05", "es") == "tres coma cero cinco"
    assert decimal(3, "25", "en") == "three point two five"
    assert cardinal(123, "en") == "one hundred twenty three"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (21, "veintiuno"),
        (1_031, "mil treinta y uno"),
        (21_021, "veintiún mil veintiuno"),
        (101_000, "ciento un mil"),
        (31_000_001, "treinta y un millones uno"),
        (1_021_000_000, "mil veintiún millones"),
    ],
)
def test_spanish_one_is_short_before_thousands_and_millions(number, words):
    assert cardinal(number, "es") == words


def spell(text, language):
    """Texts and labels of the spoken words."""
    parsed = parse(text, language)
    words = [Word(text, labels=labels) for text, labels in zip(parsed.words, parsed.labels, strict=True)]
    spoken = spelled_out(words, language)
    return [word.text for word in spoken], [word.labels for word in spoken]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("es", "21 casas, 200 mesas y 21 barcos.", "Veintiuna casas, doscientas mesas y veintiún barcos."),
        ("es", "Con £200 o £1, no $1 ni 21€.", "Con doscientas libras o una libra, no un dólar ni veintiún euros."),
        ("es", "Son £200.200.000.", "Son doscientos millones doscientas mil libras."),
        ("es", "De 21 las 3 de 1 los.", "De veintiuno las tres de uno los."),
        ("es", "Subió un 3,5 % o un 4%.", "Subió un tres coma cinco por ciento o un cuatro por ciento."),
        ("es", "Son 1.234.567 y 2.000 €.", "Son un millón doscientos treinta y cuatro mil quinientos sesenta y "
         "siete y dos mil euros."),
        ("es", "El 1.º y la 2ª; el 3º día.", "El primero y la segunda; el tercer día."),
        ("es", "A las 10:30, no a la 1:15.", "A las diez y media, no a la una quince."),
        ("es", "¿2015? Sí. 1978.", "¿Dos mil quince? Sí. Mil novecientos setenta y ocho."),
        ("es", "El código 007 de 2015-2016 y 4k.", "El código 007 de 2015-2016 y 4k."),
        ("eu", "2015ean hasi zen.", "Bi mila eta hamabostean hasi zen."),
        ("eu", "Otsailaren 10ean %25 igo da.", "Otsailaren hamarrean ehuneko hogeita bost igo da."),
        ("eu", "Prezioa % 12ko da, 2. artikulua.", "Prezioa ehuneko hamabiko da, bigarren artikulua."),
        ("en", "It cost $5 billion, not $1.", "It cost five billion dollars, not one dollar."),
        ("en", "In 1999 and the 1990s, 21st of 1,500.", "In nineteen ninety nine and the nineteen nineties, twenty "
         "first of one thousand five hundred."),
        ("en", "About 3.5%, said No. 7 at 8:05.", "About three point five percent, said number seven at eight oh "
         "five."),
        ("en", "The 401(k) and 9/11 stay.", "The 401k and 9/11 stay."),
    ],
)  # fmt: skip
def test_digits_in_words(language, text, expected):
    assert write_text(*spell(text, language), glyphs(language)) == expected


@example("0 -%", "es")
@given(st.text("0123456789.,%€$ºs?¿:ean -", max_size=30), st.sampled_from(["es", "eu", "en"]))
def test_marks_stay_and_other_words_too(text, language):
    parsed = parse(text, language)
    words, spoken_labels = spell(text, language)
    marks = [sorted(mark for label in labels for mark in label.marks) for labels in (parsed.labels, spoken_labels)]
    assert marks[0] == marks[1]
    assert [w for w in parsed.words if not any(c.isdigit() for c in w) and w not in "%€"] == [
        w for w in words if w in parsed.words and not any(c.isdigit() for c in w) and w not in "%€"
    ]


def test_left_marks_go_to_the_first_word_and_right_marks_to_the_last():
    _, labels = spell("Dijo: «1978».", "es")
    assert labels[1].marks <= frozenset(LEFT)
    assert labels[1].case is Case.O
    assert labels[2:-1] == [Labels()] * 3
    assert not labels[-1].marks & frozenset(LEFT)
