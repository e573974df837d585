"""egs/language/run.sh: a model of another language from written text."""

import json
import random
import subprocess
from pathlib import Path

import pytest
from dummies import save_cased_encoder
from recipe_runs import copy_recipes, environment, run

ROOT = Path(__file__).parent.parent
RUN = ROOT / "egs" / "language" / "run.sh"
SYLLABLES = ["ba", "ne", "ti", "mo", "lu", "ra", "se", "ko", "du", "fi"]


def text(count: int) -> str:
    """Documents of invented words, of which questions begin with "que"."""
    rng, lines = random.Random(1), []
    for number in range(count):
        words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(rng.randint(4, 9))]
        is_question = rng.random() < 0.3
        lines.append(f"¿Que {' '.join(words)}?" if is_question else f"La {' '.join(words[:3])}, {' '.join(words[3:])}.")
        lines += [""] * (number % 4 == 3)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "options",
    [[], ["--lang", "ca"], ["--text", "a.txt"], ["--lang", "ca", "--text", "a.txt"], ["--lang", "Cat", "--text", "b"]],
)
def test_missing_options_are_named(options, tmp_path):
    done = subprocess.run([RUN, "--venv", "none", *options], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_text_becomes_a_model_that_is_found_by_its_language(tmp_path):
    pytest.importorskip("lightning")
    copy_recipes(tmp_path, "conf", "egs", "recipes")
    (tmp_path / "other.txt").write_text(text(20), encoding="utf-8")
    (tmp_path / "text.txt").write_text(text(300), encoding="utf-8")
    encoder = save_cased_encoder(tmp_path / "encoder")
    options = ["--lang", "gl", "--text", "text.txt", "--test", "other.txt", "--encoder", str(encoder)]
    small = "training.epochs=2 training.epochs_per_pass=1 training.batch_size=4 model.context.feed_forward=32"
    command = [tmp_path / "egs/language/run.sh", "--venv", "none", *options, "--vocabulary", "100"]
    env = environment()
    done = run([*command, "--train-options", small], tmp_path, env, None)
    assert done.returncode == 0, done.stdout + done.stderr
    exp = tmp_path / "egs" / "language" / "work" / "gl" / "exp"
    assert len(json.loads((exp / "scores.json").read_text())) == 2
    env["ASR_PUNCT_MODELS"] = str(exp / "models")
    assert "gl" in run(["asr-punct", "models"], tmp_path, env).stdout
    words = "a nosa casa está preto do río e os nenos xogan na rúa"
    command = ["asr-punct", "punctuate", "--lang", "gl"]
    done = subprocess.run(command, input=words, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "".join(c for c in done.stdout.lower() if c.isalpha() or c == " ").split() == words.split()
