"""`evaluate`, and `punctuate` of words with labels."""

import json
import re
from dataclasses import replace

import pytest
from dummies import file, utterances
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.formats.json.own import write_json
from asr_punct.formats.lines.tsv import write_tsv
from asr_punct.glyphs import glyphs, write_text
from asr_punct.hub import shipped_models
from asr_punct.marks import Case, Labels, Mark
from asr_punct.text import without_marks
from asr_punct.text.bare import bare
from asr_punct.words import Utterance, Word, without_labels

WARNING = "found labels, which stay in the output (to restore all marks and capitals: --ignore-labels)\n"
MODEL = "es-eu"
TEST = utterances(20, seed=7)

pytestmark = pytest.mark.skipif(MODEL not in shipped_models(), reason="the model is not shipped")


def written(name, path, utterances=TEST):
    with open(path / name, "w", encoding="utf-8") as out:
        (write_json if name.endswith("json") else write_tsv)(utterances, out, glyphs("es"))
    return path / name


@pytest.fixture
def scores(run, tmp_path):
    """Return a function that runs `score` or `evaluate` and returns its scores."""

    def call(*arguments):
        status, out, err = run(*arguments, "--json", tmp_path / "scores.json")
        assert (status, err) == (0, "")
        assert "slot error rate" in out
        return json.loads((tmp_path / "scores.json").read_text())

    return call


@pytest.mark.parametrize("name", ["test.tsv", "test.json"])
def test_labels_that_stay_are_no_work_of_the_model(run, scores, tmp_path, name):
    test, kept, restored = written(name, tmp_path), tmp_path / "kept.tsv", tmp_path / "restored.tsv"
    evaluated = scores("evaluate", MODEL, test)[str(test)]
    arguments = ("punctuate", test, "--model", MODEL)
    assert run(*arguments, "-o", kept) == (0, "", f"asr-punct: {test}: {WARNING}")
    assert run(*arguments, "-o", restored, "--ignore-labels") == (0, "", "")
    assert scores("score", test, restored) == evaluated
    trap = scores("score", test, kept)
    assert trap["micro"]["recall"] == trap["case"]["micro"]["recall"] == 1
    assert 0.3 < evaluated["micro"]["f1"] < trap["micro"]["f1"]


def test_written_text_is_scored_as_punctuate_writes_it(run, scores, tmp_path):
    lines = [write_text([word.text for word in u.words], u.labels, glyphs("es")) for u in TEST]
    test = file(tmp_path, "test.txt", "\n".join(lines).replace("Miren", "miREN"))  # no label can express its capitals
    bare = file(tmp_path, "bare.txt", "\n".join(" ".join(word.text for word in u.words) for u in TEST))
    assert run("punctuate", bare, "--model", MODEL, "-o", tmp_path / "hyp.txt")[0] == 0
    assert scores("evaluate", MODEL, test)[str(test)] == scores("score", test, tmp_path / "hyp.txt")


def test_capitals_of_the_words_are_hidden_from_the_model(scores, tmp_path):
    loud = [replace(u, words=tuple(replace(word, text=word.text.upper()) for word in u.words)) for u in TEST]
    found = [scores("evaluate", MODEL, each) for each in (written("a.tsv", tmp_path), written("b.tsv", tmp_path, loud))]
    assert found[0][str(tmp_path / "a.tsv")]["micro"] == found[1][str(tmp_path / "b.tsv")]["micro"]


def test_pauses_and_times_of_a_test_set_stay():
    utterance = replace(TEST[0], words=tuple(replace(word, start=1.0, end=2.0) for word in TEST[0].words))
    assert bare(utterance) == without_labels(utterance)
    assert None not in bare(utterance).pauses


@pytest.mark.parametrize("options", [["--quiet"], []])
@pytest.mark.parametrize("labelled", [True, False])
def test_only_labels_are_warned_of(run, tmp_path, options, labelled):
    test = written("test.tsv", tmp_path, TEST if labelled else map(without_labels, TEST))
    status, _, err = run("punctuate", test, "--model", MODEL, *options)
    assert status == 0
    assert err.count("found labels") == (labelled and not options)


def test_several_test_sets_have_a_summary_and_one_page(run, tmp_path):
    tests = [written("one.tsv", tmp_path, TEST[:5]), written("two.tsv", tmp_path, TEST[5:])]
    page, target = tmp_path / "page.html", tmp_path / "scores.json"
    status, out, err = run("evaluate", MODEL, *tests, "--html", page, "--json", target)
    assert (status, err) == (0, "")
    sets = json.loads(target.read_text())
    assert list(sets) == list(map(str, tests))
    words = sum(each["words"] for each in sets.values())
    assert out.splitlines()[-1].split("|")[1:3] == [f" {'all':<{len(str(tests[0]))}} ", f" {words:>5} "]
    content = page.read_text(encoding="utf-8")
    assert f'data-words="{words}"' in content
    assert f'<span class="name">{tests[1]} u6</span>' in content
    assert "<circle" in content  # probabilities of marks and capitals


def test_two_models_are_compared_as_two_hypotheses_are(run, tmp_path):
    test, restored = written("test.tsv", tmp_path), [tmp_path / "es-eu.tsv", tmp_path / "en.tsv"]
    for path in restored:
        assert run("punctuate", test, "--model", path.stem, "--ignore-labels", "-o", path)[0] == 0
    scored = run("score", test, restored[0], "--compare", restored[1])[1]
    evaluated = run("evaluate", MODEL, test, "--compare", "en", "--html", tmp_path / "page.html")[1]
    rows = [[re.split(r" *\| *", line)[1:6] for line in out.splitlines()[-12:]] for out in (scored, evaluated)]
    assert rows[0] == rows[1]
    assert "F1 of marks" in {row[0] for row in rows[0]}
    assert "compared with <bdi>en</bdi>" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("hola mundo\nqué tal\n", "t.txt: found no marks and no capitals, expected labels, or written text"),
        ("", "t.txt: found no words, expected at least one word"),
    ],
)
def test_a_test_set_that_cannot_be_scored(run, tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    file(tmp_path, "t.txt", content)
    assert run("evaluate", MODEL, "t.txt", "--html", "p.html") == (2, "", f"asr-punct: {message}\n")
    assert not (tmp_path / "p.html").exists()


def test_an_output_that_is_a_test_set_is_refused(run, tmp_path):
    test = written("test.tsv", tmp_path)
    assert run("evaluate", MODEL, test, "--json", test)[0] == 2
    assert test.read_text(encoding="utf-8").startswith("# id = u0")


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("Hola,", "hola"),
        ("«¿Qué?»", "qué"),
        ("$5.", "$5"),
        ("(Risas).", "(risas)"),
        ("3,5", "3,5"),
        ("EE.UU.", "ee.uu."),
        ("-", "-"),
        ("<UNK>", "<UNK>"),
        ("AT&T", "at&t"),
    ],
)
def test_marks_and_capitals_of_a_word_are_removed(token, expected):
    utterance = Utterance((Word(token, 0.5, 1.0, labels=Labels(frozenset({Mark.COMMA}), Case.FIRST_CAP)),))
    assert without_marks(utterance, "es").words == (Word(expected, 0.5, 1.0),)


@given(st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8), max_size=6))
def test_removing_marks_keeps_the_number_of_words(tokens):
    found = without_marks(Utterance(tuple(map(Word, tokens))), "es").words
    assert [word.text.split() for word in found] == [[word.text] for word in found]
    assert len(found) == len(tokens)
    assert without_marks(Utterance(found), "es").words == found


def test_marks_of_a_recogniser_are_removed_first(run, tmp_path):
    words = [{"word": f" {word}", "start": i, "end": i + 1} for i, word in enumerate(["Hola,", "Mundo!"])]
    content = {"text": " Hola, Mundo!", "language": "es", "segments": [{"start": 0, "end": 2, "words": words}]}
    content["segments"][0]["text"] = content["text"]
    source = file(tmp_path, "whisper.json", json.dumps(content))
    kept, bare = tmp_path / "kept.json", tmp_path / "bare.json"
    assert run("punctuate", source, "-o", kept, "--quiet", "--marks", "DASH", "--no-case")[0] == 0
    assert run("punctuate", source, "-o", bare, "--quiet", "--marks", "DASH", "--no-case", "--ignore-labels")[0] == 0
    assert json.loads(kept.read_text())["text"] == " Hola, Mundo!"
    assert json.loads(bare.read_text())["text"] == " hola mundo"
    assert [word["word"] for word in json.loads(bare.read_text())["segments"][0]["words"]] == [" hola", " mundo"]
