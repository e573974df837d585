"""Write the numbers of labelled words as spoken words, except ambiguous ones (`2009-2016`, `007`, `4k`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from asr_punct.corpora.numerals import LARGEST, cardinal, decimal, english_year, ordinal, with_basque_suffix
from asr_punct.marks import LEFT, SENTENCE_ENDS, Case, Labels
from asr_punct.words import Word, marks_of

_WITH_COMMA = r"(?P<whole>\d{1,3}(?:\.\d{3})+|\d+)(?:,(?P<decimals>\d{1,6}))?"
_WITH_POINT = r"(?P<whole>\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<decimals>\d{1,6}))?"
_SUFFIXES = (
    "e?an etan e?n e?ko etako e?ra etara e?tik etatik r?en etaren r?i ei r?ekin ekin [ea]?z etaz aren ari "
    "arekin ak ek a ik rik e?rako etarako e?raino rentzat entzat koa ekoa koak ekoak koan ekoan"
).replace(" ", "|")
_NUMBERS = {
    "es": re.compile(rf"(?P<before>[$€£])?{_WITH_COMMA}(?P<after>%|€|\.?[ºª°])?"),
    "eu": re.compile(rf"(?P<before>%|€)?{_WITH_COMMA}(?P<after>\.|%|€|(?:{_SUFFIXES}))?"),
    "en": re.compile(rf"(?P<before>[$€£]|')?{_WITH_POINT}(?P<after>%|st|nd|rd|th|s)?"),
}
_TIME = re.compile(r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")
_CURRENCIES = {
    "es": {"$": ("dólar", "dólares"), "€": ("euro", "euros"), "£": ("libra", "libras")},
    "en": {"$": ("dollar", "dollars"), "€": ("euro", "euros"), "£": ("pound", "pounds")},
}
_SCALES = frozenset(("thousand", "million", "billion", "trillion"))
_NOT_NOUN = frozenset(("es", "los", "las", "después", "más", "menos", "y", "e", "o", "u", "a", "de", "en", "que", "se"))
_Reading = tuple[list[str], int]
"""Spoken words, and the number of written words they replace."""


def spelled_out(words: Sequence[Word], language: str) -> tuple[Word, ...]:
    """Return labelled words with their numbers as spoken words.

    The first word of a number has its left marks, the last word its right marks. A number that starts a sentence has a
    capital.

    Args:
        words: lower-case words of a line.
        language: `es`, `eu` or `en`.

    Raises:
        MissingExtraError: the package num2words is not installed.
    """
    result, i = list[Word](), 0
    while i < len(words):
        texts, used = _read(words, i, language)
        if texts == [words[i].text]:
            result.append(words[i])
        else:
            starts_sentence = not result or not SENTENCE_ENDS.isdisjoint(marks_of(result[-1]))
            labels = _spread(words[i : i + used], len(texts), starts_sentence)
            result += [Word(text, labels=label) for text, label in zip(texts, labels, strict=True)]
        i += used
    return tuple(result)


def _read(words: Sequence[Word], i: int, language: str) -> _Reading:
    """Return the spoken words for word i; they may replace word i + 1 too (`4 %`)."""
    if not any(char.isdigit() for word in words[i : i + 2] for char in word.text):
        return [words[i].text], 1
    separated = i + 1 == len(words) or marks_of(words[i]).difference(LEFT) or marks_of(words[i + 1]).intersection(LEFT)
    return _READERS[language](words[i].text, "" if separated else words[i + 1].text) or ([words[i].text], 1)


def _spread(written: Sequence[Word], count: int, starts_sentence: bool) -> list[Labels]:
    """Distribute the labels of the written words over `count` spoken words: left marks first, right marks last."""
    left = marks_of(written[0]).intersection(LEFT)
    right = marks_of(written[-1]).difference(LEFT)
    case = Case.FIRST_CAP if starts_sentence else Case.O
    if count == 1:
        return [Labels(left | right, case)]
    return [Labels(left, case), *[Labels()] * (count - 2), Labels(right)]


def _value(text: str) -> int | None:
    """Return the value of the digits; None for codes such as `007` and for numbers that are too large."""
    digits = re.sub(r"\D", "", text)
    value = int(digits)
    return None if value >= LARGEST or (digits[0] == "0" and len(digits) > 1) else value


def _cardinal_words(match: re.Match[str], language: str) -> list[str] | None:
    """Return the cardinal of a match, with its decimals."""
    value = _value(match["whole"])
    if value is None:
        return None
    decimals = match["decimals"]
    return (decimal(value, decimals, language) if decimals else cardinal(value, language)).split()


def _read_spanish(word: str, following: str) -> _Reading | None:
    time = _TIME.fullmatch(word)
    if time:
        return _spanish_time(int(time["hour"]), int(time["minute"])), 1
    match = _NUMBERS["es"].fullmatch(word)
    spoken = match and _cardinal_words(match, "es")
    if not match or not spoken:
        return None
    before, after = match["before"], match["after"]
    if before or after == "€":
        sign = before or "€"
        return [*_spanish_agreed(spoken, _CURRENCIES["es"][sign][1]), _currency_name(spoken, sign, "es")], 1
    if after == "%":
        return [*spoken, "por", "ciento"], 1
    if after:
        return _spanish_ordinal(int(match["whole"]), after, following) if match["whole"].isdigit() else None
    if following == "%":
        return [*spoken, "por", "ciento"], 2
    if following == "€":
        return [*spoken, "euros"], 2
    return _spanish_agreed(spoken, following), 1


def _spanish_time(hour: int, minute: int) -> list[str]:
    hours = "una" if hour == 1 else cardinal(hour, "es")
    minutes = "" if not minute else "y media" if minute == 30 else cardinal(minute, "es")
    return f"{hours} {minutes}".split()


def _spanish_ordinal(number: int, sign: str, following: str) -> _Reading | None:
    if not 0 < number <= 20:
        return None
    spoken = ordinal(number, "es")
    if sign[-1] == "ª":
        spoken = " ".join(part.removesuffix("o") + "a" for part in spoken.split())
    elif following.isalpha() and following not in _NOT_NOUN and number in (1, 3):
        spoken = spoken.removesuffix("o")
    return spoken.split(), 1


def _spanish_agreed(spoken: list[str], following: str) -> list[str]:
    """Agree with a following word that looks like a plural noun (-s; feminine if -as): `veintiún`, `doscientas`."""
    if not following.isalpha() or following in _NOT_NOUN:
        return spoken
    if following.endswith("as"):
        millions = max((i for i, word in enumerate(spoken, start=1) if word.startswith("mill")), default=0)
        spoken = [*spoken[:millions], *(re.sub("cientos$", "cientas", word) for word in spoken[millions:])]
        return [*spoken[:-1], re.sub("uno$", "una", spoken[-1])]
    if following.endswith("s"):
        return [*spoken[:-1], re.sub("^uno$", "un", re.sub("veintiuno$", "veintiún", spoken[-1]))]
    return spoken


def _currency_name(spoken: list[str], sign: str, language: str) -> str:
    one, many = _CURRENCIES[language][sign]
    return one if spoken in (["un"], ["uno"], ["one"]) else many


def _read_basque(word: str, following: str) -> _Reading | None:
    if word == "%":
        percent = _NUMBERS["eu"].fullmatch(following) if following else None
        spoken = percent and not percent["before"] and _basque(percent)
        return (["ehuneko", *spoken], 2) if spoken else None
    match = _NUMBERS["eu"].fullmatch(word)
    spoken = match and _basque(match)
    if not match or not spoken:
        return None
    if match["before"] == "%" or match["after"] == "%":
        return ["ehuneko", *spoken], 1
    if "€" in (match["before"], match["after"]):
        return [*spoken, "euro"], 1
    return spoken, 1


def _basque(match: re.Match[str]) -> list[str] | None:
    """Return a Basque number with its ending (`10ean`); followed by a period it is an ordinal."""
    spoken = _cardinal_words(match, "eu")
    after = match["after"]
    if spoken is None or after in (None, "%", "€"):
        return spoken
    if after == ".":
        value = int(match["whole"]) if match["whole"].isdigit() and not match["decimals"] else 0
        return ordinal(value, "eu").split() if value else None
    return [*spoken[:-1], with_basque_suffix(spoken[-1], after)]


def _read_english(word: str, following: str) -> _Reading | None:
    if word == "no." and following[:1].isdigit():
        return ["number"], 1
    time = _TIME.fullmatch(word)
    if time:
        return _english_time(int(time["hour"]), int(time["minute"])), 1
    match = _NUMBERS["en"].fullmatch(word)
    spoken = match and _cardinal_words(match, "en")
    if not match or not spoken:
        return None
    before, after = match["before"], match["after"]
    if before == "'" or after == "s":
        return _english_decade(match)
    if before:
        return _english_money(match, spoken, following)
    if after == "%" or following == "%":
        return [*spoken, "percent"], 1 if after else 2
    if after:
        return (ordinal(int(match["whole"].replace(",", "")), "en").split(), 1) if not match["decimals"] else None
    if re.fullmatch(r"1[1-9]\d\d|20\d\d", word):
        return english_year(int(word)).split(), 1
    return spoken, 1


def _english_time(hour: int, minute: int) -> list[str]:
    minutes = "" if not minute else f"oh {cardinal(minute, 'en')}" if minute < 10 else cardinal(minute, "en")
    return f"{cardinal(hour, 'en')} {minutes}".split()


def _english_decade(match: re.Match[str]) -> _Reading | None:
    digits = match["whole"]
    if match["decimals"] or not re.fullmatch(r"(?:1[1-9]|20)\d0|[2-9]0", digits) or match["after"] != "s":
        return None
    *head, last = (english_year(int(digits)) if len(digits) == 4 else cardinal(int(digits), "en")).split()
    return [*head, f"{last[:-1]}ies" if last.endswith("y") else f"{last}s"], 1


def _english_money(match: re.Match[str], spoken: list[str], following: str) -> _Reading | None:
    if match["after"]:
        return None
    if following in _SCALES:
        return [*spoken, following, _CURRENCIES["en"][match["before"]][1]], 2
    decimals = match["decimals"] or ""
    if len(decimals) == 2 and match["before"] == "$" and decimals[0] != "0":
        whole = cardinal(int(match["whole"].replace(",", "")), "en").split()
        return [*whole, _currency_name(whole, "$", "en"), "and", *cardinal(int(decimals), "en").split(), "cents"], 1
    return [*spoken, _currency_name(spoken, match["before"], "en")], 1


_READERS: dict[str, Callable[[str, str], _Reading | None]] = {
    "es": _read_spanish,
    "eu": _read_basque,
    "en": _read_english,
}
