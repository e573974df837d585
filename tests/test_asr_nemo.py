"""Models of NeMo as acoustic models and recognisers: tiny ones with random weights, saved and opened as users do."""

import re

import numpy as np
import pytest

pytest.importorskip("nemo", reason="nemo-toolkit is not installed: pip install '.[nemo]'")
models = pytest.importorskip("nemo.collections.asr.models")
torch = pytest.importorskip("torch")

from dummies import refused
from omegaconf import OmegaConf
from test_nemo import ctc_configuration

from asr_punct.align.ctc import ctc_align
from asr_punct.asr import open_acoustic_model, open_recogniser
from asr_punct.asr.nemo import NemoCtcModel
from asr_punct.asr.transcribe import recognise
from asr_punct.errors import ModelError

SAMPLES = np.random.default_rng(0).normal(0, 0.1, 32000).astype(np.float32)


def forward(model, samples):
    signal, length = torch.from_numpy(samples)[None], torch.tensor([len(samples)])
    with torch.inference_mode():
        return model(input_signal=signal, input_signal_length=length)


def check(model, words):
    found = ctc_align([SAMPLES], words, model)
    edges = [time for word in found for time in (word.start, word.end)]
    assert edges == sorted(edges)
    assert 0 <= edges[0] < edges[-1] <= 2
    assert [word.text for word in found] == words


def test_a_ctc_model(tmp_path):
    made = models.EncDecCTCModel(cfg=ctc_configuration()).eval()
    made.save_to(str(tmp_path / "a.nemo"))
    for name in (f"{tmp_path}/a.nemo", f"nemo:{tmp_path}/a.nemo"):
        model = open_acoustic_model(name)
    assert (model.rate, model.hop) == (16000, 320)
    vocabulary = model.vocabulary
    assert (vocabulary.size, vocabulary.blank, vocabulary.separator) == (8, 7, 0)
    assert vocabulary.encode("aÉz") == [1, 5, -1]
    made.preprocessor.featurizer.pad_to = 0
    expected, frames, _ = forward(made, SAMPLES)
    assert np.allclose(model.log_probs(SAMPLES), expected[0, : int(frames[0])].numpy(), atol=1e-5)
    check(model, ["abc", "99", "de"])


def test_the_ctc_head_of_a_hybrid_model():
    config = ctc_configuration()
    head = OmegaConf.to_container(config.decoder)
    modules = "nemo.collections.asr.modules."
    config.labels = list(head["vocabulary"])
    config.model_defaults = {"enc_hidden": 16, "pred_hidden": 8}
    config.decoder = {
        "_target_": modules + "RNNTDecoder",
        "vocab_size": 7,
        "prednet": {"pred_hidden": 8, "pred_rnn_layers": 1, "dropout": 0.0},
    }
    config.joint = {
        "_target_": modules + "RNNTJoint",
        "num_classes": 7,
        "vocabulary": list(head["vocabulary"]),
        "jointnet": {"encoder_hidden": 16, "pred_hidden": 8, "joint_hidden": 8, "activation": "relu", "dropout": 0.0},
    }
    config.decoding = {"strategy": "greedy", "greedy": {"max_symbols": 5}}
    config.loss = {"loss_name": "pytorch"}
    config.aux_ctc = {"ctc_loss_weight": 0.3, "decoder": head}
    made = models.EncDecHybridRNNTCTCModel(cfg=config).eval()
    model = NemoCtcModel("hybrid", made)
    assert (model.hop, model.vocabulary.size, model.vocabulary.blank) == (320, 8, 7)
    encoded, frames = forward(made, SAMPLES)
    with torch.inference_mode():
        expected = made.ctc_decoder(encoder_output=encoded)[0, : int(frames[0])]
    assert np.allclose(model.log_probs(SAMPLES), expected.numpy(), atol=1e-5)
    check(model, ["abc", "de"])


def test_a_subword_model(tmp_path):
    sentencepiece = pytest.importorskip("sentencepiece")
    (tmp_path / "text").write_text("la casa de ana\nla cosa de la dama\ncada dedo\n")
    files = {"input": str(tmp_path / "text"), "model_prefix": str(tmp_path / "tokenizer")}
    sentencepiece.SentencePieceTrainer.train(**files, vocab_size=24, hard_vocab_limit=False, minloglevel=9)
    vocabulary = [line.split("\t")[0] for line in (tmp_path / "tokenizer.vocab").read_text().splitlines()]
    (tmp_path / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    config = ctc_configuration()
    config.tokenizer = {"dir": str(tmp_path), "type": "bpe"}
    config.decoder.vocabulary, config.decoder.num_classes = [], -1
    made = models.EncDecCTCModelBPE(cfg=config).eval()
    model = NemoCtcModel("subwords", made)
    blank = len(made.decoder.vocabulary)
    assert (model.vocabulary.size, model.vocabulary.blank, model.vocabulary.separator) == (blank + 1, blank, None)
    assert made.tokenizer.ids_to_text(list(model.vocabulary.encode("CASA"))) == "casa"
    assert -1 in model.vocabulary.encode("ж")
    check(model, ["la", "2026", "casa"])


def test_a_recogniser(tmp_path, talk):
    torch.manual_seed(0)  # with these weights it finds words all over the talk
    models.EncDecCTCModel(cfg=ctc_configuration()).save_to(str(tmp_path / "stt_es_tiny.nemo"))
    recogniser = open_recogniser(f"nemo:{tmp_path / 'stt_es_tiny.nemo'}")
    assert (recogniser.rate, recogniser.time_source, recogniser.language) == (16000, "ctc", "es")
    values = list(recognise(talk, recogniser))
    words = [word for value in values for word in value.words]
    assert all(re.fullmatch("[abcdeo]+", word.text) for word in words)
    assert all(0 <= word.start <= word.end <= 6 for word in words)
    assert len(words) > 5
    assert words[-1].end > 2
    assert {value.time_source for value in values} == {"ctc"}


def test_unusable_models(tmp_path):
    with refused("m", "Linear", ModelError):
        NemoCtcModel("m", torch.nn.Linear(2, 2))
    (tmp_path / "a.nemo").write_text("hola\n")
    with refused(str(tmp_path / "a.nemo"), kind=ModelError):
        open_acoustic_model(str(tmp_path / "a.nemo"))
    for opened in (open_acoustic_model, open_recogniser):
        with refused("no_such_model", kind=ModelError):
            opened("nemo:no_such_model")
