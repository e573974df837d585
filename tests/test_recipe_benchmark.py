"""Control flow of egs/iwslt/run.sh, with stubs of the programs that it calls."""

import subprocess

import pytest
from recipe_runs import ROOT, StubbedRecipe

PROGRAM = """
import pathlib, sys
name, words = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
with open("calls", "a") as calls:
    print(name, *words, file=calls)
if name == "prepare.py":
    made = words[-1] + "/summary.json"
elif words[0] == "tune" or name == "tune_average.py":
    made = words[words.index("--json") + 1]
elif name == "decode.py":
    made = words[-1] + "/facts.json"
elif name == "time_ways.py":
    made = next(word for word in words if word.endswith("/times.json"))
elif name == "report.py":
    made = "exp/RESULTS.md"
elif name == "pretrain_electra.py":
    made = words[-1] + "/config.json"
elif words[0] == "export":
    made = words[1] + "/model.onnx"
else:
    made = words[words.index("-o") + 1] + "/config.json"
made = pathlib.Path(made)
made.parent.mkdir(parents=True, exist_ok=True)
made.write_text('"tagger": "flair"' if "model.pos.tagger=flair" in words else "")
"""


@pytest.fixture
def recipe(tmp_path):
    local = [
        f"egs/iwslt/local/{name}.py"
        for name in ("prepare", "tune_average", "decode", "time_ways", "report", "pretrain_electra")
    ]
    programs = dict.fromkeys([*local, "recipes/pos.py", "bin/asr-punct"], PROGRAM)
    for name in ("packages", "files", "treebanks"):
        (tmp_path / name).mkdir()
    for part in ("train", "dev"):
        (tmp_path / "treebanks" / f"some-{part}.conllu").touch()
    return StubbedRecipe(tmp_path, "iwslt", programs, "--corpus", "files")


def of(calls: list[str], *start: str) -> list[str]:
    return [call for call in calls if call.split()[: len(start)] == list(start)]


def test_the_papers_settings_are_the_default_for_a_large_encoder(recipe):
    calls = recipe.calls("--encoder", "roberta-base", "--system", "polacek")
    assert "--budget full" in of(calls, "report.py")[0]
    (train,) = of(calls, "asr-punct", "train")
    settings = "model.language=en model.pauses.kind=none training.seed=1"
    assert train.endswith(f" --resume model.encoder.name=roberta-base {settings}")  # nothing else differs from conf/
    assert "--dev-words" not in of(calls, "prepare.py")[0]
    asked = recipe.calls("--encoder", "roberta-base", "--system", "polacek", "--budget", "pass")
    assert "training.batch_size=4" in of(asked, "asr-punct", "train")[0]
    assert "--budget pass" in of(recipe.calls("--encoder", "built", "--system", "brnn"), "report.py")[0]
    assert "--budget full" in of(recipe.calls("--system", "brnn", root=recipe.top / "egs/bangla"), "report.py")[0]


def test_parts_of_speech_of_flair_are_decoded_without_a_graph(recipe):
    asked = ("--encoder", "roberta-base", "--system", "pos_fusion pos_fusion/sbs", "--tagger", "flair")
    assert recipe(*asked).returncode == 2
    assert not of((recipe.root / "calls").read_text().splitlines(), "asr-punct")

    (recipe.top / "packages" / "flair.py").touch()
    calls = recipe.calls(*asked)
    fusion, sbs = of(calls, "asr-punct", "train")
    assert "model.pos.tagger=flair" in fusion
    assert "pos_tagger" not in fusion
    assert "tagger=" not in sbs
    assert of(calls, "asr-punct", "export") == ["asr-punct export exp/models/pos_fusion/sbs/model"]
    assert [call.split()[-1] for call in of(calls, "decode.py")] == [
        "exp/decode/pos_fusion",
        "exp/decode/pos_fusion/sbs",
    ]
    assert len(of(calls, "asr-punct", "tune")) == 2


def test_a_tagger_is_trained_for_the_encoder_it_reads(recipe):
    asked = ("--encoder", "roberta-base", "--system", "pos_fusion pos_fusion/random", "--stop-stage", "2")
    calls = recipe.calls(*asked, "--treebanks", "treebanks")
    (tagger,) = of(calls, "pos.py")
    assert tagger.endswith("-o exp/pos/roberta-base model.encoder.name=roberta-base")
    for train in of(calls, "asr-punct", "train"):
        assert f"training.pos_tagger={recipe.root}/exp/pos/roberta-base" in train
        assert "model.pos.tagger=own" in train
    without = of(recipe.calls(*asked[:2], "--stop-stage", "2"), "asr-punct", "train")
    assert {part for part in ("", "/random", "/sbs") if any(f"pos_fusion{part}/model" in call for call in without)} == {
        "/sbs"
    }


def test_tuned_as_it_is_decoded(recipe):
    calls = recipe.calls("--encoder", "built", "--system", "courtland brnn", "--stop-stage", "4", "--device", "cuda")
    (courtland,), (brnn,) = of(calls, "tune_average.py", "--aggregate", "9"), of(calls, "asr-punct", "tune")
    assert courtland.endswith("exp/models/courtland/model data/tune.tsv --device cuda")
    assert brnn.endswith("exp/models/brnn/model data/tune.tsv --device cuda")
    assert "--untuned --aggregate 9 exp/models/courtland/model" in of(calls, "decode.py")[0]


def test_variants_are_trained_if_they_are_named(recipe):
    named = ("courtland/sequential", "bilstm_augment/vocabulary", "polacek/lstm", "courtland/focal_weights")
    calls = recipe.calls("--encoder", "built", "--system", " ".join(named), "--stop-stage", "4")
    assert {name for name in named for call in of(calls, "asr-punct", "train") if f"models/{name}/model" in call} == {
        *named
    }
    assert "--left 49 --right 49" in next(call for call in of(calls, "decode.py") if "sequential" in call)
    assert [call.split(" data/")[0].split("models/")[-1] for call in of(calls, "tune_average.py")] == [
        "courtland/focal_weights/model"
    ]
    others = of(recipe.calls("--encoder", "built", "--stop-stage", "2"), "asr-punct", "train")
    assert not any("focal" in call or "polacek/lstm" in call for call in others)


def test_the_encoder_of_polacek_from_scratch_is_pretrained_on_the_text(recipe):
    calls = recipe.calls("--encoder", "built", "--budget", "mini", "--system", "polacek/scratch", "--stop-stage", "2")
    (first,), (train,) = of(calls, "pretrain_electra.py"), of(calls, "asr-punct", "train")
    assert "--steps 500 --batch-size 16" in first
    assert first.endswith("data exp/models/polacek/scratch/model-start")
    assert "model.encoder.name=exp/models/polacek/scratch/model-start" in train


def test_class_weights_of_the_paper_are_tried_on_every_row_of_its_configuration(recipe):
    calls = recipe.calls("--encoder", "built", "--system", "polacek/scratch brnn")
    weights = [call for call in of(calls, "decode.py") if "--class-weights" in call]
    assert [call.split(" data ")[1] for call in weights] == [
        "exp/decode/weights/polacek/scratch/1",
        "exp/decode/weights/polacek/scratch/of the paper",
    ]


@pytest.mark.parametrize(
    ("option", "value"),
    [("--system", "brnn no/*"), ("--look-ahead", "no"), ("--treebanks", "files"), ("--tagger", "nltk")],
)
def test_wrong_options_are_one_line_before_any_work(recipe, option, value):
    failed = recipe(option, value)
    assert (failed.returncode, len(failed.stderr.splitlines())) == (2, 1)
    assert not (recipe.root / "data").exists()


TRAIN_SYSTEM = ROOT / "recipes" / "train_system.sh"
SYSTEMS = [
    *("autopunct", "brnn", "courtland", "polacek", "polacek/scratch", "pos_fusion", "pos_fusion/random"),
    *("pos_fusion/sbs", "pos_fusion/none", "bilstm_augment", "bilstm_augment/none", "bilstm_augment/crf"),
]


def dry_run(system: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [TRAIN_SYSTEM, "--dry-run", "true", *options, system, "data", "model"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def settings(system: str, *options: str) -> dict[str, list[str]]:
    """Settings of each part of the training of a system."""
    done = dry_run(system, *options)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {part: values.split() for _, part, values in rows}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_is_a_configuration_at_every_budget(system):
    pytest.importorskip("omegaconf")
    from asr_punct.training.configuration import read_config

    file = ROOT / "egs/iwslt/conf" / f"{system}.yaml"
    for budget in ("full", "pass", "mini", "smoke"):
        for values in settings(system, "--encoder", "minilm", "--budget", budget).values():
            config = read_config(str(file) if file.exists() else system, values)
            assert (system in ("pos_fusion", "pos_fusion/random")) == (config.model.pos.tagger != "none")


@pytest.mark.parametrize(
    ("tagger", "encoder", "known"),
    [
        ("own", "minilm", True),
        ("own", "xlm-roberta-base", False),
        ("exp/pos/some", "xlm-roberta-base", True),
        ("exp/pos/some", "built", False),  # it has no tokenizer yet
        ("flair", "built", True),
    ],
)
def test_taggers_by_encoder(tagger, encoder, known):
    done = dry_run("pos_fusion", "--tagger", tagger, "--encoder", encoder)
    assert (done.returncode, len(done.stderr.splitlines())) == ((0, 0) if known else (2, 1))
