"""Words in several parts, as Whisper's tokens give some, and words that only a segment's text has."""

import io as stdio
import json

import pytest
from dummies import read_value, with_labels
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.errors import InputError
from asr_punct.formats.formats import FORMATS
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import Word, annotate

ES = glyphs("es")
ASKED = Labels(frozenset({Mark.QUESTION, Mark.OPEN_QUES}), Case.FIRST_CAP)


def token(text, start, end, probability=0.5):
    return {"word": text, "start": start, "end": end, "probability": probability}


def whisper(*entries, text=None):
    text = "".join(entry["word"] for entry in entries) if text is None else text
    return {"text": text, "segments": [{"id": 0, "start": 0, "end": 9, "text": text, "words": list(entries)}]}


def chunks(*entries):
    items = [{"text": entry["word"], "timestamp": [entry["start"], entry["end"]]} for entry in entries]
    return {"text": "".join(item["text"] for item in items), "chunks": items}


PARTS = (
    token(" un", 0.5, 1),
    token(" auto", 1, 1.5, 0.25),
    token("-radio", 1.5, 2, 0.75),
    token(" $5", 2.5, 3),
    token(",0", 3, 3.5),
    token("00", 3.5, 4),
)


def written(utterances, name="whisper"):
    out = stdio.StringIO()
    FORMATS[name].write(utterances, out, ES)
    return out.getvalue()


@pytest.mark.parametrize("make", [whisper, chunks])
def test_parts_are_one_word_and_are_written_as_parts(tmp_path, make):
    content = make(*PARTS)
    values = read_value(tmp_path, content)
    confidence = 0.5 if make is whisper else None
    expected = [("un", 0.5, 1.0), ("auto-radio", 1.0, 2.0), ("$5,000", 2.5, 4.0)]
    assert values[0].words == tuple(Word(*row, confidence) for row in expected)
    assert written(values, "text") == "un auto-radio $5,000\n"
    assert json.loads(written(values)) == content
    after = json.loads(written(with_labels(values, ASKED)))
    assert after["text"] == " ¿Un? ¿Auto-radio? ¿$5,000?"
    entries = after["segments"][0]["words"] if make is whisper else after["chunks"]
    texts = [entry.get("word") or entry["text"] for entry in entries]
    assert texts == [" ¿Un?", " ¿Auto", "-radio?", " ¿$5", ",0", "00?"]


@pytest.mark.parametrize("make", [whisper, chunks])
def test_words_are_one_by_one_where_none_has_a_space(tmp_path, make):
    entries = token("self", 0, 1), token("-driving", 1, 2)
    (value,) = read_value(tmp_path, make(*entries))
    assert [word.text for word in value.words] == ["self", "-driving"]


def test_words_that_only_the_text_has_survive(tmp_path):
    content = whisper(*PARTS[:3], text=" y un buen auto-radio ya")
    values = read_value(tmp_path, content)
    assert [(word.text, word.start) for word in values[0].words] == [
        *(("y", None), ("un", 0.5), ("buen", None)),
        *(("auto-radio", 1.0), ("ya", None)),
    ]
    assert json.loads(written(values)) == content
    (segment,) = json.loads(written(with_labels(values, ASKED)))["segments"]
    assert segment["text"] == " ¿Y? ¿Un? ¿Buen? ¿Auto-radio? ¿Ya?"
    assert [entry["word"] for entry in segment["words"]] == [" ¿Un?", " ¿Auto", "-radio?"]


@pytest.mark.parametrize("text", ["", " auto-radio"])
def test_a_text_that_has_no_more_words_leaves_those_of_the_list(tmp_path, text):
    content = whisper(*PARTS, text=text)
    values = read_value(tmp_path, content)
    assert [word.text for word in values[0].words] == ["un", "auto-radio", "$5,000"]
    assert json.loads(written(values)) == content


@pytest.mark.parametrize("text", [" un coche", "$5,000 un auto-radio"])
def test_a_text_of_other_words_is_an_error(tmp_path, text):
    with pytest.raises(InputError, match=r"talk\.json: segment 1: found text .*, expected the words of the segment's"):
        read_value(tmp_path, whisper(*PARTS, text=text))


words = st.text(st.sampled_from("abñ.¿-"), min_size=1, max_size=4)


@given(
    st.lists(st.tuples(st.lists(words, min_size=1, max_size=3), st.booleans()), min_size=1, max_size=6),
    st.sampled_from(Case),
    st.frozensets(st.sampled_from(Mark)),
)
def test_words_in_parts_survive_with_any_labels(tmp_path_factory, parts, case, marks):
    """Each word in one to three parts, or in the text alone."""
    entries = [
        token(part if place else " " + part, number, number + 1)
        for number, (word, timed) in enumerate(parts)
        if timed
        for place, part in enumerate(word)
    ]
    text = "".join(" " + "".join(word) for word, _ in parts)
    content = whisper(*entries, text=text)
    (value,) = read_value(tmp_path_factory.mktemp("parts"), content)
    assert [word.text for word in value.words] == ["".join(word) for word, _ in parts]
    assert json.loads(written([value])) == content
    labelled = annotate(value, labels=(Labels(marks, case),) * len(value.words))
    (segment,) = json.loads(written([labelled]))["segments"]
    assert len(segment["words"]) == len(entries)
    assert all(
        old["word"].strip().upper() in new["word"].upper() for old, new in zip(entries, segment["words"], strict=True)
    )
    if len(entries) == sum(len(word) for word, _ in parts):
        assert "".join(new["word"] for new in segment["words"]) == segment["text"]
