"""Write digits in words, as a recogniser does: years, decimals, percentages, amounts of money, ordinals.

Other uses of digits (`2009-2016`, `10:30`, `007`, `4k`, Spanish `2.º`) are left as they are.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from asr_punct.errors import MissingExtraError
from asr_punct.marks import LEFT, SENTENCE_ENDS, Case, Labels
from asr_punct.words import Word, marks_of
from training_text.basque_numbers import basque_cardinal, basque_ordinal, with_basque_suffix

# 10ean, 2015eko
_BASQUE_SUFFIXES = (
    "e?an etan e?n e?ko etako e?ra etara e?tik etatik r?en etaren r?i ei r?ekin ekin [ea]?z etaz aren ari "
    "arekin ak ek a ik rik e?rako etarako e?raino rentzat entzat koa ekoa koak ekoak koan ekoan"
).replace(" ", "|")


def _pattern(before: str, thousands: str, decimal: str, after: str) -> re.Pattern[str]:
    """Return the pattern of a number below 10^12 without leading zeros."""
    whole = rf"(?P<whole>[1-9]\d{{0,2}}(?:\{thousands}\d{{3}}){{1,3}}|[1-9]\d{{0,11}}|0)"
    return re.compile(rf"(?P<before>{before})?{whole}(?:\{decimal}(?P<decimals>\d{{1,6}}))?(?P<after>{after})?")


_NUMBERS = {
    "es": _pattern("[$€£]", ".", ",", "[%€]"),
    "eu": _pattern("[%€]", ".", ",", rf"[%€.]|{_BASQUE_SUFFIXES}"),
    "en": _pattern("[$€£]", ",", ".", "%|st|nd|rd|th"),
}
_LEFT = frozenset(LEFT)
_SIGNS = ("%", "€")
"""Signs that follow a number, and that may be a separate word: `4 %`."""
_POINTS = {"es": "coma", "eu": "koma", "en": "point"}
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP"}
_SCALES = ("thousand", "million", "billion", "trillion")
# read as a year, in pairs of digits: nineteen ninety nine
_ENGLISH_YEAR = re.compile(r"1[1-9]\d\d|20\d\d")
# words in -s that are not the noun of the number before them: de 21 las 3
_NOT_NOUNS = frozenset(("es", "los", "las", "tras", "después", "más", "menos"))
# días, temas, problemas, programas, idiomas, accionistas
_MASCULINE_IN_AS = re.compile(r"(?:d[ií]as|temas|blemas|gramas|idiomas|mapas|planetas|istas)$")


def spelled_out(words: Sequence[Word], language: str) -> tuple[Word, ...]:
    """Return the labelled, lower-case words of a line with their numbers in words.

    Opening marks move to a number's first word, other marks and its pause to its last. A number at the beginning of a
    sentence gets a capital. `language` is `es`, `eu` or `en`. Raises MissingExtraError if num2words is not installed.
    """
    result, i = list[Word](), 0
    while i < len(words):
        spoken, used = _read(words, i, language)
        if spoken is None:
            result.append(words[i])
            i += 1
            continue
        starts_sentence = not result or not SENTENCE_ENDS.isdisjoint(marks_of(result[-1]))
        result += _labelled(spoken.split(), words[i : i + used], Case.FIRST_CAP if starts_sentence else Case.O)
        i += used
    return tuple(result)


def _read(words: Sequence[Word], i: int, language: str) -> tuple[str | None, int]:
    """Return the number that begins at word i, or None, and the count of written words that it replaces."""
    word, following = words[i].text, ""
    if i + 1 < len(words) and marks_of(words[i]) <= _LEFT and marks_of(words[i + 1]).isdisjoint(LEFT):
        following = words[i + 1].text
    number = _NUMBERS[language]
    if (word in _SIGNS or following in _SIGNS) and (match := number.fullmatch(word + following)):
        return _spoken(match, "", language), 2
    match = number.fullmatch(word)
    if match and match["before"] in _CURRENCIES and following in _SCALES:  # $5 billion
        amount = _cardinal(match["whole"], match["decimals"], language)
        return f"{amount} {following} {_money(2.0, match['before'], language).split()[-1]}", 2
    return (_spoken(match, following, language) if match else None), 1


def _labelled(spoken: Sequence[str], written: Sequence[Word], case: Case) -> list[Word]:
    labels = [Labels() for _ in spoken]
    labels[0] = Labels(marks_of(written[0]) & _LEFT, case)
    labels[-1] = Labels(labels[-1].marks | (marks_of(written[-1]) - _LEFT), labels[-1].case)
    words = [Word(text, labels=label) for text, label in zip(spoken, labels, strict=True)]
    return [*words[:-1], replace(words[-1], pause=written[-1].pause)]


def _spoken(number: re.Match[str], following: str, language: str) -> str | None:
    """Return a number in words, or None to leave its digits; a Spanish number agrees with the following noun."""
    before, whole, decimals, after = (group or "" for group in number.group("before", "whole", "decimals", "after"))
    sign, ending = (after, "") if after in _SIGNS else (before, after)
    if before and (after in _SIGNS or (ending and before in _CURRENCIES)):
        return None
    words = _cardinal(whole, decimals, language)
    if language == "eu":
        return _basque(words, whole if not decimals else "", sign, ending)
    if sign == "%":
        return f"{words} {'por ciento' if language == 'es' else 'percent'}"
    if sign:
        amount = float(f"{_value(whole)}.{decimals}")
        unusual = len(decimals) > 2 or (language == "es" and amount >= 10**6)  # num2words: un millón euros
        return None if unusual else _money(amount, sign, language)
    if language == "es":
        return _agreeing(words, following)
    if ending:
        return None if decimals else _num2words(_value(whole), "en", "ordinal")
    return _num2words(int(whole), "en", "year") if _ENGLISH_YEAR.fullmatch(number[0]) else words


def _basque(words: str, whole: str, sign: str, ending: str) -> str | None:
    if ending == ".":
        return basque_ordinal(_value(whole)) if whole.strip("0") else None
    if ending:
        words = with_basque_suffix(words, ending)
    return f"ehuneko {words}" if sign == "%" else f"{words} euro" if sign else words


def _cardinal(whole: str, decimals: str | None, language: str) -> str:
    """Return the words of a number; one or two Spanish or Basque decimals are read as a number, others one by one."""
    parts = list(decimals or "")
    if language != "en" and 0 < len(parts) <= 2 and parts[0] != "0":
        parts = ["".join(parts)]
    words = [
        basque_cardinal(number) if language == "eu" else _num2words(number, language, "cardinal")
        for number in map(_value, [whole, *parts])
    ]
    return " ".join([words[0], _POINTS[language], *words[1:]] if parts else words)


def _value(digits: str) -> int:
    return int(re.sub(r"\D", "", digits))


def _agreeing(number: str, noun: str) -> str:
    """Return a Spanish number before a noun in the plural: `veintiún días`, `doscientas mesas`.

    The next word is assumed to be a noun if it ends in -s, and a feminine one if it ends in -as.
    """
    if not noun.endswith("s") or noun in _NOT_NOUNS:
        return number
    if noun.endswith("as") and not _MASCULINE_IN_AS.search(noun):
        number = re.sub(r"ientos\b(?!.*\bmill)", "ientas", number)  # doscientos millones doscientas mil mesas
        return re.sub("uno$", "una", number)
    return re.sub(r"\buno$", "un", re.sub("veintiuno$", "veintiún", number))


def _money(amount: float, sign: str, language: str) -> str:
    separator = {"es": " con", "en": " and"}[language]
    text = _num2words(amount, language, "currency", currency=_CURRENCIES[sign], separator=separator)
    return re.sub(rf"{separator} (?:cero|zero) \w+$", "", text).replace(" sterling", "")


@lru_cache(maxsize=1 << 14)
def _num2words(number: float, language: str, kind: str, **options: str) -> str:
    try:
        from num2words import num2words
    except ImportError:
        raise MissingExtraError("writing numbers in words", "train", "num2words") from None
    text = str(num2words(number, lang=language, to=kind, **options)).replace("-", " ").replace(",", "")
    if language == "es":
        return text.replace("veintiuno mil", "veintiún mil").replace("uno mil", "un mil")
    return text if kind == "currency" else text.replace(" and ", " ")
