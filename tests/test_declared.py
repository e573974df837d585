"""An option is declared once: Python, the command line and the service have it with one range, default and meaning."""

import inspect
import math
from dataclasses import dataclass, fields, replace
from typing import Annotated

import pytest
import typer
from pydantic import BaseModel, ValidationError

from asr_punct.checkpoint import ModelInfo, info_mapping
from asr_punct.cli.commands import app
from asr_punct.cli.options import field_options
from asr_punct.config import ModelConfig
from asr_punct.declared import Checked, PositiveFloat, PositiveInt, Range
from asr_punct.decode import DecodeSettings
from asr_punct.errors import ArgumentError
from asr_punct.inference.options import ModelOptions, OutputOptions, StreamSettings
from asr_punct.serve.keys import keys_of
from asr_punct.serve.schema import PunctuateRequest, UploadOptions
from asr_punct.serve.stream_messages import StreamConfig

COMMANDS = typer.main.get_command(app).commands


@dataclass(frozen=True)
class Cooking(Checked):
    """How eggs are boiled.

    Attributes:
        eggs: number of eggs
            in the pan.
        salt: grams of salt, usually 1.5.
        minutes: how long they boil.
        covered: whether there is a lid.

    Raises:
        ArgumentError: a value is too small.
    """

    eggs: PositiveInt = 2
    salt: Annotated[float, Range(0, 10)] = 1.5
    minutes: PositiveFloat = 4.0
    covered: bool = False


@pytest.mark.parametrize(
    ("field", "bad"),
    [("eggs", 0), ("salt", 10.5), ("salt", -1), ("salt", math.nan), ("minutes", 0), ("minutes", math.inf)],
)
def test_a_range_holds_in_python_and_in_the_service(field, bad):
    with pytest.raises(ArgumentError) as error:
        Cooking(**{field: bad})
    assert error.value.place == field
    with pytest.raises(ValidationError):
        keys_of(Cooking, BaseModel, most={"eggs": 9})(**{field: bad})


def test_a_declaration_is_an_option_and_a_key():
    options = {each.name: (each.type.__args__[0], each.type.__metadata__[0], each.default)
               for each in field_options(Cooking)}  # fmt: skip
    assert [(kind, info.min, info.max, info.help, default) for kind, info, default in options.values()] == [
        (int, 1, None, "Number of eggs in the pan.", 2),
        (float, 0, 10, "Grams of salt, usually 1.5.", 1.5),
        (float, 0, None, "How long they boil.", 4.0),
        (bool, None, None, "Whether there is a lid.", False),
    ]
    keys = keys_of(Cooking, BaseModel, most={"eggs": 9}).model_json_schema()["properties"]
    assert [
        (key["minimum"], key["maximum"], key["description"], key["default"]) for key in list(keys.values())[:2]
    ] == [
        (1, 9, "Number of eggs in the pan.", 2),
        (0, 10, "Grams of salt, usually 1.5.", 1.5),
    ]
    assert keys["minutes"] == {"default": 4.0, "description": "How long they boil.", "exclusiveMinimum": 0,
                               "title": "Minutes", "type": "number"}  # fmt: skip


@pytest.mark.parametrize(
    ("declared", "commands", "messages"),
    [
        (OutputOptions, ("punctuate", "stream", "batch", "serve"), (PunctuateRequest, UploadOptions, StreamConfig)),
        (StreamSettings, ("stream",), (StreamConfig,)),
    ],
)
def test_options_are_the_same_everywhere(declared, commands, messages):
    names = {each.name for each in fields(declared)}
    for command in commands:
        assert names <= {parameter.name for parameter in COMMANDS[command].params}
    for message in messages:
        for each in fields(declared):
            assert message.model_fields[each.name].default == each.default
    assert declared is StreamSettings or names <= set(inspect.signature(ModelOptions).parameters)


def test_what_a_user_chooses_is_not_stored_with_a_model():
    info = ModelInfo(ModelConfig(), {}, replace(DecodeSettings(), sensitivity=3.0, plain=True, language="es"))
    stored = info_mapping(info).keys()
    assert {"thresholds", "unopened", "calibration", "case_bias", "sentence_capitals", "class_weights"} <= stored
    assert not stored & {"enabled", "plain", "sensitivity", "language"}


@pytest.mark.parametrize(("option", "value"), [("sensitivity", 10.5), ("marks", ["DOT"])])
def test_options_of_a_model_are_checked_before_it_is_opened(option, value):
    with pytest.raises(ArgumentError) as error:
        ModelOptions("no-such-model", **{option: value})
    assert error.value.place == option


@dataclass(frozen=True)
class Serving:
    guests: Annotated[str, typer.Option(help="Names with commas."), lambda names: names.split(",")] = ""
    table: Annotated[int | None, typer.Option(help="Number of a table.")] = None


def test_a_function_after_the_form_of_an_option_makes_its_value():
    guests, table = field_options(Serving)
    assert guests.value("Ana,Jon") == ["Ana", "Jon"]
    assert guests.value(None) is None
    assert table.value(3) == 3
    own = {each.name: each for each in field_options(OutputOptions)}
    assert (own["case"].value(True), own["marks"].value("COMMA,QUOTE")) == (False, ["COMMA", "QUOTE"])
