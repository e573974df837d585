"""CTC models of transformers, tiny and with random weights, saved and opened as users do."""

import json
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from dummies import CTC_SYMBOLS as SYMBOLS
from dummies import refused
from dummies import save_ctc_model as save

from asr_punct.align.espeak import synthesise
from asr_punct.align.methods import align_data_dir, align_file, ctc_aligner
from asr_punct.asr import open_acoustic_model
from asr_punct.audio import write_samples
from asr_punct.errors import AsrPunctError, MissingExtraError, ModelError

RATE = 16000


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save(tmp_path_factory.mktemp("models") / "wav2vec2")


def noise(seconds):
    return np.random.default_rng(0).normal(0, 0.1, round(seconds * RATE)).astype(np.float32)


def test_log_probabilities_are_the_models(saved, tmp_path):
    model, samples = open_acoustic_model(str(saved)), noise(2.5)
    assert (model.rate, model.hop) == (RATE, 320)
    direct = transformers.Wav2Vec2ForCTC.from_pretrained(saved).eval()
    normal = torch.from_numpy((samples - samples.mean()) / np.sqrt(samples.var() + 1e-7))
    with torch.inference_mode():
        expected = direct(normal[None]).logits[0].log_softmax(-1).numpy()
    assert np.allclose(model.log_probs(samples), expected, atol=1e-5)
    vocabulary = model.vocabulary
    assert (vocabulary.size, vocabulary.blank, vocabulary.separator) == (len(SYMBOLS), SYMBOLS["<pad>"], SYMBOLS["|"])
    assert vocabulary.encode("Áña9") == [SYMBOLS["a"], SYMBOLS["ñ"], SYMBOLS["a"], -1]
    shutil.copytree(saved, tmp_path / "copy", ignore=shutil.ignore_patterns("preprocessor_config.json"))
    assert np.allclose(open_acoustic_model(str(tmp_path / "copy")).log_probs(samples), expected, atol=1e-5)


def test_files_and_data_directories_are_aligned(saved, tmp_path):
    aligner = ctc_aligner(open_acoustic_model(str(saved)))
    write_samples(tmp_path / "a.wav", noise(3), RATE)
    (tmp_path / "a.txt").write_text("Hola,\nalba 9.\n")
    (utterance,) = align_file(tmp_path / "a.wav", tmp_path / "a.txt", "es", aligner)
    assert ([word.text for word in utterance.words], utterance.time_source) == (["hola", "alba", "9"], "ctc")
    (tmp_path / "wav.scp").write_text(f"r {tmp_path / 'a.wav'}\n")
    (tmp_path / "text").write_text("r-1 Hola, alba.\nr-2\n")
    (tmp_path / "segments").write_text("r-1 r 1 2.5\nr-2 r 2.5 3\n")
    first, second = align_data_dir(tmp_path, "es", aligner)
    assert (first.id, first.recording, first.time_source, second.words) == ("r-1", "r", "ctc", ())
    assert 1 <= first.words[0].start < first.words[1].end <= 2.5
    spans = []
    spy = replace(aligner, align=lambda *given: spans.append(given[3:]) or aligner.align(*given))
    assert [*align_file(tmp_path / "a.wav", tmp_path / "a.txt", "es", spy), *align_data_dir(tmp_path, "es", spy)]
    assert spans == [(0.0, None), (1.0, 2.5), (2.5, 3.0)]
    (tmp_path / "segments").write_text("r-1 r 1 1.1\nr-2 r 2.5 3\n")
    with pytest.raises(AsrPunctError, match=r"frames of audio, expected 9 or more"):
        list(align_data_dir(tmp_path, "es", aligner))


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_a_missing_extra_is_named(run, saved, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "asr_punct.asr.transformers", raising=False)
    status, _, err = run("align", "a.wav", "a.txt", "--lang", "es", "--method", "ctc", "--acoustic-model", saved)
    assert status == 2
    assert err.startswith(f"asr-punct: align: found no package {package}")
    assert "asr-punct[train]" in err


@pytest.mark.parametrize("name", ["a.nemo", "nemo:stt_es"])
def test_a_missing_nemo_is_named(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.nemo").touch()
    monkeypatch.setitem(sys.modules, "nemo", None)
    monkeypatch.delitem(sys.modules, "asr_punct.asr.nemo", raising=False)
    with pytest.raises(MissingExtraError, match=rf"the acoustic model '{name}': found .*asr-punct\[nemo\]"):
        open_acoustic_model(name)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"pad_token_id": None}, "blank (pad_token_id) None"),
        ({"pad_token_id": 26}, "blank (pad_token_id) 26"),
        ({"model_type": "bert", "architectures": ["BertModel"]}, "BertConfig"),
    ],
)
def test_unusable_configurations(saved, tmp_path, changes, found):
    shutil.copytree(saved, tmp_path / "copy")
    config = json.loads((saved / "config.json").read_text())
    (tmp_path / "copy" / "config.json").write_text(json.dumps({**config, **changes}))
    with refused(tmp_path / "copy", found, ModelError):
        open_acoustic_model(str(tmp_path / "copy"))


def test_the_command_writes_ctm(run, tmp_path):
    pytest.importorskip("espeakng_loader")
    spoken = synthesise("hola alba", "es+m3")
    write_samples(tmp_path / "a.wav", spoken.samples, spoken.rate)
    (tmp_path / "a.txt").write_text("Hola, alba.\n")
    model = f"transformers:{save(tmp_path / 'hubert', 'HubertForCTC')}"
    command = (
        "align",
        tmp_path / "a.wav",
        tmp_path / "a.txt",
        "--lang",
        "es",
        "--method",
        "ctc",
        "--acoustic-model",
        model,
    )
    assert run(*command, "-o", tmp_path / "a.ctm") == (0, "", "")
    assert [row.split()[4] for row in (tmp_path / "a.ctm").read_text().splitlines()] == ["hola", "alba"]


def test_unusable_models_and_devices(saved, tmp_path):
    for path, found in (
        (save(tmp_path / "bare", "Wav2Vec2Model"), "no weight lm_head.bias"),
        (save(tmp_path / "other", pad_token="<unk>"), "pad token 0 in its tokenizer"),
    ):
        with refused(str(path), found, ModelError):
            open_acoustic_model(str(path))
    with pytest.raises(AsrPunctError, match="'toaster'"):
        open_acoustic_model(str(saved), "toaster")
