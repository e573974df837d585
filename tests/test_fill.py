"""Only stretches without marks are restored, all other words stay as they are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_survival import drawn_punctuator

from asr_punct.glyphs import write_word
from asr_punct.inference.fill import MIN_INNER_STRETCH, MIN_STRETCH
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, annotate, split_words, utterances_of_text

BARE = "ana mira la casa y eitb"


@pytest.fixture(scope="module")
def punctuator():
    """A punctuator with random probabilities and a casing list."""
    return drawn_punctuator()


def words(count):
    return " ".join((BARE.split() * count)[:count])


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        (f"Hola. {words(MIN_STRETCH)} Ya.", MIN_STRETCH),
        (f"Hola. {words(MIN_STRETCH - 1)} Ya.", 0),
        (f"Hola. {words(MIN_STRETCH)} la. Ya.", MIN_STRETCH),
        (f"Hola, {words(MIN_STRETCH)} Ya.", 0),
        (f"Hola {words(MIN_INNER_STRETCH)} Ya.", MIN_INNER_STRETCH),
        (f"Hola {words(MIN_INNER_STRETCH - 1)} Ya.", 0),
        (f"Hola, {words(MIN_STRETCH)}", MIN_STRETCH),
        (f"Hola. {words(10)} [noise] (la {words(9)} Ya.", MIN_STRETCH),
        (f"Hola. {words(10)}\n{words(10)}\nYa.", MIN_STRETCH),
        (f"Hola. {words(10)}\n\n{words(10)}\nYa.", 0),
        (words(MIN_STRETCH), MIN_STRETCH),
        (words(MIN_STRETCH - 1), 0),
        ("eitb. la 'casa' mira", 0),
    ],
)
def test_stretches(punctuator, text, filled):
    """Words outside all stretches are written as they are, also those of the casing list."""
    restored = punctuator.restore(utterances_of_text(text), fill=True)
    words = [word for utterance in restored for word in utterance.words]
    kept = [word for word in words if word.labels.as_is]
    assert len(words) - len(kept) == filled
    assert all(write_word(word.text, word.labels, punctuator.glyphs) == word.text for word in kept)


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from([*BARE.split(), "Ana", "hola,", "¿qué", "[noise]", "-", "3", "%", "«la»"]), max_size=60)
)
def test_nothing_or_all_of_a_word_without_marks_is_restored(punctuator, tokens):
    (filled,) = punctuator.restore([Utterance(split_words(" ".join(tokens)))], fill=True)
    outside = [word for word in filled.words if word.labels.as_is]
    assert [word.text for word in filled.words] == tokens
    assert all(write_word(word.text, word.labels, punctuator.glyphs) == word.text for word in outside)
    assert all(token not in ("Ana", "hola,", "¿qué") for token in set(tokens) - {word.text for word in outside})


def test_a_text_without_marks_is_restored_as_ever(punctuator):
    assert punctuator(words(200), fill=True) == punctuator(words(200))


def test_utterances_come_as_soon_as_they_are_known(punctuator):
    """Memory is bounded, also within a long stretch."""
    taken = 0

    def utterances():
        nonlocal taken
        for utterance in utterances_of_text(f"{words(10)}\n" * 5000):
            taken += 1
            yield utterance

    next(punctuator.restore(utterances(), fill=True))
    assert taken < 1000


def test_labels_of_the_input_stay(punctuator):
    labels = Labels(), Labels(case=Case.FIRST_CAP), Labels(frozenset({Mark.COMMA})), Labels()
    (filled,) = punctuator.restore([annotate(Utterance(split_words("la ana mira eitb")), labels=labels)], fill=True)
    assert filled.labels == labels


@pytest.mark.parametrize("option", ["--ignore-labels", "--lowercase"])
@pytest.mark.parametrize("command", ["punctuate", "batch -o out"])
def test_the_command_line(run, model, tmp_path, command, option):
    source = tmp_path / "a.txt"
    source.write_text(f"eitb. Hola.\n\n{words(30)}\n")
    command = *command.split(), "--model", model, source, "--fill"
    message = f"asr-punct: found --fill and {option}, expected one of them\n"
    assert run(*command, option) == (2, "", message)
    if command[0] == "punctuate":
        status, text, _ = run(*command)
        assert (status, text.split("\n")[0]) == (0, "eitb. Hola.")
        assert text.split("\n")[2] != words(30)
