"""The programs of benchmarks/."""

import importlib.util
import json
import sys
from pathlib import Path

import peer_systems
import peers
import pytest
import services_plot

from asr_punct.errors import InputError
from asr_punct.scoring import Difference

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
import gpu

ROOT = Path(__file__).parent.parent
_spec = importlib.util.spec_from_file_location("services_benchmark", ROOT / "benchmarks/services.py")
services = importlib.util.module_from_spec(_spec)  # `services` is also a module of the tests
sys.modules["services_benchmark"] = services
_spec.loader.exec_module(services)

MEASURES = {"cpu_s": 5.0, "start_s": 0.25, "memory_mb": 1234.5, "install_mb": 99.6}


def test_the_table_compares_with_fullstop_and_shows_why_a_program_failed():
    results = {"asr_punct-int8": MEASURES, "fullstop": {**MEASURES, "cpu_s": 12.0}, "nemo": "No module | named x"}
    assert list(peers.table(results, 20_000))[2:] == [
        "| **asr_punct**, `en` as shipped (int8) | 5.00 | 4,000 | 2.40 | 1,234 | 0.2 | 100 |",
        "| deepmultilingualpunctuation 1.0.1 (FullStop) | 12.00 | 1,667 | 1.00 | 1,234 | 0.2 | 100 |",
        "| NeMo 2.4.1, `PunctuationCapitalizationModel` | No module   named x | | | | | |",
    ]


def test_lines_between_the_markers_are_replaced_and_the_rest_stays():
    page = f"a\n{peers.BEGIN}\nold\n{peers.END}\nb\n"
    new = peers.replace_between(page, ["x", "y"])
    assert new == f"a\n{peers.BEGIN}\n\nx\ny\n\n{peers.END}\nb\n"
    assert peers.replace_between(new, ["x", "y"]) == new


@pytest.mark.parametrize("page", ["", peers.BEGIN, f"{peers.END} {peers.BEGIN}", f"{peers.BEGIN * 2} {peers.END}"])
def test_a_page_without_a_pair_of_markers_is_refused(page):
    with pytest.raises(InputError, match=r"docs\.md: found no such pair"):
        peers.replace_between(page, [], "docs.md")


def test_the_page_of_the_documentation_has_the_markers():
    peers.replace_between((ROOT / "docs/peers.md").read_text(encoding="utf-8"), [])


def test_measures_are_refused_if_a_program_changes_words(tmp_path):
    text = "one two three"
    measures = peer_systems.measure(lambda _: lambda text: text.replace(" ", ", ").title(), tmp_path, text)
    assert measures["cpu_s"] >= 0
    assert measures["memory_mb"] > 1
    with pytest.raises(ValueError, match="10 letters in the output, 11 in the text"):
        peer_systems.measure(lambda _: lambda text: text[:-1], tmp_path, text)


# benchmarks/gpu.py, rehearsed on the CPU


TINY = gpu.Sizes(layers=1, width=64, vocabulary=100, rows=2, seconds=0.01)


def measured(limit=600.0):
    return gpu.measure(TINY, torch.device("cpu"), 1.0, limit, "eager")


@pytest.fixture
def without_shipped_models(monkeypatch):
    monkeypatch.setattr(gpu, "_shipped", lambda sizes, words: iter(()))


@pytest.mark.slow  # one of the models is compiled
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


def test_missing_packages_and_time_are_named(without_shipped_models, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert measured()["left_out"] == ["autopunct: no package transformers", "transformers: no package transformers"]
    assert measured(limit=0.0)["left_out"][:2] == ["torch, training: no time", "torch, inference: no time"]


# benchmarks/services.py


def tokens(text, start=0.0):
    return [[word, start + i, start + i + 0.5] for i, word in enumerate(text.split())]


@pytest.fixture
def calls(tmp_path):
    said = [[*token, "1", 1] for token in tokens("So, we grew. Did you? Yes.")]
    others = dict.fromkeys(services.SERVICES, tokens("So we grew. Did he, yes."))
    for name, rows in (("earnings21_test", {"words": said, "asr_rev_kaldi": tokens("so we grew")}), ("", others)):
        file = tmp_path / f"{name or 'earnings21_test_services'}.jsonl"
        file.write_text("".join(json.dumps({"doc": str(i), **rows}) + "\n" for i in range(3)), encoding="utf-8")
    return list(services.read_calls(tmp_path))


def test_marks_are_compared_on_equal_words_and_on_all(calls, punctuator):
    versions = services.punctuate(calls, "Google", punctuator)
    assert versions.agree[0] == [True, True, True, True, False, True]
    assert [word.text for word in versions.ours[0].words] == ["so", "we", "grew", "did", "he", "yes"]
    equal, everywhere = (services.compare(versions, words) for words in ("words that agree", "all words"))
    assert equal["marks.PERIOD.f1"].first == 1.0
    assert "marks.QUESTION.f1" not in equal  # `you?` was misheard
    assert everywhere["marks.QUESTION.f1"].first == 0.0
    assert everywhere["marks.COMMA.f1"].first == 0.0


def test_the_page_of_the_services_has_the_markers_and_the_plot_all_rows():
    peers.replace_between((ROOT / "docs/services.md").read_text(encoding="utf-8"), [])
    difference = Difference(0.5, 0.75, 0.25, None, None)
    plot = services_plot.draw({"Google": dict.fromkeys(services.METRICS, difference)}, services.METRICS)
    assert plot.count("Google") == plot.count("<line") - 6 == len(services.METRICS) - 1
