"""Words and utterances as values, and the pipeline from words to words with marks."""

import pickle
from dataclasses import FrozenInstanceError, replace

import pytest
from dummies import LABELLED, file

from asr_punct.formats.source import Source
from asr_punct.glyphs import glyphs
from asr_punct.marks import Labels, Mark
from asr_punct.restoring import CAPITALS_STAY, LABELS_STAY, PipelineOptions, prepare_words, restore_file
from asr_punct.text.bare import bare
from asr_punct.words import Utterance, Word, split_words, text_of_utterance, utterances_of_text


def test_a_word_is_a_frozen_value():
    word = Word("hola", 0.5, end=1.0, origin="line 1")
    assert word == Word("hola", 0.5, 1.0)  # its origin does not count
    assert hash(word) == hash(Word("hola", 0.5, 1.0))
    assert pickle.loads(pickle.dumps(word)) == word
    assert replace(word, text="adiós") == Word("adiós", 0.5, 1.0)
    with pytest.raises(FrozenInstanceError):
        word.text = "adiós"


def test_a_text_is_utterances_and_back():
    text = "Hola, Ana.\n¿Qué?\n\nUna casa."
    utterances = list(utterances_of_text(text, "es"))
    assert [(u.id, u.document, len(u.words)) for u in utterances] == [
        ("1", "1", 2),
        ("2", "1", 1),
        ("3", "1", 0),
        ("4", "2", 2),
    ]
    assert {u.language for u in utterances} == {"es"}
    assert "\n".join(text_of_utterance(u, glyphs("es")) for u in utterances) == text


def test_bare_words_are_those_of_a_recogniser():
    words = (Word("Hola", 1.0, 2.0, labels=Labels(frozenset({Mark.COMMA})), probabilities={}), Word("<UNK>"))
    assert bare(Utterance(words, id="a")) == Utterance((Word("hola", 1.0, 2.0), Word("<UNK>")), id="a")


CAPITALS = Utterance(split_words("ANA MIRA LA CASA"))


@pytest.mark.parametrize(
    ("utterance", "options", "hints"),
    [
        (CAPITALS, {}, [CAPITALS_STAY]),
        (CAPITALS, {"lowercase": True}, []),
        (LABELLED, {}, [LABELS_STAY]),
        (LABELLED, {"ignore_labels": True}, []),
    ],
)
def test_hints_are_about_what_stays(punctuator, utterance, options, hints):
    found = []
    prepared = list(prepare_words([utterance], punctuator, PipelineOptions(**options), found.append))
    assert found == hints
    assert prepared == ([utterance] if hints else [bare(utterance)])
    assert list(prepare_words([utterance], punctuator, PipelineOptions(**options))) == prepared


def test_a_file_is_restored_into_a_new_folder(punctuator, tmp_path):
    source = file(tmp_path, "a.txt", "ana mira la casa\n\n")
    output = tmp_path / "new" / "a.srt"
    with pytest.raises(ValueError, match="without times"):
        restore_file(Source(source), output, punctuator, PipelineOptions(), make_folder=True)
    output = tmp_path / "new" / "a.txt"
    assert restore_file(Source(source), output, punctuator, PipelineOptions(), make_folder=True).words == 4
    assert output.read_text() == "Ana, mira la casa.\n\n"
