"""The tagger and its parts, on tiny random encoders."""

import dataclasses
from typing import get_args, get_type_hints

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dummies import refused, tiny_config
from model_dummies import inputs, window
from safetensors.torch import save_file

from asr_punct.checkpoint import ModelInfo
from asr_punct.config import ContextConfig, EncoderConfig, HeadConfig, PauseConfig
from asr_punct.errors import ConfigError, ModelError
from asr_punct.features import DOCUMENT_START, WordInput
from asr_punct.model.context import CONTEXTS, build_context
from asr_punct.model.encoder import ENCODERS, new_encoder
from asr_punct.model.fusion import FUSIONS, ContinuousPauses, LatePauses
from asr_punct.model.heads import HEADS, CaseHead
from asr_punct.model.tagger import Tagger
from asr_punct.model.weights import dequantised, load_tagger, quantised
from asr_punct.pauses import UNKNOWN_PAUSE

CONFIG = tiny_config().model


def variant(pauses="discrete-gaussian", context="transformer", **heads):
    return dataclasses.replace(
        CONFIG,
        pauses=PauseConfig(kind=pauses),
        context=dataclasses.replace(CONFIG.context, kind=context),
        heads=HeadConfig(**heads),
    )


def tagger(config=CONFIG, seed=0):
    torch.manual_seed(seed)
    return Tagger(config, new_encoder(config.encoder, 60, 0)).eval()


@pytest.mark.parametrize("case_vectors", ["encoder", "context"])
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("pauses", FUSIONS)
def test_every_combination_of_parts(pauses, context, case_vectors):
    """Shapes; independence of padding; pauses change the output only if they are fused; folding does not change it."""
    model = tagger(variant(pauses, context, case_vectors=case_vectors))
    rng = np.random.default_rng(0)
    short, long = window(rng, 5), window(rng, 9)
    output, alone = model(**inputs([short, long])), model(**inputs([short]))
    assert (output.mark_logits.shape, output.case_logits.shape) == ((2, 9, 13), (2, 9, 3))
    torch.testing.assert_close(alone.mark_logits[0], output.mark_logits[0, :5], atol=1e-5, rtol=0)
    torch.testing.assert_close(alone.case_logits[0], output.case_logits[0, :5], atol=1e-5, rtol=0)
    other = model(**inputs([[dataclasses.replace(word, pause=80) for word in short]]))
    assert torch.equal(alone.mark_logits, other.mark_logits) == (pauses == "none")
    folded = model.fold()
    torch.testing.assert_close(folded(**inputs([short])).mark_logits, alone.mark_logits, atol=1e-6, rtol=0)
    assert not any("smoothing" in name for name, _ in folded.named_buffers())


TABLES = [(EncoderConfig, ENCODERS), (PauseConfig, FUSIONS), (ContextConfig, CONTEXTS), (HeadConfig, HEADS)]


@pytest.mark.parametrize(("config", "table"), TABLES)
def test_every_kind_of_a_configuration_is_in_the_table_of_its_classes(config, table):
    assert set(get_args(get_type_hints(config)["kind"])) == table.keys()


@pytest.mark.parametrize("kind", ["uniform", "gaussian"])
def test_the_smoothed_table_is_a_mean_over_neighbours(kind):
    """AutoPunct, section 3.2.1, as a loop over a window of one second."""
    fusion = FUSIONS[f"discrete-{kind}"](PauseConfig(), 8)
    embedding = fusion.embedding.detach().double()
    for bucket in [0, 1, 49, 50, 51, 500, 949, 950, 999]:
        total, weights = torch.zeros(8, dtype=torch.double), 0.0
        for neighbour in range(max(0, bucket - 50), min(1000, bucket + 51)):
            distance = (neighbour - bucket) * 0.01
            weight = np.exp(-0.5 * (distance / (1 / 6)) ** 2) if kind == "gaussian" else 1.0
            total += weight * embedding[neighbour]
            weights += weight
        assert torch.allclose(fusion.table()[bucket].double(), total / weights, atol=1e-6)
    assert torch.equal(fusion.table()[UNKNOWN_PAUSE], fusion.embedding[UNKNOWN_PAUSE])


def test_continuous_pauses_are_added_in_seconds():
    fusion = ContinuousPauses(PauseConfig(), 4)
    torch.nn.init.constant_(fusion.unknown, 7.0)
    added = fusion(torch.zeros(1, 3, 4), torch.tensor([[25, 999, UNKNOWN_PAUSE]]))
    assert torch.allclose(added[0], torch.tensor([[0.25] * 4, [9.99] * 4, [7.0] * 4]))


def test_late_pauses_are_read_in_seconds_with_a_flag():
    torch.manual_seed(0)
    module = LatePauses(PauseConfig(), 6)
    vectors, pauses = torch.randn(1, 4, 6), torch.tensor([[0, 25, UNKNOWN_PAUSE, 100]])
    read = torch.cat([vectors, torch.tensor([[[0.0, 0], [0.25, 0], [0, 1], [1.0, 0]]])], dim=-1)
    assert torch.equal(module(vectors, pauses), module.recurrent(read)[0])


def test_a_word_is_its_last_subword_and_a_boundary_vector():
    torch.manual_seed(0)
    encoder = new_encoder(CONFIG.encoder, 60, 0).eval()
    torch.nn.init.constant_(encoder.boundary.weight[DOCUMENT_START], 1.0)
    batch = inputs([[WordInput((5, 6, 7), 0, DOCUMENT_START), WordInput((8,), 0)]])
    states = encoder.encoder(batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state
    names = ("input_ids", "attention_mask", "word_index", "boundaries")
    words = encoder(*(batch[name] for name in names)).words
    torch.testing.assert_close(words[0], states[0, [3, 4]] + torch.tensor([[1.0], [0.0]]))


@pytest.mark.parametrize(("case_context", "reach"), [("previous", [2, 3]), ("own", [2])])
def test_the_case_head_reads_punctuation_probabilities(case_context, reach):
    torch.manual_seed(0)
    head = CaseHead(HeadConfig(case_context=case_context), 8).eval()
    vectors, logits = torch.randn(1, 6, 8), torch.randn(1, 6, 13)
    other = logits.clone()
    other[0, 2] += 3.0
    changed = (head(vectors, logits) - head(vectors, other)).abs().sum(dim=-1)[0] > 1e-7
    assert changed.nonzero().flatten().tolist() == reach


@pytest.mark.parametrize(
    ("kind", "multiple", "width"),
    [("bert", 4, 30), ("transformer", 8, 28), ("convolution", 8, 28), ("attention", 4, 30)],
)
def test_heads_must_divide_the_width_and_with_rotary_positions_half_of_it(kind, multiple, width):
    with refused("model.context.heads", f"width {width}", ConfigError):
        build_context(ContextConfig(kind=kind), width, 10)
    context = build_context(ContextConfig(kind=kind, layers=2), multiple * 3, 10)
    assert context(torch.randn(2, 5, multiple * 3), torch.ones(2, 5, dtype=torch.long)).shape == (2, 5, multiple * 3)


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("case.layers.0.bias", None, "no weight case.layers.0.bias"),
        ("other", torch.zeros(1), "unknown weight other"),
        ("case.layers.0.bias", torch.zeros(3), "weight case.layers.0.bias of shape (3,) instead of (32,)"),
        (None, None, ""),
    ],
)
def test_foreign_weights_are_refused(name, value, found, tmp_path):
    model, path = tagger(), tmp_path / "model.safetensors"
    weights = {key: tensor.contiguous() for key, tensor in model.state_dict().items()}
    if name:
        save_file({key: tensor for key, tensor in {**weights, name: value}.items() if tensor is not None}, path)
    else:
        path.write_bytes(b"1234")
    with refused(path, found, ModelError):
        load_tagger(path, ModelInfo(CONFIG, model.encoder.settings))


@pytest.mark.parametrize(
    "settings", [{"model_type": "asr_punct_lookup", "vocab_size": 3}, {"model_type": "no_such"}, {"vocab_size": 3}]
)
def test_foreign_encoder_settings_are_refused(settings, tmp_path):
    with refused("config.json", "encoder", ModelError):
        load_tagger(tmp_path / "model.safetensors", ModelInfo(CONFIG, settings))


def test_quantised_matrices_are_read_within_half_a_step():
    rows = torch.tensor([[1.0, -0.5, 0.25], [100.0, 3.0, 0.0]])
    weights = {"a.weight": rows, "a.scale": torch.ones(2), "steps": torch.tensor([3])}
    stored = quantised(weights)
    assert stored["a.weight"].dtype == torch.int8
    found = dequantised(stored)
    assert found.keys() == weights.keys()
    assert (found["a.weight"] - rows).abs().max() <= 100 / 127 / 2
    assert torch.equal(found["steps"], weights["steps"])
