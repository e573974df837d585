import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dummies import tiny_config  # noqa: E402
from test_model import inputs, window  # noqa: E402

from asr_punct.checkpoint import ONNX, TOKENIZER, WEIGHTS, ModelInfo, read_info, write_info  # noqa: E402
from asr_punct.config import ContextConfig, HeadConfig, PauseConfig  # noqa: E402
from asr_punct.errors import ConfigError  # noqa: E402
from asr_punct.features import collate  # noqa: E402
from asr_punct.inference.backend import OnnxBackend  # noqa: E402
from asr_punct.inference.torch_backend import TorchBackend  # noqa: E402
from asr_punct.model.attention import AttentionContext  # noqa: E402
from asr_punct.model.context import build_context  # noqa: E402
from asr_punct.model.encoder import new_encoder  # noqa: E402
from asr_punct.model.recurrent import BidirectionalLSTM  # noqa: E402
from asr_punct.model.tagger import build_tagger  # noqa: E402
from asr_punct.model.weights import save_tagger  # noqa: E402
from asr_punct.subwords import train_tokenizer  # noqa: E402
from asr_punct.training.export import export  # noqa: E402

WIDTH = 8
WIDTHS = {"none": 8, "transformer": 8, "convolution": 8, "brnn": 8, "bilstm": 16, "attention": 8}


def context(kind, **changes):
    torch.manual_seed(0)
    config = ContextConfig(kind=kind, layers=2, heads=2, feed_forward=12, **changes)
    return build_context(config, WIDTH, 20).eval()


def mask_of(*lengths):
    return (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()


@pytest.mark.parametrize("kind", WIDTHS)
def test_width_is_that_of_the_vectors(kind):
    module = context(kind)
    assert module.width == WIDTHS[kind]
    assert module(torch.randn(2, 5, WIDTH), mask_of(5, 3)).shape == (2, 5, WIDTHS[kind])


@pytest.mark.parametrize("kind", WIDTHS)
def test_padding_changes_nothing(kind):
    """A window's vectors are those that it has alone, whatever stands at its padding."""
    module = context(kind)
    vectors = torch.randn(3, 7, WIDTH)
    lengths = [7, 4, 1]
    found = module(vectors, mask_of(*lengths))
    for row, length in enumerate(lengths):
        alone = module(vectors[row : row + 1, :length], mask_of(length))
        assert torch.allclose(found[row, :length], alone[0], atol=1e-5)


def test_lstm_is_torch_s_own_in_both_directions():
    """The states of both directions side by side (Alam et al. 2020, section 4.1), on windows without padding."""
    module = context("bilstm")
    expected = torch.nn.LSTM(WIDTH, WIDTH, batch_first=True, bidirectional=True)
    directions = {"_l0": module.ahead, "_l0_reverse": module.back}
    weights = {
        f"{name.removesuffix('_l0')}{suffix}": value
        for suffix, direction in directions.items()
        for name, value in direction.state_dict().items()
    }
    expected.load_state_dict(weights)
    vectors = 2 * torch.randn(3, 6, WIDTH)
    assert torch.allclose(module(vectors, mask_of(6, 6, 6)), expected(vectors)[0], atol=1e-6)


def numbers(module):
    return {name: parameter.detach().double().numpy() for name, parameter in module.named_parameters()}


def normalised(x, weight, bias):
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * weight + bias


def gelu(x):
    return x * np.array([torch.special.ndtr(torch.tensor(value)).item() for value in x])


def literal_layer(weights, words, heads):
    """One layer, word by word and head by head (Vaswani et al. 2017, equation 1 and section 3.3)."""
    size = WIDTH // heads
    read = [weights["read.weight"] @ word + weights["read.bias"] for word in words]
    result = []
    for t, word in enumerate(words):
        mixed = []
        for head in range(heads):
            part = slice(head * size, (head + 1) * size)
            query = read[t][:WIDTH][part]
            energies = [query @ other[WIDTH : 2 * WIDTH][part] / np.sqrt(size) for other in read]
            shares = np.exp(energies) / np.exp(energies).sum()
            values = [other[2 * WIDTH :][part] for other in read]
            mixed.append(sum(share * value for share, value in zip(shares, values, strict=True)))
        written = weights["write.weight"] @ np.concatenate(mixed) + weights["write.bias"]
        attended = normalised(word + written, weights["attention_norm.weight"], weights["attention_norm.bias"])
        hidden = gelu(weights["network.0.weight"] @ attended + weights["network.0.bias"])
        network = weights["network.2.weight"] @ hidden + weights["network.2.bias"]
        result.append(normalised(attended + network, weights["norm.weight"], weights["norm.bias"]))
    return result


def test_attention_word_by_word():
    module = context("attention")
    vectors = 2 * torch.randn(2, 6, WIDTH)
    found = module(vectors, mask_of(6, 3)).detach().numpy()
    for row, length in enumerate([6, 3]):
        words = list(vectors[row, :length].double().numpy())
        for layer in module.layers:
            words = literal_layer(numbers(layer), words, heads=2)
        np.testing.assert_allclose(found[row, :length], words, atol=1e-5)


@pytest.mark.parametrize(("feed_forward", "hidden"), [(None, 32), (12, 12)])
def test_width_of_the_feed_forward_network(feed_forward, hidden):
    module = AttentionContext(ContextConfig(kind="attention", layers=1, heads=4, feed_forward=feed_forward), WIDTH)
    assert module.layers[0].network[0].out_features == hidden


def test_heads_that_do_not_divide_the_width_are_told():
    with pytest.raises(ConfigError, match="context: width 8 of its vectors is not a multiple of heads 3"):
        build_context(ContextConfig(kind="attention", heads=3), WIDTH, 20)


@pytest.mark.parametrize("case_vectors", ["encoder", "context"])
@pytest.mark.parametrize("pauses", ["discrete-gaussian", "late-gru"])
@pytest.mark.parametrize("kind", WIDTHS)
def test_heads_are_built_for_the_width(kind, pauses, case_vectors):
    config = tiny_config().model
    config = dataclasses.replace(
        config,
        context=dataclasses.replace(config.context, kind=kind),
        pauses=PauseConfig(kind=pauses),
        heads=HeadConfig(case_vectors=case_vectors),
    )
    model = build_tagger(config, new_encoder(config.encoder, 60, 0)).eval()
    rng = np.random.default_rng(0)
    output = model(**inputs([window(rng, 5), window(rng, 9)]))
    assert (output.mark_logits.shape, output.case_logits.shape) == ((2, 9, 13), (2, 9, 3))
    assert isinstance(model.context, BidirectionalLSTM) == (kind == "bilstm")


def write_model(directory, config):
    """A model directory with random weights."""
    tokenizer = train_tokenizer(["mira", "la", "casa", "dónde", "está"], 60)
    torch.manual_seed(0)
    model = build_tagger(config, new_encoder(config.encoder, tokenizer.get_vocab_size(), 0))
    directory.mkdir()
    tokenizer.save(str(directory / TOKENIZER))
    save_tagger(model, directory / WEIGHTS)
    write_info(directory, ModelInfo(config, model.encoder.settings))
    return model.eval()


@pytest.mark.parametrize("kind", ["bilstm", "attention"])
def test_a_directory_keeps_the_model_and_its_graph_equals_it(kind, tmp_path):
    config = tiny_config().model
    config = dataclasses.replace(config, context=dataclasses.replace(config.context, kind=kind))
    model = write_model(tmp_path / "model", config)
    assert export(tmp_path / "model") <= 1e-4
    info = read_info(tmp_path / "model")
    features = collate([window(np.random.default_rng(0), 5)], 1, 2, 0)
    features = dataclasses.replace(features, input_ids=features.input_ids % int(info.encoder["vocab_size"]))
    expected = model(**{name: torch.from_numpy(array) for name, array in features.inputs().items()})
    for scores in (
        OnnxBackend(tmp_path / "model" / ONNX).probabilities(features),
        TorchBackend.load(tmp_path / "model" / WEIGHTS, info, "cpu").probabilities(features),
    ):
        np.testing.assert_allclose(scores.labels, expected.mark_logits.sigmoid().detach().numpy(), atol=1e-4)
