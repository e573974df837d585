"""The tables of docs/systems.md that compare the papers' claims with their configurations."""

import re
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("omegaconf")

from asr_punct.config import Config
from asr_punct.training.configuration import read_config

ROOT = Path(__file__).parent.parent
configuration = cache(read_config)
SECTION = re.compile(r"### .*: `(\w+)`")
STATUS = re.compile(r"as the (paper|authors' code)|different: |not here: ")
KEY = re.compile(r"((?:model|training)\.[\w.]+)(?:=(.*))?")


def claims():
    """Configuration, number of the line, and the cells of each row."""
    name, in_table = "", False
    for number, line in enumerate((ROOT / "docs" / "systems.md").read_text(encoding="utf-8").splitlines(), start=1):
        if match := SECTION.match(line):
            name = match[1]
        elif line.startswith("#"):
            name = ""
        in_table = line.startswith("| claim") or (in_table and line.startswith("|"))
        if name and in_table and not line.startswith(("| claim", "|---")):
            yield name, number, [cell.strip() for cell in line.strip("|").split("|")]


def value_of(config: Config, key: str):
    value = config
    for part in key.split("."):
        value = getattr(value, part)
    return value


def test_all_papers_are_there():
    assert list(dict.fromkeys(name for name, *_ in claims())) == [
        *("autopunct", "brnn", "courtland", "polacek", "pos_fusion", "bilstm_augment")
    ]
    assert len(list(claims())) >= 120


@pytest.mark.parametrize(("name", "number", "cells"), list(claims()))
def test_a_claim(name, number, cells):
    assert len(cells) == 3
    assert STATUS.match(cells[2]), cells[2]
    for code in re.findall(r"`([^`]+)`", cells[1]):
        if match := KEY.fullmatch(code):
            value = value_of(configuration(name), match[1])
            if match[2] is not None:
                same = float(match[2]) == value if re.match(r"[\d.]", match[2]) else match[2] == str(value)
                assert same, (match[1], value)
        elif "/" in code and " " not in code:
            assert (ROOT / code).exists(), code
