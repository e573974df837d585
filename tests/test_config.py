import ast
import dataclasses
import inspect
import itertools
import typing
from pathlib import Path

import pytest
from dummies import json_lines

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


@pytest.mark.parametrize(("values", "key", "found"), json_lines("config_errors.jsonl"))
def test_errors_name_the_key(values, key, found):
    with pytest.raises(ConfigError) as error:
        from_mapping(Config, values, "a.yaml")
    assert (error.value.place, error.value.found) == (f"a.yaml: {key}" if key else "a.yaml", found)
    assert error.value.expected


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
