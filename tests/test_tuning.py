"""Tuning: calibration, thresholds, class weights and the command."""

import json
from dataclasses import replace

import numpy as np
import pytest
import tune_average
from aggregate import averaging
from dummies import ASKS, NAMES, NOUNS, tiny_config, write_corpus

from asr_punct.checkpoint import CONFIG, TOKENIZER, WEIGHTS, ModelInfo, read_info, write_info
from asr_punct.decode import DecodeSettings
from asr_punct.decode.calibration import calibration_error, fit_platt, fit_temperature
from asr_punct.decode.fitting import DevSet, decoded_f1, fit_settings
from asr_punct.decode.inputs import WordFlag, logits
from asr_punct.decode.thresholds import fit_case_bias, fit_class_weights, fit_thresholds
from asr_punct.inference.restorer import Restorer
from asr_punct.inference.tune import read_dev_set
from asr_punct.marks import CASES, MARKS, Mark
from asr_punct.subwords import train_tokenizer

RNG = np.random.default_rng(0)


def test_platt_scaling_recovers_a_distortion():
    true = RNG.normal(-1, 2, 20_000)
    present = RNG.random(20_000) < 1 / (1 + np.exp(-true))
    scale, bias = fit_platt((true - 0.5) / 0.7, present)
    assert (scale, bias) == pytest.approx((0.7, 0.5), abs=0.06)


def test_a_temperature_is_found():
    scores = RNG.normal(0, 2, (20_000, 3))
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    cases = (RNG.random((20_000, 1)) > chances.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    sharp = np.exp(2 * scores) / np.exp(2 * scores).sum(axis=1, keepdims=True)
    assert fit_temperature(sharp, cases) == pytest.approx(2.0, abs=0.1)


def test_calibration_error_of_certain_truth_is_0_and_of_certain_falsehood_1():
    present = RNG.random(1000) < 0.3
    assert calibration_error(present.astype(float), present) == pytest.approx(0)
    assert calibration_error(1.0 - present, present) == pytest.approx(1, abs=0.05)  # one bin of 20 holds both


def test_thresholds_of_calibrated_marks_are_half_the_best_f1_and_rare_ones_stay_there():
    scores = RNG.normal(-3, 2, (40_000, 2))
    scores[:, 1] = RNG.normal(-12, 1, 40_000)
    present = RNG.random(scores.shape) < 1 / (1 + np.exp(-scores))
    common, rare = fit_thresholds(scores, present)
    assert common == pytest.approx(rare, abs=0.4)
    assert rare < logits(np.array([0.5]))[0]


def test_a_case_that_is_underrated_gets_a_bias():
    cases = RNG.integers(0, 2, 5000)
    scores = np.stack([1.0 - cases, cases - 0.8, np.full(5000, -9.0)], axis=1) + RNG.normal(0, 0.2, (5000, 3))
    bias = fit_case_bias(scores, cases)
    assert bias[0] == bias[2] == 0
    assert bias[1] > 0.2


def development_corpus(words, ends):
    """Commas and periods with low probabilities."""
    rng = np.random.default_rng(1)
    true = np.zeros((words, len(MARKS)), dtype=bool)
    chosen = rng.integers(0, 4, words)
    for number, mark in enumerate((Mark.COMMA, Mark.PERIOD)):
        true[:, MARKS.index(mark)] = chosen == number
    scores = np.where(true, -1.0, -4.0) + rng.normal(0, 0.5, true.shape)
    cases = np.tile(np.array([0.8, 0.1, 0.1], np.float32), (words, 1))
    marks = (1 / (1 + np.exp(-scores))).astype(np.float32)
    return DevSet(marks, cases, true, np.zeros(words, dtype=np.int64), ends, np.zeros(words, dtype=np.uint32))


def test_fitted_settings_are_better_than_the_default():
    dev = development_corpus(600, (200, 600))
    assert decoded_f1(dev, DecodeSettings()) < 0.2
    fitted = fit_settings(dev)
    assert decoded_f1(dev, fitted) > 0.95
    assert all(0 < threshold < 1 for threshold in fitted.thresholds.values())
    assert set(fitted.case_bias) == set(CASES)


@pytest.mark.parametrize(("capitals", "expected"), [(1.0, True), (0.95, True), (0.5, False), (0.0, False)])
def test_sentences_begin_with_capitals_where_the_corpus_has_them(capitals, expected):
    dev = development_corpus(600, (200, 600))
    after = np.concatenate([[False], dev.true_marks[:-1, MARKS.index(Mark.PERIOD)]])
    after[200] = False
    begins = np.flatnonzero(after)
    cases = dev.true_cases.copy()
    cases[begins[: round(capitals * len(begins))]] = 1
    assert fit_settings(replace(dev, true_cases=cases)).sentence_capitals is expected
    fixed = np.where(after & (cases == 0), WordFlag.CASE_FIXED, 0).astype(np.uint32)
    found = fit_settings(replace(dev, true_cases=cases, flags=fixed)).sentence_capitals
    assert found is (capitals > 0)


# Models of classes

CLASSES = ("O", "PERIOD", "COMMA", "QUESTION")


def drawn_classes(words, seed, rare=0.02):
    """Probabilities that underrate commas and overrate periods, and the marks of the reference."""
    rng = np.random.default_rng(seed)
    true = rng.choice(4, words, p=[0.8 - rare, 0.1, 0.1, rare])
    logs = rng.normal(0, 1.3, (words, 4)) + 2.5 * np.eye(4)[true] + [2.0, 1.0, -1.0, -1.5]
    probabilities = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    marks = np.zeros((words, len(MARKS)), dtype=bool)
    for number, name in enumerate(CLASSES[1:], start=1):
        marks[true == number, MARKS.index(Mark(name))] = True
    return probabilities.astype(np.float32), true, marks


def micro_f1(chosen, true):
    return 2 * ((chosen == true) & (true > 0)).sum() / ((chosen > 0).sum() + (true > 0).sum())


def weighted_f1(probabilities, true, weights):
    return micro_f1((probabilities * [weights[name] for name in CLASSES]).argmax(axis=1), true)


@pytest.mark.parametrize("seed", range(2))
def test_no_other_weight_of_one_class_is_better(seed):
    """Compare with a fine grid of weights for each class, the others fixed."""
    probabilities, true, marks = drawn_classes(1500, seed, rare=0.05)
    weights = fit_class_weights(probabilities, CLASSES, marks)
    best = weighted_f1(probabilities, true, weights)
    assert weights["O"] == 1.0
    assert best > weighted_f1(probabilities, true, dict.fromkeys(CLASSES, 1.0)) + 0.01
    for name in CLASSES[1:]:
        for weight in np.exp(np.linspace(-4, 4, 400)):
            assert weighted_f1(probabilities, true, {**weights, name: weight}) <= best + 1e-9


def test_a_rare_class_keeps_its_weight():
    probabilities, true, marks = drawn_classes(3000, 7, rare=0.003)
    assert (true == 3).sum() < 20
    weights = fit_class_weights(probabilities, CLASSES, marks)
    assert weights["QUESTION"] == weights["O"] == 1.0
    assert weights["COMMA"] > 1 > weights["PERIOD"]


def test_settings_of_a_model_of_classes_are_weights():
    probabilities, true, marks = drawn_classes(3000, 3)
    cases = np.tile(np.array([0.8, 0.1, 0.1], np.float32), (3000, 1))
    numbers, flags = np.zeros(3000, dtype=np.int64), np.zeros(3000, dtype=np.uint32)
    dev = DevSet(probabilities, cases, marks, numbers, (1000, 3000), flags, CLASSES)
    fitted = fit_settings(dev)
    assert replace(fitted, class_weights={}) == DecodeSettings()
    before, after = decoded_f1(dev, DecodeSettings()), decoded_f1(dev, fitted)
    assert before == pytest.approx(micro_f1(probabilities.argmax(axis=1), true))
    assert after == pytest.approx(weighted_f1(probabilities, true, fitted.class_weights))
    assert after > before + 0.01


def test_the_commands_fit_settings_to_the_windows_of_decoding(run, tmp_path, capsys, caplog):
    torch = pytest.importorskip("torch")
    from asr_punct.model.encoder import new_encoder
    from asr_punct.model.tagger import Tagger
    from asr_punct.model.weights import save_tagger

    config = tiny_config().model
    tokenizer = train_tokenizer([*NAMES, *NOUNS, *ASKS], config.encoder.vocabulary)
    torch.manual_seed(0)
    model = Tagger(config, new_encoder(config.encoder, tokenizer.get_vocab_size(), 0))
    tokenizer.save(str(tmp_path / TOKENIZER))
    save_tagger(model, tmp_path / WEIGHTS)
    write_info(tmp_path, ModelInfo(config, model.encoder.settings))
    dev = write_corpus(tmp_path / "corpus") / "dev.tsv"

    report = tmp_path / "report.json"
    status, out, err = run("tune", tmp_path, dev, "--json", report)
    assert (status, err) == (0, "")
    assert [record.message.split(";")[0] for record in caplog.records] == [f"{dev}: 248 words"]
    assert out.splitlines()[0].endswith(f"{json.loads(report.read_text())['micro_f1'][1]:.3f} after")
    fitted = fit_settings(read_dev_set(Restorer.open(tmp_path), dev))
    assert read_info(tmp_path).decoding.calibration == fitted.calibration
    few = tmp_path / "few.tsv"
    few.write_text("hola\tPERIOD\t-\tFIRST_CAP\n" * 19)
    config = (tmp_path / CONFIG).read_bytes()
    status, out, err = run("tune", tmp_path, few)
    assert status == 2
    assert "few.tsv: found 19 words" in out + err
    assert (tmp_path / CONFIG).read_bytes() == config
    tune_average.main(tmp_path, dev, report, aggregate=3)
    assert (
        capsys.readouterr().out.splitlines()[0].endswith(f"{json.loads(report.read_text())['micro_f1'][1]:.3f} after")
    )
    averaged = fit_settings(read_dev_set(averaging(Restorer.open(tmp_path), 3), dev))
    assert read_info(tmp_path).decoding.calibration == averaged.calibration != fitted.calibration
