"""JSON of Whisper, whisper.cpp and transformers' pipeline: their words and times, and marks written back."""

import json
from dataclasses import replace

import pytest
from dummies import read_value, with_labels, written_value
from format_samples import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import annotate


def written(utterances, labels=None):
    """The value of the JSON, with these labels on every word."""
    return written_value(with_labels(utterances, labels) if labels else utterances, "whisper")


@pytest.mark.parametrize("name", ["whisper", "whisper/cpp", "whisper/chunks"])
def test_another_number_of_words_makes_a_new_segment(tmp_path, name):
    first, *others = read_value(tmp_path, json.loads(SAMPLES[name]))
    segment, *rest = written([replace(first, words=first.words[:1]), *others])["segments"]
    assert (segment["start"], segment["end"], segment["text"]) == (0.25, 0.5, " qué")
    assert rest == json.loads(SAMPLES[name]).get("segments", [{}, *rest])[1:]


words = st.text(st.sampled_from("abñ.¿-"), min_size=1, max_size=4)


@given(st.lists(st.lists(words, min_size=1, max_size=3), min_size=1, max_size=5))
def test_tokens_make_up_any_words(tmp_path_factory, parts):
    """Each word in one to three tokens of a second each, the first with a space before it."""
    tokens, clock = [], 0
    for word in parts:
        for i, part in enumerate(word):
            offsets = {"from": clock, "to": (clock := clock + 1000)}
            tokens.append({"text": part if i else " " + part, "offsets": offsets, "id": 1, "p": 0.5, "t_dtw": -1})
    text = "".join(item["text"] for item in tokens)
    content = {"transcription": [{"offsets": {"from": 0, "to": clock}, "text": text, "tokens": tokens}]}
    (value,) = read_value(tmp_path_factory.mktemp("cpp"), content)
    assert [word.text for word in value.words] == ["".join(word) for word in parts]
    assert all(word.start is not None and word.end is not None for word in value.words)
    assert written([value]) == content


@given(
    st.lists(st.tuples(st.lists(words, min_size=1, max_size=3), st.booleans()), min_size=1, max_size=6),
    st.sampled_from(Case),
    st.frozensets(st.sampled_from(Mark)),
)
def test_words_in_parts_survive_with_any_labels(tmp_path_factory, parts, case, marks):
    """Each word in one to three parts, or in the text alone."""
    entries = [
        {"word": part if place else " " + part, "start": number, "end": number + 1, "probability": 0.5}
        for number, (word, timed) in enumerate(parts)
        if timed
        for place, part in enumerate(word)
    ]
    text = "".join(" " + "".join(word) for word, _ in parts)
    content = {"text": text, "segments": [{"id": 0, "start": 0, "end": 9, "text": text, "words": entries}]}
    (value,) = read_value(tmp_path_factory.mktemp("parts"), content)
    assert [word.text for word in value.words] == ["".join(word) for word, _ in parts]
    assert written([value]) == content
    labelled = annotate(value, labels=(Labels(marks, case),) * len(value.words))
    (segment,) = written([labelled])["segments"]
    assert len(segment["words"]) == len(entries)
    assert all(
        old["word"].strip().upper() in new["word"].upper() for old, new in zip(entries, segment["words"], strict=True)
    )
    if len(entries) == sum(len(word) for word, _ in parts):
        assert "".join(new["word"] for new in segment["words"]) == segment["text"]
