import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dummies import tiny_config  # noqa: E402

from asr_punct.checkpoint import ModelInfo, read_info  # noqa: E402
from asr_punct.config import (  # noqa: E402
    Config,
    ContextConfig,
    HeadConfig,
    OptimizerConfig,
    PauseConfig,
    as_mapping,
    from_mapping,
)
from asr_punct.features import WordInput, collate  # noqa: E402
from asr_punct.marks import MARKS, Mark, parse_marks  # noqa: E402
from asr_punct.model.encoder import encoder_from_settings, new_encoder  # noqa: E402
from asr_punct.model.fusion import LatePauses  # noqa: E402
from asr_punct.model.heads import ClassHead  # noqa: E402
from asr_punct.model.recurrent import RecurrentContext  # noqa: E402
from asr_punct.model.tagger import build_tagger  # noqa: E402
from asr_punct.pauses import UNKNOWN  # noqa: E402
from asr_punct.subwords import SubwordTokenizer, train_word_tokenizer  # noqa: E402
from asr_punct.training.fit import find_classes, train  # noqa: E402
from asr_punct.training.optim import build_optimizer, clip_gradients  # noqa: E402

WIDTH = 6
COMMA, PERIOD, QUESTION, QUOTE = Mark.COMMA, Mark.PERIOD, Mark.QUESTION, Mark.QUOTE


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def numbers(module):
    return {name: parameter.detach().double().numpy() for name, parameter in module.named_parameters()}


def gru(weights, sequence, width):
    """States of a GRU, one word after the other (Cho et al. 2014, with the reset gate after the product)."""
    state, states = np.zeros(width), []
    for x in sequence:
        from_x = weights["weight_ih_l0"] @ x + weights["bias_ih_l0"]
        from_h = weights["weight_hh_l0"] @ state + weights["bias_hh_l0"]
        reset = sigmoid(from_x[:width] + from_h[:width])
        update = sigmoid(from_x[width : 2 * width] + from_h[width : 2 * width])
        new = np.tanh(from_x[2 * width :] + reset * from_h[2 * width :])
        state = (1 - update) * new + update * state
        states.append(state)
    return states


def literal_brnn(module, sequence):
    """The network for one window, word by word."""
    ahead = gru(numbers(module.ahead), sequence, WIDTH)
    back = gru(numbers(module.back), sequence[::-1], WIDTH)[::-1]
    states = [np.concatenate(pair) for pair in zip(ahead, back, strict=True)]
    decoded = gru(numbers(module.decoder), states, WIDTH)
    attention, fusion, result = numbers(module.attention), numbers(module.fusion), []
    for t, state in enumerate(decoded):
        before = decoded[t - 1] if t else np.zeros(WIDTH)
        energies = [
            attention["energy.weight"][0]
            @ np.tanh(attention["query.weight"] @ before + attention["key.weight"] @ key + attention["key.bias"])
            for key in states
        ]
        weights = np.exp(energies) / np.exp(energies).sum()
        found = fusion["found.weight"] @ sum(weight * key for weight, key in zip(weights, states, strict=True))
        gate = fusion["gate_found.weight"] @ found + fusion["gate_state.weight"] @ state + fusion["gate_state.bias"]
        result.append(found * sigmoid(gate) + state)
    return np.array(result)


def test_states_attention_and_fusion_word_by_word():
    torch.manual_seed(0)
    module = RecurrentContext(WIDTH)
    vectors = 2 * torch.randn(3, 7, WIDTH)
    lengths = [7, 4, 1]
    mask = (torch.arange(7) < torch.tensor(lengths)[:, None]).long()
    found = module(vectors, mask).detach().numpy()
    for row, length in enumerate(lengths):
        expected = literal_brnn(module, vectors[row, :length].double().numpy())
        np.testing.assert_allclose(found[row, :length], expected, atol=1e-5)


def test_late_pauses_word_by_word():
    torch.manual_seed(0)
    module = LatePauses(WIDTH)
    vectors, pauses = torch.randn(1, 4, WIDTH), torch.tensor([[0, 25, UNKNOWN, 100]])
    silences = np.array([[0.0, 0], [0.25, 0], [0, 1], [1.0, 0]])
    sequence = np.concatenate([vectors[0].double().numpy(), silences], axis=1)
    found = module(vectors, pauses)[0].detach().numpy()
    np.testing.assert_allclose(found, gru(numbers(module.recurrent), sequence, WIDTH), atol=1e-5)


def test_classes_are_the_marks_by_frequency_and_the_frequent_sets():
    words = [frozenset()] * 9 + [frozenset({PERIOD})] * 5 + [frozenset({COMMA})] * 3
    words += [frozenset({PERIOD, QUOTE})] * 2 + [frozenset({QUOTE, QUESTION})]
    classes = find_classes(words, least=2)
    assert classes[:5] == ("O", "PERIOD", "COMMA", "QUOTE", "QUESTION")
    assert classes[5:] == ("PERIOD+QUOTE",)
    assert find_classes(words, least=1)[5:] == ("PERIOD+QUOTE", "QUESTION+QUOTE")
    assert find_classes([], least=1) == ("O",)


def head(**changes):
    classes = find_classes([frozenset({PERIOD, QUOTE})] * 3 + [frozenset({PERIOD})] * 3 + [frozenset({COMMA})], 2)
    return ClassHead(HeadConfig(kind="classes", classes=classes, **changes), WIDTH, 16), classes


def marks_of(*sets):
    return torch.tensor([[float(mark in marks) for mark in MARKS] for marks in sets])


@pytest.mark.parametrize(
    ("marks", "target"),
    [
        ((), "O"),
        ((COMMA,), "COMMA"),
        ((PERIOD, QUOTE), "PERIOD+QUOTE"),
        ((PERIOD, COMMA), "COMMA"),
        ((QUOTE, COMMA, PERIOD), "COMMA"),
        ((PERIOD, QUESTION), "PERIOD"),
        ((QUESTION,), "O"),
    ],
)
def test_a_set_that_is_no_class_counts_as_its_rarest_mark(marks, target):
    module, classes = head()
    logits = torch.randn(1, len(classes))
    expected = -torch.log_softmax(logits, -1)[0, classes.index(target)]
    assert float(module.loss(logits, marks_of(marks))) == pytest.approx(float(expected), abs=1e-5)


def test_a_mark_is_as_likely_as_the_classes_that_hold_it():
    module, classes = head()
    logits = 3 * torch.randn(2, 5, len(classes), generator=torch.Generator().manual_seed(1))
    probabilities = module.probabilities(logits, torch.ones(2, 5))
    found = module.mark_logits(logits, probabilities).sigmoid().numpy()
    weights = np.exp(logits.numpy()) / np.exp(logits.numpy()).sum(-1, keepdims=True)
    for i, mark in enumerate(MARKS):
        holding = [mark in parse_marks(name) for name in classes]
        np.testing.assert_allclose(found[..., i], weights[..., holding].sum(-1), atol=1e-5)


def test_a_head_without_a_dense_layer():
    module, classes = head(hidden=0)
    assert [tuple(parameter.shape) for parameter in module.parameters()] == [(len(classes), WIDTH), (len(classes),)]


def test_words_seen_twice_are_in_the_vocabulary_and_others_unknown():
    words = ["bai", "ez", "bai", "ez", "bai", "etxea", "1999", "2024", "etc.", "etc"]
    tokenizer = SubwordTokenizer(train_word_tokenizer(words, 100), max_subwords=2)
    bai, ez, year, other_year, etxea, never, etc = tokenizer.encode(
        ["bai", "ez", "1492", "3456", "etxea", "inoiz", "etc."]
    )
    assert etxea == never == (tokenizer.unknown,)
    assert year == other_year
    assert len({bai, ez, year, etc, etxea}) == 5
    assert all(len(word) == 1 for word in (bai, ez, year, etc))


def test_the_most_frequent_words_are_kept():
    tokenizer = SubwordTokenizer(train_word_tokenizer(["ez"] * 2 + ["bai"] * 3, 1), max_subwords=2)
    assert tokenizer.encode(["ez"]) == [(tokenizer.unknown,)] != tokenizer.encode(["bai"])


def brnn_config(**training):
    config = tiny_config(**training)
    model = dataclasses.replace(
        config.model,
        encoder=dataclasses.replace(config.model.encoder, kind="table", tokenizer="word", vocabulary=500),
        pauses=PauseConfig(kind="late-gru"),
        context=ContextConfig(kind="brnn"),
        heads=HeadConfig(kind="classes", class_count=2, hidden=0, dropout=0.0, case_vectors="context"),
    )
    options = dataclasses.replace(
        config.training,
        optimizer=OptimizerConfig(kind="adagrad", clip_norm=2.0),
        learning_rate=0.05,
        warmup_epochs=0.0,
        monitor="perplexity",
    )
    return Config(model, options)


def tagger():
    torch.manual_seed(0)
    config = brnn_config().model
    classes = find_classes([frozenset({mark}) for mark in MARKS], 1)
    config = dataclasses.replace(config, heads=dataclasses.replace(config.heads, classes=classes))
    return build_tagger(config, new_encoder(config.encoder, 60, 0)).eval()


def batch(*sizes):
    rng = np.random.default_rng(0)
    windows = [[WordInput((int(rng.integers(5, 60)),), int(rng.integers(0, UNKNOWN + 1))) for _ in range(7)]] * 3
    arrays = collate([window[:size] for window, size in zip(windows, sizes, strict=False)], 1, 2, 0).inputs()
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def test_padding_changes_nothing():
    model = tagger()
    with torch.inference_mode():
        alone, padded = model(**batch(4)), model(**batch(4, 7))
    assert torch.allclose(alone.mark_logits[0], padded.mark_logits[0, :4], atol=1e-5)
    assert torch.allclose(alone.case_logits[0], padded.case_logits[0, :4], atol=1e-5)


def test_the_encoder_is_rebuilt_from_its_settings():
    model = tagger()
    again = encoder_from_settings(ModelInfo(brnn_config().model, model.encoder.settings).encoder)
    again.load_state_dict(model.encoder.state_dict())
    arguments = {name: array for name, array in batch(4, 7).items() if name != "pauses"}
    assert torch.equal(again(**arguments), model.encoder(**arguments))


def test_sparse_gradients_change_what_dense_ones_do():
    results = []
    for sparse in (False, True):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Embedding(10, 4), torch.nn.Linear(4, 3)).double()
        optimizer = build_optimizer(model, brnn_config().training)
        model[0].sparse = sparse
        for words in ([1, 2, 2, 5], [2, 7]):
            optimizer.zero_grad()
            model(torch.tensor(words)).square().sum().backward()
            assert model[0].weight.grad.is_sparse == sparse
            clip_gradients(model.parameters(), 0.5)
            optimizer.step()
        results.append(model.state_dict())
    assert all(torch.allclose(results[0][name], results[1][name]) for name in results[0])


@pytest.mark.parametrize("largest", [0.5, 1e6])
def test_clipping_is_torchs(largest):
    gradients = []
    for clip in (clip_gradients, torch.nn.utils.clip_grad_norm_):
        layer = torch.nn.Linear(3, 2)
        layer.weight.grad, layer.bias.grad = torch.arange(6.0).view(2, 3), torch.ones(2)
        clip(layer.parameters(), largest)
        gradients.append(layer.weight.grad)
    assert torch.allclose(*gradients)


def test_a_brnn_learns(corpus, tmp_path):
    directory = tmp_path / "brnn"
    info = train(brnn_config(epochs=12), corpus, directory, device="cpu")
    assert info.model.heads.classes[0] == "O"
    assert info.training["dev_f1"] > 0.8
    assert 1 <= info.training["dev_perplexity"] < 1.3
    assert read_info(directory).model == info.model
    assert train(brnn_config(epochs=12), corpus, directory, device="cpu", resume=True) == info


def test_configurations_from_before_have_defaults():
    mapping = as_mapping(Config())
    for name in ("kind", "class_count", "classes"):
        del mapping["model"]["heads"][name]
    del mapping["model"]["encoder"]["tokenizer"], mapping["training"]["monitor"]
    assert from_mapping(Config, mapping, "old") == Config()
