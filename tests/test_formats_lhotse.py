"""Lhotse supervisions: all keys are kept, and marks are written into the text and the aligned words."""

import json

import pytest
from dummies import file, with_labels, written_lines
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.formats.json.lhotse import read_lhotse
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word

STOP = Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP)


seconds = st.integers(0, 10**9).map(lambda value: value / 10**6)
symbols = st.text(st.sampled_from("abñ.,'<>"), min_size=1, max_size=4) | st.sampled_from(["", "<eps>", "a b"])
scores = st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), max_size=1)
entries = st.builds(lambda text, start, long, score: [text, start, long, *score], symbols, seconds, seconds, scores)
supervisions = st.fixed_dictionaries(
    {"id": st.sampled_from(["", "a", 'ñ"']), "recording_id": st.just("r"), "start": seconds, "duration": seconds},
    optional={
        "text": st.none() | st.text(st.sampled_from("ab., ñ"), max_size=9),
        "alignment": st.fixed_dictionaries({"word": st.lists(entries, max_size=5), "x": st.just([])}),
        "custom": st.dictionaries(st.text(max_size=3), st.none() | st.booleans() | st.integers(), max_size=2),
    },
)


@given(st.lists(supervisions, max_size=4))
def test_any_supervisions_are_written_as_they_were_read(tmp_path_factory, items):
    def read(items):
        lines = "".join(json.dumps(item) + "\n" for item in items)
        return list(read_lhotse(file(tmp_path_factory.mktemp("lhotse"), "a.jsonl", lines)))

    found = read(items)
    assert written_lines(found, "lhotse") == items
    again = read(written_lines(with_labels(found, STOP), "lhotse"))
    assert [[(word.start, word.end, word.confidence) for word in value.words] for value in again] == [
        [(word.start, word.end, word.confidence) for word in value.words] for value in found
    ]


@pytest.mark.parametrize(("channel", "number"), [("1", 0), ("2", 1), ("5", 4), ("A", 0), ("B", 1), ("0", 0), ("x", 0)])
def test_the_number_of_a_channel_of_another_format(channel, number):
    utterance = Utterance((Word("hola", 0.0, 0.5),), "u", channel=channel)
    assert written_lines([utterance], "lhotse")[0]["channel"] == number
