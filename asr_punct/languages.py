"""Codes and names of languages."""

import re
from collections.abc import Iterable

_NAMES = """
    ar Arabic, bn Bengali, ca Catalan, cs Czech, da Danish, de German, el Greek, en English, es Spanish, eu Basque,
    fi Finnish, fil Filipino, fr French, gl Galician, he Hebrew, hi Hindi, hu Hungarian, hy Armenian, id Indonesian,
    is Icelandic, it Italian, ja Japanese, ka Georgian, ko Korean, lt Lithuanian, lv Latvian, nb Norwegian,
    nl Dutch, pl Polish, pt Portuguese, ro Romanian, ru Russian, sh Serbo-Croatian, sk Slovak, sl Slovenian,
    sv Swedish, ta Tamil, th Thai, tr Turkish, vi Vietnamese, zh Chinese
"""
LANGUAGE_NAMES = dict(entry.split() for entry in _NAMES.split(","))
"""English names by code."""
_ALIASES = {
    "eu": "baq eus euskara",
    "ca": "cat valencian",
    "de": "deu ger",
    "en": "eng",
    "fr": "fra fre",
    "gl": "glg",
    "it": "ita",
    "pt": "por",
    "es": "spa castilian español castellano",
    "nb": "no",
}
"""Codes of three letters and native names by code."""
_CODES = {name.lower(): code for code, name in LANGUAGE_NAMES.items()} | {
    alias: code for code, aliases in _ALIASES.items() for alias in aliases.split()
}
_UNKNOWN = frozenset({"auto", "mul", "multi", "und", "unknown", "none", "null", "zxx"})
_SEPARATORS = re.compile(r"[-_.@]")
_WELL_FORMED = re.compile(r"[a-z]{2,3}(\+[a-z]{2,3})*")
EXPECTED_CODE = "a code of two or three letters (es, eu, en, en-US …), or several joined by + (es+eu)"
"""The `expected` part of error messages about languages."""


def parse_language(value: object) -> str:
    """Return the code of a language as users and files name it: `es`, `es-ES`, `spa`, `Spanish`; `es+eu` is a mixture.

    Another name is returned in lower case; "" for a value that names no language (`auto`, null).
    """
    if not isinstance(value, str):
        return ""
    codes = [_SEPARATORS.split(part.strip().lower())[0] for part in value.split("+")]
    return "+".join(_CODES.get(code, code) for code in codes if code and code not in _UNKNOWN)


def is_language_code(code: str) -> bool:
    """Whether a result of `parse_language` is well-formed: codes of two or three letters, not another name."""
    return _WELL_FORMED.fullmatch(code) is not None


def describe_languages(codes: Iterable[str]) -> str:
    """Return `Spanish (es) and Basque (eu)`; a code alone if its name is not known."""
    named = [f"{LANGUAGE_NAMES[code]} ({code})" if code in LANGUAGE_NAMES else code for code in codes]
    return f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else "".join(named)
