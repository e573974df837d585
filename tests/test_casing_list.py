"""Casing lists learnt from written text."""

import sys
from pathlib import Path

import pytest

from asr_punct.casing import Casing
from asr_punct.errors import InputError
from asr_punct.marks import Case

sys.path.insert(0, str(Path(__file__).parent.parent / "egs" / "models" / "local"))

from training_text.casing_list import learn_casing
from training_text.sources import Source


@pytest.fixture
def learn(tmp_path):
    """Learn a casing list from lines by language."""

    def learn(min_count=3, **texts):
        for language, lines in texts.items():
            (tmp_path / f"{language}.txt").write_text("\n".join(lines), encoding="utf-8")
        return learn_casing(tmp_path, [Source(name, name, True, 1.0, 0, "CC0") for name in texts], min_count)

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
        learn_casing(tmp_path, [Source("es/none", "es", True, 1.0, 0, "CC0")])
