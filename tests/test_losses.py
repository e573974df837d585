"""The loss of a batch and the perplexity of the development set, against literal loops."""

import dataclasses
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")

from dummies import tiny_config  # noqa: E402

from asr_punct.config import HeadConfig  # noqa: E402
from asr_punct.marks import MARKS, parse_marks  # noqa: E402
from asr_punct.model.encoder import new_encoder  # noqa: E402
from asr_punct.model.tagger import TaggerOutput, build_tagger  # noqa: E402
from asr_punct.training.batches import Batch  # noqa: E402
from asr_punct.training.lightning_module import DEV_PERPLEXITY, PunctuationModule  # noqa: E402

WORDS = 40
CLASSES = ("O", *MARKS, "PERIOD+QUOTE", "COMMA+QUESTION")


def module_of(kind):
    config = tiny_config()
    heads = HeadConfig(kind=kind, classes=CLASSES if kind == "classes" else ())
    model = dataclasses.replace(config.model, heads=heads)
    return PunctuationModule(build_tagger(model, new_encoder(model.encoder, 60, 0)), config.training, 1)


def marks_loss(logits, marks):
    """Binary cross-entropy of each mark."""
    return sum(math.log1p(math.exp(-x if mark in marks else x)) for x, mark in zip(logits, MARKS, strict=True))


def class_loss(logits, marks):
    """Cross-entropy of the class."""
    right = next(x for x, name in zip(logits, CLASSES, strict=True) if parse_marks(name) == marks)
    return math.log(sum(map(math.exp, logits))) - right


@pytest.mark.parametrize(
    ("kind", "outputs", "literal"), [("multilabel", len(MARKS), marks_loss), ("classes", len(CLASSES), class_loss)]
)
def test_the_loss_and_the_perplexity(kind, outputs, literal):
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(rng.normal(size=(WORDS, outputs)))
    sets = [parse_marks(CLASSES[number]) for number in rng.integers(0, len(CLASSES), WORDS)]
    marks = torch.tensor([[float(mark in found) for mark in MARKS] for found in sets]).view(2, WORDS // 2, -1)
    label_mask = torch.arange(WORDS).view(2, -1) % 3 > 0
    cases = torch.zeros(2, WORDS // 2, dtype=torch.long)
    given = logits.float().view(2, WORDS // 2, -1)
    output = TaggerOutput(given[..., :13], torch.zeros(*cases.shape, 3), given, given.softmax(dim=-1))
    batch = Batch({"word_index": torch.ones_like(cases)}, marks, cases, label_mask, windows=2)
    losses = [literal(logits[i].tolist(), sets[i]) for i in range(WORDS) if label_mask.view(-1)[i]]
    mean = sum(losses) / len(losses)
    module = module_of(kind)
    assert float(module.loss(output, batch)) == pytest.approx(mean + math.log(3), rel=1e-5)  # the case logits are 0
    module.model.forward = lambda **_: output
    module.validation_step(batch, 0)
    assert module.scores()[DEV_PERPLEXITY] == pytest.approx(math.exp(mean), rel=1e-5)
