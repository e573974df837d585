#!/usr/bin/env python3
"""Score the choice of the model by language on texts that the identifier was not trained on.

Spanish, Basque and English are the test sets of the corpus, Bengali its news, and the other languages the translations
of Plone: `pip install plone.app.locales`. Documents have 5, 10, 20 or 50 words; those of "es+eu" are half Spanish, half
Basque. Prints a table. For a language with a model, a cell is the share of the documents for which this model is chosen
without a warning, and after a slash, with or without one; for other languages, the share with a warning.
"""

import logging
from logging.handlers import BufferingHandler
from pathlib import Path
from random import Random
from typing import Annotated

from train_language import consecutive_words, translated_words, words_of
from typer import Option

from asr_punct.errors import run_script
from asr_punct.files import read_lines
from asr_punct.hub import DEFAULT_MODEL, models_by_language
from asr_punct.inference.choice import LanguageChoice

LENGTHS = (5, 10, 20, 50)
_WORDS_OF_A_TEXT = 40_000
_TRANSLATED = ("ca", "gl", "pt", "fr", "it", "ro", "de", "nl", "sv", "da", "pl", "cs", "fi", "hu", "tr")


def held_out_words(corpus: Path, translations: Path) -> dict[str, list[str]]:
    """Return the words of the test texts of each language, in order."""
    found: dict[str, list[str]] = {}
    for language in ("es", "eu", "en"):
        found[language] = []
        for path in sorted((corpus / language / "test").glob("*.txt.xz")):
            found[language] += words_of(line for _, line in read_lines(path))[:_WORDS_OF_A_TEXT]
    found["bn"] = [line.split("\t")[0] for _, line in read_lines(corpus / "bn" / "test_news.xz") if line]
    return found | {language: translated_words(translations, language) for language in _TRANSLATED}


def choices(texts: list[list[str]]) -> list[tuple[str, bool]]:
    """Return the model of each text, and whether a warning is printed."""
    models, warnings, found = models_by_language(), BufferingHandler(1 << 20), []
    logger = logging.getLogger(LanguageChoice.__module__)
    logger.handlers, logger.propagate = [warnings], False
    for text in texts:
        model, _ = LanguageChoice(models, DEFAULT_MODEL).choose(text)
        found.append((model, bool(warnings.buffer)))
        warnings.flush()
    return found


def main(
    corpus: Annotated[Path, Option(help="Folder of the texts.")],
    translations: Annotated[Path, Option(help="Folder of the installed plone/app/locales.")],
    count: Annotated[int, Option(help="Documents of each language and length.")] = 1000,
    seed: int = 1,
) -> None:
    random, models = Random(seed), models_by_language()
    words = held_out_words(corpus, translations)
    print("\t".join(["language", *map(str, LENGTHS)]))
    for language in (*words, "es+eu"):
        row = [language]
        first, *others = language.split("+")
        draw, *draw_others = (consecutive_words(words[code], random) for code in (first, *others))
        for length in LENGTHS:
            texts = [draw(length // (1 + len(others))) for _ in range(count)]
            for draw_other in draw_others:
                texts = [text + draw_other(length - length // 2) for text in texts]
            found = choices(texts)
            if first in models:
                right = [warned for model, warned in found if model == models[first]]
                row.append(f"{right.count(False) / count:.1%}/{len(right) / count:.1%}")
            else:
                row.append(f"{sum(warned for _, warned in found) / count:.1%}")
        print("\t".join(row), flush=True)


if __name__ == "__main__":
    run_script(main)
