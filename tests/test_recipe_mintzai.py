"""Control flow of egs/mintzai/run.sh, with stubs of the commands that it calls, and what it reports."""

from collections import Counter
from itertools import groupby

import pytest
from recipe_runs import StubbedRecipe
from results_page import Page, Result

from asr_punct.marks import Case, Labels, Mark
from asr_punct.scoring import score
from asr_punct.words import Utterance, Word, annotate

COMMAND = """
import pathlib, sys
words = sys.argv[1:]
with open("calls", "a") as calls:
    print(*words, file=calls)
def option(*names):
    return next((pathlib.Path(words[i + 1]) for i, word in enumerate(words) if word in names), None)
def put(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
if words[:2] == ["prepare", "text"]:
    for split in ("train", "dev"):
        put(pathlib.Path(words[3], split + ".tsv"), "bai\\tPERIOD\\t-\\tFIRST_CAP\\n\\n")
elif words[0] == "prepare":
    for language in ("es", "eu"):
        for split in ("train", "dev", "test"):
            root = pathlib.Path(words[3], language, split)
            for name in "ab":
                put(root / (name + ".wav"), "sound")
            put(root / "wav.scp", "".join(f"{n} {root.resolve()}/{n}.wav\\n" for n in "ab"))
            put(root / "text", "a Bai.\\nb Ez.\\n")
elif words[0] == "align":
    data = option("--data-dir")
    put(option("-o"), "".join(f"{line.split()[0]} 1 0.1 0.2 bai\\n" for line in open(data / "text")))
elif words[0] == "pauses":
    put(option("-o"), "bai\\tPERIOD\\t-\\tFIRST_CAP\\n\\n")
elif words[0] == "train":
    put(option("-o") / "config.json", '"tagger": "flair"' if "model.pos.tagger=flair" in words else "")
elif words[0] == "punctuate":
    put(option("-o"), "Bai.\\n")
elif words[0] in ("score", "tune"):
    put(option("--json"))
elif words[0] == "export":
    put(pathlib.Path(words[1]) / ("model.int8.onnx" if "--int8" in words else "model.onnx"))
"""
DECODE = """
import pathlib, sys
with open("calls", "a") as calls:
    print("decode", *sys.argv[1:], file=calls)
out = pathlib.Path(sys.argv[-1])
out.mkdir(parents=True, exist_ok=True)
for name in ("tuned.tsv", "plain.tsv", "speed.json"):
    (out / name).touch()
"""
LOCAL = {
    "make_mini_corpus": "import os, sys\nos.makedirs(sys.argv[1] + '/truth')\n",
    "compare_times": "import sys\nopen(sys.argv[-1], 'w')\n",
    "decode_set": DECODE,
    "results_page": "import sys\nopen('exp/RESULTS.md', 'w').write(' '.join(sys.argv[1:]))\n",
}
STUBS = {"bin/asr-punct": COMMAND} | {f"egs/mintzai/local/{name}.py": program for name, program in LOCAL.items()}


def commands(calls: list[str]) -> list[str]:
    return [call.split()[0] for call in calls]


@pytest.fixture
def recipe(tmp_path):
    return StubbedRecipe(tmp_path, "mintzai", STUBS)


def test_whole_run_a_second_one_and_one_stage(recipe):
    calls = recipe.calls()
    assert [name for name, _ in groupby(commands(calls))][:3] == ["prepare", "align", "pauses"]
    assert Counter(commands(calls)) == {
        **{"prepare": 1, "align": 12, "pauses": 6, "train": 3, "tune": 3, "export": 4, "decode": 3, "score": 6},
        "punctuate": 2,
    }
    assert calls[0] == "prepare mintzai corpus data"
    assert (
        "train --config autopunct_mini --data data/tsv/es+eu -o exp/models/es+eu --resume "
        "model.language=es+eu training.seed=1" in calls
    )
    assert "export exp/models/es+eu --int8" in calls
    assert (recipe.root / "data/es/train/ctm").read_text() == "a 1 0.1 0.2 bai\nb 1 0.1 0.2 bai\n"
    assert len((recipe.root / "data/tsv/es+eu/dev.tsv").read_text().splitlines()) == 4
    assert "--synthetic" in (recipe.root / "exp/RESULTS.md").read_text()
    demo = {path.name for path in (recipe.root / "exp/demo").iterdir()}
    assert demo == {"input.ctm", "audio.wav", "reference.txt", "output.txt", "output.ctm"}
    assert not list(recipe.root.rglob("*.partial"))

    assert recipe.calls() == []
    assert commands(recipe.calls("--stage", 6, "--stop-stage", 6)) == ["score"] * 6
    assert "--command egs/mintzai/run.sh --venv none --languages" in (recipe.root / "exp/RESULTS.md").read_text()


def test_real_corpus(recipe, tmp_path):
    (tmp_path / "mintzai").mkdir()
    calls = recipe.calls("--corpus", "mintzai", "--stop-stage", 4)
    assert calls[0] == f"prepare mintzai {tmp_path}/mintzai data"
    configs = [call.split()[2] for call in calls if call.startswith("train")]
    assert configs == ["autopunct_es", "autopunct_eu", "autopunct"]
    assert not (recipe.root / "exp/align.json").exists()
    assert recipe("--stage", 4).returncode == 2  # of another corpus
    assert not (recipe.root / "calls").exists()


def test_an_acoustic_model_reaches_the_aligner_and_its_times_are_known(recipe, tmp_path):
    (tmp_path / "wav2vec2").mkdir()
    options = "--languages", "eu", "--acoustic-model", "wav2vec2", "--stop-stage", 3
    calls = recipe.calls(*options)
    aligned = [call for call in calls if call.startswith("align")]
    assert len(aligned) == 6
    assert all(call.endswith(f"--lang eu --method ctc --acoustic-model {tmp_path}/wav2vec2") for call in aligned)
    assert "--times ctc" in next(call for call in calls if call.startswith("pauses"))
    (tmp_path / "ctm").mkdir()
    assert recipe(*options, "--ctm-dir", "ctm").returncode == 2


def test_a_folder_of_the_user_is_not_replaced(recipe):
    corpus = recipe.root / "corpus"
    corpus.mkdir()
    (corpus / "mine.wav").touch()
    assert recipe("--stop-stage", 1).returncode == 2
    assert (corpus / "mine.wav").exists()


def test_options_reach_the_training(recipe, tmp_path):
    (tmp_path / "bert").mkdir()
    calls = recipe.calls(
        *("--languages", "eu", "--encoder", "bert", "--seed", 7, "--device", "cpu", "--stop-stage", 4),
        *("--train-options", "training.epochs=1 training.patience=2"),
    )
    assert calls[-3] == (
        "train --config autopunct_mini --data data/tsv/eu -o exp/models/eu --resume --device cpu model.language=eu "
        f"training.seed=7 model.encoder.name={tmp_path}/bert training.epochs=1 training.patience=2"
    )
    changed = recipe.calls("--languages", "eu", "--seed", 8, "--stop-stage", 4)
    assert commands(changed) == ["train", "tune", "export"]


def test_ablation_trains_the_rows_of_table_4(recipe):
    calls = recipe.calls("--languages", "es", "--ablation", "true", "--stop-stage", 6)
    ablation = [call for call in calls if "exp/ablation" in call and call.startswith("train")]
    assert {tuple(call.split()[-2:]) for call in ablation} == {
        (f"model.context.kind={context}", f"model.pauses.kind={pauses}")
        for pauses in ("none", "continuous", "discrete-gaussian", "discrete-uniform")
        for context in ("none", "bert")
    }
    assert commands(calls).count("score") == 18


def test_another_system_reads_text_first_then_pauses(recipe):
    calls = recipe.calls("--languages", "es", "--system", "brnn", "--stop-stage", 4)
    first, second = (call for call in calls if call.startswith("train"))
    assert "conf/brnn.yaml" in first
    assert "training.pause_dropout=1" in first
    assert "--init exp/models/es-start" in second
    assert "training.patience=3" in second
    assert "pause_dropout" not in second


def test_the_text_of_the_first_part_can_be_news(recipe, tmp_path):
    for language in ("es", "eu"):
        (tmp_path / "news").mkdir(exist_ok=True)
        (tmp_path / "news" / f"{language}.txt").write_text("Bai.\n")
    calls = recipe.calls("--languages", "es+eu", "--system", "brnn", "--text", "news", "--stop-stage", 4)
    assert f"prepare text {tmp_path}/news/eu.txt data/text/eu --lang eu --test 0" in calls
    first, second = (call for call in calls if call.startswith("train"))
    assert ("--data data/text/es+eu" in first, "--data data/tsv/es+eu" in second) == (True, True)
    (tmp_path / "news" / "eu.txt").unlink()
    assert recipe("--languages", "eu", "--system", "brnn", "--text", "news").returncode == 2
    assert recipe("--languages", "es", "--text", "news").returncode == 2


def test_times_of_a_recogniser(recipe, tmp_path):
    for split in ("train", "dev", "test"):
        path = tmp_path / "times" / "eu" / f"{split}.ctm"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("b 1 0.0 0.4 ez\n")
    options = ("--languages", "eu", "--ctm-dir", "times", "--ctm-source", "whisper", "--stop-stage", 3)
    calls = recipe.calls(*options)
    assert commands(calls) == ["prepare", "pauses", "pauses", "pauses"]
    assert "--times whisper" in calls[-1]
    assert (recipe.root / "data/eu/test/ctm").read_text() == "b 1 0.0 0.4 ez\n"


@pytest.mark.parametrize("option", [("--languages", "es fr"), ("--corpus", "nowhere"), ("--system", "pos_fusion")])
def test_wrong_calls_are_one_line_before_any_work(recipe, option):
    failed = recipe(*option)
    assert (failed.returncode, len(failed.stderr.splitlines())) == (2, 1)
    assert not (recipe.root / "calls").exists()


# What the recipe reports


LABELLED = annotate(
    Utterance((Word("bai"), Word("ez"))),
    labels=(Labels(frozenset({Mark.COMMA}), Case.FIRST_CAP), Labels(frozenset({Mark.PERIOD}))),
)


@pytest.fixture
def page(tmp_path):
    file = tmp_path / "es" / "test.tsv"
    file.parent.mkdir()
    file.write_text("bai\tCOMMA+QUOTE\t-\tO\nez\tPERIOD\t-\tO\n\n")
    scores = score([LABELLED], [LABELLED])
    main = Result("gaussian+bert", "es", scores, scores, 5000.4, "torch")
    other = Result("none", "es", scores, scores, 6000.0, "torch")
    alignment = {"es/test": {"words": 3, "pause_f1": 0.9}}

    def lines(synthetic):
        page = Page([main], [other], synthetic, "mintzai", "run.sh", [file], [], alignment)
        return "\n".join(page.lines()).splitlines()

    return lines


def tables(lines):
    """Headers and rows of the Markdown tables."""
    current = []
    for line in [*lines, ""]:
        if line.startswith("|"):
            current.append([cell.strip() for cell in line.strip("|").split("|")])
        elif current:
            yield current[0], current[2:]
            current = []


def test_our_numbers_stand_beside_the_paper(page):
    assert all({len(row) for row in rows} == {len(header)} for header, rows in tables(page(False)))
    found = {tuple(header): rows for header, rows in tables(page(False))}
    columns = ("S", "D", "f", "B", "EU paper", "EU here", "ES paper", "ES here", "ES+EU paper", "ES+EU here")
    by_system = [rows for header, rows in tables(page(False)) if tuple(header) == columns]
    assert ["✓", "✓", "G", "✓", "76.7", "", "78.9", "100.0", "76.4", ""] in by_system[0]
    assert ["–", "–", "–", "–", "76.2", "", "78.2", "100.0", "75.4", ""] in by_system[0]
    assert ["✓", "✓", "G", "✓", "3071", "", "3322", "5000", "3068", ""] in by_system[2]
    assert found[("set", "utterances", "words", "marks")] == [["es/test", "1", "2", "3"]]


def test_synthetic_numbers_say_so(page):
    lines = page(True)
    assert "synthetic" in lines[0]
    ours = [cell for header, rows in tables(lines) for cell in [*header, *(row[0] for row in rows)] if "here" in cell]
    assert ours
    assert all("synthetic corpus" in cell for cell in ours)
    assert all("synthetic" in line for line in lines if line.startswith("## ") and "here" in line)
    assert not any("synthetic" in line for line in page(False))
