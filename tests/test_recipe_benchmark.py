"""A benchmark recipe's control flow, with stand-ins for the programs that it calls."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAM = f"""#!{sys.executable}
import pathlib, sys
name, words = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
with open("calls", "a") as calls:
    print(name, *words, file=calls)
if name == "prepare.py":
    made = words[-1] + "/summary.json"
elif name == "tune.py":
    made = words[words.index("--json") + 1]
elif name == "decode.py":
    made = words[-1] + "/facts.json"
elif name == "time_ways.py":
    made = next(word for word in words if word.endswith("/times.json"))
elif name == "report.py":
    made = "exp/RESULTS.md"
elif words[0] == "export":
    made = words[1] + "/model.onnx"
else:
    made = words[words.index("-o") + 1] + "/config.json"
made = pathlib.Path(made)
made.parent.mkdir(parents=True, exist_ok=True)
made.touch()
"""


class Recipe:
    def __init__(self, root: Path) -> None:
        self.root = root
        ignored = shutil.ignore_patterns("exp", "data", "corpus", "__pycache__", "models", "mintzai", ".*")
        for name in ("egs", "recipes"):
            shutil.copytree(ROOT / name, root / name, ignore=ignored)
        programs = [root / "recipes" / name for name in ("tune.py", "pos.py")]
        local = root / "egs" / "iwslt" / "local"
        programs += [local / name for name in ("prepare.py", "decode.py", "time_ways.py", "report.py")]
        for program in (*programs, root / "bin" / "asr-punct"):
            program.parent.mkdir(exist_ok=True)
            program.write_text(PROGRAM)
            program.chmod(0o755)
        for name in ("packages", "files", "treebanks"):
            (root / name).mkdir()
        for part in ("train", "dev"):
            (root / "treebanks" / f"some-{part}.conllu").touch()
        path = f"{root / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "PYTHONPATH": f"{root / 'packages'}:{ROOT}"}

    def __call__(self, *options: str, recipe: str = "iwslt") -> subprocess.CompletedProcess[str]:
        (self.root / "egs" / recipe / "calls").unlink(missing_ok=True)
        return subprocess.run(
            [f"egs/{recipe}/run.sh", "--venv", "none", "--corpus", "files", *options],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def calls(self, *options: str, recipe: str = "iwslt") -> list[str]:
        """The calls that a good run makes."""
        done = self(*options, recipe=recipe)
        assert done.returncode == 0, done.stdout + done.stderr
        return (self.root / "egs" / recipe / "calls").read_text().splitlines()


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return Recipe(tmp_path)


def of(calls: list[str], *start: str) -> list[str]:
    return [call for call in calls if call.split()[: len(start)] == list(start)]


def test_the_papers_settings_are_the_default_for_a_large_encoder(recipe):
    calls = recipe.calls("--encoder", "roberta-base", "--system", "polacek")
    assert "--budget full" in of(calls, "report.py")[0]
    (train,) = of(calls, "asr-punct", "train")
    assert train.endswith("model.encoder.name=roberta-base training.seed=1")  # nothing differs from conf/
    assert "--dev-words" not in of(calls, "prepare.py")[0]
    asked = recipe.calls("--encoder", "roberta-base", "--system", "polacek", "--budget", "pass")
    assert "training.batch_size=4" in of(asked, "asr-punct", "train")[0]
    assert "--budget pass" in of(recipe.calls("--encoder", "built", "--system", "brnn"), "report.py")[0]
    assert "--budget full" in of(recipe.calls("--system", "brnn", recipe="bangla"), "report.py")[0]


def test_parts_of_speech_of_flair_are_decoded_without_a_graph(recipe):
    asked = ("--encoder", "roberta-base", "--system", "pos_fusion pos_fusion/sbs", "--tagger", "flair")
    failed = recipe(*asked)
    assert failed.returncode == 2
    told = "pos_fusion: found no package flair, expected it in the environment (pip install flair)"
    assert failed.stderr == f"run.sh: stage 2: {told}\n"
    assert not of((recipe.root / "egs/iwslt/calls").read_text().splitlines(), "asr-punct")

    (recipe.root / "packages" / "flair.py").touch()
    calls = recipe.calls(*asked)
    fusion, sbs = of(calls, "asr-punct", "train")
    assert "model.pos.tagger=flair" in fusion
    assert "pos_tagger" not in fusion
    assert "model.pos.tagger=none" in sbs
    assert "flair" not in sbs
    assert of(calls, "asr-punct", "export") == ["asr-punct export exp/models/pos_fusion/sbs/model"]
    assert [call.split()[-1] for call in of(calls, "decode.py")] == [
        "exp/decode/pos_fusion",
        "exp/decode/pos_fusion/sbs",
    ]
    assert len(of(calls, "tune.py")) == 2


def test_a_tagger_is_trained_for_the_encoder_it_reads(recipe):
    asked = ("--encoder", "roberta-base", "--system", "pos_fusion pos_fusion/random", "--stop-stage", "2")
    calls = recipe.calls(*asked, "--treebanks", "treebanks")
    (tagger,) = of(calls, "pos.py")
    assert tagger.endswith("-o exp/pos/roberta-base model.encoder.name=roberta-base")
    for train in of(calls, "asr-punct", "train"):
        assert f"training.pos_tagger={recipe.root}/egs/iwslt/exp/pos/roberta-base" in train
        assert "model.pos.tagger=own" in train


def test_rows_without_a_tagger_are_told_and_the_others_run(recipe):
    done = recipe("--encoder", "roberta-base", "--stop-stage", "2")
    assert done.returncode == 0
    left_out = [line.split(":")[0] for line in done.stderr.splitlines()]
    assert left_out == ["pos_fusion", "pos_fusion/random"]
    assert "train pos_fusion/sbs" in done.stdout


def test_tuned_as_it_is_decoded(recipe):
    calls = recipe.calls("--encoder", "built", "--system", "courtland brnn", "--stop-stage", "4", "--device", "cuda")
    courtland, brnn = of(calls, "tune.py")
    assert courtland.endswith("exp/models/courtland/model data/tune.tsv --device cuda --aggregate 9")
    assert brnn.endswith("exp/models/brnn/model data/tune.tsv --device cuda")
    assert "--untuned --aggregate 9 exp/models/courtland/model" in of(calls, "decode.py")[0]


def test_class_weights_of_the_paper_are_tried_on_every_row_of_its_configuration(recipe):
    calls = recipe.calls("--encoder", "built", "--system", "polacek/scratch brnn")
    weights = [call for call in of(calls, "decode.py") if "--class-weights" in call]
    assert [call.split(" data ")[1] for call in weights] == [
        "exp/decode/weights/polacek/scratch/1",
        "exp/decode/weights/polacek/scratch/of the paper",
    ]
