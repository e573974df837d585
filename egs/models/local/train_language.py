#!/usr/bin/env python3
"""Train the language identifier, asr_punct/identifier.npz.

It needs `pip install wordfreq Django`, and the Debian packages apertium-es-gl, libreoffice-help-gl and
libreoffice-help-es.

Spanish, Basque and English are learnt from the shippable texts of the tables in `sources`, other languages from the
word lists of wordfreq (CC BY-SA 4.0), each word as often as its frequency. Galician, which wordfreq lacks, is learnt
from the Spanish texts translated by Apertium, from LibreOffice's help (MPL 2.0), Django's translations (BSD), and a
list of function words with Portuguese words in Galician spelling. Spanish is learnt from LibreOffice's help too, so
that the topics of both are the same. Words are as a recogniser writes them, in documents of 2 to 60; some documents mix
Spanish and Basque.
"""

import html
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain, count, islice
from pathlib import Path
from random import Random
from typing import Annotated

import numpy as np
import torch
from training_text.sources import read_blocks, read_sources
from typer import Option

from asr_punct.errors import run_script
from asr_punct.files import read_text_file
from asr_punct.identifier import MODEL, letters_of
from asr_punct.identifier import ngram_hashes as hashes_of_word

MODEL_LANGUAGES = ("es", "eu", "en")
WORD_LIST_LANGUAGES = (
    *("ca", "pt", "fr", "it", "ro", "de", "nl", "sv", "da", "nb", "is", "pl", "cs"),
    *("sk", "sl", "sh", "lt", "lv", "fi", "hu", "tr", "id", "fil", "vi"),
)
LANGUAGES = (*MODEL_LANGUAGES, "gl", *WORD_LIST_LANGUAGES)
ngram_hashes = cache(hashes_of_word)
Draw = Callable[[int], list[str]]
"""Returns a document of about the given number of words."""

_WORDS_OF_A_SOURCE = 60_000
_SHARE_OF_HELP = 0.1
"""Share of the Spanish documents that are drawn from LibreOffice's help."""
_SHARE_OF_LISTS = 0.2
"""Share of the Spanish and English documents that are drawn from wordfreq, which has all kinds of text."""
_WORDS_TO_TRANSLATE = 20_000
"""Words of each Spanish source that are translated into Galician."""
_GALICIAN_SHARES = {"apertium": 0.4, "help": 0.2, "django": 0.1, "words": 0.3}
_SHARE_OF_FUNCTION_WORDS = 0.45
_FREQUENT_WORDS = 200
"""The most frequent Portuguese words are left out: most are function words, which differ in Galician."""
_SHARE_MIXED = 0.04
_LENGTHS = (2, 60)
_FUNCTION_WORDS = Path(__file__).parent.parent / "sources" / "galician_words.txt"
"""Galician function words, the more frequent ones several times."""
_GALICIAN_SPELLING = (
    (r"ção$", "ción"), (r"ções$", "cións"), (r"são$", "sión"), (r"sões$", "sións"), (r"ão$", "ón"), (r"ões$", "óns"),
    (r"agem$", "axe"), (r"agens$", "axes"), (r"nh", "ñ"), (r"lh", "ll"), (r"j|g(?=[eiéí])", "x"),
    (r"ç", "z"), (r"ss", "s"), (r"m$", "n"), (r"ável$", "able"), (r"ível$", "ible"),
    (r"qu(?=[aá])", "cu"), (r"ância$", "ancia"), (r"ência$", "encia"),
    (r"ário$", "ario"), (r"ória$", "oria"), (r"ório$", "orio"),
)  # fmt: skip
"""Changes of Portuguese words; a word that still has a letter of `_NOT_GALICIAN` is left out."""
_NOT_GALICIAN = re.compile("[ãõâêôàkwy]")
_PARAGRAPH = re.compile(r"<(p|li|td|h\d)\b[^>]*>(.*?)</\1>", re.DOTALL)
_HELP = Path("/usr/share/libreoffice/help")
_ENGLISH = frozenset(["the", "of", "to", "is", "and", "you", "for", "with", "this", "not", "can", "are", "be", "by"])
"""Words of the paragraphs of LibreOffice's help that are not translated."""


def text_lines(corpus: Path, tables: list[Path], language: str, words: int) -> list[str]:
    """Return the first lines of each source of a language, with about `words` words of each."""
    found: list[str] = []
    for source in {source.file: source for table in tables for source in read_sources(table)}.values():
        if source.language == language and not source.is_speech:
            read = 0
            for line in chain.from_iterable(read_blocks(corpus, source)):
                if read >= words:
                    break
                read += len(line.split())
                found.append(line)
    return found


def words_of(lines: Iterable[str]) -> list[str]:
    return [word for line in lines for word in letters_of(line.split())]


def machine_translated(lines: list[str]) -> list[str]:
    """Translate Spanish into Galician."""
    command, text = ["apertium", "-u", "es-gl"], "\n".join(lines)
    return subprocess.run(command, input=text, capture_output=True, check=True, text=True).stdout.split("\n")


def translated_words(package: Path, language: str) -> list[str]:
    """Return the words of the translations of a package into a language (`.po` files)."""
    found: list[str] = []
    for path in sorted(package.rglob(f"{language}/**/*.po")):
        entries = re.findall(r'^msgstr(?:\[\d\])? ((?:".*"\n)+)', path.read_text(encoding="utf-8"), re.MULTILINE)
        for entry in entries[1:]:  # the first one is the header
            text = "".join(re.findall(r'"(.*)"', entry))
            found += letters_of(re.sub(r"%\(\w+\)\w|%\w|<[^>]*>|\{[^}]*\}|\\n|\\", " ", text).split())
    return found


def paragraphs(folder: Path) -> Iterator[str]:
    """Yield the different paragraphs of the HTML files of a folder, of at least five words."""
    seen = set()
    for path in sorted(folder.rglob("*.html")):
        for _, content in _PARAGRAPH.findall(path.read_text(encoding="utf-8")):
            text = " ".join(html.unescape(re.sub("<[^>]+>", " ", content)).split())
            if len(text.split()) >= 5 and text not in seen:
                seen.add(text)
                yield text


def help_words(folder: Path) -> list[str]:
    """Return the words of LibreOffice's help, without paragraphs that have English words."""
    texts = (list(letters_of(text.split())) for text in paragraphs(folder))
    return [word for words in texts if not _ENGLISH & set(words) for word in words]


def consecutive_words(words: list[str], random: Random) -> Draw:
    """Draw documents of consecutive words."""

    def draw(length: int) -> list[str]:
        start = random.randrange(max(1, len(words) - length))
        return words[start : start + length]

    return draw


def listed_words(language: str, random: Random, left_out: int = 0) -> Draw:
    """Draw documents of words of wordfreq, each drawn independently, without the `left_out` most frequent words."""
    import wordfreq

    frequencies = dict(list(wordfreq.get_frequency_dict(language).items())[left_out:])
    words, weights = list(frequencies), np.cumsum(list(frequencies.values())).tolist()
    return lambda length: list(letters_of(random.choices(words, cum_weights=weights, k=length)))


def galician(spanish: list[str], help_folder: Path, random: Random) -> Draw:
    """Draw documents of translated lines, of help, of Django, or of function words and Portuguese words."""
    import django

    draws: dict[str, Draw] = {
        "apertium": consecutive_words(words_of(machine_translated(spanish)), random),
        "help": consecutive_words(help_words(help_folder), random),
        "django": consecutive_words(translated_words(Path(django.__path__[0]), "gl"), random),
        "words": galician_words(random),
    }
    kinds, shares = list(_GALICIAN_SHARES), list(_GALICIAN_SHARES.values())
    return lambda length: draws[random.choices(kinds, shares)[0]](length)


def galician_words(random: Random) -> Draw:
    """Draw documents of function words, and Portuguese words in Galician spelling."""
    function_words, portuguese = read_text_file(_FUNCTION_WORDS).split(), listed_words("pt", random, _FREQUENT_WORDS)

    def respelt(word: str) -> str:
        for pattern, letters in _GALICIAN_SPELLING:
            word = re.sub(pattern, letters, word)
        return word

    def draw(length: int) -> list[str]:
        others = iter([word for word in map(respelt, portuguese(2 * length)) if not _NOT_GALICIAN.search(word)])
        is_function_word = [random.random() < _SHARE_OF_FUNCTION_WORDS for _ in range(length)]
        return [random.choice(function_words) if each else next(others, "o") for each in is_function_word]

    return draw


def mixed(first: Draw, second: Draw, share: float, random: Random) -> Draw:
    """Draw documents from `second` with probability `share`, else from `first`."""
    return lambda length: (second if random.random() < share else first)(length)


def draw_functions(corpus: Path, help_folder: Path, tables: list[Path], random: Random) -> dict[str, Draw]:
    """Return the function that draws documents, for each language."""
    draws = {language: listed_words(language, random) for language in WORD_LIST_LANGUAGES}
    draws["gl"] = galician(text_lines(corpus, tables, "es", _WORDS_TO_TRANSLATE), help_folder / "gl", random)
    for language in MODEL_LANGUAGES:
        draws[language] = consecutive_words(words_of(text_lines(corpus, tables, language, _WORDS_OF_A_SOURCE)), random)
    draws["es"] = mixed(draws["es"], consecutive_words(help_words(help_folder / "es"), random), _SHARE_OF_HELP, random)
    for language in ("es", "en"):
        draws[language] = mixed(draws[language], listed_words(language, random), _SHARE_OF_LISTS, random)
    return draws


def draw_document(draws: dict[str, Draw], random: Random) -> tuple[list[str], dict[str, float]]:
    """Draw the words of a document, and the share of each language in it."""
    length = round(_LENGTHS[0] * (_LENGTHS[1] / _LENGTHS[0]) ** random.random())
    if random.random() < _SHARE_MIXED:
        share = random.random()
        basque_words = round(length * share)
        words = draws["es"](length - basque_words) + draws["eu"](basque_words)
        return words, {"es": 1 - share, "eu": share}
    language = random.choice(LANGUAGES)
    return draws[language](length), {language: 1.0}


def batch(draws: dict[str, Draw], size: int, buckets: int, random: Random) -> tuple[torch.Tensor, ...]:
    """Return n-gram hashes, the offset of each document, a weight for each hash, and (size, languages) targets."""
    drawn = (draw_document(draws, random) for _ in count())
    documents = list(islice((document for document in drawn if document[0]), size))
    hashes = [np.concatenate([ngram_hashes(word, buckets) for word in words]) for words, _ in documents]
    lengths = np.array(list(map(len, hashes)))
    offsets = np.cumsum(lengths) - lengths
    weights = np.repeat(1 / np.sqrt(lengths), lengths).astype(np.float32)
    targets = [[shares.get(language, 0.0) for language in LANGUAGES] for _, shares in documents]
    return *map(torch.from_numpy, (np.concatenate(hashes), offsets, weights)), torch.tensor(targets)


def main(
    corpus: Annotated[Path, Option(help="Folder of the texts that the tables of sources name.")],
    help_folder: Annotated[Path, Option(help="Folder of LibreOffice's help, with folders es and gl.")] = _HELP,
    output: Annotated[Path, Option(help="File to write.")] = MODEL,
    buckets: Annotated[int, Option(help="Number of hashes.")] = 1 << 14,
    steps: Annotated[int, Option(help="Training steps, of 256 documents.")] = 1000,
    seed: int = 1,
) -> None:
    random = Random(seed)
    torch.manual_seed(seed)
    tables = sorted((Path(__file__).parent.parent / "sources").glob("*.tsv"))
    draws = draw_functions(corpus, help_folder, tables, random)
    table = torch.nn.EmbeddingBag(buckets, len(LANGUAGES), mode="sum")
    torch.nn.init.zeros_(table.weight)
    bias = torch.nn.Parameter(torch.zeros(len(LANGUAGES)))
    optimiser = torch.optim.Adam([*table.parameters(), bias], lr=0.03)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 0.05, total_steps=steps)
    total = 0.0
    for step in range(1, steps + 1):
        hashes, offsets, weights, targets = batch(draws, 256, buckets, random)
        logits = table(hashes, offsets, per_sample_weights=weights) + bias
        loss = torch.nn.functional.cross_entropy(logits, targets) + 1e-5 * table.weight.square().sum() / 256
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
        total += loss.item()
        if step % 200 == 0:
            print(f"step {step}: loss {total / 200:.4f}", flush=True)
            total = 0.0
    found = table.weight.detach().numpy()
    scale = np.abs(found).max(axis=0) / 127
    quantised = np.round(found / scale).astype(np.int8)
    names = np.array(LANGUAGES)
    np.savez_compressed(output, languages=names, weights=quantised, scale=scale, bias=bias.detach().numpy())


if __name__ == "__main__":
    run_script(main)
