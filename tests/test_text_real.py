"""Reading real text in the folder ASR_PUNCT_DATA: `<language>/<set>/*.xz`, a paragraph per line."""

import lzma
import os
import re
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from asr_punct.text import parse

DATA = os.environ.get("ASR_PUNCT_DATA")
LINES = int(os.environ.get("ASR_PUNCT_LINES", "1500"))
pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not DATA, reason="ASR_PUNCT_DATA names no folder of real text"),
]


def lines(language, pattern="*/*.xz"):
    """The first LINES lines of every file of a language."""
    paths = sorted(Path(DATA, language).glob(pattern))
    if not paths:
        pytest.skip(f"no text in {DATA}/{language}")
    for path in paths:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            yield from islice(file, LINES)


@pytest.mark.parametrize("language", ["es", "eu", "en"])
def test_few_words_keep_a_mark(language):
    words = Counter(word for line in lines(language) for word in parse(line, language).words)
    odd = Counter({word: n for word, n in words.items() if re.search(r"[;?!¿¡…«»“”\"–—()\[\]]|^[.,:]$|,$|:$", word)})
    odd = Counter({word: n for word, n in odd.items() if "://" not in word and "www." not in word})
    assert not odd, odd.most_common(20)
    own = sum(n for word, n in words.items() if word.endswith("."))
    assert own < words.total() / 50
