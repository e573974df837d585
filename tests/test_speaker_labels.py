"""Names of speakers at the starts of lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct import Punctuator
from asr_punct.hub import shipped_models
from asr_punct.inference.speaker_labels import LINES, with_speakers
from asr_punct.words import utterances_of_text

LANGUAGE = "es+eu"
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
        ("Bueno: vamos allá\nsí\nBueno: ya está", ["", "", ""]),
        ("Dijo Ana: ven\ny se fue\nDijo Ana: vete", ["", "", ""]),
        ("Pero: ven\nEntonces Ana: vete\nPero: no\nEntonces Ana: ya", ["", "", "", ""]),
        ("Ana y Jon: hola\nA: sí\nAna y Jon: no\nA: no", ["Ana y Jon 3", "A 1", "Ana y Jon 3", "A 1"]),
        ("El médico: hola\nvale\nEl médico: sí", ["El médico 2", "", "El médico 2"]),
        ("El problema: nadie\nEl problema: caro", ["", ""]),
        ("The question: who\nThe answer: nobody", ["", ""]),
        ("Pregunta: quién\nRespuesta: nadie", ["Pregunta 1", "Respuesta 1"]),
        ("Ana: hola", ["Ana 1"]),
        ("María José: hola", ["María José 2"]),
        ("Importante: hola", [""]),
        ("Querida Ana: hola", [""]),
        ("Mi idea de esto: nada", [""]),
        ("Mi casa: nada", [""]),
        ("", [""]),
    ],
)
def test_names(text, expected):
    found = [f"{name} {words}" if name else "" for _, name, words in with_speakers(utterances_of_text(text), LANGUAGE)]
    assert found == expected


def test_an_article_may_begin_a_name():
    found = [
        name for _, name, _ in with_speakers(utterances_of_text("THE COURT: yes\nSo: no\nTHE COURT: so\nSo: no"), "en")
    ]
    assert found == ["THE COURT", "", "THE COURT", ""]


def test_a_name_that_comes_again_late_is_one_the_second_time():
    text = "\n".join(["Ana: hola", *["vale"] * (LINES + 1), "Ana: no"])
    names = [name for _, name, _ in with_speakers(utterances_of_text(text), LANGUAGE)]
    assert names == [""] * (LINES + 2) + ["Ana"]


@pytest.mark.parametrize(("line", "read"), [("vale", 1), ("Speaker 1: hola", 1), ("Ana: hola", 1 + LINES)])
def test_lines_are_read_ahead_only_where_a_new_name_may_be(line, read):
    left = utterances_of_text("\n".join([line] + ["vale"] * 2 * LINES))
    next(with_speakers(left, LANGUAGE))
    assert len(list(left)) == 1 + 2 * LINES - read


@given(st.lists(st.sampled_from(["Ana: hola", "Jon: sí", "vale", "", "Nota: no", "Speaker 1: hi"]), max_size=3 * LINES))
def test_all_utterances_come_in_order(lines):
    utterances = list(utterances_of_text("\n".join(lines)))
    assert [utterance for utterance, _, _ in with_speakers(utterances, LANGUAGE)] == utterances


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
