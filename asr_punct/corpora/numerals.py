"""Write numbers in words, as a speech recogniser does: Spanish, Basque and English.

Spanish and English use the package num2words. Basque follows the Basque academy (Euskaltzaindia, rule 7): numbers are
counted by twenties, and `eta` precedes the last part of a number.
"""

from __future__ import annotations

import re
from functools import lru_cache

from asr_punct.errors import MissingExtraError

LARGEST = 10**12
"""Numbers from here on stay in digits."""
_SMALL = tuple(
    """zero bat bi hiru lau bost sei zazpi zortzi bederatzi hamar hamaika hamabi hamahiru hamalau hamabost hamasei
    hamazazpi hemezortzi hemeretzi""".split()  # noqa: SIM905
)
_TWENTIES = ("", "hogei", "berrogei", "hirurogei", "laurogei")
_HUNDREDS = [f"{stem}ehun" for stem in ("", "berr", "hirur", "laur", "bost", "sei", "zazpi", "zortzi", "bederatzi")]
_SHORTENED = re.compile(r"\b(veinti)?uno(?= mil)")
"""Spanish `uno` before `mil` and `millones`, which num2words does not shorten."""
_POINTS = {"es": "coma", "eu": "koma", "en": "point"}


def basque_cardinal(number: int) -> str:
    """Return a whole number from 0 to `LARGEST` - 1 in Basque words, `bi mila eta hamabost`."""
    for unit, name in ((10**6, "milioi"), (1000, "mila")):
        if number >= unit:
            count, rest = divmod(number, unit)
            one = "mila" if name == "mila" else f"{name} bat"
            return _joined(one if count == 1 else f"{basque_cardinal(count)} {name}", rest)
    if number >= 100:
        hundreds = _HUNDREDS[number // 100 - 1]
        return f"{hundreds} eta {basque_cardinal(number % 100)}" if number % 100 else hundreds
    if number < 20:
        return _SMALL[number]
    twenty, rest = _TWENTIES[number // 20], number % 20
    return f"{twenty}ta {_SMALL[rest]}" if rest else twenty


def _joined(head: str, rest: int) -> str:
    """Join the parts of a number, with `eta` before a rest of a single part."""
    if not rest:
        return head
    single = rest < 100 or rest % (100 if rest < 1000 else 1000) == 0
    return f"{head} eta {basque_cardinal(rest)}" if single else f"{head} {basque_cardinal(rest)}"


def basque_ordinal(number: int) -> str:
    """Return a number above 0 as a Basque ordinal, `bosgarren`."""
    if number == 1:
        return "lehen"
    words = basque_cardinal(number)
    return (words[:-1] if words.endswith("bost") else words) + "garren"


def with_basque_suffix(numeral: str, suffix: str) -> str:
    """Return a Basque numeral with the ending that was written after its digits, `hamarrean`."""
    doubled = "r" if numeral.endswith("r") and suffix[0] in "aeiou" else ""
    return numeral + doubled + suffix


@lru_cache(maxsize=1 << 14)
def cardinal(number: int, language: str) -> str:
    """Return a whole number from 0 to `LARGEST` - 1 in words, without hyphens and without English `and`.

    Raises:
        MissingExtraError: the package num2words is not installed.
    """
    return basque_cardinal(number) if language == "eu" else _num2words(number, language, "cardinal")


@lru_cache(maxsize=1 << 12)
def ordinal(number: int, language: str) -> str:
    """Return a number above 0 as an ordinal, in Spanish a masculine one. Raises as `cardinal`."""
    return basque_ordinal(number) if language == "eu" else _num2words(number, language, "ordinal")


@lru_cache(maxsize=1 << 12)
def english_year(number: int) -> str:
    """Return a year as it is said in English, `nineteen ninety nine`. Raises as `cardinal`."""
    return _num2words(number, "en", "year")


@lru_cache(maxsize=1 << 12)
def decimal(whole: int, decimals: str, language: str) -> str:
    """Return a number with decimals in words; one or two Spanish or Basque decimals are read as a number.

    Args:
        whole: the digits before the point or comma.
        decimals: the digits after it.
        language: `es`, `eu` or `en`.
    """
    together = language != "en" and len(decimals) <= 2 and decimals[0] != "0"
    parts = [decimals] if together else list(decimals)
    return " ".join([cardinal(whole, language), _POINTS[language], *(cardinal(int(part), language) for part in parts)])


def _num2words(number: int, language: str, kind: str) -> str:
    try:
        from num2words import num2words
    except ImportError:
        raise MissingExtraError("writing numbers in words", "train", "num2words") from None
    text = str(num2words(number, lang=language, to=kind)).replace("-", " ").replace(",", "")
    if language == "es":
        return _SHORTENED.sub(lambda found: "veintiún" if found[1] else "un", text)
    return text.replace(" and ", " ") if language == "en" else text
