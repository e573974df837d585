"""Where marks of sentences are added and where not, by the decoders of documents and of streams."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pair_rules import table

from asr_punct.decode import Decoder, DecodeSettings
from asr_punct.decode.inputs import WordFlag, given_flags
from asr_punct.decode.online import OnlineDecoder
from asr_punct.glyphs import glyphs, write_text
from asr_punct.marks import CASES, MARKS, Mark

OPENED = WordFlag.QUOTED | WordFlag.OPENS | given_flags({Mark.OPEN_QUOTE})
CLOSED = WordFlag.QUOTED | WordFlag.CLOSES | given_flags({Mark.QUOTE})
OPENED_BRACKET, CLOSED_BRACKET = (WordFlag.QUOTED | edge for edge in (WordFlag.OPENS, WordFlag.CLOSES))
FUNCTION, QUOTED, HESITATION = WordFlag.NEVER_NAME, WordFlag.QUOTED, WordFlag.HESITATION
LIKELY, POSSIBLE, UNLIKELY = 0.95, 0.3, 0.02
SURE = dict.fromkeys(("OPEN_QUES", "QUESTION"), LIKELY)
SPEECH = {"OPEN_QUOTE": 0.7}, {"PERIOD": LIKELY}, {"PERIOD": LIKELY}, {"QUOTE": 0.7, "PERIOD": LIKELY}


def arrays(rows, flags):
    flags = np.array([flags.get(i, 0) for i in range(len(rows))], dtype=np.uint32)
    return table(rows), np.tile(np.array([0.8, 0.2, 0.0], np.float32), (len(rows), 1)), flags


def labels_of(texts, rows, flags, language, right):
    """Labels of a document, or of a stream with `right` words of look-ahead."""
    parameters = DecodeSettings(sentence_capitals=True, language=language)
    document = arrays(rows, flags)
    if right is None:
        return Decoder(parameters).push(*document, True, tuple(texts))
    decoder, result = OnlineDecoder(parameters), []
    for word in range(len(texts)):
        seen = slice(word, word + right + 1)
        part = (array[seen] for array in document)
        result += decoder.commit(*part, word >= len(texts) - right, texts=tuple(texts[seen]))[0]
    return result


def written(text, rows, flags=None, language="es+eu", right=None):
    texts = text.split()
    rows = [*rows, *[{}] * (len(texts) - len(rows))]
    return write_text(texts, labels_of(texts, rows, flags or {}, language, right), glyphs(language))


@pytest.mark.parametrize("right", [None, 3, 9])
@pytest.mark.parametrize(
    ("text", "rows", "flags", "expected"),
    [
        ("kevin vienes", [{"COMMA": POSSIBLE}, SURE], {}, "kevin, ¿vienes?"),
        ("y vienes", [{}, SURE], {0: FUNCTION}, "y ¿vienes?"),
        (
            "me pregunto si vendrás",
            [{"OPEN_QUES": POSSIBLE}, {}, {"OPEN_QUES": 0.6}, {"OPEN_QUES": 0.6, "QUESTION": LIKELY}],
            {},
            "¿me pregunto si vendrás?",
        ),
        ("a cuál es", [{"PERIOD": 0.01}, SURE, {"QUESTION": LIKELY}], {}, "a, ¿cuál es?"),  # of a list
        ("me pregunto", [{"OPEN_QUES": POSSIBLE}, {"QUESTION": LIKELY}], {}, "¿me pregunto?"),
        ("buenos días señora ana", [{}, {}, {}, {"EXCLAMATION": 0.95}], {}, "buenos días señora ana."),
        ("hola buenos días", [{"OPEN_EXCL": POSSIBLE}, {}, {"EXCLAMATION": 0.9}], {}, "¡hola buenos días!"),
        ("kaixo zer moduz", [{"OPEN_QUES": LIKELY}, {}, {"QUESTION": 0.6}], {}, "kaixo zer moduz?"),
        ("kaixo", [{"OPEN_EXCL": LIKELY, "EXCLAMATION": 0.6}], {}, "kaixo!"),
        ("etorri hona berehala", [{}, {}, {"PERIOD": 0.55, "EXCLAMATION": 0.7}], {}, "etorri hona berehala!"),
        ("etorri hona berehala", [{}, {}, {"QUESTION": 0.7, "EXCLAMATION": 0.6}], {}, "etorri hona berehala?"),
        ("hola vale", [{"OPEN_EXCL": LIKELY, "EXCLAMATION": LIKELY}], {}, "¡hola! Vale."),
        ("dijo ven", [{"COLON": LIKELY}, {"OPEN_DASH": LIKELY}], {}, "dijo: ven."),
        ("él dijo ven", [{}, {"COMMA": LIKELY, "DASH": LIKELY}], {}, "él dijo, ven."),
        ("hola ana", [{}, {"OPEN_DASH": LIKELY}], {0: QUOTED}, "hola ana."),
        ("digo que ya", [{}, {"PERIOD": LIKELY, "DASH": LIKELY}], {1: WordFlag.TURN_ENDS}, "digo que – ya."),
        ("eh no sé", [SURE], {0: HESITATION}, "Eh, no sé."),
        ("yo eh no sé", [{}, SURE], {0: FUNCTION, 1: HESITATION}, "yo, eh, no sé."),
        ("es así eh", [{}, {"COMMA": LIKELY}, SURE], {2: HESITATION}, "es así, ¿eh?"),
    ],
)
def test_marks_have_their_place_in_a_sentence(text, rows, flags, expected, right):
    assert written(text, rows, flags, right=right) == expected


@pytest.mark.parametrize(("flag", "case"), [(HESITATION, 1), (WordFlag(0), 0)])
def test_a_hesitation_that_begins_a_sentence_has_a_capital(flag, case):
    marks, cases, flags = arrays([{"PERIOD": LIKELY}, {}, {}], {1: flag})
    cases[:] = [0.98, 0.02, 0.0]
    labels = Decoder(DecodeSettings(sentence_capitals=True)).push(marks, cases, flags, True)
    assert labels[1].case == CASES[case]


def test_a_hesitation_in_capitals_is_a_name():
    """`EH Bildu` gets no commas."""
    rows, cases, flags = arrays([{}, {}, {}], {0: FUNCTION, 1: HESITATION})
    cases[1] = [0.1, 0.2, 0.7]
    labels = Decoder(DecodeSettings(language="es+eu")).push(rows, cases, flags, True, ("con", "eh", "bildu"))
    assert write_text(["con", "eh", "bildu"], labels, glyphs("es")) == "con EH bildu"


TURN = WordFlag.TURN_ENDS


@pytest.mark.parametrize("right", [None, 3])
@pytest.mark.parametrize(
    ("before", "expected"), [(FUNCTION, "with hmm models."), (FUNCTION | WordFlag.CASE_FIXED, "with, hmm, models.")]
)
def test_a_hesitation_with_a_given_capital_after_a_word_in_lower_case_is_a_name(before, expected, right):
    flags = {0: before, 1: HESITATION | WordFlag.CASE_FIXED}
    assert written("with hmm models", [], flags, "en", right) == expected


ASKED = {"OPEN_QUES": LIKELY}, {"QUESTION": LIKELY}


@pytest.mark.parametrize("right", [None, 3, 9])
@pytest.mark.parametrize(
    ("language", "text", "rows", "flags", "expected"),
    [
        ("es", "quién es preguntó ella", [], {0: OPENED, 1: CLOSED}, "¿quién es?, preguntó ella."),
        ("en", "who is it she asked", [], {0: OPENED, 2: CLOSED}, "who is it? she asked."),
        ("en", "stop she asked", [{"EXCLAMATION": LIKELY}], {0: OPENED | CLOSED}, "stop! she asked."),
        ("es", "ven dijo ana", [{"PERIOD": LIKELY}], {0: OPENED | CLOSED}, "ven, dijo ana."),
        ("es", "él dijo ven", [{}, {"PERIOD": LIKELY, "COLON": POSSIBLE}], {2: OPENED | CLOSED}, "él dijo: ven."),
        ("es", "él dijo ven ya", [{}, {"COLON": POSSIBLE}], {2: OPENED, 3: CLOSED}, "él dijo: Ven ya."),
        ("es", "preguntó vienes", [], {1: OPENED | CLOSED}, "preguntó: ¿vienes?."),
        ("es", "dijo no y se fue", [{}, {"PERIOD": LIKELY}], {1: OPENED | CLOSED}, "dijo: no y se fue."),
        ("en", "he said no", [], {2: OPENED | CLOSED}, "he said, no."),
        ("es", "ven dijo ana", [], {0: OPENED | CLOSED | TURN}, "ven dijo ana."),
        ("es", "preguntó vienes sí", [{}, {"PERIOD": LIKELY}], {1: OPENED | CLOSED | TURN}, "preguntó: ¿vienes?. Sí."),
        ("es", "no dijo él ven", [{}, {}, {"DASH": LIKELY}], {0: OPENED | CLOSED, 3: OPENED}, "no, dijo él, ven."),
        ("es", "vino ana y se fue", [{}, *ASKED], {1: OPENED_BRACKET | CLOSED_BRACKET}, "vino ana y se fue."),
        ("es", "a ver vino ana", [ASKED[0], {}, {}, ASKED[1]], {1: OPENED, 2: CLOSED}, "¿a ver vino ana?"),
        ("es", "a ver vino ana", [{}, ASKED[0], {}, ASKED[1]], {1: OPENED, 2: CLOSED}, "a ver vino ana."),
    ],
)
def test_marks_beside_quotations_of_the_input(language, text, rows, flags, expected, right):
    assert written(text, rows, flags, language, right) == expected


@pytest.mark.parametrize("right", [None, 1, 9])
@pytest.mark.parametrize("end", [WordFlag.TURN_ENDS, WordFlag.MUST_END | WordFlag.TURN_ENDS])
@pytest.mark.parametrize(
    ("text", "last"), [("él dijo ven ya", 1), ("ella dijo me ven ya", 1), ("ven y dijo ven ya", 2)]
)
def test_a_clause_of_another_turn_introduces_no_quotation(text, last, end, right):
    words = text.split()
    flags = {last: end, len(words) - 2: OPENED, len(words) - 1: CLOSED}
    rows = [*({} for _ in range(last)), {"PERIOD": LIKELY}]
    expected = " ".join(words[: last + 1]) + ". " + " ".join(words[last + 1 :]).capitalize() + "."
    assert written(text, rows, flags, "es", right) == expected


def test_a_quotation_ends_in_its_sentence_or_is_none_unless_it_is_likely():
    unlikely = [{"OPEN_QUOTE": POSSIBLE}, *SPEECH[1:3], {"QUOTE": POSSIBLE, "PERIOD": LIKELY}]
    assert written("a b c d", SPEECH) == "«a b. C. D»."
    assert written("a b c d", unlikely) == "a b. C. D."
    assert written("a b", [{"OPEN_QUOTE": POSSIBLE}, {"QUOTE": 0.9}]) == "«a b»."


def test_a_stream_ends_a_quotation_that_it_began_at_the_end_of_the_sentence():
    assert written("a b c d e f", [SPEECH[0], {}, {}, SPEECH[1]], right=1) == "«a b c d». E f."


def test_a_stream_opens_no_question_after_its_first_words_are_output():
    """If it cannot be taken back that a sentence began without ¿, it ends without ? too."""
    rows = [{"OPEN_QUES": UNLIKELY}, {}, {}, {}, {"OPEN_QUES": POSSIBLE}, {"QUESTION": LIKELY}]
    assert written("sabes dónde vive la nueva alcaldesa", rows, right=1) == "sabes dónde vive la nueva alcaldesa."
    given = {5: WordFlag.RIGHT_TAKEN | WordFlag.MUST_OPEN | given_flags({Mark.QUESTION})}
    assert written("sabes dónde vive la nueva alcaldesa", rows, given, right=1) == "sabes dónde vive la nueva alcaldesa"
    assert written("sabes dónde vive la nueva alcaldesa", rows, given) == "¿sabes dónde vive la nueva alcaldesa"


def test_american_english_has_no_period_beside_a_question_mark_in_quotation_marks():
    rows = [{"OPEN_QUOTE": LIKELY}, {"QUESTION": 0.99, "QUOTE": LIKELY, "PERIOD": 0.9, "COMMA": 0.9}]
    assert written("say what", rows, language="en") == "“say what?”"
    assert written("di qué", [SURE | rows[0], rows[1]], language="es") == "«¿di qué?»."


@pytest.mark.parametrize(("gap", "is_dense"), [(15, True), (30, False)])
@pytest.mark.parametrize("given_mark", ["COMMA", "PERIOD"])
@pytest.mark.parametrize(("added", "probability"), [("COMMA", 0.7), ("PERIOD", 0.9)])
def test_a_text_with_dense_marks_of_a_kind_needs_no_further_ones_between_them(
    added, probability, given_mark, gap, is_dense
):
    places = [*range(0, 200, 5), 195 + gap]
    flags = dict.fromkeys(places, WordFlag.RIGHT_TAKEN | given_flags({Mark(given_mark)}))
    rows = [{added: probability} if word == 195 + gap // 2 else {} for word in range(250)]
    labels = labels_of(["a"] * 250, rows, flags, "es", None)
    assert bool(labels[195 + gap // 2].marks) == (given_mark != added or not is_dense)


@pytest.mark.parametrize("right", [None, 9])
@pytest.mark.parametrize(("possible", "expected"), [(POSSIBLE, "hola, ¿me oyes? Sí."), (UNLIKELY, "hola me oyes. Sí.")])
def test_a_turn_before_yes_or_no_is_a_question_if_it_may_be_one(possible, expected, right):
    turn = WordFlag.MUST_END | WordFlag.TURN_ENDS | WordFlag.ANSWERED
    rows = [{"COMMA": possible}, {"OPEN_QUES": possible}, {"QUESTION": possible, "PERIOD": LIKELY}]
    assert written("hola me oyes sí", rows, {2: turn}, "es", right) == expected


@settings(max_examples=40)
@given(
    st.integers(0, 10_000), st.sampled_from(["hola ana cómo estás", "kaixo ane zer moduz"]), st.sampled_from([None, 2])
)
def test_spanish_questions_are_whole_and_basque_ones_have_no_opening_mark(seed, text, right):
    texts = text.split() * 5
    draws = np.random.default_rng(seed).uniform(0, 1, (len(texts), len(MARKS))) ** 3
    rows = [dict(zip(MARKS, row, strict=True)) for row in draws.tolist()]
    labels = labels_of(texts, rows, {}, "es+eu", right)
    for opening, closing in ((Mark.OPEN_QUES, Mark.QUESTION), (Mark.OPEN_EXCL, Mark.EXCLAMATION)):
        placed = [mark for label in labels for mark in (opening, closing) if mark in label.marks]
        if text.startswith("kaixo"):
            assert opening not in placed
        else:
            assert placed == [opening, closing] * (len(placed) // 2)
