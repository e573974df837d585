"""Context layers against their papers' equations, word by word."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from dummies import tiny_config
from model_dummies import window, write_model

from asr_punct.checkpoint import ONNX, WEIGHTS, read_info
from asr_punct.config import ContextConfig
from asr_punct.errors import ModelError
from asr_punct.features import collate
from asr_punct.inference.backend import OnnxBackend
from asr_punct.model.context import build_context
from asr_punct.model.convolution import image_convolution, sum_of_products
from asr_punct.model.torch_backend import TorchBackend
from asr_punct.training.export import export

WIDTH = 8


def context(kind):
    torch.manual_seed(0)
    return build_context(ContextConfig(kind=kind, layers=2, heads=2, feed_forward=12), WIDTH, 20).eval()


def mask_of(*lengths):
    return (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()


def numbers(module):
    return {name: parameter.detach().double().numpy() for name, parameter in module.named_parameters()}


def softmax(x):
    return np.exp(x) / np.exp(x).sum()


def check_rows(module, literal):
    """Compare windows of 7, 4 and 1 words with a function of one window without padding."""
    lengths = [7, 4, 1]
    vectors = 2 * torch.randn(3, 7, WIDTH)
    found = module(vectors, mask_of(*lengths)).detach().numpy()
    for row, length in enumerate(lengths):
        expected = literal(module, vectors[row, :length].numpy())
        np.testing.assert_allclose(found[row, :length], expected, atol=1e-5)


def run(layer, words):
    """The output of a layer of torch for one window."""
    output = layer(torch.tensor(words.copy()[None]))
    return (output if torch.is_tensor(output) else output[0])[0].detach().numpy()


def both_directions(module, words):
    return np.concatenate([run(module.ahead, words), run(module.back, words[::-1])[::-1]], axis=1)


def test_lstm():
    """Alam et al. 2020, section 4.1: the states of both directions."""
    check_rows(context("bilstm"), both_directions)


def test_stack_of_lstms():
    """Poláček et al. 2023, Table 1: an LSTM, then BiLSTM and GRU in turn, each pair of half the width."""

    def literal(module, words):
        words = run(module.first, words)
        for ahead, back, narrow in zip(module.ahead, module.back, module.narrow, strict=True):
            words = np.concatenate([run(ahead, words), run(back, words[::-1])[::-1]], axis=1)
            words = run(narrow, words)
        return words

    module = context("lstm")
    assert module.width == WIDTH // 4
    check_rows(module, literal)


NAMES = {"self_attn.in_proj_": "read.", "self_attn.out_proj.": "write.", "norm1.": "attention_norm."}
NAMES |= {"linear1.": "network.0.", "linear2.": "network.2.", "norm2.": "norm."}


def test_self_attention():
    """Shi et al. 2021, section 2.1, as layers of torch (Vaswani et al. 2017)."""

    def literal(module, words):
        for layer in module.layers:
            expected = torch.nn.TransformerEncoderLayer(WIDTH, 2, 12, activation="gelu", batch_first=True).eval()
            own, kinds = layer.state_dict(), ("weight", "bias")
            expected.load_state_dict({f"{name}{kind}": own[f"{NAMES[name]}{kind}"] for name in NAMES for kind in kinds})
            words = run(expected, words)
        return words

    check_rows(context("attention"), literal)


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def test_custom_bert():
    """Devlin et al. 2019: learnt positions, attention of two heads, and normalisation after each residual sum."""
    module = context("bert")
    weights = {name.removeprefix("layers."): value for name, value in numbers(module).items()}

    def linear(name, x):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(name, x):
        centred = x - x.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def literal(_, words):
        positions, types = (weights[f"embeddings.{kind}_embeddings.weight"] for kind in ("position", "token_type"))
        words = norm("embeddings.LayerNorm", words + positions[: len(words)] + types[0])
        for layer in ("encoder.layer.0", "encoder.layer.1"):
            query, key, value = (linear(f"{layer}.attention.self.{name}", words) for name in ("query", "key", "value"))
            heads = [slice(0, WIDTH // 2), slice(WIDTH // 2, WIDTH)]
            scores = [query[:, head] @ key[:, head].T / math.sqrt(WIDTH // 2) for head in heads]
            mixed = [
                np.array([softmax(row) for row in each]) @ value[:, head]
                for each, head in zip(scores, heads, strict=True)
            ]
            attended = linear(f"{layer}.attention.output.dense", np.concatenate(mixed, axis=1))
            words = norm(f"{layer}.attention.output.LayerNorm", words + attended)
            inner = linear(f"{layer}.output.dense", gelu(linear(f"{layer}.intermediate.dense", words)))
            words = norm(f"{layer}.output.LayerNorm", words + inner)
        return words

    check_rows(module, literal)


def test_recurrent_network_with_attention():
    """Tilk and Alumäe 2016, sections 2.1 and 2.2."""

    def literal(module, words):
        states = both_directions(module, words)
        decoded = run(module.decoder, states)
        attention, fusion, result = numbers(module.attention), numbers(module.fusion), []
        for t, state in enumerate(decoded):
            query = attention["query.weight"] @ (decoded[t - 1] if t else np.zeros(WIDTH))
            hidden = [np.tanh(query + attention["key.weight"] @ key + attention["key.bias"]) for key in states]
            shares = softmax([attention["energy.weight"][0] @ each for each in hidden])
            found = fusion["found.weight"] @ sum(share * key for share, key in zip(shares, states, strict=True))
            gate = fusion["gate_found.weight"] @ found + fusion["gate_state.weight"] @ state + fusion["gate_state.bias"]
            result.append(found / (1 + np.exp(-gate)) + state)
        return result

    check_rows(context("brnn"), literal)


@pytest.mark.parametrize("kind", ["bert", "convolution", "bilstm", "attention"])
def test_directory_and_graph_equal_the_model(kind, tmp_path):
    config = tiny_config().model
    config = dataclasses.replace(config, context=dataclasses.replace(config.context, kind=kind))
    model = write_model(tmp_path / "model", config)
    assert export(tmp_path / "model") <= 1e-4
    info = read_info(tmp_path / "model")
    features = collate([window(np.random.default_rng(0), 5)], 1, 2, 0)
    features = dataclasses.replace(features, input_ids=features.input_ids % int(info.encoder["vocab_size"]))
    expected = model(**{name: torch.from_numpy(array) for name, array in features.inputs().items()})
    for found in (
        OnnxBackend(tmp_path / "model" / ONNX).probabilities(features),
        TorchBackend.load(tmp_path / "model" / WEIGHTS, info, "cpu").probabilities(features),
    ):
        np.testing.assert_allclose(found.labels, expected.mark_logits.sigmoid().detach().numpy(), atol=1e-4)


def test_a_stack_of_lstms_has_no_graph(tmp_path):
    config = tiny_config().model
    config = dataclasses.replace(config, context=dataclasses.replace(config.context, kind="lstm"))
    write_model(tmp_path / "model", config)
    with pytest.raises(ModelError) as error:
        export(tmp_path / "model")
    assert "lstm" in error.value.found


@given(st.integers(1, 3), st.integers(1, 12), st.sampled_from([1, 3, 5, 9]), st.integers(0, 99))
def test_the_convolution_for_gpus_equals_that_for_cpus(batch, words, kernel, seed):
    torch.manual_seed(seed)
    shapes = (batch, words, WIDTH), (WIDTH, 1, kernel), (WIDTH,)
    tensors = [torch.randn(shape, dtype=torch.double, requires_grad=True) for shape in shapes]
    results = [convolve(*tensors) for convolve in (image_convolution, sum_of_products)]
    torch.testing.assert_close(*results)
    factors = torch.randn_like(results[0])
    torch.testing.assert_close(*(torch.autograd.grad((result * factors).sum(), tensors) for result in results))
