"""The CRF against sums over all paths."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from asr_punct.model.crf import ChainCrf  # noqa: E402


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


def test_conditional_probabilities_are_given_the_true_prefix():
    crf, emissions, mask = random_crf(3, (4,), seed=3)
    true = (2, 0, 1, 1)
    logits = crf.conditional_logits(emissions, torch.tensor([true]), mask)[0].log_softmax(-1).detach().exp().numpy()
    scored = {path: np.exp(score) for path, score in paths(crf, emissions[0])}
    for t in range(4):
        weights = [sum(w for path, w in scored.items() if path[:t] == true[:t] and path[t] == c) for c in range(3)]
        np.testing.assert_allclose(logits[t], np.array(weights) / sum(weights), atol=1e-5)


def test_long_windows_stay_finite():
    crf, emissions, mask = random_crf(4, (300, 7), seed=5, scale=5.0)
    for found in (crf.marginals(emissions, mask), crf.max_marginals(emissions, mask)):
        assert torch.allclose(found.sum(-1), torch.ones(2, 300), atol=1e-4)
    alone = crf.marginals(emissions[1:, :7], mask[1:, :7])
    assert torch.allclose(crf.marginals(emissions, mask)[1, :7], alone[0], atol=1e-5)
