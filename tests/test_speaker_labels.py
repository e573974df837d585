"""Names of speakers at the starts of lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import Punctuator
from asr_punct.hub import shipped_models
from asr_punct.inference.speaker_labels import LINES, with_speakers
from asr_punct.words import utterances_of_text

REPEATED = "Ana: hola\nJon García: sí\nvale\nAna: no\nJon García: pues no"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (REPEATED, ["Ana 1", "Jon García 2", "", "Ana 1", "Jon García 2"]),
        ("Ana: hola\nJon: sí", ["Ana 1", "Jon 1"]),
        ("Ana: hola\nJon: sí\nvale", ["", "", ""]),
        ("Speaker 1: hi\nand so on", ["Speaker 1 2", ""]),
        ("SPEAKER_00: hi", ["SPEAKER_00 1"]),
        ("hablante 1: hola", ["hablante 1 2"]),
        ("[Ana]: hola\n[Jon]: sí", ["Ana 1", "Jon 1"]),
        (">> ANA: hola\n- Jon: sí", ["ANA 2", "Jon 2"]),
        ("Nota: hola\nNota: sí", ["", ""]),
        ("nota: hola\nnota: sí", ["", ""]),
        ("10:30 hola\n10:45 sí\n10: no\n10: no", ["", "", "", ""]),
        ("Ana dijo que sí: hola\nAna dijo que sí: no", ["", ""]),
        ("Ana: hola", [""]),
        ("", [""]),
    ],
)
def test_names(text, expected):
    found = [f"{name} {words}" if name else "" for _, name, words in with_speakers(utterances_of_text(text))]
    assert found == expected


@given(st.lists(st.sampled_from(["Ana: hola", "Jon: sí", "vale", "", "Nota: no", "Speaker 1: hi"]), max_size=3 * LINES))
def test_all_utterances_come_in_order(lines):
    utterances = list(utterances_of_text("\n".join(lines)))
    assert [utterance for utterance, _, _ in with_speakers(utterances)] == utterances


@pytest.mark.skipif(not {"en", "es-eu"} <= set(shipped_models()), reason="no shipped models")
@pytest.mark.parametrize(
    ("model", "text", "expected"),
    [
        (
            "es-eu",
            "MARTA: dónde has estado\nPEDRO: en casa de mi madre\nMARTA: y qué tal está",
            "MARTA: ¿Dónde has estado?\nPEDRO: En casa de mi madre.\nMARTA: ¿Y qué tal está?",
        ),
        (
            "en",
            "Q: where were you that night\nA: i was at home\nQ: with whom\nA: my wife",
            "Q: Where were you that night?\nA: I was at home.\nQ: With whom?\nA: My wife.",
        ),
    ],
)
def test_a_line_is_a_turn_of_its_speaker(model, text, expected):
    assert Punctuator.from_pretrained(model, threads=1)(text) == expected
