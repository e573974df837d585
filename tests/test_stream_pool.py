"""Pools of streams: each gets what it would get alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import Punctuator
from asr_punct.errors import ArgumentError
from asr_punct.inference.backend import OnnxBackend
from asr_punct.inference.options import StreamSettings
from asr_punct.words import Word

texts = st.sampled_from(["ana", "mira", "la", "casa", "dónde", "está", "¿y", "no,", "-", "?"])
calls = st.lists(
    st.one_of(
        st.tuples(st.just("push"), st.dictionaries(st.integers(0, 3), st.lists(texts, max_size=4), max_size=4)),
        st.tuples(st.just("idle"), st.dictionaries(st.integers(0, 3), st.sampled_from([0.3, 0.9]), max_size=4)),
        st.tuples(st.just("flush"), st.dictionaries(st.integers(0, 3), st.none(), max_size=4)),
        st.tuples(st.just("preview"), st.dictionaries(st.integers(0, 3), st.none(), max_size=4)),
    ),
    max_size=12,
)


@settings(max_examples=40)
@given(calls, st.integers(1, 3), st.integers(1, 3))
def test_a_stream_of_a_pool_commits_what_it_commits_alone(punctuator, calls, right, hop):
    settings = StreamSettings(left=8, right=right, hop=hop)
    pool, alone = punctuator.stream_pool(settings=settings), {}
    for name, arguments in calls:
        found = getattr(pool, name)(arguments)
        for key, argument in arguments.items():
            if name == "push":
                stream = alone.setdefault(key, punctuator.stream(settings=settings))
                expected = stream.push(*argument)
            elif key in alone:
                expected = alone[key].idle(argument) if name == "idle" else getattr(alone[key], name)()
            else:
                expected = []
            assert found.get(key, []) == expected
    assert len(pool) == len(alone)


def test_a_bad_word_changes_no_stream(punctuator):
    pool = punctuator.stream_pool(right=1)
    pool.push({"a": ["ana"]})
    for bad, parts in (
        ({"a": "ana"}, ("words", "'ana'", "a list of words")),
        ({"a": ["mira"], "b": ["la casa"]}, ("word", "'la casa'", "one word without white space")),
    ):
        with pytest.raises(ArgumentError) as error:
            pool.push(bad)
        assert (error.value.place, error.value.found, error.value.expected) == parts
    assert [item.word for item in pool.flush(["a", "b"])["a"]] == [Word("ana")]
    assert len(pool) == 1


def test_closed_streams_are_forgotten(punctuator):
    pool = punctuator.stream_pool()
    pool.push({"a": ["ana"], "b": ["mira"]})
    pool.close(["a", "c"])
    assert (len(pool), pool.flush(["a"])) == (1, {})
    assert [item.word.text for item in pool.flush(["b"])["b"]] == ["mira"]


def test_a_pool_runs_the_model_once_for_all_streams(punctuator, monkeypatch):
    pool = punctuator.stream_pool(right=1)
    pool.push({number: ["ana"] for number in range(9)})
    batches, compute = [], OnnxBackend.probabilities
    monkeypatch.setattr(OnnxBackend, "probabilities", lambda *arguments: batches.append(1) or compute(*arguments))
    assert all(len(found) == 1 for found in pool.push({number: ["mira"] for number in range(9)}).values())
    assert len(batches) == 1
    assert all(len(found) == 1 for found in pool.preview(range(9)).values())
    assert len(batches) == 1


def test_each_stream_has_the_model_of_its_language():
    auto = Punctuator.from_pretrained(threads=1)
    pool, alone = auto.stream_pool(), {name: auto.stream() for name in ("es", "en")}
    texts = {
        "es": "buenos días a todos cómo están ustedes hoy en esta casa",
        "en": "what do you think about the new house is it not too large for us",
    }
    sentences = {language: text.split() for language, text in texts.items()}
    found = pool.push(sentences)
    last = pool.flush(sentences)
    for name, stream in alone.items():
        expected = stream.push(*sentences[name]) + stream.flush()
        assert found[name] + last[name] == expected
