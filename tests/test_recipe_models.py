"""Programs of the recipe of the shipped models: measurements, shipped files and card, with a tiny model."""

import json
import lzma
from dataclasses import asdict, replace

import pytest
import yaml

pytest.importorskip("torch")

import compare_graphs
import model_card
import score_model
import score_pauses
import score_streams
import ship_model
from dummies import utterances
from training_text.sources import Source

from asr_punct.checkpoint import ONNX, ONNX_INT8, SCORES, WEIGHTS, read_info, write_info
from asr_punct.errors import InputError
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.glyphs import glyphs, write_text
from asr_punct.inference.punctuator import Punctuator
from asr_punct.inference.tune import Tuning
from asr_punct.marks import Case, Labels, Mark
from asr_punct.pauses import with_pauses
from asr_punct.scoring import Scores, score, write_score_sets
from asr_punct.words import Utterance, Word, annotate

ES = glyphs("es")


@pytest.fixture
def texts(tmp_path):
    """A folder of test texts: two documents in Spanish, compressed, and the benchmark of a few tokens."""
    documents = [utterances(12, seed) for seed in (8, 9)]
    lines = [[write_text([word.text for word in u.words], u.labels, ES) for u in document] for document in documents]
    folder = tmp_path / "corpus" / "es" / "test"
    folder.mkdir(parents=True)
    with lzma.open(folder / "congreso.txt.xz", "wt", encoding="utf-8") as out:
        out.write("\n\n".join("\n".join(document) for document in lines) + "\n")
    (tmp_path / "corpus" / "iwslt").mkdir()
    tokens = "ana COMMA|mira O|'s O|la O|casa PERIOD|dónde O|'re O|la O|mesa QUESTION|fin O"
    rows = tokens.replace(" ", "\t").replace("|", "\n")
    (tmp_path / "corpus" / "iwslt" / "test2011").write_text(f"{rows}\n", encoding="utf-8")
    return tmp_path / "corpus"


# Scores on held-out text


def test_the_scores_are_those_of_the_two_files(texts, punctuator, tmp_path):
    found = score_model.score_set(punctuator, score_model.find_sets(texts, "es")["es/congreso"], tmp_path / "es" / "a")
    references, hypotheses = (list(read_tsv(tmp_path / "es" / f"a.{side}.tsv")) for side in ("ref", "hyp"))
    assert found == score(references, hypotheses)
    assert found.words == sum(len(u.words) for seed in (8, 9) for u in utterances(12, seed))
    assert len({u.context for u in references}) == 2
    assert found.micro.f1 > 0.8


def test_each_line_of_everyday_sentences_is_a_document(texts, punctuator, tmp_path):
    (texts / "es" / "test" / "tatoeba_es.txt").write_text("¿Vienes?\nNo sé.\n", encoding="utf-8")
    score_model.score_set(punctuator, score_model.find_sets(texts, "es")["es/tatoeba_es"], tmp_path / "a")
    assert [u.context for u in read_tsv(tmp_path / "a.hyp.tsv")] == ["1", "2"]


def test_the_model_sees_bare_words_and_no_ends_of_lines(punctuator):
    """Neither the labels of the references nor where their lines end change what comes out."""
    references = utterances(10, 3)
    one = annotate(
        Utterance(tuple(word for u in references for word in u.words), recording=references[0].recording),
        labels=tuple(Labels() for u in references for _ in u.words),
    )
    silent = [annotate(u, pauses=None) for u in references]
    found = [label for _, u in score_model.punctuate_bare(punctuator, silent) for label in u.labels]
    ((_, whole),) = score_model.punctuate_bare(punctuator, [one])
    assert tuple(found) == whole.labels
    assert [expected for expected, _ in score_model.punctuate_bare(punctuator, silent)] == silent


def test_the_benchmark_is_scored_on_its_own_tokens(texts, punctuator, tmp_path):
    found = score_model.score_set(punctuator, score_model.find_sets(texts, "en")["iwslt/test2011"], tmp_path / "b")
    assert found.words == 10
    assert list(found.marks) == ["COMMA", "PERIOD", "QUESTION"]
    assert found.case.micro.f1 is None
    words = [word.text for u in read_tsv(tmp_path / "b.hyp.tsv") for word in u.words]
    assert words == ["ana", "mira", "'s", "la", "casa", "dónde", "'re", "la", "mesa", "fin"]


# Streams


def test_a_stream_gets_bare_words_and_its_delays_are_counted(punctuator):
    """Neither labels nor capitals of the references reach the stream; each document is flushed."""
    references = [replace(u, document=str(seed)) for seed in (8, 9) for u in utterances(12, seed)]
    documents = [[word.text for u in utterances(12, seed) for word in u.words] for seed in (8, 9)]
    period = Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP)
    disguised = [
        annotate(replace(u, words=tuple(Word(w.text.upper()) for w in u.words)), labels=[period] * len(u.words))
        for u in references
    ]
    found, delays = score_streams.push_bare(punctuator, disguised)
    expected, expected_delays = [], []
    stream = punctuator.stream()
    for words in documents:
        before = len(expected)
        for pushed, word in enumerate(words, start=1):
            for each in stream.push(word):
                expected.append(each.labels)
                expected_delays.append(pushed - (len(expected) - before))
        expected += [each.labels for each in stream.flush()]
    assert [label for u in found for label in u.labels] == expected
    assert delays == expected_delays
    assert min(delays) == 3
    assert [w.text for u in found for w in u.words] == [w.text for u in disguised for w in u.words]


def test_a_corpus_without_a_text_to_stream_is_refused(tmp_path, model):
    folder = tmp_path / "es" / "test"
    folder.mkdir(parents=True)
    for text in ("Hola, Ana.\n", "hola\n"):
        (folder / "short.txt").write_text(text, encoding="utf-8")
        with pytest.raises(InputError):
            score_streams.main(str(model), tmp_path)


# Pauses


def recording(tmp_path, **changed):
    tokens = [("Ana,", 0.0, 0.5, True, 0), ("mira—la", 0.9, 1.2, True, 0), ("casa. …", 1.3, 1.6, False, 0)]
    tokens += [("¿Dónde", 2.5, 3.0, True, 1), ("está?", 3.0, 3.5, True, 1)]
    keys = ("word", "start", "end", "exact", "sent")
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([dict(zip(keys, token, strict=True)) | changed for token in tokens]), encoding="utf-8")
    return path


def test_a_recording_is_read_with_the_times_that_are_exact(tmp_path):
    first, second = with_pauses(score_pauses.read_recording(recording(tmp_path), "es"))
    assert [word.text for word in first.words] == ["ana", "mira", "la", "casa"]
    assert first.pauses == (0.4, None, None, None)
    assert second.pauses == (0.0, None)
    assert first.labels[1].marks == {Mark.DASH}
    assert second.labels[0] == Labels(frozenset({Mark.OPEN_QUES}), Case.FIRST_CAP)
    assert {u.recording for u in (first, second)} == {"talk"}


def test_pauses_are_compared_with_none(tmp_path, punctuator, capsys):
    sentences = score_pauses.read_recording(recording(tmp_path), "es")
    result = score_pauses.compare(punctuator, sentences)
    assert (result["words"], result["known_pauses"]) == (6, 2)
    assert "| micro.f1" in capsys.readouterr().out
    silent = [annotate(u, labels=None) for u in score_pauses.withhold_times(sentences)]
    assert result["without"] == score(sentences, list(punctuator.restore(silent))).as_dict()
    assert result["differences"]["micro.f1"]["first"] == pytest.approx(result["without"]["micro"]["f1"], abs=1e-6)
    assert Scores.from_dict(result["with"]).words == 6


# Graphs


class Fixed:
    """Gives every word the same label."""

    def __init__(self, *labels):
        self.labels = labels

    def restore(self, utterances):
        for utterance in utterances:
            assert all(word.labels is None for word in utterance.words)
            yield annotate(utterance, labels=tuple(self.labels[: len(utterance.words)]))


def test_equal_decisions_are_counted():
    comma, period = (Labels(frozenset({mark}), Case.FIRST_CAP) for mark in (Mark.COMMA, Mark.PERIOD))
    first, second = Fixed(comma, comma, Labels(), comma), Fixed(comma, period, Labels(), replace(comma, case=Case.O))
    labelled = annotate(Utterance(tuple(map(Word, "abcd"))), labels=(Labels(),) * 4)
    expected = {"words": 4, "same_marks": 0.75, "same_case": 0.75, "same_both": 0.5}
    assert compare_graphs.compare(first, second, [labelled]) == expected
    with pytest.raises(InputError, match="found no words"):
        compare_graphs.compare(first, second, [])


def test_both_graphs_of_a_model_are_compared(model, corpus, tmp_path, capsys):
    compare_graphs.main(model, corpus / "dev.tsv", tmp_path / "int8.json")
    result = json.loads((tmp_path / "int8.json").read_text())
    assert result["words"] == sum(len(u.words) for u in read_tsv(corpus / "dev.tsv"))
    assert 0.9 < result["same_both"] <= 1
    assert capsys.readouterr().out.startswith(f"words {result['words']}, same marks ")


# What ships


@pytest.fixture
def shipped(model, tmp_path):
    runs, trainable = tmp_path / "runs" / "es-eu", tmp_path / "egs" / "es-eu"
    ship_model.ship(model, "CC BY-SA 4.0", runs, trainable)
    return runs, trainable


def test_a_model_is_divided_into_what_runs_and_what_is_trained(model, shipped, corpus, tmp_path):
    runs, trainable = shipped
    others = read_info(model).files.keys() - {WEIGHTS, ONNX, ONNX_INT8}
    assert read_info(runs).files.keys() == {*others, ONNX_INT8}
    assert read_info(trainable).files.keys() == {*others, WEIGHTS}
    assert (trainable / WEIGHTS).stat().st_size < 0.6 * (model / WEIGHTS).stat().st_size
    facts = read_info(runs).training
    assert "data" in read_info(model).training
    assert "data" not in facts
    assert facts["licence"] == "CC BY-SA 4.0"
    assert facts["parameters"] == pytest.approx((trainable / WEIGHTS).stat().st_size / 2, rel=0.1)
    bare = [annotate(u, labels=None) for u in utterances(30, 5)]
    expected = list(Punctuator.from_pretrained(model, graph="int8").restore(bare))
    assert list(Punctuator.from_pretrained(runs).restore(bare)) == expected


def test_the_folder_of_the_encoder_is_not_shipped(model, tmp_path):
    ship_model.ship(model, "CC0", tmp_path / "runs", tmp_path / "trained", encoder="org/encoder")
    for folder in ("runs", "trained"):
        assert read_info(tmp_path / folder).model.encoder.name == "org/encoder"


def test_weights_in_fp16_are_trained_in_fp32(model, shipped):
    import torch

    from asr_punct.model.weights import load_tagger

    first, second = (load_tagger(folder / WEIGHTS, read_info(folder)) for folder in (model, shipped[1]))
    for one, two in zip(first.parameters(), second.parameters(), strict=True):
        assert two.dtype == torch.float32
        assert torch.equal(two, one.half().float())


# The card

SOURCES = [
    Source("es/train/speeches", "es", "yes", 1, 10, "CC BY 4.0"),
    Source("eu/train/news", "eu", "no", 6, 5, "CC0"),
]


@pytest.fixture
def described(shipped):
    runs, _ = shipped
    info = read_info(runs)
    write_info(runs, replace(info, model=replace(info.model, language="es+eu")))
    truth = [
        replace(u, words=tuple(replace(word, start=None, end=None) for word in u.words)) for u in utterances(20, 1)
    ]
    write_score_sets({"es/speeches": score(truth, truth), "iwslt/test2011": score(truth, truth, 4)}, runs / SCORES)
    return runs


def test_the_card(described):
    tuned = asdict(Tuning(1234, (0.5, 0.613), {"COMMA": (0.01234, 0.002)}, {}))
    facts = {"calibration": tuned, "speed": {"words_a_second": 10662.1, "sentence_ms": 1.23456}}
    card = model_card.card(described, SOURCES, "## Known failures\n\nNames.\n", facts)
    front = card.split("---\n")[1]
    assert yaml.safe_load(front)["language"] == ["es", "eu"]
    assert yaml.safe_load(front)["license"] == "cc-by-sa-4.0"
    assert yaml.safe_load(front)["datasets"] == ["speeches", "news"]
    assert all(part in card for part in ("Names.", " 50.0 ", " 61.3 ", "10,662", "1.235"))
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in card.splitlines() if line.startswith("|")]
    assert ["COMMA", "1.23", "0.20"] in cells
    assert ["eu/train/news", "eu", "6", "CC0"] in cells
    comma = next(row for row in cells if row[0] == "COMMA")
    assert sum(cell.startswith("100.0 (") for cell in comma) == 2
    assert "OPEN_EXCL" not in [row[0] for row in cells]


def test_the_card_compares_pauses_where_they_were_measured(described, tmp_path, punctuator):
    sentences = score_pauses.read_recording(recording(tmp_path), "es")
    (tmp_path / "pauses.json").write_text(json.dumps(score_pauses.compare(punctuator, sentences)))
    (tmp_path / "notes.md").touch()
    (tmp_path / "sources.tsv").write_text("# a comment\nes/train/speeches\tes\tyes\t1\t10\tCC BY 4.0\n")
    model_card.main(described, tmp_path / "sources.tsv", tmp_path / "notes.md", tmp_path)
    written = (described / "README.md").read_text(encoding="utf-8")
    assert "recording of 6 words, 2 of them with a known pause" in written
    assert "| micro.f1" in written
    assert "Not measured" not in written
