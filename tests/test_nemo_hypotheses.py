"""Punctuation of NeMo hypotheses; any object with a hypothesis's attributes will do."""

import io
import sys
import tarfile
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from asr_punct import nemo
from asr_punct.asr.nemo_data import MAX_BYTES, check_archive
from asr_punct.errors import InputError, MissingExtraError, ModelError
from asr_punct.glyphs import glyphs
from asr_punct.marks import Case, Labels, Mark
from asr_punct.nemo import punctuate_hypotheses
from asr_punct.pauses import with_pauses
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
        self.given = list(with_pauses(utterances))
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


def segments(hypothesis):
    return [segment["segment"] for segment in hypothesis.timestamp["segment"]]


def test_text_words_and_segments_are_written_and_everything_else_stays():
    hypothesis = timed("ana mira la casa dónde está la ley")
    before = [dict(entry) for entry in hypothesis.timestamp["word"]]
    (found,) = punctuate_hypotheses([hypothesis], ByWord())
    assert found.text == "Ana, mira la casa. ¿Dónde está la ley?"
    assert [entry["word"] for entry in found.timestamp["word"]] == found.text.split()
    assert segments(found) == ["Ana, mira la casa.", "¿Dónde está la ley?"]
    assert [segment["start_offset"] for segment in found.timestamp["segment"]] == [0, 40]
    assert [segment["end_offset"] for segment in found.timestamp["segment"]] == [40, 80]
    assert found.timestamp["segment"][1]["start"] == before[4]["start"]
    assert (type(found), found.score, list(found.timestamp)) == (Hypothesis, -1.5, list(hypothesis.timestamp))
    assert found.timestamp["char"] is hypothesis.timestamp["char"]
    assert (hypothesis.text, hypothesis.timestamp["word"]) == ("ana mira la casa dónde está la ley", before)
    assert [entry | {"word": ""} for entry in found.timestamp["word"]] == [entry | {"word": ""} for entry in before]


@pytest.mark.parametrize(
    ("hypothesis", "longest_pause", "expected"),
    [
        (timed("mira la mesa mira", {1: 10, 2: 30}), 1.0, ["mira la", "mesa mira"]),
        (timed("mira la mesa mira", {1: 10, 2: 30}), 2.0, ["mira la mesa mira"]),
        (timed("mira. mira la"), 1.0, ["mira.", "mira la"]),
        (timed("mira J. la casa mira"), 1.0, ["mira J. la casa.", "mira"]),
        (timed("no ana"), 1.0, ["no – Ana,"]),
    ],
)
def test_segments_end_with_sentences_and_before_long_pauses(hypothesis, longest_pause, expected):
    (found,) = punctuate_hypotheses([hypothesis], ByWord(), longest_pause=longest_pause)
    assert segments(found) == expected
    assert found.text == " ".join(expected)


@pytest.mark.parametrize("timestamp", [[], None, np.zeros(2), {"timestep": []}])
def test_without_word_times_only_the_text_changes(timestamp):
    (found,) = punctuate_hypotheses([Hypothesis("ana  mira la casa", timestamp)], ByWord())
    assert found.text == "Ana, mira la casa."
    assert found.timestamp is timestamp


def test_entries_without_words_and_with_several():
    hypothesis = timed("ana casa")
    hypothesis.timestamp["word"].insert(1, {"word": " ", "start_offset": 10, "end_offset": 10})
    hypothesis.timestamp["word"][2]["word"] = " casa"
    (found,) = punctuate_hypotheses([hypothesis], ByWord())
    assert [entry["word"] for entry in found.timestamp["word"]] == ["Ana,", " ", " casa."]
    times = {"start": 1, "end": 2, "start_offset": 3}
    (found,) = punctuate_hypotheses([Hypothesis("ana casa", {"word": [{"word": "ana casa", **times}]})], ByWord())
    assert found.timestamp["word"] == [{"word": "Ana, casa.", **times}]
    assert found.timestamp["segment"] == [{"segment": "Ana, casa.", **times}]


@pytest.mark.parametrize(("consecutive", "documents"), [(False, 3), (True, 1)])
def test_consecutive_hypotheses_are_one_document_without_pauses_between(consecutive, documents):
    punctuator = ByWord()
    hypotheses = [timed("ana mira"), timed("la casa"), Hypothesis("")]
    found = punctuate_hypotheses(hypotheses, punctuator, consecutive=consecutive)
    assert [hypothesis.text for hypothesis in found] == ["Ana, mira", "la casa.", ""]
    assert len({utterance.context for utterance in punctuator.given}) == documents
    assert not any(utterance.pauses[-1] for utterance in punctuator.given if utterance.words)


@pytest.mark.parametrize(
    ("hypothesis", "error"),
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
def test_invalid_hypotheses(hypothesis, error):
    with pytest.raises(InputError, match=error):
        punctuate_hypotheses([hypothesis], ByWord())


def test_a_missing_nemo_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "asr_punct.nemo.model", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"AsrPunctModel: found no package torch.*asr-punct\[nemo\]"):
        nemo.AsrPunctModel  # noqa: B018 - it is the access that imports
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        nemo.Nothing  # noqa: B018


# Invalid `.nemo` files are refused before they are unpacked


NAMES = ("model_config.yaml", "model_weights.ckpt")


def member(name, kind=tarfile.REGTYPE, size=0):
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, "/etc/passwd", size
    return made


def pack(path, *extra, mode="w:"):
    """A tar of the two files and of bare members."""
    with tarfile.open(path, mode) as archive:
        archive.addfile(member(".", tarfile.DIRTYPE))
        for name in NAMES:
            archive.addfile(member(f"./{name}", size=7), io.BytesIO(b"content"))
        for found in extra:
            archive.addfile(found)
    return path


@pytest.mark.parametrize("mode", ["w:", "w:gz"])
def test_valid_archives_pass(tmp_path, mode):
    check_archive(pack(tmp_path / "a.nemo", mode=mode), NAMES)
    check_archive(pack(tmp_path / "b.nemo", member("vocab.txt"), member("tokenizers", tarfile.DIRTYPE), mode=mode))


@pytest.mark.parametrize(
    "found",
    [
        member("../escaped"),
        member("./tokenizer/../../escaped"),
        member("/etc/passwd"),
        *(member("a", kind) for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)),
    ],
    ids=lambda found: f"{found.name}-{found.type.decode()}",
)
def test_members_that_are_no_plain_files_of_the_folder_are_refused(tmp_path, found):
    with pytest.raises(ModelError, match=rf"a\.nemo: found member '{found.name}', expected plain files inside"):
        check_archive(pack(tmp_path / "a.nemo", found))


def test_other_files_and_members_are_refused(tmp_path):
    (tmp_path / "c.nemo").write_bytes(b"\x1f\x8b\x08\x00cut")
    with pytest.raises(ModelError, match=r"c\.nemo: found .*, expected a \.nemo file, which is a tar"):
        check_archive(tmp_path / "c.nemo")
    with pytest.raises(ModelError, match=r"member 'script\.py', expected some of model_config\.yaml, model_weights"):
        check_archive(pack(tmp_path / "a.nemo", member("script.py")), NAMES)
    with pytest.raises(ModelError, match="bytes or more when unpacked, expected at most"):
        check_archive(pack(tmp_path / "b.nemo", member("huge", size=MAX_BYTES)))
