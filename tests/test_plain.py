"""Plain decoding: each word on its own, against a reference of a few lines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from asr_punct import Punctuator
from asr_punct.decode import DecodeSettings
from asr_punct.decode.fitting import DevSet, fit_settings
from asr_punct.decode.inputs import WordFlag
from asr_punct.decode.plain import new_decoder, new_online_decoder
from asr_punct.decode.settings import new_settings
from asr_punct.marks import CASES, MARKS, Labels, Mark, parse_marks

TEXT = "ana mira la casa dónde está la mesa"
CLASSES = ("O", "COMMA", "PERIOD", "QUOTE+PERIOD")
WORDS = 6
SHARE = st.floats(0, 1, width=32).filter(lambda share: share != 0.5)
PLAIN = DecodeSettings(plain=True)


def probabilities(labels: int):
    return arrays.arrays(np.float32, (WORDS, labels), elements=SHARE, unique=True)


def distributions(classes: int):
    """Probabilities of alternatives, as models give them: those of a word add up to 1."""
    rows = probabilities(classes).filter(lambda shares: shares.sum(axis=1).min() > 0)
    return rows.map(lambda shares: (shares / shares.sum(axis=1, keepdims=True, dtype=np.float64)).astype(np.float32))


def decode(settings, classes, labels, cases):
    """Labels of a document, decoded in two parts, and of a stream."""
    flags = np.zeros(WORDS, np.uint32)
    decoder, online = new_decoder(settings, classes), new_online_decoder(settings, classes)
    parts = [(slice(0, 2), False), (slice(2, WORDS), True)]
    document = [label for part, end in parts for label in decoder.push(labels[part], cases[part], flags[part], end)]
    now, later = online.commit(labels, cases, flags, True, 2)
    assert (len(now), now + later) == (2, document)
    return document


@given(probabilities(len(MARKS)), distributions(len(CASES)))
def test_a_mark_is_set_over_a_half(marks, cases):
    expected = [
        Labels(frozenset(mark for mark, share in zip(MARKS, row, strict=True) if share > 0.5), CASES[case.argmax()])
        for row, case in zip(marks, cases, strict=True)
    ]
    assert decode(PLAIN, (), marks, cases) == expected


@given(distributions(len(CLASSES)), distributions(len(CASES)))
def test_the_likeliest_class_is_set(labels, cases):
    expected = [
        Labels(parse_marks(CLASSES[row.argmax()]), CASES[case.argmax()])
        for row, case in zip(labels, cases, strict=True)
    ]
    assert decode(PLAIN, CLASSES, labels, cases) == expected


def test_a_side_with_marks_of_the_input_gets_no_others():
    sure = np.ones((1, len(MARKS)), np.float32)
    flags = np.array([WordFlag.RIGHT_TAKEN], np.uint32)
    (labels,) = new_decoder(PLAIN, ()).push(sure, np.ones((1, len(CASES)), np.float32), flags, True)
    assert labels.marks == {mark for mark in MARKS if mark.is_left}


def test_fitted_settings_are_not_used_but_given_weights_are(model):
    plain = Punctuator.from_pretrained(model, plain=True)
    assert plain(TEXT) == "Ana, mira la casa. ¿Dónde está la mesa?"
    never = Punctuator.from_pretrained(model, plain=True, class_weights={"QUESTION": 1e-6})
    assert never(TEXT) == "Ana, mira la casa. ¿Dónde está la mesa"  # a ¿ without ? is no matter here
    with plain.stream() as stream:
        words = stream.push(*TEXT.split()) + stream.flush()
    assert sum(Mark.QUESTION in word.labels.marks for word in words) == 1


def test_the_command_decodes_plainly(model, tmp_path, run):
    (tmp_path / "in.txt").write_text(TEXT + "\n")
    options = ["--plain", "--class-weights", "OPEN_QUES=1e-6", "--quiet"]
    _, out, _ = run("punctuate", tmp_path / "in.txt", "--model", model, *options)
    assert out == "Ana, mira la casa. Dónde está la mesa?\n"


@pytest.mark.parametrize(("language", "penalty"), [("eu", 0), ("en", 0), ("es", 2), ("es+eu", 2), ("gl", 2)])
def test_a_question_mark_alone_costs_nothing_where_nothing_opens(language, penalty):
    settings = new_settings(language)
    assert set(settings.unopened.values()) == {penalty}
    marks = np.zeros((200, len(MARKS)), bool)
    marks[::2, [MARKS.index(Mark.QUESTION)]] = True
    labels, cases = np.where(marks, 0.7, 0.4).astype(np.float32), np.ones((200, len(CASES)), np.float32) / len(CASES)
    dev = DevSet(labels, cases, marks, np.zeros(200, np.int64), (200,), np.zeros(200, np.uint32), language=language)
    fitted = fit_settings(dev).unopened
    assert set(fitted.values()) <= ({0, 1, 2, 3, 4, 6} if penalty else {0})
