"""Pretrained encoders and tokenizers from directories."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from dummies import refused
from model_dummies import FAMILIES, checkpoint, funnel, inputs, window
from published_encoders import BERTEUS, BETO, IXAMBERT, PUBLISHED, write_published

from asr_punct.errors import ConfigError
from asr_punct.model.encoder import encoder_from_settings
from asr_punct.model.pretrained import pretrained_encoder, pretrained_tokenizer


@pytest.mark.parametrize(("family", "masked_lm"), [("bert", True), ("distilbert", False), ("electra", False)])
@pytest.mark.parametrize("part", ["attention", "hidden"])
def test_dropout_is_that_of_the_checkpoint_or_configured(part, family, masked_lm, tmp_path):
    name = checkpoint(tmp_path, family)
    keys = {"attention": "attention_dropout", "hidden": "dropout"}
    if family != "distilbert":
        keys = {"attention": "attention_probs_dropout_prob", "hidden": "hidden_dropout_prob"}
    before = transformers.AutoConfig.from_pretrained(name).to_dict()
    assert pretrained_encoder(name, masked_lm).settings[keys[part]] == before[keys[part]]
    changed = pretrained_encoder(name, masked_lm, **{f"{part}_dropout": 0.3}).settings
    assert [changed[key] for key in keys.values()] == [
        0.3 if key == keys[part] else before[key] for key in keys.values()
    ]


@pytest.mark.parametrize("family", [*FAMILIES, "mpnet"])
def test_any_encoder_by_directory(family, tmp_path):
    encoder = pretrained_encoder(checkpoint(tmp_path, family)).eval()
    assert encoder.decoder is None
    assert "masked_lm_head" not in encoder.settings
    batch = inputs([window(np.random.default_rng(0), 5)])
    names = ("input_ids", "attention_mask", "word_index", "boundaries")
    assert encoder(*(batch[name] for name in names)).words.shape == (1, 5, 16)


@pytest.mark.parametrize("masked_lm", [False, True])
@pytest.mark.parametrize("family", [*FAMILIES, "mpnet"])
def test_weights_in_half_precision_become_those_of_a_model_directory_in_fp32(family, masked_lm, tmp_path):
    name = checkpoint(tmp_path, family)
    transformers.AutoModelForMaskedLM.from_pretrained(name).half().save_pretrained(name)
    encoder = pretrained_encoder(name, masked_lm)
    again = encoder_from_settings(encoder.settings)
    again.load_state_dict(encoder.state_dict())
    assert {weights.dtype for each in (encoder, again) for weights in each.parameters()} == {torch.float32}


def test_an_encoder_that_shortens_its_input_is_refused(tmp_path):
    funnel(tmp_path, "FunnelBaseModel")
    with refused("model.encoder.name", "a FunnelBaseModel", ConfigError):
        pretrained_encoder(str(tmp_path))


def test_a_missing_encoder(tmp_path):
    with refused("model.encoder.name", "none", ConfigError):
        pretrained_encoder(str(tmp_path / "none"))
    with refused("model.encoder.name", "none", ConfigError):
        pretrained_tokenizer(str(tmp_path / "none"), 4)


def test_a_tokenizer_by_directory(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "ho", "##la"]))
    transformers.BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    tokenizer = pretrained_tokenizer(str(tmp_path), 4)
    assert tokenizer.encode(["hola", "x"]) == [(5, 6), (1,)]
    assert (tokenizer.start, tokenizer.end, tokenizer.pad) == (2, 3, 0)


def test_the_special_tokens_of_a_funnel_transformer(tmp_path):
    """Its tokenizer adds <s> and </s> to the vocabulary, but uses <cls> and <sep>."""
    vocabulary = ["<pad>", "<unk>", "<cls>", "<sep>", "<mask>", "ho", "##la"]
    (tmp_path / "vocab.txt").write_text("\n".join(vocabulary))
    transformers.FunnelTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    expected = transformers.AutoTokenizer.from_pretrained(tmp_path)
    tokenizer = pretrained_tokenizer(str(tmp_path), 4)
    assert (tokenizer.start, tokenizer.end) == (expected.cls_token_id, expected.sep_token_id) == (2, 3)
    assert tokenizer.size > len(vocabulary)


# The forms in which AutoPunct's encoders are published


@pytest.mark.parametrize("masked_lm", [False, True])
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_encoders_have_their_weights_and_words(name, masked_lm, tmp_path):
    folder = write_published(tmp_path / "bert", name)
    encoder = pretrained_encoder(str(folder), masked_lm).eval()
    assert (encoder.decoder is not None) == masked_lm
    stored = torch.load(folder / "pytorch_model.bin", weights_only=True) if name != BERTEUS else {}
    if stored:
        torch.testing.assert_close(encoder.table.weight, stored["bert.embeddings.word_embeddings.weight"])
    tokenizer = pretrained_tokenizer(str(folder), 16)
    pieces = (folder / "vocab.txt").read_text().split()
    assert [pieces[i] for i in tokenizer.encode(["canción"])[0]][-1] == "##ción"  # accents stay
    assert [pieces[i] for i in tokenizer.encode(["Casa"])[0]] == ["Casa"]  # capitals stay
    assert pieces[tokenizer.pad] == "[PAD]"
    assert [pieces[i] for i in tokenizer.special] == ["[CLS]", "[SEP]", "[PAD]"]


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"do_lower_case": True}, ["ca", "##sa"]),
        ({"do_lower_case": True, "strip_accents": False}, ["ca", "##sa"]),
        (None, ["Casa"]),
    ],
)
def test_case_and_accents_are_those_of_the_published_settings(settings, word, tmp_path):
    folder = write_published(tmp_path / "bert", IXAMBERT)
    (folder / "tokenizer_config.json").unlink()
    if settings is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    tokenizer = pretrained_tokenizer(str(folder), 16)
    pieces = (folder / "vocab.txt").read_text().split()
    assert [pieces[i] for i in tokenizer.encode(["Casa"])[0]] == word
    stripped = settings == {"do_lower_case": True}
    assert pieces[tokenizer.encode(["canción"])[0][-1]] == ("##cion" if stripped else "##ción")


def test_a_pickle_that_runs_code_is_refused_with_the_whole_reason(tmp_path):
    folder = write_published(tmp_path / "bert", BETO)
    torch.save({"bert.x": Evil(folder / "ran")}, folder / "pytorch_model.bin")
    with pytest.raises(ConfigError) as error:
        pretrained_encoder(str(folder))
    assert error.value.place == "model.encoder.name"
    assert "pytorch_model.bin" in str(error.value)
    assert "\n" not in str(error.value)
    assert not (folder / "ran").exists()


class Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_what_is_no_encoder_is_said_clearly(tmp_path):
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2, "vocab_size": 30}
    transformers.T5Model(transformers.T5Config(**sizes)).save_pretrained(tmp_path / "t5")
    for load in (pretrained_encoder, lambda name: pretrained_tokenizer(name, 4)):
        with refused("model.encoder.name", "an encoder-decoder (t5)", ConfigError):
            load(str(tmp_path / "t5"))
    folder = write_published(tmp_path / "bert", IXAMBERT)
    (folder / "vocab.txt").unlink()
    with refused("model.encoder.name", "without model_type", ConfigError):
        pretrained_encoder(str(folder))
    (folder / "config.json").write_text('{"model_type": "newest"}')
    with refused("model.encoder.name", "model_type 'newest'", ConfigError):
        pretrained_encoder(str(folder))


def test_a_hub_that_cannot_be_reached_is_one_line(monkeypatch, caplog):
    """Without the lines of the hub's library about each of its tries."""

    def unreachable(*_, **__):
        logging.getLogger("huggingface_hub.utils").warning("Retrying in 1s [Retry 1/5].")
        raise OSError("We couldn't connect to 'https://example.org' to load the files.\nCheck your connection.")

    monkeypatch.setattr("asr_punct.model.pretrained.cached_file", unreachable)
    monkeypatch.setattr("asr_punct.model.pretrained.AutoTokenizer.from_pretrained", unreachable)
    monkeypatch.setattr("asr_punct.model.pretrained.PretrainedConfig.get_config_dict", unreachable)
    for load in (lambda: pretrained_tokenizer("org/name", 8), lambda: pretrained_encoder("org/name")):
        with pytest.raises(ConfigError, match=r"the hub cannot be reached, and it was not downloaded before$"):
            load()
    assert not caplog.records
