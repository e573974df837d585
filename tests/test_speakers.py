"""Changes of speaker: in training text, in batches, in models that know them and in models that do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_predictor import WORDS, WindowBackend, tokenizer
from training_text.mixture import prepare_mixture
from training_text.sources import Source

from asr_punct.checkpoint import ModelInfo
from asr_punct.config import ModelConfig, WindowConfig
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, TURN_END, TURN_START, turns_as_edges
from asr_punct.formats.lines.tsv import read_tsv, write_tsv
from asr_punct.inference.punctuator import Punctuator
from asr_punct.inference.restorer import Restorer
from asr_punct.words import Utterance, Word

__all__ = ["tokenizer"]


class FlagBackend(WindowBackend):
    """Records the flags of boundaries that it reads."""

    def __init__(self):
        super().__init__(200)
        self.flags = []

    def probabilities(self, features):
        self.flags += features.boundaries[features.word_index > 0].tolist()
        return super().probabilities(features)


def flags_of(tokenizer, turns, *, knows_turns=True):
    """The flags of the words of one document, given the speaker and the words of each utterance."""
    config = ModelConfig(window=WindowConfig(words=16, margin=4), speakers=knows_turns)
    backend = FlagBackend()
    restorer = Restorer.of(ModelInfo(config, {"max_position_embeddings": 60}), tokenizer, backend)
    spoken = [Utterance(tuple(map(Word, text.split())), document="d", speaker=name) for name, text in turns]
    assert [u.speaker for u in Punctuator(restorer).restore(spoken)] == [name for name, _ in turns]
    return backend.flags


@pytest.mark.parametrize(
    ("turns", "flags"),
    [
        ([("A", "ana mira"), ("B", "la casa")], [DOCUMENT_START, TURN_END, TURN_START, DOCUMENT_END]),
        ([("A", "ana mira"), ("A", "la casa")], [DOCUMENT_START, 0, 0, DOCUMENT_END]),
        ([("", "ana mira"), ("B", "la casa")], [DOCUMENT_START, 0, 0, DOCUMENT_END]),
        ([("A", "ana"), ("", "mira"), ("B", "la")], [DOCUMENT_START, TURN_END, TURN_START | DOCUMENT_END]),
        ([("A", "ana"), ("B", ""), ("B", "«"), ("A", "la")], [DOCUMENT_START, DOCUMENT_END]),
        ([("A", "ana"), ("B", "y"), ("A", "la")], [1 | TURN_END, TURN_START | TURN_END, TURN_START | DOCUMENT_END]),
    ],
)
def test_words_beside_a_change_of_speaker_have_flags(tokenizer, turns, flags):
    assert flags_of(tokenizer, turns) == flags
    assert flags_of(tokenizer, turns, knows_turns=False) == [turns_as_edges(flag) for flag in flags]


def test_words_name_their_speakers(tokenizer):
    config = ModelConfig(window=WindowConfig(words=16, margin=4), speakers=True)
    backend = FlagBackend()
    punctuator = Punctuator(Restorer.of(ModelInfo(config, {"max_position_embeddings": 60}), tokenizer, backend))
    words = Word("ana"), Word("mira", speaker="B"), Word("la", speaker="B"), Word("casa", speaker="A")
    (found,) = punctuator.restore([Utterance(words, speaker="A")])
    assert [word.speaker for word in found.words] == ["", "B", "B", "A"]
    flags = [DOCUMENT_START | TURN_END, TURN_START, TURN_END, TURN_START | DOCUMENT_END]
    assert backend.flags == flags
    backend.flags = []
    stream = punctuator.stream(right=9)
    stream.push(Word("ana", speaker="A"), *words[1:])
    stream.flush()
    assert backend.flags[-4:] == flags


@given(st.lists(st.sampled_from(WORDS[:5]), min_size=1, max_size=30), st.sampled_from(["", "A"]))
def test_one_speaker_or_none_is_a_document_without_turns(tokenizer, words, name):
    text = [(name, " ".join(words))]
    assert {*flags_of(tokenizer, text * 2)} <= {0, DOCUMENT_START, DOCUMENT_END}


def test_the_mixture_has_the_speakers_of_its_texts(tmp_path):
    (tmp_path / "talk.txt").write_text("Who is it?\nAna?\n\nIt is me.\n\nCome in.\n" * 40, encoding="utf-8")
    (tmp_path / "pairs.txt").write_text("¿Quién es?\nSoy yo.\n" * 40, encoding="utf-8")
    sources = [Source("talk", "en", "speakers", 1, 0, "CC0"), Source("pairs", "es", "alone", 1, 0, "CC0")]
    prepare_mixture(tmp_path, sources, tmp_path / "out")
    documents = {}
    for utterance in read_tsv(tmp_path / "out" / "train.tsv"):
        documents.setdefault(utterance.document, []).append(utterance)
    talks = [[u.speaker for u in each] for name, each in documents.items() if name.startswith("talk")]
    assert {name for talk in talks for name in talk} == {"speaker1", "speaker2"}
    assert any(len({*talk}) == 2 for talk in talks)
    pairs = {tuple(u.speaker for u in each) for name, each in documents.items() if name.startswith("pairs")}
    assert {("",), ("speaker1", "speaker2")} <= pairs


@pytest.fixture
def corpus_of_turns(tmp_path, tokenizer):
    mapped = pytest.importorskip("asr_punct.training.mapped")
    turns = [("A", "d"), ("B", "d"), ("B", "d"), ("", "d"), ("A", "d"), ("B", "e")]
    with (tmp_path / "train.tsv").open("w", encoding="utf-8") as out:
        said = (Word("ana"), Word("mira"))
        write_tsv((Utterance(said, speaker=name, document=document) for name, document in turns), out)
    assert [(u.speaker, u.document) for u in read_tsv(tmp_path / "train.tsv")] == turns
    return mapped.StoredCorpus.open(tmp_path / "train.tsv").encode(tokenizer)


def test_a_corpus_has_flags_of_turns(corpus_of_turns):
    assert corpus_of_turns.boundaries.tolist() == [1, TURN_END, TURN_START, 0, 0, 0, 0, 0, 0, 2, 1, 2]
    assert corpus_of_turns.without_turns().boundaries.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2]


def test_copies_of_a_word_are_one_turn(corpus_of_turns):
    copies = corpus_of_turns.windows(np.array([[0, 4]])).repeat(np.array([1, 3, 2, 1]))
    assert copies.boundaries.tolist() == [1, 0, 0, TURN_END, TURN_START, 0, 0]
