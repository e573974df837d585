"""Courtland et al. 2020: the token layer on the masked-LM output, the sequence layer over the window."""

import dataclasses
import shutil

import numpy as np
import pytest
from dummies import refused, tiny_config

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from model_dummies import FAMILIES, VOCABULARY, checkpoint
from safetensors.torch import load_file

from asr_punct import Punctuator
from asr_punct.checkpoint import ModelInfo, read_info, write_info
from asr_punct.config import Config, HeadConfig, ModelConfig, as_mapping, from_mapping
from asr_punct.errors import ConfigError
from asr_punct.features import DOCUMENT_START, WordInput, collate
from asr_punct.inference.backend import OnnxBackend
from asr_punct.model.encoder import new_encoder
from asr_punct.model.pretrained import pretrained_encoder
from asr_punct.model.sequence import WindowNormalisation
from asr_punct.model.tagger import Tagger
from asr_punct.model.weights import load_tagger, save_tagger
from asr_punct.pauses import UNKNOWN_PAUSE
from asr_punct.training.configuration import read_config
from asr_punct.training.export import export, random_features
from asr_punct.training.fit import train

HIDDEN, TOKENS = 24, 20
CLASSES = ("O", "COMMA", "PERIOD", "QUESTION")


def config_of(name=None, **changes):
    """Return a model configuration with both layers and changes."""
    values = as_mapping(tiny_config())["model"]
    values["encoder"] |= {"name": name, "sequence_hidden": HIDDEN, "sequence_dropout": 0.0, "max_subwords": 4}
    values["heads"] |= {"kind": "classes", "classes": CLASSES, "hidden": 0, "dropout": 0.0}
    values["pauses"] |= {"kind": "none"}
    values["context"] |= {"kind": "none"}
    values["window"] |= {"words": 18, "margin": 4, "tokens": TOKENS}
    for key, value in changes.items():
        values[key] |= value
    return from_mapping(ModelConfig, values, "model")


def window(rng, words, subwords=None):
    return [
        WordInput(tuple(rng.integers(4, VOCABULARY, subwords or rng.integers(1, 3)).tolist()), UNKNOWN_PAUSE)
        for _ in range(words)
    ]


def inputs(windows):
    return {name: torch.from_numpy(array) for name, array in collate(windows, 0, 2, 1).inputs().items()}


def parts(encoder, config):
    """Return a model with random statistics."""
    torch.manual_seed(7)
    model = Tagger(config, encoder).eval()
    normal = model.sequence.normalisation
    with torch.no_grad():
        for parameter in (normal.weight, normal.bias, normal.mean):
            parameter.normal_()
        normal.variance.uniform_(0.2, 3.0)
        model.sequence.boundary.weight[1:].normal_()
    return model


def literal(model, logits, batch):
    """Compute the paper's layers on the masked-LM logits of each token."""
    layer, normal = model.sequence, model.sequence.normalisation
    window = torch.zeros(len(logits), TOKENS, HIDDEN)
    for row, length in enumerate(batch["attention_mask"].sum(dim=1).tolist()):
        for i in range(length):
            window[row, i] = layer.token(logits[row, i])
    scores = layer.sequence(window.flatten(1)).view(len(logits), TOKENS, len(CLASSES))
    scores = (scores - normal.mean) / torch.sqrt(normal.variance + 1e-5) * normal.weight + normal.bias
    words = torch.stack([scores[row, ends] for row, ends in enumerate(batch["word_index"])])
    return words + layer.boundary(batch["boundaries"])


def sequence_logits(model, batch):
    states = model.encoder.states(batch["input_ids"], batch["attention_mask"])
    arguments = (batch[key] for key in ("attention_mask", "word_index", "boundaries"))
    return model.sequence(states, *arguments, model.encoder.vocabulary)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("family", FAMILIES)
def test_logits_and_gradients_equal_the_papers_layers(family, tied, tmp_path):
    name = checkpoint(tmp_path, family, tied=tied)
    model = parts(pretrained_encoder(name, masked_lm=True), config_of(name))
    masked_lm = transformers.AutoModelForMaskedLM.from_pretrained(name).eval()
    rng = np.random.default_rng(0)
    batch = inputs([window(rng, 5), window(rng, 9, 2)])
    batch["boundaries"][0, 0] = DOCUMENT_START
    weights = torch.randn(2, 9, len(CLASSES))
    found = sequence_logits(model, batch)
    (found * weights).sum().backward()
    gradients = [parameter.grad.clone() for parameter in model.sequence.parameters()]
    model.sequence.zero_grad()

    logits = masked_lm(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
    expected = literal(model, logits, batch)
    (expected * weights).sum().backward()
    assert torch.allclose(found, expected, atol=1e-5)
    for gradient, parameter in zip(gradients, model.sequence.parameters(), strict=True):
        assert torch.allclose(gradient, parameter.grad, atol=1e-4)
    encoder, output = model.encoder, masked_lm.get_output_embeddings()
    pairs = [(encoder.table.weight, masked_lm.get_input_embeddings().weight), (encoder.decoder.bias, output.bias)]
    is_tied = output.weight is pairs[0][1]
    assert (encoder.decoder.weight is None) == is_tied
    for own, other in pairs if is_tied else [*pairs, (encoder.decoder.weight, output.weight)]:
        assert own.grad.abs().sum() > 0
        assert torch.allclose(own.grad, other.grad, atol=1e-4)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_the_embedding_matrix_replaces_a_missing_head(family, tmp_path):
    name = checkpoint(tmp_path, family, head=False)
    encoder = pretrained_encoder(name, masked_lm=True)
    assert encoder.decoder is None
    model = parts(encoder, config_of(name))
    base = transformers.AutoModel.from_pretrained(name).eval()
    batch = inputs([window(np.random.default_rng(1), 6)])
    states = base(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state
    logits = states @ base.get_input_embeddings().weight.T
    assert torch.allclose(sequence_logits(model, batch), literal(model, logits, batch), atol=1e-5)


def test_an_embedding_matrix_of_another_width_is_refused(tmp_path):
    name = checkpoint(tmp_path, "electra", head=False)
    with refused("model.encoder.name", "width 8", ConfigError):
        Tagger(config_of(name), pretrained_encoder(name, masked_lm=True))


@pytest.mark.parametrize("kind", ["lookup", "table"])
def test_encoders_without_token_states_are_refused(kind):
    config = config_of(encoder={"kind": kind})
    with refused("model.encoder.sequence_hidden", kind=ConfigError):
        Tagger(config, new_encoder(config.encoder, VOCABULARY, 0))


@pytest.mark.parametrize("kind", ["multilabel", "classes"])
@pytest.mark.parametrize("pauses", ["none", "discrete-gaussian", "late-gru"])
def test_pauses_padding_and_folding(pauses, kind):
    heads = {"kind": kind, "classes": CLASSES if kind == "classes" else ()}
    config = config_of(pauses={"kind": pauses}, heads=heads)
    model = parts(new_encoder(config.encoder, VOCABULARY, 0), config)
    rng = np.random.default_rng(3)
    short, long = window(rng, 4), window(rng, 9)
    alone, padded, folded = model(**inputs([short])), model(**inputs([short, long])), model.fold()(**inputs([short]))
    assert alone.label_logits.shape == (1, 4, 13 if kind == "multilabel" else 4)
    assert torch.allclose(alone.mark_logits[0], padded.mark_logits[0, :4], atol=1e-5)
    assert torch.allclose(alone.label_logits, folded.label_logits, atol=1e-5)
    assert torch.allclose(alone.case_logits, folded.case_logits, atol=1e-5)
    spoken = model(**inputs([[dataclasses.replace(word, pause=70) for word in short]]))
    assert torch.equal(spoken.mark_logits, alone.mark_logits) == (pauses == "none")


def test_full_windows_are_normalised_as_in_torch():
    torch.manual_seed(0)
    own, theirs, mask = WindowNormalisation(5, 3), torch.nn.BatchNorm1d(15), torch.ones(4, 5, 1)
    for step in range(3):
        vectors = torch.randn(4, 5, 3) * (step + 1) + step
        first, second = vectors.clone().requires_grad_(), vectors.clone().requires_grad_()
        found, expected = own(first, mask), theirs(second.flatten(1)).view(4, 5, 3)
        assert torch.allclose(found, expected, atol=1e-5)
        (found**3).sum().backward()
        (expected**3).sum().backward()
        assert torch.allclose(first.grad, second.grad, atol=1e-4)
    own.eval(), theirs.eval()
    assert torch.allclose(own(vectors, mask).flatten(1), theirs(vectors.flatten(1)), atol=1e-5)


def test_statistics_are_over_the_windows_that_are_long_enough():
    """A loop over positions; a position that only one window has keeps its statistics."""
    torch.manual_seed(1)
    normal, lengths, vectors = WindowNormalisation(6, 2), torch.tensor([5, 3, 2]), torch.randn(3, 5, 2)
    mask = (torch.arange(5) < lengths[:, None]).long().unsqueeze(-1)
    found = normal(vectors, mask)
    for i in range(6):
        values = vectors[lengths > i, i] if i < 5 else vectors[:0, 0]
        mean, variance = torch.zeros(2), torch.ones(2)
        if len(values) > 1:
            mean, variance = 0.1 * values.mean(dim=0), 0.9 + 0.1 * values.var(dim=0)
            expected = (values - values.mean(dim=0)) / torch.sqrt(values.var(dim=0, unbiased=False) + 1e-5)
            assert torch.allclose(found[lengths > i, i], expected, atol=1e-5)
        assert torch.allclose(normal.mean[i], mean, atol=1e-6)
        assert torch.allclose(normal.variance[i], variance, atol=1e-6)
    assert not found[mask.expand_as(found) == 0].any()
    assert torch.allclose(found[0, 3:], vectors[0, 3:], atol=1e-4)


def saved(directory, family, head):
    """Write a model directory, remove its checkpoint, and return both and the model."""
    name = checkpoint(directory / "checkpoint", family, head)
    config = config_of(name)
    model = parts(pretrained_encoder(name, masked_lm=True), config)
    info = ModelInfo(config, model.encoder.settings)
    output = directory / "model"
    output.mkdir()
    save_tagger(model, output / "model.safetensors")
    (directory / "checkpoint" / "tokenizer.json").rename(output / "tokenizer.json")
    write_info(output, info)
    shutil.rmtree(directory / "checkpoint")
    return output, info, model


@pytest.mark.parametrize("head", [True, False])
@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_a_directory_is_loaded_without_the_checkpoint(family, head, tmp_path):
    directory, info, model = saved(tmp_path, family, head)
    assert ("masked_lm_head" in info.encoder) == head
    assert info.max_tokens == TOKENS
    assert dataclasses.replace(info, encoder={"max_position_embeddings": 12}).max_tokens == 12
    again = load_tagger(directory / "model.safetensors", read_info(directory))
    batch = {key: torch.from_numpy(array) for key, array in random_features(info, seed=3).inputs().items()}
    assert torch.equal(model(**batch).label_logits, again(**batch).label_logits)


@pytest.mark.parametrize(("family", "head"), [("roberta", True), ("bert", False)])
def test_the_exported_graph_equals_the_model(family, head, tmp_path):
    directory, _, model = saved(tmp_path, family, head)
    assert export(directory, int8=True) < 1e-4
    assert b"IsNaN" not in (directory / "model.onnx").read_bytes()
    graph, rng = OnnxBackend(directory / "model.onnx"), np.random.default_rng(8)
    for windows in ([window(rng, 1, 1)], [window(rng, 18, 1)], [window(rng, 9, 2), window(rng, 2)]):
        features = collate(windows, 0, 2, 1)
        expected = model(**inputs(windows)).label_probabilities.detach().numpy()
        assert np.abs(graph.probabilities(features).labels - expected)[features.word_index > 0].max() < 1e-4


@pytest.mark.parametrize("head", [True, False])
def test_both_stages_of_training(head, corpus, tmp_path):
    """First only the new layers are trained, with the encoder frozen, then all weights."""
    name = checkpoint(tmp_path / "checkpoint", head=head)
    options = {"epochs": 1, "epochs_per_pass": 9, "monitor": "perplexity", "warmup_epochs": 0, "learning_rate": 1e-3}
    options |= {"optimizer": {"kind": "radam", "lookahead_steps": 2}, "windows": {"kind": "sliding"}}
    frozen = tiny_config(**options, frozen_encoder=True).training
    first = Config(model=config_of(name, heads={"classes": ()}), training=frozen)
    info = train(first, corpus, tmp_path / "first", device="cpu")
    assert info.training["dev_perplexity"] > 1
    second = Config(training=dataclasses.replace(frozen, frozen_encoder=False))
    assert train(second, corpus, tmp_path / "second", init=tmp_path / "first", device="cpu").model == info.model
    encoder = pretrained_encoder(name, masked_lm=True)
    start = {f"encoder.{weight}": value for weight, value in encoder.state_dict().items() if "boundary" not in weight}
    one, two = (load_file(tmp_path / stage / "model.safetensors") for stage in ("first", "second"))
    assert ("encoder.decoder.bias" in start) == head
    assert all(torch.equal(one[weight], value) for weight, value in start.items())
    moved = {weight for weight, value in start.items() if not torch.equal(two[weight], value)}
    assert {weight for weight in start if "word_embeddings" in weight or weight == "encoder.decoder.bias"} <= moved
    assert not torch.equal(one["sequence.token.weight"], two["sequence.token.weight"])
    text = "ana mira la casa dónde está la mesa " * 9
    assert len(Punctuator.from_pretrained(tmp_path / "second")(text).split()) == len(text.split())


def test_the_papers_numbers():
    """Courtland et al. 2020, section 3."""
    pytest.importorskip("omegaconf")
    config = read_config("courtland")
    encoder, training, optimizer = config.model.encoder, config.training, config.training.optimizer
    assert (encoder.name, encoder.sequence_hidden, encoder.sequence_dropout) == ("roberta-base", 1500, 0.2)
    assert config.model.window.tokens == 100
    assert config.model.heads == HeadConfig(kind="classes", hidden=0, dropout=0.0)
    assert (config.model.pauses.kind, config.model.context.kind) == ("none", "none")
    assert (training.learning_rate, optimizer.weight_decay, training.windows.kind) == (1e-5, 0, "sliding")
    assert (training.batch_size, training.epochs, training.epochs_per_pass) == (250, 30, 10)  # three passes
    assert (optimizer.kind, optimizer.lookahead_steps, optimizer.lookahead_rate) == ("radam", 6, 0.5)
