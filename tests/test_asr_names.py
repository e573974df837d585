"""Wrong model names are refused before a library is loaded, which would look for them on the network."""

import json
import os
import shutil
import sys

import pytest
from dummies import refused

from asr_punct.asr import named_language, open_acoustic_model, open_recogniser
from asr_punct.errors import ArgumentError, ModelError
from asr_punct.hub import (
    PRETRAINED,
    check_transformers_name,
    find_model,
    models_by_language,
    named_models,
    shipped_models,
)

NOTHING = "no such file or directory"


@pytest.fixture(autouse=True)
def no_libraries(monkeypatch, tmp_path):
    """Neither library can be imported; the working directory has a folder with a file."""
    for name in ("transformers", "nemo"):
        monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.delitem(sys.modules, f"asr_punct.asr.{name}", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exp").mkdir()
    (tmp_path / "exp" / "a.txt").touch()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        *((name, NOTHING) for name in ("./x", "../x", "/x", "x/", "exp/x", "a/b/c")),
        ("exp/a.txt", "a file"),
        ("wav2vec2", "no such directory"),
        *((name, "a punctuation model") for name in shipped_models()),
    ],
)
def test_names_that_are_no_models_of_transformers(name, found):
    for opened, given in (
        (open_acoustic_model, name),
        (open_acoustic_model, f"transformers:{name}"),
        (open_recogniser, f"transformers:{name}"),
    ):
        with refused(name, found, ModelError):
            opened(given)


@pytest.mark.parametrize("name", ["x.nemo", "./x.nemo", "/x/y.nemo"])
def test_missing_files_of_nemo(name):
    for opened in (open_acoustic_model, open_recogniser):
        with refused(name, NOTHING, ModelError):
            opened(f"nemo:{name}")
    with refused(name, NOTHING, ModelError):
        open_acoustic_model(name)


def test_a_missing_directory_of_whisper():
    with refused("./x", NOTHING, ModelError):
        open_recogniser("whisper:./x")


@pytest.mark.parametrize("name", ["exp", "./exp", "org/name"])
def test_names_that_may_be_models_pass(name):
    check_transformers_name(name, "a model")


@pytest.mark.parametrize("name", ["", "kaldi", "nemo", "nemo:", "pocketsphinx:en", "Whisper:small"])
def test_unknown_recognisers(name):
    with refused("asr", repr(name), ArgumentError):
        open_recogniser(name)


@pytest.mark.parametrize(
    ("model", "language"),
    [
        ("stt_eu_conformer_ctc_large", "eu"),
        ("HiTZ/stt_eu_conformer_transducer_large", "eu"),
        ("small.en", "en"),
        ("openai/whisper-small.en", "en"),
        ("small", None),
        ("models/my.engine", None),
        ("model.nemo", None),
    ],
)
def test_the_language_in_a_name(model, language):
    assert named_language(model) == language


@pytest.mark.skipif(set(shipped_models()) != {"en", "es-eu", "es-eu-small"}, reason=f"other models in {PRETRAINED}")
def test_the_language_selects_the_model():
    assert models_by_language() == {"en": "en", "es": "es-eu", "eu": "es-eu"}


def test_models_of_the_model_path_have_names(model, tmp_path, monkeypatch):
    for folder, name, language in ("a", "galego", "gl"), ("b", "galego", "pt"), ("b", "es-eu", "es"):
        copy = shutil.copytree(model, tmp_path / folder / name)
        config = json.loads((copy / "config.json").read_text())
        config["model"]["language"] = language
        (copy / "config.json").write_text(json.dumps(config))
    before = shipped_models()
    monkeypatch.setenv("ASR_PUNCT_MODELS", os.pathsep.join([str(tmp_path / "a"), "", str(tmp_path / "b")]))
    assert find_model("galego") == tmp_path / "a" / "galego"
    assert named_models() == before | {"galego": tmp_path / "a" / "galego"}
    assert models_by_language()["gl"] == "galego"
    assert "pt" not in models_by_language()
