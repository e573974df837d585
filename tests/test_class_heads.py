"""Heads of classes from training to text: graphs, the torch backend, decoding, weights."""

import dataclasses
import itertools
import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dummies import tiny_config

from asr_punct import Punctuator
from asr_punct.checkpoint import WEIGHTS, read_info, write_info
from asr_punct.errors import ArgumentError, ModelError
from asr_punct.inference.backend import open_backend
from asr_punct.model.crf import ChainCrf
from asr_punct.training.export import export, random_features
from asr_punct.training.fit import train

TEXT = "ana mira la casa dónde está la mesa"


def class_config(crf, **training):
    config = tiny_config(**training)
    heads = dataclasses.replace(config.model.heads, kind="classes", crf=crf)
    return dataclasses.replace(config, model=dataclasses.replace(config.model, heads=heads))


@pytest.fixture(scope="module", params=["none", "marginals", "path"])
def directory(request, corpus, tmp_path_factory):
    """AutoPunct, its pauses included, with each kind of output layer, trained and exported."""
    directory = tmp_path_factory.mktemp("classes") / request.param
    train(class_config(request.param, epochs=14), corpus, directory, device="cpu")
    assert export(directory, int8=request.param == "path") < 1e-4
    return directory


def test_graph_and_torch_give_the_classes_of_the_corpus(directory):
    info = read_info(directory)
    assert (info.model.pauses.kind, info.model.context.kind) == ("discrete-gaussian", "transformer")
    assert set(info.model.heads.classes) == {"O", "COMMA", "PERIOD", "QUESTION", "OPEN_QUES"}
    graph = open_backend(directory, info)
    weights = dataclasses.replace(info, files={WEIGHTS: info.files[WEIGHTS]})
    for seed in range(3):
        features = random_features(info, seed)
        real = features.word_index > 0
        found, expected = (backend.probabilities(features) for backend in (graph, open_backend(directory, weights)))
        assert found.labels.shape == (*features.word_index.shape, 5)
        np.testing.assert_allclose(found.labels[real], expected.labels[real], atol=1e-4)
        np.testing.assert_allclose(found.labels[real].sum(axis=-1), 1, atol=1e-4)
        np.testing.assert_allclose(found.cases[real], expected.cases[real], atol=1e-4)


def test_strings_are_punctuated(directory):
    assert Punctuator.from_pretrained(directory)(TEXT) == "Ana, mira la casa. ¿Dónde está la mesa?"
    chosen = Punctuator.from_pretrained(directory, marks=["COMMA"], case=False)
    assert chosen(TEXT) == "ana, mira la casa dónde está la mesa"


def test_class_weights_multiply_those_of_the_directory(directory, tmp_path):
    never = {"QUESTION": 1e-9, "OPEN_QUES": 1e-9}
    text = Punctuator.from_pretrained(directory, class_weights=never)(TEXT)
    assert "?" not in text
    assert "," in text
    info = read_info(directory)
    decoding = dataclasses.replace(info.decoding, class_weights={"QUESTION": 1e9, "OPEN_QUES": 1e9, "COMMA": 1e-6})
    shutil.copytree(directory, tmp_path, dirs_exist_ok=True)
    write_info(tmp_path, dataclasses.replace(info, decoding=decoding))
    assert read_info(tmp_path).decoding == decoding
    text = Punctuator.from_pretrained(tmp_path, class_weights=never)(TEXT)
    assert text == "Ana mira la casa. ¿Dónde está la mesa?"


def test_invalid_class_weights_are_refused(directory, tmp_path):
    for weights, found in (({"COLON": 2.0}, "'COLON'"), ({"COMMA": 0.0}, "0.0 for COMMA")):
        with pytest.raises(ArgumentError) as error:
            Punctuator.from_pretrained(directory, class_weights=weights)
        assert (error.value.place, error.value.found) == ("class_weights", found)
    info = read_info(directory)
    decoding = dataclasses.replace(info.decoding, class_weights={"COLON": 2.0})
    write_info(tmp_path, dataclasses.replace(info, decoding=decoding))
    with pytest.raises(ModelError, match="class_weights: found 'COLON', expected names from O "):
        read_info(tmp_path)


def test_class_weights_move_the_thresholds_of_a_multilabel_model(model):
    rare = Punctuator.from_pretrained(model, class_weights={"COMMA": 1e-6, "PERIOD": 1e-6})
    assert rare(TEXT) == "Ana mira la casa ¿Dónde está la mesa?"
    with pytest.raises(ArgumentError) as error:
        Punctuator.from_pretrained(model, class_weights={"O": 2.0})
    assert error.value.found == "'O'"


def test_the_command_line_weighs(directory, tmp_path, run):
    (tmp_path / "in.txt").write_text(TEXT + "\n")
    options = ["--class-weights", "comma=1e-9,QUESTION=1e-9,OPEN_QUES=1e-9", "--no-case"]
    status, out, err = run("punctuate", tmp_path / "in.txt", "--model", directory, *options, "--quiet")
    assert (status, err) == (0, "")
    assert not {",", "?", "¿"} & set(out)


# The CRF against sums over all paths


def random_crf(classes, words, seed=0, scale=2.0):
    """A CRF with large scores, and emissions of windows of these lengths, padded."""
    torch.manual_seed(seed)
    crf = ChainCrf(classes, max_words=5)
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter, std=scale)
    emissions = scale * torch.randn(len(words), max(words), classes)
    mask = torch.arange(max(words)) < torch.tensor(words)[:, None]
    return crf, emissions, mask.long()


def paths(crf, emissions):
    """Every path of one window, and its score, summed one by one."""
    start, end, steps = (p.detach().double().numpy() for p in (crf.start, crf.end, crf.transitions))
    emissions = emissions.double().numpy()
    for path in itertools.product(range(emissions.shape[1]), repeat=len(emissions)):
        score = start[path[0]] + end[path[-1]] + sum(emissions[t, label] for t, label in enumerate(path))
        yield path, score + sum(steps[a, b] for a, b in itertools.pairwise(path))


LENGTHS = [(1,), (2,), (3,), (4,), (5,), (5, 1, 3), (2, 4, 4, 1)]
CASES = pytest.mark.parametrize(("classes", "words"), list(itertools.product([2, 3, 4], LENGTHS)))


@CASES
def test_marginals(classes, words):
    crf, emissions, mask = random_crf(classes, words)
    found = crf.marginals(emissions, mask).detach().numpy()
    for row, length in enumerate(words):
        expected = np.zeros((length, classes))
        for path, score in paths(crf, emissions[row, :length]):
            expected[np.arange(length), path] += np.exp(score)
        np.testing.assert_allclose(found[row, :length], expected / expected[0].sum(), atol=1e-5)


@CASES
def test_best_paths(classes, words):
    crf, emissions, mask = random_crf(classes, words, seed=1)
    found = crf.max_marginals(emissions, mask).detach().numpy()
    for row, length in enumerate(words):
        scored = dict(paths(crf, emissions[row, :length]))
        assert tuple(found[row, :length].argmax(axis=1)) == max(scored, key=scored.get)
        for t, label in itertools.product(range(length), range(classes)):
            through = max(score for path, score in scored.items() if path[t] == label)
            expected = np.exp(through - max(scored.values()))
            assert found[row, t, label] / found[row, t].max() == pytest.approx(expected, abs=1e-5)


@CASES
def test_conditional_losses_sum_to_the_negative_log_likelihood(classes, words):
    crf, emissions, mask = random_crf(classes, words, seed=2)
    true = torch.randint(0, classes, mask.shape)
    logits = crf.conditional_logits(emissions, true, mask)
    losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2), true, reduction="none")
    for row, length in enumerate(words):
        scored = dict(paths(crf, emissions[row, :length]))
        scores = np.array(list(scored.values()))
        total = scores.max() + np.log(np.exp(scores - scores.max()).sum())
        expected = total - scored[tuple(true[row, :length].tolist())]
        assert (losses * mask)[row].sum().item() == pytest.approx(expected, abs=1e-4)


def test_long_windows_stay_finite():
    crf, emissions, mask = random_crf(4, (300, 7), seed=5, scale=5.0)
    for found in (crf.marginals(emissions, mask), crf.max_marginals(emissions, mask)):
        assert torch.allclose(found.sum(-1), torch.ones(2, 300), atol=1e-4)
    alone = crf.marginals(emissions[1:, :7], mask[1:, :7])
    assert torch.allclose(crf.marginals(emissions, mask)[1, :7], alone[0], atol=1e-5)
