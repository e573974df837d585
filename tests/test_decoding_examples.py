"""Text of the shipped models: what must not occur in it, on examples and by rule, for documents and streams."""

import re
from functools import cache
from itertools import pairwise

import pytest
from dummies import examples

from asr_punct import Punctuator
from asr_punct.decode.decoder import MAX_SENTENCE_WORDS
from asr_punct.hub import shipped_models
from asr_punct.text.abbreviations import rules_of

MODELS = {"en": "en", "es": "es-eu-small", "eu": "es-eu-small"}
pytestmark = pytest.mark.skipif(not set(MODELS.values()) <= set(shipped_models()), reason="no shipped models")
EXAMPLES = examples("decoding_examples.tsv")


@cache
def punctuator(language):
    return Punctuator.from_pretrained(MODELS[language], threads=1)


def streamed(language, words):
    """The text of a stream with the usual look-ahead."""
    stream = punctuator(language).stream()
    written = [stream.push(word) for word in words.split()]
    return " ".join(word.written for part in (*written, stream.flush()) for word in part)


ABBREVIATIONS = ("u.s.",)


def check_rules(language, text):
    assert not re.search(r"\?[,;:]", text)
    assert set(re.findall(r"(¿?¡?)[^¿¡?!]*\?!", text)) <= {"", "¿¡"}
    never_names = rules_of(language).never_names
    for before, word in pairwise(text.split()):
        if word[0].isupper() and (before[-1] in ",;" or before[-1].isalpha()):
            assert word.strip(",.;:?!…").lower() not in never_names
        assert not word[0].islower() or before[-1] not in ".?" or before.lower() in ABBREVIATIONS
    for question in re.findall(r"¿[^?]*(?:\?|$)", text):
        assert question.endswith("?")
        assert "¡" not in question.lstrip("¿¡")
        assert len(question.split()) <= MAX_SENTENCE_WORDS


WRONG_IN_STREAMS = {
    "cómo está usted qué alegría verle por aquí": "begins with ¿¡, which cannot be taken back",
    "no me lo puedo creer de verdad has venido hasta aquí": "creer ¿De, on some processors: int8 products differ",
}


@pytest.mark.parametrize("write", [lambda language, words: punctuator(language)(words), streamed])
@pytest.mark.parametrize(("language", "words", "wrong"), EXAMPLES)
def test_examples(language, words, wrong, write, request):
    if write is streamed and words in WRONG_IN_STREAMS:
        request.applymarker(pytest.mark.xfail(reason=WRONG_IN_STREAMS[words]))
    text = write(language, words)
    assert [part for part in wrong.split("|") if part in text] == []
    check_rules(language, text)


@pytest.mark.parametrize("write", [lambda language, words: punctuator(language)(words), streamed])
@pytest.mark.parametrize(
    ("language", "words", "expected"),
    [
        ("en", "i'll be dead, you'll be dead, every single one of the men will be dead", "dead, every"),
        ("en", "it's a big team, and we are focused on not just elections, but any time", "elections, but"),
        ("es", "gracias señor presidente, y ahora, pero también mañana, subo a esta tribuna", "mañana, subo"),
    ],
)
def test_no_capital_after_a_comma_of_the_input(language, words, expected, write):
    text = write(language, words)
    assert expected in text
    check_rules(language, text)


@pytest.mark.parametrize("language", MODELS)
def test_running_text(language):
    """All examples of a language as one document."""
    words = " ".join(words for of, words, _ in EXAMPLES if of == language)
    check_rules(language, punctuator(language)(words))
    check_rules(language, streamed(language, words))
