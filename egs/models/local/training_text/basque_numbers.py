"""Basque numbers in words, by rule 7 of the Basque academy (Euskaltzaindia)."""

from __future__ import annotations

_BELOW_TWENTY = tuple(
    """zero bat bi hiru lau bost sei zazpi zortzi bederatzi hamar hamaika hamabi hamahiru hamalau hamabost hamasei
    hamazazpi hemezortzi hemeretzi""".split()  # noqa: SIM905
)
_TWENTIES = ("", "hogei", "berrogei", "hirurogei", "laurogei")
_HUNDREDS = ("", *(f"{n}ehun" for n in ("", "berr", "hirur", "laur", "bost", "sei", "zazpi", "zortzi", "bederatzi")))


def basque_cardinal(number: int) -> str:
    """Return a whole number from 0 to 10^12 - 1 in words: 2015 is `bi mila eta hamabost`."""
    if number < 20:
        return _BELOW_TWENTY[number]
    if number < 100:
        twenties, units = divmod(number, 20)
        return f"{_TWENTIES[twenties]}ta {_BELOW_TWENTY[units]}" if units else _TWENTIES[twenties]
    if number < 1000:
        return _joined(_HUNDREDS[number // 100], number % 100)
    if number < 10**6:
        thousands, units = divmod(number, 1000)
        return _joined("mila" if thousands == 1 else f"{basque_cardinal(thousands)} mila", units)
    millions, units = divmod(number, 10**6)
    return _joined("milioi bat" if millions == 1 else f"{basque_cardinal(millions)} milioi", units)


def _joined(head: str, lower: int) -> str:
    """Append the lower part of a number, after `eta` if it is below 100, whole hundreds or whole thousands."""
    if not lower:
        return head
    joint = "eta " if lower < 100 or lower % (100 if lower < 1000 else 1000) == 0 else ""
    return f"{head} {joint}{basque_cardinal(lower)}"


def basque_ordinal(number: int) -> str:
    """Return a number above 0 as an ordinal: 5 is `bosgarren`."""
    if number == 1:
        return "lehen"
    words = basque_cardinal(number)
    return (words[:-1] if words.endswith("bost") else words) + "garren"


def with_basque_suffix(numeral: str, suffix: str) -> str:
    """Append the suffix that was written after the digits: `10ean` is `hamarrean`."""
    doubled_r = "r" if numeral.endswith("r") and suffix[0] in "aeiou" else ""
    return numeral + doubled_r + suffix
