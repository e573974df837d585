"""Languages: a module for each that the package knows well, with its record. To add one, add a module.

`others` has the rest. `parse_language` reads codes and names, `facts_of` returns the record of a code.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from asr_punct.languages.others import LANGUAGES as _OTHERS
from asr_punct.languages.record import Language, PeriodKind, join

__all__ = ["DEFAULT_LANGUAGE", "DESCRIBED", "EXPECTED_CODE", "LANGUAGES", "Language", "PeriodKind", "any_language"]
__all__ += ["describe_languages", "facts_of", "is_language_code", "parse_language"]

_PACKAGE = Path(__file__).parent
_NO_LANGUAGE = frozenset({"__init__", "others", "record"})
_DESCRIBED: tuple[Language, ...] = tuple(
    import_module(f"{__name__}.{path.stem}").LANGUAGE
    for path in sorted(_PACKAGE.glob("*.py"))
    if path.stem not in _NO_LANGUAGE
)
LANGUAGES = {language.code: language for language in (*_OTHERS, *_DESCRIBED)}
"""All languages by code."""
_MIXTURES = {"+".join(sorted((each.code, each.mixed_with))) for each in _DESCRIBED if each.mixed_with}
DESCRIBED = (*(each.code for each in _DESCRIBED), *sorted(_MIXTURES))
"""Codes of the languages that have a module, and of their mixtures."""
DEFAULT_LANGUAGE = "es"
"""Code of the language of texts that name none, where one is needed."""
_CODES = {alias: code for code, each in LANGUAGES.items() for alias in (each.name.lower(), *each.aliases)}
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


@lru_cache(maxsize=64)
def facts_of(language: str) -> Language:
    """Return what is known of a language, or of a mixture (`es+eu`: the words of both, else what the first has)."""
    codes = parse_language(language).split("+")
    return join([LANGUAGES.get(code) or Language(code) for code in codes])


@lru_cache(maxsize=1)
def any_language() -> Language:
    """Return the words of all languages, for what is read in the same way in every text."""
    return join([*LANGUAGES.values()])


def is_language_code(code: str) -> bool:
    """Whether a result of `parse_language` is well-formed: codes of two or three letters, not another name."""
    return _WELL_FORMED.fullmatch(code) is not None


def describe_languages(codes: Iterable[str]) -> str:
    """Return `Spanish (es) and Basque (eu)`; a code alone if its name is not known."""
    named = [f"{LANGUAGES[code].name} ({code})" if code in LANGUAGES else code for code in codes]
    return f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else "".join(named)
