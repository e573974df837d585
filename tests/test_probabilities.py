"""Probabilities of labels: which are listed, that they do not change decisions, and their diagram."""

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled import parse
from test_score_page import written

from asr_punct.decode.inputs import MIN_LISTED, WordFlag, label_probabilities, list_probabilities
from asr_punct.decode.settings import Calibration, DecodeSettings
from asr_punct.errors import InputError
from asr_punct.formats.json.own import read_json, write_json
from asr_punct.glyphs import glyphs
from asr_punct.hub import shipped_models
from asr_punct.inference.punctuator import Punctuator
from asr_punct.marks import LEFT, MARKS, Case, Labels, Mark
from asr_punct.words import PROBABLE_LABELS, Utterance, Word, annotate

FREE = np.zeros(1, dtype=np.uint32)
CASES = np.array([[0.2, 0.5, 0.3]], dtype=np.float32)


def likely(labels, settings=None, flags=FREE, classes=(), case=True, cases=CASES):
    """Probabilities of one word, by label."""
    rows = label_probabilities(
        np.asarray([labels], np.float32), cases, flags, settings or DecodeSettings(), classes, case
    )
    return dict(zip(PROBABLE_LABELS, rows[0].tolist(), strict=True))


def test_probabilities_of_marks_are_calibrated_and_ignore_thresholds():
    scale, bias = dict.fromkeys(MARKS, 2.0), dict.fromkeys(MARKS, 0.0) | {Mark.COMMA: 1.0}
    high = dict.fromkeys(MARKS, 0.9)
    settings = DecodeSettings(high, calibration=Calibration(scale, bias, case_temperature=2.0))
    found = likely([0.6] * len(MARKS), settings)
    assert found[Mark.PERIOD] == pytest.approx(0.36 / (0.36 + 0.16), rel=1e-5)
    assert found[Mark.COMMA] == pytest.approx(1 / (1 + np.exp(-2 * np.log(1.5) - 1)), rel=1e-5)
    roots = np.sqrt(CASES[0])
    assert found[Case.FIRST_CAP] == pytest.approx(roots[1] / roots.sum(), rel=1e-5)


def test_the_probability_of_a_mark_is_the_sum_of_its_classes():
    classes = ("O", "COMMA", "QUESTION", "QUESTION+QUOTE")
    settings = DecodeSettings(class_weights={"QUESTION": 9.0})
    found = likely([0.1, 0.2, 0.3, 0.4], settings, classes=classes)
    assert found[Mark.QUESTION] == pytest.approx(0.7)
    assert found[Mark.QUOTE] == pytest.approx(0.4)
    assert found[Mark.COMMA] == pytest.approx(0.2)
    assert np.isnan(found[Mark.PERIOD])


@pytest.mark.parametrize(
    ("flags", "case", "without"),
    [
        (WordFlag.LEFT_TAKEN, True, set(LEFT)),
        (WordFlag.RIGHT_TAKEN, True, set(MARKS) - set(LEFT)),
        (WordFlag.CASE_FIXED, True, {Case.FIRST_CAP, Case.ALL_CAPS}),
        (0, False, {Case.FIRST_CAP, Case.ALL_CAPS}),
    ],
)
def test_labels_that_are_not_decided_have_no_probability(flags, case, without):
    found = likely([0.5] * len(MARKS), flags=np.array([flags], dtype=np.uint32), case=case)
    assert {name for name, value in found.items() if np.isnan(value)} == without
    without_dash = DecodeSettings(enabled=frozenset(MARKS) - {Mark.DASH})
    assert np.isnan(likely([0.5] * len(MARKS), without_dash)[Mark.DASH])


@given(
    st.lists(st.floats(0, 1) | st.just(float("nan")), min_size=len(PROBABLE_LABELS), max_size=len(PROBABLE_LABELS)),
    st.frozensets(st.sampled_from(MARKS)),
    st.frozensets(st.sampled_from(MARKS)),
    st.sampled_from(Case),
)
def test_what_is_likely_or_set_is_listed(row, given, added, case):
    found = list_probabilities(row, {Mark.COLON: 0.5}, Labels(given), Labels(given | added, case))
    values = dict(zip(PROBABLE_LABELS, row, strict=True))
    for name, value in values.items():
        set_now = name in added - given or name is case
        assert (name in found) == (value >= MIN_LISTED or (set_now and value >= 0) or name is Mark.COLON)
        if value >= MIN_LISTED:
            assert found[name] == pytest.approx(value, abs=1e-4)


@pytest.fixture(scope="module")
def punctuator():
    """The shipped model."""
    if not shipped_models():
        pytest.skip("no model is shipped")
    return Punctuator.from_pretrained(threads=1)


TEXT = "buenos días ¿qué? tal están EiTB y – nada más señor presidente, vamos"


def test_labels_do_not_change_and_every_set_label_is_listed(punctuator):
    spoken = [Utterance(tuple(map(Word, TEXT.split())), recording=str(i // 3)) for i in range(5)]
    plain, likely = (list(punctuator.restore(iter(spoken), probabilities=wanted)) for wanted in (False, True))
    assert not any(word.probabilities for each in plain for word in each.words)
    assert [annotate(each, probabilities=None) for each in likely] == plain
    for utterance in likely:
        for word, labels, found in zip(utterance.words, utterance.labels, utterance.probabilities, strict=True):
            if word.text == "–":
                assert found is None
                continue
            assert labels.marks <= found.keys()
            assert labels.case is Case.O or labels.case in found
            assert not (word.text == "¿qué?" and found.keys() & set(MARKS))
            assert not (word.text == "EiTB" and Case.FIRST_CAP in found)
            assert all(value >= MIN_LISTED or name in {*labels.marks, labels.case} for name, value in found.items())


def test_probabilities_of_the_input_stay(punctuator):
    spoken = annotate(Utterance((Word("hola,"),)), labels=(Labels(),), probabilities=({Mark.COMMA: 0.123},))
    (found,) = punctuator.restore([spoken], probabilities=True)
    assert found.probabilities[0][Mark.COMMA] == 0.123
    (found,) = punctuator.restore([spoken])
    assert found.probabilities == ({Mark.COMMA: 0.123},)


def test_json_round_trip():
    said = annotate(
        Utterance((Word("hola"), Word("qué"), Word("–"))),
        labels=(Labels(frozenset({Mark.COMMA})), Labels(), Labels()),
        probabilities=({Mark.COMMA: 0.9, Case.FIRST_CAP: 0.0812}, {}, None),
    )
    out = io.StringIO()
    write_json([said], out, glyphs("es"))
    words = json.loads(out.getvalue())["utterances"][0]["words"]
    assert [word.get("probabilities") for word in words] == [{"COMMA": 0.9, "FIRST_CAP": 0.0812}, {}, None]
    (read,) = read_json(json.loads(out.getvalue()), "a.json")
    assert read == said
    again = io.StringIO()
    write_json([read], again, glyphs("es"))
    assert again.getvalue() == out.getvalue()


@pytest.mark.parametrize(
    "value", [[], {"STOP": 0.5}, {"O": 0.5}, {"COMMA": 1.5}, {"COMMA": -1}, {"COMMA": None}, {"COMMA": "a"}]
)
def test_malformed_probabilities_in_json_are_refused(value):
    content = {"utterances": [{"words": [{"word": "a", "probabilities": value}]}]}
    with pytest.raises(InputError, match=r"a\.json: utterance 1: word 1: found "):
        list(read_json(content, "a.json"))


GUESSED = (
    {Mark.COMMA: 0.85, Case.FIRST_CAP: 0.95},
    {Mark.COMMA: 0.88},
    {Mark.QUESTION: 0.25, Mark.PERIOD: 0.62, Mark.COMMA: 0.01},
)


def diagrams(tmp_path, utterances, align):
    """The tooltips of the points without intervals, and the page, for utterances with the same probabilities."""
    names = [f"u{i}" for i in range(utterances)]
    reference = [parse("hola/COMMA/FIRST_CAP qué tal/QUESTION", id=name) for name in names]
    heard = [annotate(parse("hola/COMMA qué/COMMA tal/PERIOD", id=name), probabilities=GUESSED) for name in names]
    page, _, content = written(tmp_path, reference, heard, align=align)
    titles = [title for _, title in page.all("title") if " marks: " in title or " capitals: " in title]
    return [title.partition(" (")[0] for title in titles], content


@pytest.mark.parametrize("align", [False, True])
def test_the_diagram_has_a_point_for_each_tenth_of_the_scale(tmp_path, align):
    points, _ = diagrams(tmp_path, 40, align)
    assert points == [
        "40 marks: mean 25.0 %, right 100.0 %",
        "40 marks: mean 62.0 %, right 0.0 %",
        "80 marks: mean 86.5 %, right 50.0 %",
        "40 capitals: mean 95.0 %, right 100.0 %",
    ]


@pytest.mark.parametrize("align", [False, True])
def test_tenths_with_few_decisions_are_joined(tmp_path, align):
    points, content = diagrams(tmp_path, 10, align)
    assert points == ["20 marks: mean 43.5 %, right 50.0 %", "20 marks: mean 86.5 %, right 50.0 %"]
    assert "Too few capitals with a probability for a diagram: 10." in content
