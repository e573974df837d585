"""Programs of the benchmark recipes: the training text, decoding, and the page of results."""

import argparse
import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

import decode
import make_files
import prepare
import report

from asr_punct.errors import InputError
from asr_punct.formats.lines.tsv import read_tsv, write_tsv
from asr_punct.scoring import Difference
from asr_punct.words import annotate

ROOT = Path(__file__).parent.parent
SETS = "train\ttrain2012\ndev\tdev2012\nref\ttest2011\nasr\ttest2011asr\n"


@pytest.fixture
def files(tmp_path):
    """A folder with a development set and two test sets, and the table of sets."""
    (tmp_path / "sets.tsv").write_text(SETS)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    dev = [f"w{i} O\nn't COMMA\nso{i} PERIOD" for i in range(10)]
    (corpus / "dev2012").write_text("\n".join(dev).replace(" ", "\t") + "\n")
    test = "\n".join(f"t{i}\t{'PERIOD' if i % 5 == 4 else 'O'}" for i in range(20)) + "\n"
    (corpus / "test2011").write_text(test)
    (corpus / "test2011asr.txt").write_text(test)
    return tmp_path


def prepared(files, **changes):
    options = {"sets": files / "sets.tsv", "corpus": files / "corpus"}
    prepare.main(files / "data", **{**options, **changes})
    return json.loads((files / "data" / "summary.json").read_text())


def words(path):
    return [word.text for utterance in read_tsv(path) for word in utterance.words]


def development_words(files):
    """Those of the whole development set."""
    prepared(files, text=files / "sets.tsv")
    return words(files / "data" / "tune.tsv")


def test_without_text_most_of_the_development_set_is_trained_on(files):
    summary = prepared(files)
    assert summary["source"] == "the first four fifths of dev2012"
    assert summary["words"] == {"train": 16, "dev": 4, "tune": 4, "ref": 20, "asr": 20}
    assert words(files / "data" / "train.tsv")[:3] == ["w0n't", "so0", "w1n't"]
    assert words(files / "data" / "tokens" / "ref.tsv")[:2] == ["t0", "t1"]


def test_documents_that_overlap_with_another_set_are_left_out(files):
    """A run of eight words of a test set, or of sixteen of the development set, is not a phrase that many know."""
    spoken = development_words(files)
    documents = [
        "t2 t3 t4 t5 t6 t7 t8",
        "T2 t3 t4 t5 t6, t7 t8 t9!",
        f"And {' '.join(spoken[:15])} and so on.",
        f"And {' '.join(spoken[:16])} and so on.",
    ]
    (files / "text.txt").write_text("\n\n".join(documents) + "\n")
    assert prepared(files, text=files / "text.txt")["overlapping_documents"] == 2
    kept = words(files / "data" / "train.tsv")
    assert kept == [*documents[0].split(), "and", *spoken[:15], "and", "so", "on"]


def test_written_text_gets_the_labels_of_the_benchmark(files):
    (files / "text.txt").write_text("“Well: Anna said -- stop!” Why?\n\nT3 t4 t5 t6 t7 t8 t9 t10, you know.\n")
    summary = prepared(files, text=files / "text.txt")
    assert summary["overlapping_documents"] == 1
    (only,) = read_tsv(files / "data" / "train.tsv")
    assert [word.text for word in only.words] == ["well", "anna", "said", "stop", "why"]
    marks = ["+".join(label.marks) for label in only.labels]
    assert marks == ["COMMA", "", "COMMA", "PERIOD", "QUESTION"]
    assert {str(label.case) for label in only.labels} == {"O"}


def test_a_missing_test_set_is_reported(files):
    (files / "corpus" / "test2011").unlink()
    with pytest.raises(InputError, match="test2011: found no such file"):
        prepared(files)


def test_made_files_have_the_format_and_are_always_the_same(files):
    for name in ("a", "b"):
        make_files.main(files / name, files / "sets.tsv")
    made = sorted(path.name for path in (files / "a").iterdir())
    assert made == ["dev2012", "test2011", "test2011asr", "train2012"]
    assert all((files / "a" / name).read_bytes() == (files / "b" / name).read_bytes() for name in made)
    assert prepared(files, corpus=files / "a")["words"]["train"] > 15000


def test_decoded_and_reported(files, model, monkeypatch, capsys):
    prepared(files)
    monkeypatch.chdir(files)
    target = files / "exp" / "decode" / "tiny"
    monkeypatch.setattr(sys, "argv", ["decode.py", str(model), "data", str(target)])
    decode.main()
    assert "micro F1 asr" in capsys.readouterr().out
    facts = json.loads((target / "facts.json").read_text())
    assert facts["parameters"] > 1000
    assert facts["words_per_second"] > 0
    assert not facts["lacks_lm_head"]
    assert words(target / "ref.tsv") == words(files / "data" / "tokens" / "ref.tsv")

    header = (ROOT / "egs" / "iwslt" / "published.tsv").read_text().splitlines()
    (files / "published.tsv").write_text("\n".join(header))
    arguments = ["--command", "run.sh", "--encoder", "minilm", "--budget", "smoke", "--synthetic", "true"]
    (files / "settings.tsv").write_text("tiny\ttrain\tmodel.encoder.name=minilm training.epochs=3\n")
    arguments += ["--settings", "settings.tsv", "tiny"]
    monkeypatch.setattr(sys, "argv", ["report.py", *arguments])
    report.main()
    page = (files / "exp" / "RESULTS.md").read_text()
    assert page.index("## Ref.") < page.index("## ASR")
    assert "synthetic files" in page
    assert "* `tiny`: `model.encoder.name=minilm training.epochs=3`" in page
    assert "roberta-large" in page
    merged = page[page.index("merged classes") :]
    cells = next(line for line in merged.splitlines() if "**tiny**" in line).split("|")[2:-1]
    assert cells[0].strip() == f"{100 * facts['scores']['ref']['micro']['f1']:.1f}"
    assert float(cells[2]) >= float(cells[1]) - 1e-9  # two classes ask for less than three
    assert set(json.loads((files / "exp" / "scores.json").read_text())) == {"tiny/ref", "tiny/asr"}


@pytest.fixture
def decoded(files, monkeypatch):
    """Two decodings of the test sets: one with all marks right, one with none."""
    prepared(files)
    monkeypatch.chdir(files)
    for name, keep in (("fusion", True), ("plain", False)):
        folder = files / "exp" / "decode" / name
        folder.mkdir(parents=True)
        for test in ("ref", "asr"):
            tokens = list(read_tsv(files / "data" / "tokens" / f"{test}.tsv"))
            with (folder / f"{test}.tsv").open("w") as out:
                write_tsv((value if keep else annotate(value, labels=None) for value in tokens), out)
    header = "part\trow\tagainst\tsource\tref\tasr\n"
    lines = "Fusion\tfusion\tplain\tshi2021\t+0.5\t-\nOther\tfusion\tnone\t-\t-\t-\n"
    (files / "published_ablations.tsv").write_text(header + lines)
    return [argparse.Namespace(name=name) for name in ("fusion", "plain")]


def test_the_effect_of_a_part_is_beside_the_claim(decoded):
    (*_, text) = report.ablations(decoded, ["ref", "asr"])
    (line,) = (line for line in text.splitlines() if "**fusion**" in line)
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    assert cells[:4] == ["Fusion", "**fusion**", "**plain**", "+100.0"]
    assert cells[6] == "+0.5 (shi2021)"
    assert cells[8] == "+100.0"
    assert cells[11:] == ["", ""]
    assert not list(report.ablations(decoded[:1], ["ref", "asr"]))


@pytest.mark.parametrize(
    ("interval", "published", "expected"),
    [
        ((0.01, 0.02), 0.5, "holds"),
        ((-0.02, -0.01), 0.5, "does not hold"),
        ((-0.02, -0.01), -0.4, "holds"),
        ((-0.01, 0.02), 0.5, "not significant"),
        (None, 0.5, "not significant"),
        ((0.01, 0.02), 0.0, ""),
    ],
)
def test_claims(interval, published, expected):
    difference = sum(interval or (0, 0)) / 2
    assert report.claim(Difference(0.5, 0.5 + difference, difference, interval, 0.1), published) == expected


@pytest.mark.parametrize("recipe", ["iwslt", "bangla"])
def test_published_rows_are_whole(recipe):
    lines = [line.split("\t") for line in (ROOT / "egs" / recipe / "published.tsv").read_text().splitlines()]
    assert {len(line) for line in lines} == {17}
    for line in lines[1:]:
        for first in (4, 7, 10):
            if line[first] != "-":
                precision, recall, f1 = map(float, line[first : first + 3])
                assert f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=0.35), line
