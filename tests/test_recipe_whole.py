"""Complete runs of the recipes on very small corpora."""

import json
import os
import random
import signal
import subprocess
import time

import pytest
from dummies import save_cased_encoder
from published_encoders import BERTEUS, BETO, IXAMBERT, write_hub_cache
from recipe_runs import copy_recipes, environment, good, is_all_skipped, run

from asr_punct.marks import MARKS


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    pytest.importorskip("lightning")
    return copy_recipes(tmp_path_factory.mktemp("clone"))


# egs/mintzai

MINTZAI = ["egs/mintzai/run.sh", "--venv", "none", "--scale", "0.06", "--train-options", "training.epochs=2"]


@pytest.mark.slow
def test_a_killed_run_of_mintzai_is_continued(clone):
    recipe = clone / "egs" / "mintzai"
    killed = subprocess.Popen(
        MINTZAI, cwd=clone, env=environment(), stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    for line in killed.stdout:
        if "align es/train" in line:
            break
    time.sleep(1)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert not (recipe / "exp" / "scores.json").exists()

    assert "synthetic corpus: done before" in good(*MINTZAI, cwd=clone)
    scores = json.loads((recipe / "exp" / "scores.json").read_text())
    assert list(scores) == ["es", "eu", "es+eu", "es plain", "eu plain", "es+eu plain"]
    for values in scores.values():
        assert set(values["marks"]) == set(MARKS)
        assert 0 <= values["micro"]["f1"] <= 1
        assert values["words"] > 0
        assert "micro.f1" in values["ci95"]
    results = (recipe / "exp" / "RESULTS.md").read_text()
    assert "synthetic" in results
    assert "76.4" in results  # the paper's row
    demo = recipe / "exp" / "demo"
    assert {path.name for path in demo.iterdir()} >= {"input.ctm", "output.ctm", "output.txt", "reference.txt"}
    spoken, written = ((demo / name).read_text().split("\n") for name in ("input.ctm", "output.ctm"))
    assert [line.split()[:4] for line in spoken] == [line.split()[:4] for line in written]


@pytest.mark.slow
def test_mintzai_with_the_encoders_of_the_paper_as_they_are_published(tmp_path):
    """By their names, from a cache of the hub, on a corpus that does not look synthetic."""
    copy_recipes(tmp_path)
    env = environment() | write_hub_cache(tmp_path / "hub")
    made = run(["egs/mintzai/local/make_mini_corpus.py", "corpus", "--scale", "0.05"], tmp_path, env, None)
    assert made.returncode == 0, made.stderr
    (tmp_path / "corpus" / "truth").rename(tmp_path / "times")
    options = ["--corpus", "corpus", "--ctm-dir", "times", "--train-options", "training.epochs=1"]
    done = run(["egs/mintzai/run.sh", "--venv", "none", *options], tmp_path, env, None)
    assert done.returncode == 0, done.stdout + done.stderr
    named = [line.split()[-1] for line in done.stdout.splitlines() if ", encoder " in line]
    assert named == [BETO, BERTEUS, IXAMBERT]
    exp = tmp_path / "egs" / "mintzai" / "exp"
    assert set(json.loads((exp / "scores.json").read_text())) == {
        *("es", "eu", "es+eu", "es plain", "eu plain", "es+eu plain")
    }
    rows = [line.split("|")[1:3] for line in (exp / "RESULTS.md").read_text().splitlines() if line.startswith("|")]
    decodings = [(a.strip(), b.strip()) for a, b in rows if b.strip() in ("plain", "tuned")]
    assert decodings == [(name, kind) for name in ("es", "eu", "es+eu") for kind in ("plain", "tuned")]
    contexts = {json.loads(path.read_text())["model"]["context"]["kind"] for path in exp.glob("models/*/config.json")}
    assert contexts == {"bert"}


# egs/iwslt and egs/bangla

SMOKE = ["--venv", "none", "--encoder", "built", "--budget", "smoke"]


@pytest.mark.slow
def test_iwslt_trains_scores_and_reports_systems(clone):
    systems = ("courtland", "polacek/scratch", "bilstm_augment/crf")
    good("egs/iwslt/run.sh", *SMOKE, "--system", " ".join(systems), "--look-ahead", "polacek*", cwd=clone)
    exp = clone / "egs" / "iwslt" / "exp"
    scores = json.loads((exp / "scores.json").read_text())
    assert set(scores) == {f"{system}/{test}" for system in systems for test in ("ref", "asr")}
    page = (exp / "RESULTS.md").read_text()
    assert all(f"**{system}**" in page for system in systems)
    assert page.count("Aggregate (courtland2020)") == 2  # with two encoders, only on the reference
    assert "courtland2020, Table 2): courtland" in page
    assert "theirs is Czech): polacek/scratch" in page
    again = good("egs/iwslt/run.sh", *SMOKE, "--system", "courtland", cwd=clone)
    assert "train courtland: done before" in again


@pytest.mark.slow
def test_bangla(clone):
    good("egs/bangla/run.sh", *SMOKE, "--system", "brnn", cwd=clone)
    assert "## News" in (clone / "egs" / "bangla" / "exp" / "RESULTS.md").read_text()


# egs/models

TINY = (
    "model.encoder.vocabulary=200 model.encoder.width=32 model.encoder.table_width=16 model.encoder.pairs=64 "
    "model.context.kernels=[3,0,5] model.context.feed_forward=32 model.context.heads=2 "
    "training.epochs=2 training.epochs_per_pass=1 training.batch_size=4"
)
SYLLABLES = ["ba", "ne", "ti", "mo", "lu", "ra", "se", "ko", "du", "fi"]


def sentences(count: int):
    """Yield sentences of invented words. Questions begin with "What"."""
    rng = random.Random(1)
    words = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(300)]
    for _ in range(count):
        chosen = rng.choices(words, k=rng.randint(6, 12))
        question = rng.random() < 0.3
        yield f"What {' '.join(chosen)}?" if question else f"The {' '.join(chosen[:4])}, {' '.join(chosen[4:])}."


@pytest.fixture
def models(tmp_path):
    """Return a function that runs egs/models/run.sh on a text of invented words."""
    pytest.importorskip("lightning")
    copy_recipes(tmp_path, "conf", "egs", "recipes", "benchmarks")
    for name, count in ("train/invented", 400), ("test/other", 40):
        path = tmp_path / "corpus" / "es" / f"{name}.txt"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(sentences(count)) + "\n", encoding="utf-8")
    table = "# file\tlanguage\tordered\tshare\tdev\tlicence\nes/train/invented\tes\tyes\t1\t400\tCC0\n"
    (tmp_path / "egs" / "models" / "sources" / "es-eu.tsv").write_text(table)
    options = ["--corpus", "corpus", "--models", "es-eu-small", "--venv", "none", "--train-options", TINY]
    return lambda *more: run(["egs/models/run.sh", *options, *more], tmp_path, timeout=None)


@pytest.mark.slow
def test_models_from_text_to_the_package(models, tmp_path):
    done = models()
    assert done.returncode == 0, done.stdout + done.stderr
    shipped = tmp_path / "asr_punct" / "pretrained" / "es-eu-small"
    files = {"config.json", "tokenizer.json", "casing.txt", "model.int8.onnx", "scores.json", "README.md"}
    assert {path.name for path in shipped.iterdir()} == files
    assert set(json.loads((shipped / "scores.json").read_text())) == {"es/other"}
    assert "model.safetensors" in {path.name for path in (tmp_path / "egs" / "models" / "es-eu-small").iterdir()}
    card = (shipped / "README.md").read_text()
    assert "license: cc-by-sa-4.0" in card
    assert "## Known limitations" in card
    assert is_all_skipped(models().stdout)


@pytest.mark.slow
def test_an_encoder_is_made_for_es_eu(models, tmp_path):
    folder = save_cased_encoder(tmp_path / "large")
    settings = "training.teacher=null training.epochs=1 training.epochs_per_pass=1 model.context.feed_forward=32"
    options = ["--models", "es-eu", "--encoder", str(folder), "--stop-stage", "2", "--train-options", settings]
    done = models(*options)
    assert done.returncode == 0, done.stdout + done.stderr
    exp = tmp_path / "egs" / "models" / "work" / "es-eu" / "exp"
    assert json.loads((exp / "encoder" / "config.json").read_text())["num_hidden_layers"] == 2
    assert "model.safetensors" in {path.name for path in (exp / "model").iterdir()}
    assert is_all_skipped(models(*options).stdout)
