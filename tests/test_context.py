"""Context layers against their papers' equations, word by word."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dummies import tiny_config
from test_model import window

from asr_punct.checkpoint import ONNX, TOKENIZER, WEIGHTS, ModelInfo, read_info, write_info
from asr_punct.config import ContextConfig
from asr_punct.features import collate
from asr_punct.inference.backend import OnnxBackend
from asr_punct.inference.torch_backend import TorchBackend
from asr_punct.model.context import build_context
from asr_punct.model.encoder import new_encoder
from asr_punct.model.tagger import build_tagger
from asr_punct.model.weights import save_tagger
from asr_punct.subwords import train_tokenizer
from asr_punct.training.export import export

WIDTH = 8


def context(kind):
    torch.manual_seed(0)
    return build_context(ContextConfig(kind=kind, layers=2, heads=2, feed_forward=12), WIDTH, 20).eval()


def mask_of(*lengths):
    return (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()


def numbers(module):
    return {name: parameter.detach().double().numpy() for name, parameter in module.named_parameters()}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    return np.exp(x) / np.exp(x).sum()


def check_rows(module, literal):
    """Compare windows of 7, 4 and 1 words with a function of one window without padding."""
    lengths = [7, 4, 1]
    vectors = 2 * torch.randn(3, 7, WIDTH)
    found = module(vectors, mask_of(*lengths)).detach().numpy()
    for row, length in enumerate(lengths):
        expected = literal(module, list(vectors[row, :length].double().numpy()))
        np.testing.assert_allclose(found[row, :length], expected, atol=1e-5)


def test_lstm():
    """Alam et al. 2020, section 4.1: the states of both directions, as torch's bidirectional LSTM has them."""

    def literal(module, words):
        expected = torch.nn.LSTM(WIDTH, WIDTH, batch_first=True, bidirectional=True)
        directions = {"_l0": module.ahead, "_l0_reverse": module.back}
        weights = {
            f"{name.removesuffix('_l0')}{suffix}": value
            for suffix, direction in directions.items()
            for name, value in direction.state_dict().items()
        }
        expected.load_state_dict(weights)
        return expected(torch.tensor(np.array(words)[None], dtype=torch.float))[0][0].detach().numpy()

    check_rows(context("bilstm"), literal)


def normalised(x, weight, bias):
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * weight + bias


def gelu(x):
    return x * torch.special.ndtr(torch.from_numpy(x)).numpy()


def attention_layer(weights, words, heads):
    """Vaswani et al. 2017, equation 1 and section 3.3, head by head."""
    size = WIDTH // heads
    read = [weights["read.weight"] @ word + weights["read.bias"] for word in words]
    result = []
    for t, word in enumerate(words):
        mixed = []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            query = read[t][:WIDTH][part]
            shares = softmax([query @ other[WIDTH : 2 * WIDTH][part] / np.sqrt(size) for other in read])
            mixed.append(sum(share * other[2 * WIDTH :][part] for share, other in zip(shares, read, strict=True)))
        written = weights["write.weight"] @ np.concatenate(mixed) + weights["write.bias"]
        attended = normalised(word + written, weights["attention_norm.weight"], weights["attention_norm.bias"])
        hidden = gelu(weights["network.0.weight"] @ attended + weights["network.0.bias"])
        network = weights["network.2.weight"] @ hidden + weights["network.2.bias"]
        result.append(normalised(attended + network, weights["norm.weight"], weights["norm.bias"]))
    return result


def test_self_attention():
    """Shi et al. 2021, section 2.1."""

    def literal(module, words):
        for layer in module.layers:
            words = attention_layer(numbers(layer), words, heads=2)
        return words

    check_rows(context("attention"), literal)


def gru(weights, sequence):
    """States of a GRU (Cho et al. 2014, with the reset gate after the product)."""
    state, states = np.zeros(WIDTH), []
    for x in sequence:
        from_x = weights["weight_ih_l0"] @ x + weights["bias_ih_l0"]
        from_h = weights["weight_hh_l0"] @ state + weights["bias_hh_l0"]
        reset, update = sigmoid(from_x[: 2 * WIDTH] + from_h[: 2 * WIDTH]).reshape(2, WIDTH)
        new = np.tanh(from_x[2 * WIDTH :] + reset * from_h[2 * WIDTH :])
        state = (1 - update) * new + update * state
        states.append(state)
    return states


def test_recurrent_network_with_attention():
    """Tilk and Alumäe 2016, sections 2.1 and 2.2."""

    def literal(module, words):
        ahead, back = gru(numbers(module.ahead), words), gru(numbers(module.back), words[::-1])[::-1]
        states = [np.concatenate(pair) for pair in zip(ahead, back, strict=True)]
        decoded = gru(numbers(module.decoder), states)
        attention, fusion, result = numbers(module.attention), numbers(module.fusion), []
        for t, state in enumerate(decoded):
            query = attention["query.weight"] @ (decoded[t - 1] if t else np.zeros(WIDTH))
            hidden = [np.tanh(query + attention["key.weight"] @ key + attention["key.bias"]) for key in states]
            shares = softmax([attention["energy.weight"][0] @ each for each in hidden])
            found = fusion["found.weight"] @ sum(share * key for share, key in zip(shares, states, strict=True))
            gate = fusion["gate_found.weight"] @ found + fusion["gate_state.weight"] @ state + fusion["gate_state.bias"]
            result.append(found * sigmoid(gate) + state)
        return result

    check_rows(context("brnn"), literal)


def write_model(directory, config):
    """Write a model directory with random weights."""
    tokenizer = train_tokenizer(["mira", "la", "casa", "dónde", "está"], 60)
    torch.manual_seed(0)
    model = build_tagger(config, new_encoder(config.encoder, tokenizer.get_vocab_size(), 0))
    directory.mkdir()
    tokenizer.save(str(directory / TOKENIZER))
    save_tagger(model, directory / WEIGHTS)
    write_info(directory, ModelInfo(config, model.encoder.settings))
    return model.eval()


@pytest.mark.parametrize("kind", ["convolution", "bilstm", "attention"])
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
