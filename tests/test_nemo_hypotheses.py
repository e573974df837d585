"""Hypotheses and manifests of NeMo with marks and capitals; any object with a hypothesis's attributes will do."""

import json
import sys
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from asr_punct import nemo
from asr_punct.errors import InputError, MissingExtraError
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.nemo import punctuate_hypotheses, punctuate_manifest
from asr_punct.words import annotate

FRAME = 0.04
LABELS = {
    "ana": Labels(frozenset({Mark.COMMA}), Case.FIRST_CAP),
    "casa": Labels(frozenset({Mark.PERIOD})),
    "dónde": Labels(frozenset({Mark.OPEN_QUES}), Case.FIRST_CAP),
    "ley": Labels(frozenset({Mark.QUESTION})),
    "no": Labels(frozenset({Mark.DASH})),
}


@dataclass
class Hypothesis:
    text: str | None
    timestamp: Any = field(default_factory=list)
    score: float = -1.5


class ByWord:
    """Labels words by themselves, and keeps what it was given."""

    glyphs = glyphs("es")

    def restore(self, utterances):
        self.given = list(utterances)
        for utterance in self.given:
            labels = tuple(LABELS.get(word.text, Labels()) for word in utterance.words)
            yield annotate(utterance, labels=labels)


def timed(text, gaps=None):
    """A hypothesis whose words take ten frames each, with frames of silence before those that `gaps` names."""
    words, frame = [], 0
    for i, word in enumerate(text.split()):
        frame += (gaps or {}).get(i, 0)
        offsets = {"word": word, "start_offset": frame, "end_offset": frame + 10}
        words.append({**offsets, "start": np.float32(frame * FRAME), "end": np.float64((frame + 10) * FRAME)})
        frame += 10
    stamps = {"timestep": [1, 2], "char": [{"char": ["a"], "start_offset": 0, "end_offset": 1}], "word": words}
    return Hypothesis(text, {**stamps, "segment": [{"segment": text, "start_offset": 0, "end_offset": frame}]})


def test_text_words_and_segments_are_written():
    hypothesis = timed("ana mira la casa dónde está la ley")
    (found,) = punctuate_hypotheses([hypothesis], ByWord())
    assert found.text == "Ana, mira la casa. ¿Dónde está la ley?"
    assert [entry["word"] for entry in found.timestamp["word"]] == found.text.split()
    assert [segment["segment"] for segment in found.timestamp["segment"]] == [
        "Ana, mira la casa.",
        "¿Dónde está la ley?",
    ]
    assert [segment["start_offset"] for segment in found.timestamp["segment"]] == [0, 40]
    assert [segment["end_offset"] for segment in found.timestamp["segment"]] == [40, 80]
    assert found.timestamp["segment"][1]["start"] == hypothesis.timestamp["word"][4]["start"]


def test_all_else_is_as_it_was_and_what_came_stays():
    hypothesis = timed("ana mira")
    before = [dict(entry) for entry in hypothesis.timestamp["word"]]
    (found,) = punctuate_hypotheses([hypothesis], ByWord())
    assert type(found) is Hypothesis
    assert found.score == hypothesis.score
    assert list(found.timestamp) == list(hypothesis.timestamp)
    for key in ("timestep", "char"):
        assert found.timestamp[key] is hypothesis.timestamp[key]
    assert hypothesis.text == "ana mira"
    assert hypothesis.timestamp["word"] == before
    assert [entry | {"word": ""} for entry in found.timestamp["word"]] == [entry | {"word": ""} for entry in before]


def test_a_long_pause_ends_a_segment_and_a_short_one_none():
    hypothesis = timed("mira la mesa mira", gaps={1: 10, 2: 30})
    (found,) = punctuate_hypotheses([hypothesis], ByWord(), longest_pause=1.0)
    assert [segment["segment"] for segment in found.timestamp["segment"]] == ["mira la", "mesa mira"]
    (found,) = punctuate_hypotheses([hypothesis], ByWord(), longest_pause=2.0)
    assert [segment["segment"] for segment in found.timestamp["segment"]] == ["mira la mesa mira"]


def test_marks_that_stood_there_end_a_segment_too():
    (found,) = punctuate_hypotheses([timed("mira. mira la")], ByWord())
    assert [segment["segment"] for segment in found.timestamp["segment"]] == ["mira.", "mira la"]


def test_a_dash_stands_alone_in_text_and_on_its_word_in_an_entry():
    (found,) = punctuate_hypotheses([timed("no ana")], ByWord())
    assert found.text == "no – Ana,"
    assert [entry["word"] for entry in found.timestamp["word"]] == ["no–", "Ana,"]
    assert found.timestamp["segment"][0]["segment"] == found.text


@pytest.mark.parametrize("timestamp", [[], None, np.zeros(2), {"timestep": []}])
def test_without_word_times_the_text_alone_changes(timestamp):
    (found,) = punctuate_hypotheses([Hypothesis("ana  mira la casa", timestamp)], ByWord())
    assert found.text == "Ana, mira la casa."
    assert found.timestamp is timestamp


def test_entries_without_a_word_and_white_space_stay():
    hypothesis = timed("ana casa")
    hypothesis.timestamp["word"].insert(1, {"word": " ", "start_offset": 10, "end_offset": 10})
    hypothesis.timestamp["word"][2]["word"] = " casa"
    (found,) = punctuate_hypotheses([hypothesis], ByWord())
    assert [entry["word"] for entry in found.timestamp["word"]] == ["Ana,", " ", " casa."]


def test_an_entry_may_hold_several_words():
    hypothesis = Hypothesis("ana casa", {"word": [{"word": "ana casa", "start": 1, "end": 2, "start_offset": 3}]})
    (found,) = punctuate_hypotheses([hypothesis], ByWord())
    assert found.timestamp["word"] == [{"word": "Ana, casa.", "start": 1, "end": 2, "start_offset": 3}]
    assert found.timestamp["segment"] == [{"segment": "Ana, casa.", "start_offset": 3, "start": 1, "end": 2}]


def test_consecutive_hypotheses_are_one_document_whose_clocks_are_their_own():
    hypotheses = [timed("ana mira"), timed("la casa"), Hypothesis("")]
    for consecutive, recordings in ((False, 3), (True, 1)):
        punctuator = ByWord()
        found = punctuate_hypotheses(hypotheses, punctuator, consecutive=consecutive)
        assert [hypothesis.text for hypothesis in found] == ["Ana, mira", "la casa.", ""]
        assert len({utterance.context for utterance in punctuator.given}) == recordings
        assert not any(utterance.pauses[-1] for utterance in punctuator.given if utterance.words)


@pytest.mark.parametrize(
    ("hypothesis", "told"),
    [
        (Hypothesis(None), "hypothesis 1: found Hypothesis with text None"),
        ("ana", "hypothesis 1: found str with text None"),
        (replace(timed("ana mira"), text="ana"), "2 words with times and 1 in text"),
        (Hypothesis("ana", {"word": [{"word": "ana", "start": np.float32("nan")}]}), "word 1: found start nan"),
        (Hypothesis("ana", {"word": [{"word": "ana", "end": -1}]}), "word 1: found end -1"),
        (Hypothesis("ana", {"word": [{"word": 7}]}), "word 1: found the word 7"),
        (Hypothesis("ana", {"word": "ana"}), "hypothesis 1: found word 'ana', expected a list"),
    ],
)
def test_what_is_no_hypothesis_is_told(hypothesis, told):
    with pytest.raises(InputError, match=told):
        punctuate_hypotheses([hypothesis], ByWord())


def test_a_manifest_keeps_all_but_its_words(tmp_path):
    words = [{"word": "ana", "start": 0.1, "end": 0.4, "x": 1}, {"word": "casa", "start": 0.5, "end": 0.9}]
    lines = [
        {"audio_filepath": "a.wav", "duration": 1.0, "pred_text": "ana casa", "word": words, "lang": "es"},
        {"audio_filepath": "b.wav", "pred_text": "dónde está la ley"},
    ]
    source, output = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    punctuate_manifest(source, output, ByWord())
    first, second = map(json.loads, output.read_text().splitlines())
    assert first.pop("pred_text") == "Ana, casa."
    assert [entry.pop("word") for entry in first["word"]] == ["Ana,", "casa."]
    for entry in words:
        del entry["word"]
    assert first == {key: value for key, value in lines[0].items() if key != "pred_text"}
    assert second == {**lines[1], "pred_text": "¿Dónde está la ley?"}


def test_the_model_tells_what_it_needs(monkeypatch):
    monkeypatch.delitem(sys.modules, "asr_punct.nemo.model", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"AsrPunctModel needs the package torch.*asr-punct\[nemo\]"):
        nemo.AsrPunctModel  # noqa: B018 - it is the access that imports
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        nemo.Nothing  # noqa: B018
