"""CTC models of transformers, saved and opened as users do: tiny ones of random weights, and one that is trained."""

import json
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from asr_punct.align.ctc import align  # noqa: E402
from asr_punct.align.files import align_data_dir, align_file  # noqa: E402
from asr_punct.align.methods import Clip, CtcAligner  # noqa: E402
from asr_punct.asr.aligners import open_acoustic_model  # noqa: E402
from asr_punct.audio import write  # noqa: E402
from asr_punct.errors import AsrPunctError, MissingExtraError, ModelError  # noqa: E402

RATE = 16000
LETTERS = "abcdefghijklmnoprstuvzñ"
SYMBOLS = {symbol: number for number, symbol in enumerate(["<unk>", "|", *LETTERS, "<pad>"])}
SETTINGS = {
    "vocab_size": len(SYMBOLS),
    "pad_token_id": SYMBOLS["<pad>"],
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "conv_dim": (16,) * 4,
    "conv_stride": (10, 4, 4, 2),
    "conv_kernel": (20, 8, 8, 4),
    "num_feat_extract_layers": 4,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
}


def save(folder, model, **tokens):
    """A model with its tokenizer and feature extractor, as `save_pretrained` leaves them."""
    folder.mkdir()
    (folder / "symbols.json").write_text(json.dumps(SYMBOLS))
    model.save_pretrained(folder)
    tokenizer = transformers.Wav2Vec2CTCTokenizer(
        str(folder / "symbols.json"), bos_token=None, eos_token=None, **tokens
    )
    tokenizer.save_pretrained(folder)
    transformers.Wav2Vec2FeatureExtractor(return_attention_mask=True).save_pretrained(folder)
    return folder


def wav2vec2(**changes):
    torch.manual_seed(0)
    return transformers.Wav2Vec2ForCTC(transformers.Wav2Vec2Config(**SETTINGS, **changes))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save(tmp_path_factory.mktemp("models") / "wav2vec2", wav2vec2())


def noise(seconds):
    return np.random.default_rng(0).normal(0, 0.1, round(seconds * RATE)).astype(np.float32)


def test_log_probabilities_are_the_models(saved):
    model = open_acoustic_model(str(saved))
    assert (model.rate, model.hop) == (RATE, 320)
    samples = noise(2.5)
    direct = transformers.Wav2Vec2ForCTC.from_pretrained(saved).eval()
    normal = torch.from_numpy((samples - samples.mean()) / np.sqrt(samples.var() + 1e-7))
    with torch.inference_mode():
        expected = direct(normal[None]).logits[0].log_softmax(-1).numpy()
    assert np.allclose(model.log_probs(samples), expected, atol=1e-5)
    vocabulary = model.vocabulary
    assert (vocabulary.size, vocabulary.blank, vocabulary.separator) == (len(SYMBOLS), SYMBOLS["<pad>"], SYMBOLS["|"])
    assert vocabulary.encode("Áña9") == [SYMBOLS["a"], SYMBOLS["ñ"], SYMBOLS["a"], -1]


def test_a_tokenizer_is_enough(saved, tmp_path):
    expected = open_acoustic_model(str(saved)).log_probs(noise(1))
    for file in saved.iterdir():
        if file.name != "preprocessor_config.json":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    assert np.allclose(open_acoustic_model(str(tmp_path)).log_probs(noise(1)), expected)


def test_hubert_is_heard(tmp_path):
    torch.manual_seed(0)
    model = transformers.HubertForCTC(transformers.HubertConfig(**SETTINGS))
    found = align([noise(2)], ["hola", "2026"], open_acoustic_model(str(save(tmp_path / "hubert", model))))
    assert 0 <= found[0].start < found[0].end <= found[1].start < found[1].end <= 2


def test_files_and_data_directories_are_aligned(saved, tmp_path):
    aligner = CtcAligner(open_acoustic_model(str(saved)))
    write(tmp_path / "a.wav", noise(3), RATE)
    (tmp_path / "a.txt").write_text("Hola,\nalba 9.\n")
    (utterance,) = align_file(tmp_path / "a.wav", tmp_path / "a.txt", "es", aligner)
    assert ([word.text for word in utterance.words], utterance.time_source) == (["hola", "alba", "9"], "ctc")
    (tmp_path / "wav.scp").write_text(f"r {tmp_path / 'a.wav'}\n")
    (tmp_path / "text").write_text("r-1 Hola, alba.\nr-2\n")
    (tmp_path / "segments").write_text("r-1 r 1 2.5\nr-2 r 2.5 3\n")
    first, second = align_data_dir(tmp_path, "es", aligner)
    assert (first.id, first.recording, first.time_source, second.words) == ("r-1", "r", "ctc", ())
    assert 1 <= first.words[0].start < first.words[1].end <= 2.5
    (tmp_path / "segments").write_text("r-1 r 1 1.1\nr-2 r 2.5 3\n")
    with pytest.raises(AsrPunctError, match=r"a\.wav: utterance 'r-1': found \d frames of audio, expected 9 or more"):
        list(align_data_dir(tmp_path, "es", aligner))


def test_the_command_writes_ctm(run, saved, tmp_path):
    write(tmp_path / "a.wav", noise(3), RATE)
    (tmp_path / "a.txt").write_text("Hola, alba.\n")
    options = "--method", "ctc", "--acoustic-model", f"transformers:{saved}"
    status, out, err = run("align", tmp_path / "a.wav", tmp_path / "a.txt", *options, "-o", tmp_path / "a.ctm")
    assert (status, out, err) == (0, "", "")
    assert [row.split()[4] for row in (tmp_path / "a.ctm").read_text().splitlines()] == ["hola", "alba"]
    (tmp_path / "a.txt").write_text("alba " * 90)
    status, out, err = run("align", tmp_path / "a.wav", tmp_path / "a.txt", *options, "-o", tmp_path / "b.ctm")
    told = "a.wav: utterance 'a': found 148 frames of audio, expected 449 or more for its text\n"
    assert (status, out, (tmp_path / "b.ctm").exists()) == (2, "", False)
    assert err.endswith(told)


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_a_missing_extra_is_named(run, saved, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "asr_punct.asr.transformers")
    status, _, err = run("align", "a.wav", "a.txt", "--method", "ctc", "--acoustic-model", saved)
    assert status == 2
    assert err.startswith(f"asr-punct: align needs the package {package}, which is not installed: pip install")
    assert "asr-punct[train]" in err


def test_a_clip_is_read_in_pieces(saved, tmp_path, monkeypatch):
    model = open_acoustic_model(str(saved))
    write(tmp_path / "a.wav", noise(3), RATE)
    held = []
    monkeypatch.setattr("asr_punct.audio.read", lambda *arguments: held.append(arguments))
    assert CtcAligner(model).align(Clip(tmp_path / "a.wav", "a"), ["hola"])
    assert not held


def test_models_that_cannot_be_used_are_told(saved, tmp_path):
    def changed(name, **values):
        folder = tmp_path / name
        folder.mkdir()
        for file in saved.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, **values}))
        return str(folder)

    bare = save(tmp_path / "bare", transformers.Wav2Vec2Model(transformers.Wav2Vec2Config(**SETTINGS)))
    other = save(tmp_path / "other", wav2vec2(), pad_token="<unk>")
    cases = {
        str(bare): "found no weights lm_head.bias, expected a model trained for CTC",
        str(other): "found pad token 0 in its tokenizer, expected 25",
        changed("none", pad_token_id=None): r"found blank \(pad_token_id\) None, expected one of its 26 symbols",
        changed("beyond", pad_token_id=26): r"found blank \(pad_token_id\) 26",
        changed("bert", model_type="bert", architectures=["BertModel"]): "expected a CTC model of transformers",
    }
    for name, told in cases.items():
        with pytest.raises(ModelError, match=told) as error:
            open_acoustic_model(name)
        assert "\n" not in str(error.value)
    with pytest.raises(AsrPunctError, match="--device: found 'toaster'"):
        open_acoustic_model(str(saved), "toaster")


@pytest.mark.parametrize("name", ["a.nemo", "nemo:stt_es"])
def test_a_missing_nemo_is_told(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.nemo").touch()
    monkeypatch.setitem(sys.modules, "nemo", None)
    monkeypatch.delitem(sys.modules, "asr_punct.asr.nemo", raising=False)
    with pytest.raises(MissingExtraError, match=rf"the acoustic model '{name}' needs .*asr-punct\[nemo\]"):
        open_acoustic_model(name)
