"""Words survive: without the marks and capitals that were added, the output is the input.

Probabilities are random, so that every mark and case occurs on every kind of word.
"""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_predictor import WindowBackend

from asr_punct.checkpoint import ModelInfo
from asr_punct.config import ModelConfig, WindowConfig
from asr_punct.inference.punctuator import Punctuator
from asr_punct.inference.restorer import Restorer
from asr_punct.marks import LEFT, RIGHT, Case, Labels, Mark
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.text import read_marks, split_token
from asr_punct.words import Utterance, Word, annotate

OPENING = {Mark.OPEN_QUES, Mark.OPEN_EXCL}
ORDINARY = ["ana", "mira", "la", "casa", "y", "Ana", "ISO", "eitb", "eae", "eaeko", "etc.", "sr.", "10:30", "3.500"]
PIECES = [
    *"«»¿?¡!….,;:-–—\"'’“”()[]{}।/_·*%`´",
    *("...", "--", "''", "``", "www.a.b", "http://x", "o'clock", "¿¡", "?!", ".»", "«¿", "-a", "a-", "(s)"),
    *"ßİıŉǰﬁΣσςᾳǅⓐⅧ½²९ºª𝔸",
    *("שלום", "مرحبا", "e\u0301", "\u0301", "\u0345", "\u200b", "\u200d", "\u202e", "\ufeff", "\u00ad", "\x00", "\x7f"),
    *("👩\u200d👩\u200d👧", "🇪🇸", "👍🏽", "\U0010ffff", "\ud800", "\udfff", "\ud83d"),
    *(
        "&amp;",
        "&quot;",
        "&eacute;",
        "'ll",
        "n't",
        "@",
        "com",
        "[a",
        "b]",
        "(risas",
        "c)",
        "♪",
        "%uh",
        "spn",
        "5",
        "123",
    ),
    *("\x1c", "\x85", "\xa0", "\u2028", "\u3000"),
]


def drawn_punctuator(language="es+eu"):
    tokenizer = SubwordTokenizer(train_tokenizer(ORDINARY * 9, 60), 8)
    info = ModelInfo(
        ModelConfig(language=language, window=WindowConfig(words=16, margin=4)), {"max_position_embeddings": 64}
    )
    casing = ["EiTB", "EAE-", "McAna", "iPhone", "ΑΣ"]
    return Punctuator(Restorer.of(info, tokenizer, WindowBackend(256), casing=casing))


@pytest.fixture(scope="module", params=["es+eu", "en"])
def punctuator(request):
    return drawn_punctuator(request.param)


def is_marked(token, word, glyphs):
    """Whether a token is the word with nothing but marks at its edges, in any case."""
    left, right = ("".join(glyphs.glyph[mark] for mark in side) for side in (LEFT, RIGHT))
    for first in range(len(LEFT) + 1):
        if (first and not token[first - 1 : first]) or token[:first].strip(left):
            break
        for kept in range(len(token), max(first, len(token) - len(RIGHT)) - 1, -1):
            if token[kept:].strip(right):
                break
            if token[first:kept] == word or token[first:kept].lower() == word.lower():
                return True
    return False


def is_written(token, word, glyphs):
    """Whether a token is the word as `is_marked` says, or with marks between the marks of the input and the word."""
    edge = next((i for i, char in enumerate(word) if char.isalnum()), len(word))
    starts = [k for k in range(min(edge, 9) + 1) if token[:k] == word[:k]]
    if any(is_marked(token[k:], word[k:], glyphs) for k in starts):
        return True
    last = next((i for i, char in enumerate(reversed(word)) if char.isalnum()), len(word))
    for length in range(1, last + 1):
        place = token.rfind(word[-length:])
        inside, closing = token[:place] + token[place + length :], word[:-length]
        if place > 0 and any(is_marked(inside[k:], closing[k:], glyphs) for k in starts if k <= len(closing)):
            return True
    return False


def survives(text, written, glyphs):
    """Whether the words of the output are those of the text, with marks at their edges and dashes between them."""
    if len(text.split("\n")) != len(written.split("\n")):
        return False
    words = text.split()
    place = 0
    for token in written.split():
        if place < len(words) and is_written(token, words[place], glyphs):
            place += 1
        elif token != glyphs.glyph[Mark.DASH]:
            return False
    return place == len(words)


words = st.sampled_from(ORDINARY + PIECES) | st.text(st.characters(), min_size=1, max_size=8)
words |= st.lists(st.sampled_from(ORDINARY + PIECES), min_size=1, max_size=6).map("".join)


times = st.none() | st.floats(0, 1e6) | st.sampled_from([float("nan"), float("inf"), -1.0])
timed = st.builds(Word, words, times, times, st.none() | st.floats(0, 1))


@settings(max_examples=40)
@given(st.lists(st.tuples(st.lists(timed, max_size=25), st.sampled_from("ab"))))
def test_utterances_survive_and_nothing_is_added_beside_marks_of_the_input(punctuator, rows):
    """All fields of an utterance and its words are those of the input, except labels and pauses."""
    utterances = [Utterance(tuple(words), recording=recording) for words, recording in rows]
    restored = list(punctuator.restore(utterances))
    assert [repr(annotate(replace(u, pause_before=None), labels=None, pauses=None)) for u in restored] == list(
        map(repr, utterances)
    )
    for word in (word for utterance in restored for word in utterance.words):
        left, core, right = split_token(word.text, punctuator.info.model.language)
        assert not (read_marks(left, "") & OPENING and word.labels.marks & set(LEFT))
        assert not (read_marks("", right) - {Mark.QUOTE} and word.labels.marks - set(LEFT))
        assert core or word.labels == Labels()
        assert core == core.lower() or word.labels.case is Case.O


def drawn_text(rng):
    """A text of ordinary words, difficult characters and random code points."""

    def word():
        kind = rng.random()
        if kind < 0.2:
            return "".join(chr(rng.randrange(0x110000)) for _ in range(rng.randint(1, 4)))
        if kind < 0.3:
            return "".join(chr(rng.randrange(0x250)) for _ in range(rng.randint(1, 8)))
        if kind < 0.6:
            return "".join(rng.choices(PIECES, k=rng.randint(1, 5)))
        if kind < 0.61:
            return rng.choice(PIECES) * rng.choice([2, 7, 50, 300])
        if kind < 0.6102:
            return rng.choice(["a", "9", "σ", "?", "«", "a.", "a-", "(a)", "a'", "\u0301", "👍🏽"]) * 10_000
        return rng.choice(ORDINARY)

    return rng.choice([" ", " ", " ", "\n"]).join(word() for _ in range(rng.choice([0, 1, 1, 2, 5, 12, 40])))


def assert_all_survive(punctuator, count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        text = drawn_text(rng)
        assert survives(text, punctuator(text), punctuator.glyphs), ascii(text)


def test_drawn_texts_survive(punctuator):
    assert_all_survive(punctuator, 1000, 1)


@pytest.mark.slow
def test_many_drawn_texts_survive(punctuator):
    assert_all_survive(punctuator, 50_000, 2)


@pytest.mark.parametrize("word", ["a" * 10_000, "a." * 5_000, "«" * 10_000, "σ" * 10_000, "-a" * 5_000])
def test_long_words_survive(punctuator, word):
    for text in (word, f"la {word} casa", " ".join([word] * 3)):
        assert survives(text, punctuator(text), punctuator.glyphs)


# The command line


@pytest.mark.parametrize(
    "content", ["la \x00 casa\x7f", "שלום مرحبا", "👩\u200d👩 e\u0301 \u200b la", "« ¿ ?! »", "ß İ ŉ ﬁ"]
)
def test_odd_characters_survive_the_command_line(run, model, tmp_path, content):
    source = tmp_path / "a.txt"
    source.write_bytes(f"{content}\n{content}\n".encode())
    status, written, error = run("punctuate", "--model", model, source)
    assert (status, error) == (0, "")
    glyphs = Punctuator.from_pretrained(model).glyphs
    assert survives(f"{content}\n{content}\n", written, glyphs)


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_lone_surrogates_in_json_are_reported(run, model, tmp_path, name):
    """JSON can escape half of a surrogate pair; no output can have one."""
    source, target = tmp_path / name, tmp_path / "b.txt"
    word = '{"word": "a\\ud800"}'
    source.write_text(f'{{"utterances": [{{"words": [{word}]}}]}}' if name == "a.json" else f'{{"word": [{word}]}}')
    status, written, error = run("punctuate", "--model", model, source, "-o", target)
    assert (status, written, len(error.splitlines())) == (2, "", 1)
    assert list(tmp_path.iterdir()) == [source]
