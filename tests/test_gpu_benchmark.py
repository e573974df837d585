"""benchmarks/gpu.py, rehearsed on the CPU."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import gpu  # noqa: E402

TINY = gpu.Sizes(layers=1, width=64, vocabulary=100, rows=2, seconds=0.01)


def measured(limit=600.0):
    return gpu.measure(TINY, torch.device("cpu"), 1.0, limit, "eager")


@pytest.fixture
def without_shipped_models(monkeypatch):
    monkeypatch.setattr(gpu, "_shipped", lambda sizes, words: iter(()))


def test_all_rows_are_measured(without_shipped_models):
    facts = measured()
    names = [row["name"] for row in facts["rows"]]
    models = ["torch", "AutoPunct bf16 compiled", "AutoPunct bf16", "AutoPunct fp32", "transformers fp32"]
    expected = [f"{model}, {work}" for model in models for work in ("training", "inference")]
    assert names == expected
    assert not facts["left_out"]
    assert all(row["words_a_second"] > 0 and row["share_of_product"] > 0 for row in facts["rows"])
    flops = {row["name"]: row["flops_a_word"] for row in facts["rows"]}
    for model in models:  # the backward pass has up to two products for each of the forward pass
        assert flops[f"{model}, training"] > 2 * flops[f"{model}, inference"] > 0
    assert flops["AutoPunct fp32, inference"] == flops["AutoPunct bf16, inference"]


@pytest.mark.slow
def test_the_shipped_models_are_measured(monkeypatch):
    monkeypatch.setattr(gpu, "_autopunct", lambda sizes, words: iter(()))
    assert [row["name"] for row in measured()["rows"]][-2:] == ["es-eu, inference", "en, inference"]


def test_missing_packages_and_time_are_named(without_shipped_models, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert measured()["left_out"] == ["autopunct: no package transformers", "transformers: no package transformers"]
    assert measured(limit=0.0)["left_out"][:2] == ["torch, training: no time", "torch, inference: no time"]
