"""Pretrained encoders and tokenizers from directories."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from dummies import refused
from model_dummies import FAMILIES, checkpoint, funnel, inputs, window

from asr_punct.errors import ConfigError
from asr_punct.model.encoder import pretrained_encoder, pretrained_tokenizer


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


@pytest.mark.parametrize("family", FAMILIES)
def test_any_encoder_by_directory(family, tmp_path):
    encoder = pretrained_encoder(checkpoint(tmp_path, family)).eval()
    assert encoder.decoder is None
    assert "masked_lm_head" not in encoder.settings
    batch = inputs([window(np.random.default_rng(0), 5)])
    names = ("input_ids", "attention_mask", "word_index", "boundaries")
    assert encoder(*(batch[name] for name in names)).words.shape == (1, 5, 16)


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
