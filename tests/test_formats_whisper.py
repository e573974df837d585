"""JSON of Whisper, whisper.cpp and transformers' pipeline: their words and times, and marks written back."""

from dataclasses import replace

from dummies import read_value, with_labels, written_value
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import annotate


def written(utterances, labels=None):
    """The value of the JSON, with these labels on every word."""
    return written_value(with_labels(utterances, labels) if labels else utterances, "whisper")


SIR = [{"word": " - sí\u00a0", "start": 2.5, "end": 3.0}, {"word": "", "start": 3.0, "end": 3.0}]
SIR += [{"word": "señor", "start": 3.0, "end": 4.0}]
VAN = [
    {"word": "van", "start": 0.5, "end": 0.7, "score": 0.9, "speaker": "S1"},
    {"word": "3"},
    {"word": "casas", "start": 1.2, "end": 2.0, "score": 0.8, "speaker": "S1"},
]
WHISPERX = {
    "segments": [
        {"start": 0.5, "end": 2.0, "text": " van 3 casas", "words": VAN, "speaker": "S1"},
        {"start": 2.0, "end": 3.0, "text": " ya", "words": [], "speaker": "S2"},
    ],
    "word_segments": VAN,
    "language": "es",
}


def token(text, start=None, end=None, **more):
    times = {} if start is None else {"offsets": {"from": start, "to": end}}
    return {"text": text, **times, "id": 1, "p": 0.5, "t_dtw": -1, **more}


TOKENS = [
    token("[_BEG_]", 0, 0),
    token(" ma", 0, 200),
    token("ñana", 200, 500, p=1.0),
    token(",", 500, 900),
    token(" vuel"),
    token("vo", 1000, 1250),
    token("[_TT_62]", 1250, 1250),
]
CPP = {
    "systeminfo": "AVX = 1",
    "result": {"language": "es"},
    "transcription": [
        {"offsets": {"from": 0, "to": 1250}, "text": " mañana, vuelvo", "tokens": TOKENS, "speaker": "1"},
        {"offsets": {"from": 1250, "to": 2500}, "text": " a  las tres"},
        {"timestamps": {"from": "", "to": ""}, "offsets": {"from": 2500, "to": 2750}, "text": " ya"},
    ],
}
CHUNKS = {
    "text": " Mañana vuelvo.",
    "chunks": [{"text": " Mañana", "timestamp": [0.1, 0.5]}, {"text": " vuelvo.", "timestamp": [0.9, None]}],
    "language": [None],
}


def test_another_number_of_words_makes_a_new_segment(tmp_path):
    first, *others = read_value(tmp_path, WHISPERX)
    content = written([replace(first, words=first.words[:1]), *others])
    words = [{"word": " van", "start": 0.5, "end": 0.7, "probability": 0.9}]
    new = {"id": 0, "start": 0.5, "end": 0.7, "text": " van", "words": words, "speaker": "S1"}
    assert content["segments"] == [new, WHISPERX["segments"][1]]
    assert (content["text"], content["language"]) == ("van ya", "es")
    for other in (CPP, CHUNKS):
        values = read_value(tmp_path, other)
        assert "segments" in written([replace(values[0], words=values[0].words[:1]), *values[1:]])


words = st.text(st.sampled_from("abñ.¿-"), min_size=1, max_size=4)


@given(st.lists(st.lists(words, min_size=1, max_size=3), min_size=1, max_size=5))
def test_tokens_make_up_any_words(tmp_path_factory, parts):
    """Each word in one to three tokens of a second each, the first with a space before it."""
    tokens, clock = [], 0
    for word in parts:
        for i, part in enumerate(word):
            tokens.append(token(part if i else " " + part, clock, clock := clock + 1000))
    text = "".join(item["text"] for item in tokens)
    content = {"transcription": [{"offsets": {"from": 0, "to": clock}, "text": text, "tokens": tokens}]}
    (value,) = read_value(tmp_path_factory.mktemp("cpp"), content)
    assert [word.text for word in value.words] == ["".join(word) for word in parts]
    assert all(word.start is not None and word.end is not None for word in value.words)
    assert written([value]) == content


# Words in several parts, as Whisper's tokens give some, and words that only a segment's text has


def entry(text, start, end, probability=0.5):
    return {"word": text, "start": start, "end": end, "probability": probability}


def whisper(*entries, text=None):
    text = "".join(entry["word"] for entry in entries) if text is None else text
    return {"text": text, "segments": [{"id": 0, "start": 0, "end": 9, "text": text, "words": list(entries)}]}


def chunks(*entries):
    items = [{"text": entry["word"], "timestamp": [entry["start"], entry["end"]]} for entry in entries]
    return {"text": "".join(item["text"] for item in items), "chunks": items}


part_texts = st.text(st.sampled_from("abñ.¿-"), min_size=1, max_size=4)


@given(
    st.lists(st.tuples(st.lists(part_texts, min_size=1, max_size=3), st.booleans()), min_size=1, max_size=6),
    st.sampled_from(Case),
    st.frozensets(st.sampled_from(Mark)),
)
def test_words_in_parts_survive_with_any_labels(tmp_path_factory, parts, case, marks):
    """Each word in one to three parts, or in the text alone."""
    entries = [
        entry(part if place else " " + part, number, number + 1)
        for number, (word, timed) in enumerate(parts)
        if timed
        for place, part in enumerate(word)
    ]
    text = "".join(" " + "".join(word) for word, _ in parts)
    content = whisper(*entries, text=text)
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
