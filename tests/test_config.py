import ast
import dataclasses
import inspect
import itertools
import typing
from pathlib import Path

import pytest

from asr_punct.config import Config, WindowConfig, as_mapping, from_mapping
from asr_punct.errors import ConfigError

CONF = Path(__file__).parent.parent / "conf"


def components(config=Config):
    """A configuration and all those in it."""
    yield config
    for field in dataclasses.fields(config):
        if dataclasses.is_dataclass(field.default_factory):
            yield from components(field.default_factory)


def test_mapping_round_trip():
    config = from_mapping(Config, {"model": {"language": "eu", "window": {"words": 10, "margin": 2}}}, "x")
    assert from_mapping(Config, as_mapping(config), "x") == config
    assert (config.model.language, config.model.window) == ("eu", WindowConfig(10, 2))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"modle": 1}, "found unknown key 'modle', expected one of model, training"),
        ({"model": 3}, "model: found 3, expected keys and values"),
        ({"model": {"pauses": "none"}}, "pauses: found 'none', expected keys and values, for example kind: none"),
        ({"model": {"pauses": {"kind": "loud"}}}, "model: pauses: kind: found 'loud', expected one of none"),
        ({"model": {"context": {"kernels": 3}}}, "kernels: found 3, expected a list"),
        ({"training": {"epochs": "many"}}, "training: epochs: found 'many', expected int"),
        ({"training": {"epochs": True}}, "found True, expected int"),
        ({"training": {"epochs": 1.5}}, "found 1.5, expected int"),
        ({"training": {"epochs": 0}}, "training: epochs must be 1 or more, found 0"),
        ({"training": {"pause_dropout": 2}}, "pause_dropout must be a probability, found 2"),
        ({"training": {"seed": -1}}, "training: seed must be 0 or more and below 2**32, found -1"),
        ({"training": {"learning_rate": float("nan")}}, "learning_rate must be above 0, found nan"),
        ({"model": {"window": {"words": 4, "margin": 2}}}, "words must be more than twice margin, found 4 and 2"),
        ({"model": {"window": {"tokens": 0}}}, "window: tokens must be from 1 to 512, found 0"),
        ({"model": {"window": {"tokens": 17}}}, "tokens must be at least the encoder's max_subwords + 2, found 17"),
        ({"model": {"encoder": {"width": 12, "heads": 4}}}, "width must be a multiple of 8 with 4 heads, found 12"),
        (
            {"model": {"encoder": {"kind": "electra", "width": 10}}},
            "width must be a multiple of 4 with 4 heads, found 10",
        ),
        ({"model": {"encoder": {"max_tokens": 10}}}, "max_tokens must be at least max_subwords + 2, found 10 and 16"),
        ({"model": {"encoder": {"max_tokens": 513}}}, "encoder: max_tokens must be at most 512, found 513"),
        ({"model": {"encoder": {"attention_dropout": 2}}}, "attention_dropout must be a probability, found 2"),
        ({"model": {"pos": {"width": 7}}}, "pos: width must be even, found 7"),
        ({"model": {"pos": {"kernels": [3, 0]}}}, "pos: kernels must be odd numbers, found [3, 0]"),
        ({"model": {"context": {"kernels": [2]}}}, "context: kernels must be odd numbers or 0, found [2]"),
        ({"model": {"heads": {"hidden": -1}}}, "heads: hidden must be 0 or more, found -1"),
        ({"model": {"heads": {"crf": "path"}}}, "heads: kind must be 'classes' with crf 'path', found 'multilabel'"),
        ({"model": {"heads": {"classes": ["COMMA"]}}}, "heads: the first class must be O, found 'COMMA'"),
        ({"model": {"pauses": {"window_s": float("inf")}}}, "window_s must be 0 or more, found inf"),
    ],
)
def test_errors_name_the_key(values, message):
    with pytest.raises(ConfigError) as error:
        from_mapping(Config, values, "x")
    assert str(error.value).startswith("x: ")
    assert message in str(error.value)


def test_whole_numbers_serve_as_floats():
    assert from_mapping(Config, {"training": {"learning_rate": 1}}, "x").training.learning_rate == 1.0


@pytest.mark.parametrize("cls", list(components()), ids=lambda cls: cls.__name__)
def test_every_field_is_documented(cls):
    body = ast.parse(inspect.getsource(cls)).body[0].body
    after = {id(node): follower for node, follower in itertools.pairwise(body)}
    for node in body:
        if isinstance(node, ast.AnnAssign) and cls not in (Config,):
            follows = after.get(id(node))
            documented = isinstance(follows, ast.Expr) and isinstance(follows.value, ast.Constant)
            assert documented or dataclasses.is_dataclass(typing.get_type_hints(cls)[node.target.id]), node.target.id


@pytest.mark.parametrize("path", sorted(CONF.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_configurations(path):
    """They fit the dataclasses, and every key has a comment."""
    pytest.importorskip("omegaconf")
    from asr_punct.training.configuration import read_config

    text = path.read_text(encoding="utf-8")
    config = read_config(str(path))
    assert config.training.epochs > 0
    uncommented = [line for line in text.splitlines() if ": " in line and "#" not in line]
    assert not uncommented


def test_paper_hyper_parameters():
    """AutoPunct, sections 3.2 and 4."""
    pytest.importorskip("omegaconf")
    from asr_punct.training.configuration import read_config

    for name, language in {"autopunct": "es+eu", "autopunct_es": "es", "autopunct_eu": "eu"}.items():
        config = read_config(name)
        assert config.model.language == language
        training = config.training
        assert (training.learning_rate, training.batch_size) == (2e-5, 8)
        assert (training.epochs, training.patience, training.warmup_epochs) == (50, 20, 5)
        assert (config.model.pauses.kind, config.model.pauses.window_s) == ("discrete-gaussian", 1)
        assert (config.model.context.layers, config.model.context.heads) == (4, 4)
