"""ELECTRA encoders: their sizes, generators and heads (Clark et al. 2020; Poláček et al. 2023)."""

import dataclasses
import math
import re

import pytest
from dummies import tiny_config

torch = pytest.importorskip("torch")

from asr_punct.checkpoint import read_info  # noqa: E402
from asr_punct.config import Config, EncoderConfig, HeadConfig, as_mapping, from_mapping  # noqa: E402
from asr_punct.errors import ConfigError  # noqa: E402
from asr_punct.model.encoder import encoder_from_settings, narrow_encoder, new_encoder  # noqa: E402
from asr_punct.model.heads import build_punctuation_head  # noqa: E402

SMALL = EncoderConfig(
    kind="electra",
    vocabulary=30522,
    table_width=128,
    width=256,
    layers=12,
    heads=4,
    feed_forward=1024,
    max_tokens=512,
)


def parameters(module):
    return sum(parameter.numel() for parameter in module.parameters())


def test_electra_small_has_its_published_size():
    """13.6 M with the head of Poláček et al. 2023 (Table 1); here computed layer by layer."""
    encoder = new_encoder(SMALL, 30522, 0)
    width, table, hidden = 256, 128, 1024
    embeddings = (30522 + 512 + 2) * table + 2 * table
    attention = 4 * (width * width + width) + 2 * width
    dense = 2 * width * hidden + hidden + width + 2 * width
    expected = embeddings + table * width + width + 12 * (attention + dense)
    assert parameters(encoder.encoder) == expected
    head = 256 * 512 + 512 + 512 * 4 + 4
    assert round((expected + head) / 1e6, 1) == 13.6


def test_the_configuration_is_that_of_the_paper():
    pytest.importorskip("omegaconf")
    from asr_punct.training.configuration import read_config

    config = read_config("polacek")
    assert config.model.encoder == dataclasses.replace(SMALL, tokenizer="unigram")
    heads = dataclasses.replace(config.model.heads, classes=("O", "COMMA", "PERIOD", "QUESTION"))
    assert [tuple(p.shape) for p in build_punctuation_head(heads, 256, 201).parameters()] == [
        *[(512, 256), (512,)],
        *[(4, 512), (4,)],
    ]
    assert config.model.window.words == 100 + 1 + 100


def test_an_encoder_is_built_again_from_its_settings():
    small = dataclasses.replace(SMALL, layers=1, vocabulary=70, table_width=8, width=32, feed_forward=16, max_tokens=40)
    encoder = new_encoder(small, 70, 0).eval()
    again = encoder_from_settings(encoder.settings).eval()
    again.load_state_dict(encoder.state_dict())
    ids, index = torch.tensor([[2, 9, 11, 60, 3]]), torch.tensor([[1, 3]])
    inputs = (ids, torch.ones_like(ids), index, torch.zeros_like(index))
    assert torch.equal(encoder(*inputs), again(*inputs))
    assert encoder(*inputs).shape == (1, 2, 32)
    assert encoder.table.weight.shape == (70, 8)


def test_the_generator_is_a_quarter_as_wide_and_shares_the_tables():
    """ELECTRA, section 3.2 and table 6: width, feed-forward, heads are a quarter; both kinds of tables are shared."""
    encoder = new_encoder(dataclasses.replace(SMALL, layers=2), 100, 0)
    generator = narrow_encoder(encoder, SMALL, 0.25).encoder
    config = generator.config
    assert (config.hidden_size, config.intermediate_size, config.num_attention_heads) == (64, 256, 1)
    assert config.num_hidden_layers == 2
    assert generator.embeddings is encoder.encoder.embeddings
    own = {id(parameter) for parameter in encoder.encoder.encoder.parameters()}
    assert not own & {id(parameter) for parameter in generator.encoder.parameters()}


def test_heads_that_do_not_divide_the_generator_are_told():
    encoder = new_encoder(dataclasses.replace(SMALL, layers=1), 100, 0)
    with pytest.raises(ConfigError, match="width 161 is not a multiple of its 3 heads"):
        narrow_encoder(encoder, SMALL, 0.63)


def test_the_dense_layer_of_the_head_is_a_selu():
    """Klambauer et al. 2017, equation 2: lambda x above 0, lambda alpha (exp x - 1) elsewhere."""
    config = HeadConfig(kind="classes", classes=("O", "COMMA"), hidden=5, activation="selu", dropout=0.0)
    head = build_punctuation_head(config, 3, 8)
    vectors = torch.randn(1, 4, 3)
    first, last = head.layers[0], head.layers[-1]
    rows = []
    for vector in vectors[0]:
        hidden = []
        for value in (first.weight @ vector + first.bias).tolist():
            hidden.append(1.0507009873554805 * (value if value > 0 else 1.6732632423543772 * math.expm1(value)))
        rows.append(last.weight @ torch.tensor(hidden) + last.bias)
    assert torch.allclose(head(vectors)[0], torch.stack(rows), atol=1e-5)


def test_it_is_trained_and_exported(corpus, tmp_path):
    pytest.importorskip("lightning")
    from asr_punct import Punctuator
    from asr_punct.training.export import export
    from asr_punct.training.fit import train

    values = as_mapping(tiny_config(epochs=2))
    values["model"]["encoder"] |= {"kind": "electra", "tokenizer": "unigram", "table_width": 16}
    values["model"]["context"] |= {"kind": "none"}
    values["model"]["heads"] |= {"hidden": 64, "activation": "selu"}
    train(from_mapping(Config, values, "tiny"), corpus, tmp_path / "model", device="cpu")
    assert export(tmp_path / "model") < 1e-4
    assert read_info(tmp_path / "model").encoder["model_type"] == "electra"
    punctuator = Punctuator.from_pretrained(tmp_path / "model", threads=1)
    assert {"ana", "mira", "la", "casa"} <= set(re.findall(r"\w+", punctuator("ana mira la casa").lower()))
