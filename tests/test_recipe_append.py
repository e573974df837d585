"""append_to_asr.sh of egs/mintzai on a very small corpus."""

import importlib.util
import json

import pytest
from recipe_runs import copy_recipes, good, is_all_skipped

APPEND = "egs/mintzai/local/append_to_asr.sh"


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("nemo"), reason="NeMo is not installed: pip install '.[nemo]'")
def test_append_to_asr(tmp_path):
    copy_recipes(tmp_path)
    small = [APPEND, "--venv", "none", "--scale", "0.06", "--train-options", "training.epochs=2", "--epochs", "12"]
    exp = tmp_path / "egs" / "mintzai" / "exp" / "asr"
    good(*small, "--stop-stage", "3", cwd=tmp_path)
    assert not (exp / "RESULTS.md").exists()
    output = good(*small, cwd=tmp_path)
    assert "stage 3: train recogniser: done before" in output
    results = json.loads((exp / "results.json").read_text())
    assert list(results) == ["es", "eu", "es+eu"]
    for language, values in results.items():
        assert values["wer"] > 0
        # which one is higher is chance: neither the model nor the recogniser has learnt anything after so few epochs
        for words in ("recognised", "reference"):
            scores = json.loads((exp / "exp" / language / words / "scores.json").read_text())
            assert 0 <= values[f"f1_{words}"] == scores["micro"]["f1"] <= 1
    assert results["es+eu"]["words"] == results["es"]["words"] + results["eu"]["words"]
    assert "synthetic" in (exp / "RESULTS.md").read_text()
    assert "| es+eu " in output
    assert (exp / "exp" / "eu" / "recognised" / "srt").is_dir()
    assert is_all_skipped(good(*small, cwd=tmp_path))
