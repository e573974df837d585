#!/usr/bin/env python3
"""Score the language identifier on texts that it was not trained on. Needs `pip install plone.app.locales Django`.

Spanish, Basque and English are the test sets of the corpus, Bengali its news; other languages are the translations of
Plone (`.po`). A text is cut into documents of 5, 10, 20 and 50 words. Prints for each language the share of documents
for which the model is the right one and no warning is printed, or, if there is no model for the language, the share
with a warning.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from random import Random

from train_language import translated_words

from asr_punct.formats.files import read_lines
from asr_punct.identifier import letters_of

LENGTHS = (5, 10, 20, 50)
_DOCUMENTS = 1000
_TRANSLATED = ("ca", "gl", "pt", "fr", "it", "ro", "de", "nl", "sv", "da", "pl", "cs", "fi", "hu", "tr")
_MODELS = (frozenset({"es", "eu"}), frozenset({"en"}))


def test_words(corpus: Path) -> dict[str, list[str]]:
    """Return the words of each language's test texts, in order."""
    found: dict[str, list[str]] = {}
    for language in ("es", "eu", "en"):
        paths = sorted((corpus / language / "test").glob("*.txt.xz"))
        found[language] = [word for path in paths for word in _words(path, 40_000)]
    found["bn"] = [line.split("\t")[0] for _, line in read_lines(corpus / "bn" / "test_news.xz")]
    package = Path(find_spec("plone.app.locales").submodule_search_locations[0])
    return found | {language: translated_words(package, language) for language in _TRANSLATED}


def _words(path: Path, limit: int) -> list[str]:
    return list(letters_of(word for _, line in read_lines(path) for word in line.split()))[:limit]


def documents(words: list[str], length: int, random: Random) -> Iterable[list[str]]:
    """Return documents of consecutive words."""
    for _ in range(_DOCUMENTS):
        start = random.randrange(len(words) - length)
        yield words[start : start + length]
