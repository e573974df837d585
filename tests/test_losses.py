"""Losses, sequential labels and pre-training of the papers, against a few lines of numpy."""

import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from dummies import refused, tiny_config
from pretrain_electra import area_under_curve
from pretrain_electra import main as pretrain

from asr_punct.config import HeadConfig, LossConfig
from asr_punct.errors import ConfigError
from asr_punct.marks import MARKS, Mark, parse_marks
from asr_punct.model.heads import CaseHead, ClassHead, MultiLabelHead
from asr_punct.model.pretrained import pretrained_encoder, pretrained_tokenizer
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.loss import build_loss
from asr_punct.training.mapped import Corpora

CLASSES = ("O", "COMMA", "PERIOD")
SETS = Counter({frozenset(): 70, frozenset({Mark.COMMA}): 20, frozenset({Mark.PERIOD, Mark.COMMA}): 10})
HEAD = ClassHead(HeadConfig(kind="classes", classes=CLASSES), 4, 8)


@given(st.floats(0, 5), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 99))
def test_focal_loss_and_class_weights(gamma, power, seed):
    rng = np.random.default_rng(seed)
    logits, targets = rng.normal(0, 3, (6, 3)), rng.integers(0, 3, 6)
    p = (np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True))[np.arange(6), targets]
    counts = np.array([70, 20, 10])  # a rarer mark names the class of a set
    weights = (counts / 100) ** -power
    weights = weights / (weights * counts / 100).sum()
    loss = build_loss(LossConfig(gamma, power), HEAD, SETS)
    if not (gamma or power):
        assert loss is None
        return
    expected = -(weights[targets] * (1 - p) ** gamma * np.log(p)).sum()
    assert float(loss(torch.tensor(logits), torch.tensor(targets))) == pytest.approx(expected, rel=1e-4, abs=1e-6)


def test_a_loss_of_classes_needs_classes():
    with refused("training.loss", "focal_gamma 2.0", ConfigError):
        build_loss(LossConfig(focal_gamma=2.0), MultiLabelHead(HeadConfig(), 4, 8), SETS)
    with refused("training.loss.class_weight_power", "1.0", ConfigError):
        build_loss(LossConfig(class_weight_power=1.0), HEAD, None)


def test_targets_are_the_class_of_the_rarest_mark():
    names = ("O", "COMMA", "PERIOD", "QUOTE+COMMA")
    marks = torch.tensor([[float(mark in parse_marks(name)) for mark in Mark] for name in names])
    assert HEAD.targets(marks).tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize("activation", ["gelu", "selu"])
def test_the_heads(activation):
    """AutoPunct, section 3.2.3: dense layer, non-linearity, linear layer; case also reads probabilities of marks."""
    config = HeadConfig(kind="classes", classes=CLASSES, hidden=5, activation=activation, case_context="own")
    punctuation, case = ClassHead(config, 4, 8), CaseHead(config, 4)
    vectors, marks = torch.randn(2, 3, 4), torch.randn(2, 3, len(MARKS))

    def layers(head, x):
        first, _, _, last = head.layers
        (w, b), (v, c) = ([p.detach().double().numpy() for p in layer.parameters()] for layer in (first, last))
        x = x @ w.T + b
        if activation == "gelu":
            x = x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2
        else:
            x = 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(x) - 1))
        return x @ v.T + c

    np.testing.assert_allclose(punctuation.eval()(vectors).detach(), layers(punctuation, vectors.numpy()), atol=1e-5)
    inputs = np.concatenate([vectors.numpy(), 1 / (1 + np.exp(-marks.numpy()))], axis=-1)
    np.testing.assert_allclose(case.eval()(vectors, marks).detach(), layers(case, inputs), atol=1e-5)


def batches_of(corpus, **training):
    words = [word.lower() for word in (corpus / "train.tsv").read_text(encoding="utf-8").split()]
    tokenizer = SubwordTokenizer(train_tokenizer(words, 200), 4)
    config = tiny_config(**training)
    return tokenizer, list(PunctuationData(Corpora.open(corpus), tokenizer, config, 64).epoch(0))


def test_sequential_prediction_learns_the_word_in_the_middle_of_each_window(corpus):
    _, made = batches_of(corpus, windows={"kind": "sliding", "label": "middle"})
    for batch in made:
        lengths = (batch.inputs["word_index"] > 0).sum(dim=1)
        assert batch.label_mask.sum(dim=1).tolist() == [1] * len(lengths)
        assert batch.label_mask.int().argmax(dim=1).tolist() == (lengths // 2).tolist()
    _, whole = batches_of(corpus, windows={"kind": "sliding"})
    assert sum(batch.windows for batch in made) == sum(batch.windows for batch in whole)


def test_words_are_replaced_by_any_token_of_the_vocabulary(corpus):
    rates = {"rate": 1.0, "substitution": 1.0, "deletion": 0.0, "replacement": "subword"}
    tokenizer, made = batches_of(corpus, augment=rates)
    found = torch.cat([batch.inputs["input_ids"][batch.inputs["attention_mask"] > 0] for batch in made])
    numbers = torch.bincount(found, minlength=tokenizer.size)
    special = {*tokenizer.special, tokenizer.unknown}
    drawn = [int(number) for token, number in enumerate(numbers) if token not in special]
    assert int(numbers[tokenizer.unknown]) == 0
    assert np.mean(np.array(drawn) > 0) > 0.9  # also tokens that the corpus does not have
    assert max(drawn) < 6 * np.mean(drawn)


@given(st.lists(st.tuples(st.integers(0, 50), st.booleans()), min_size=2, max_size=30, unique_by=lambda pair: pair[0]))
def test_area_under_the_curve(pairs):
    positive, negative = ([score for score, kind in pairs if kind is wanted] for wanted in (True, False))
    expected = np.mean([[p > n for n in negative] for p in positive]) if positive and negative else 0.0
    scores, kinds = (torch.tensor(column) for column in zip(*pairs, strict=True))
    assert area_under_curve(scores.float(), kinds) == pytest.approx(expected)


def test_an_electra_encoder_is_pretrained(corpus, tmp_path):
    (tmp_path / "tiny.yaml").write_text(
        "model: {encoder: {kind: electra, tokenizer: unigram, vocabulary: 120, width: 32, table_width: 16, heads: 4, "
        "layers: 1, feed_forward: 64, max_tokens: 32, dropout: 0.0}}\n"
    )
    pretrain(corpus, tmp_path / "new" / "out", str(tmp_path / "tiny.yaml"), steps=60, batch_size=8, length=24)
    facts = json.loads((tmp_path / "new" / "out" / "pretraining.json").read_text())
    assert facts["masked"][1] > facts["masked"][0]
    assert 0 <= facts["detected"][1] <= 1
    encoder = pretrained_encoder(str(tmp_path / "new" / "out"))
    tokenizer = pretrained_tokenizer(str(tmp_path / "new" / "out"), 16)
    assert (encoder.width, encoder.table.num_embeddings) == (32, tokenizer.size)
