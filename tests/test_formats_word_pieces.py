"""Words that Whisper's models give in pieces, and words that only a segment's text has."""

import io as stdio
import json

import pytest
from dummies import file
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.formats.formats import FORMATS
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import annotate

ES = glyphs("es")
ASKED = Labels(frozenset({Mark.QUESTION, Mark.OPEN_QUES}), Case.FIRST_CAP)


def piece(text, start, end, probability=0.5):
    return {"word": text, "start": start, "end": end, "probability": probability}


def whisper(*entries, text=None):
    text = "".join(entry["word"] for entry in entries) if text is None else text
    return {"text": text, "segments": [{"id": 0, "start": 0, "end": 9, "text": text, "words": list(entries)}]}


def chunks(*entries):
    items = [{"text": entry["word"], "timestamp": [entry["start"], entry["end"]]} for entry in entries]
    return {"text": "".join(item["text"] for item in items), "chunks": items}


PIECES = (
    piece(" un", 0.5, 1),
    piece(" auto", 1, 1.5, 0.25),
    piece("-radio", 1.5, 2, 0.75),
    piece(" $5", 2.5, 3),
    piece(",0", 3, 3.5),
    piece("00", 3.5, 4),
)


def read(folder, content):
    return list(formats.read(file(folder, "talk.json", json.dumps(content))))


def written(utterances, name="whisper"):
    out = stdio.StringIO()
    FORMATS[name].write(utterances, out, ES)
    return out.getvalue()


def asked(values):
    return [annotate(value, labels=(ASKED,) * len(value.words)) for value in values]


@pytest.mark.parametrize("make", [whisper, chunks])
def test_pieces_are_one_word_and_come_back_as_pieces(tmp_path, make):
    content = make(*PIECES)
    values = read(tmp_path, content)
    assert [(word.text, word.start, word.end) for word in values[0].words] == [
        ("un", 0.5, 1.0),
        ("auto-radio", 1.0, 2.0),
        ("$5,000", 2.5, 4.0),
    ]
    assert written(values, "text") == "un auto-radio $5,000\n"
    assert json.loads(written(values)) == content
    after = json.loads(written(asked(values)))
    assert after["text"] == " ¿Un? ¿Auto-radio? ¿$5,000?"
    entries = after["segments"][0]["words"] if make is whisper else after["chunks"]
    texts = [entry.get("word") or entry["text"] for entry in entries]
    assert texts == [" ¿Un?", " ¿Auto", "-radio?", " ¿$5", ",0", "00?"]


def test_a_word_is_as_likely_as_its_pieces(tmp_path):
    assert [word.confidence for word in read(tmp_path, whisper(*PIECES))[0].words] == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("make", [whisper, chunks])
def test_words_are_one_by_one_where_none_has_a_space(tmp_path, make):
    entries = piece("self", 0, 1), piece("-driving", 1, 2)
    (value,) = read(tmp_path, make(*entries))
    assert [word.text for word in value.words] == ["self", "-driving"]


def test_an_end_before_the_start_of_the_word_is_not_known(tmp_path):
    (value,) = read(tmp_path, whisper(piece(" auto", 1, 1.5), piece("-radio", None, 0.5)))
    assert [(word.start, word.end) for word in value.words] == [(1.0, None)]


def test_words_that_only_the_text_has_survive(tmp_path):
    content = whisper(*PIECES[:3], text=" y un buen auto-radio ya")
    values = read(tmp_path, content)
    assert [(word.text, word.start) for word in values[0].words] == [
        *(("y", None), ("un", 0.5), ("buen", None)),
        *(("auto-radio", 1.0), ("ya", None)),
    ]
    assert json.loads(written(values)) == content
    (segment,) = json.loads(written(asked(values)))["segments"]
    assert segment["text"] == " ¿Y? ¿Un? ¿Buen? ¿Auto-radio? ¿Ya?"
    assert [entry["word"] for entry in segment["words"]] == [" ¿Un?", " ¿Auto", "-radio?"]


@pytest.mark.parametrize("text", ["", " Un auto - radio, $5.000.", " auto-radio"])
def test_a_text_that_has_no_more_words_leaves_those_of_the_list(tmp_path, text):
    content = whisper(*PIECES, text=text)
    values = read(tmp_path, content)
    assert [word.text for word in values[0].words] == ["un", "auto-radio", "$5,000"]
    assert json.loads(written(values)) == content


@pytest.mark.parametrize("text", [" un coche", " una auto-radio $5,000", "$5,000 un auto-radio"])
def test_a_text_of_other_words_is_told(tmp_path, text):
    with pytest.raises(InputError, match=r"talk\.json: segment 1: found text .*, expected the words of the segment's"):
        read(tmp_path, whisper(*PIECES, text=text))


words = st.text(st.sampled_from("abñ.¿-"), min_size=1, max_size=4)


@given(
    st.lists(st.tuples(st.lists(words, min_size=1, max_size=3), st.booleans()), min_size=1, max_size=6),
    st.sampled_from(Case),
    st.frozensets(st.sampled_from(Mark)),
)
def test_words_in_pieces_survive_with_any_labels(tmp_path_factory, parts, case, marks):
    """Each word in one to three pieces, or in the text alone."""
    entries = [
        piece(part if place else " " + part, number, number + 1)
        for number, (word, timed) in enumerate(parts)
        if timed
        for place, part in enumerate(word)
    ]
    text = "".join(" " + "".join(word) for word, _ in parts)
    content = whisper(*entries, text=text)
    (value,) = read(tmp_path_factory.mktemp("pieces"), content)
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
