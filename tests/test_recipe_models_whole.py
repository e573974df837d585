"""The recipe of the shipped models from written text to a model in the package, very small."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TINY = (
    "model.encoder.vocabulary=200 model.encoder.width=32 model.encoder.table_width=16 model.encoder.pairs=64 "
    "model.context.kernels=[3,0,5] model.context.feed_forward=32 model.context.heads=2 "
    "training.epochs=2 training.epochs_per_pass=1 training.batch_size=4"
)
SYLLABLES = ["ba", "ne", "ti", "mo", "lu", "ra", "se", "ko", "du", "fi"]


def sentences(count, seed):
    """Sentences of invented words, a question where the first one says so."""
    rng = random.Random(seed)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(300)]
    for _ in range(count):
        chosen = rng.choices(words, k=rng.randint(6, 12))
        if rng.random() < 0.3:
            yield f"What {' '.join(chosen)}?"
        else:
            yield f"The {' '.join(chosen[:4])}, {' '.join(chosen[4:])}."


def write_lines(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def recipe(tmp_path):
    """A copy of the recipe's scripts, whose only source is the corpus beside it."""
    pytest.importorskip("lightning")
    for name in ("egs", "recipes", "benchmarks"):
        shutil.copytree(
            ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("exp", "data", "work", "*.safetensors")
        )
    shutil.rmtree(tmp_path / "egs" / "models" / "en", ignore_errors=True)
    write_lines(tmp_path / "corpus" / "en" / "train" / "invented.txt", sentences(400, 1))
    write_lines(tmp_path / "corpus" / "en" / "test" / "other.txt", sentences(40, 1))
    table = "# file\tlanguage\tordered\tshare\tdev\tlicence\nen/train/invented\ten\tyes\t1\t400\tCC0\n"
    (tmp_path / "egs" / "models" / "sources" / "en.tsv").write_text(table)
    return tmp_path / "egs" / "models" / "run.sh"


def run(recipe, *options):
    corpus = recipe.parent.parent.parent / "corpus"
    command = [recipe, "--corpus", corpus, "--models", "en", "--venv", "none", "--train-options", TINY, *options]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_from_text_to_a_model_in_the_package(recipe):
    done = run(recipe)
    assert done.returncode == 0, done.stdout + done.stderr
    shipped = recipe.parent.parent.parent / "asr_punct" / "pretrained" / "en"
    files = {"config.json", "tokenizer.json", "casing.txt", "model.int8.onnx", "scores.json", "README.md"}
    assert {path.name for path in shipped.iterdir()} == files
    assert set(json.loads((shipped / "scores.json").read_text())) == {"en/other"}
    assert "model.safetensors" in {path.name for path in (recipe.parent / "en").iterdir()}
    card = (shipped / "README.md").read_text()
    assert "license: cc-by-sa-4.0" in card
    assert "## Known failures" in card
    again = run(recipe)
    assert again.returncode == 0, again.stdout + again.stderr
    assert again.stdout.count("done before") == again.stdout.count("…") > 8


@pytest.mark.slow
def test_the_comparison(recipe):
    done = run(recipe, "--stop-stage", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    done = run(recipe, "--compare", "true", "--stage", "8")
    assert done.returncode == 0, done.stdout + done.stderr
    work = recipe.parent / "work" / "en" / "exp"
    assert "en/other" in json.loads((work / "brnn-facts" / "scores.json").read_text())
    assert "en/other: " in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--models", "fr"], "--models: found 'fr', expected a table sources/fr.tsv"),
        (["--corpus", "/no/such"], "--corpus: found no folder /no/such"),
        (["--stage", "x"], "--stage: found 'x', expected a number"),
        (["--compare", "maybe"], "--compare: found 'maybe', expected true or false"),
        (["--stage", "3"], "stage 3: expected file exp/clean/config.json to exist (run stage 2)"),
    ],
)
def test_wrong_options_are_told_before_any_work(recipe, options, message):
    done = run(recipe, *options)
    assert done.returncode == 2
    assert message in done.stderr
