"""Names of models that cannot be any are told before a library is loaded."""

import sys

import pytest

from asr_punct.asr import open_recogniser
from asr_punct.asr.aligners import open_acoustic_model
from asr_punct.asr.names import check_transformers_name
from asr_punct.errors import ModelError
from asr_punct.shipped import shipped_models

NOTHING = "no such file or directory"


@pytest.fixture(autouse=True)
def nothing_is_loaded(monkeypatch, tmp_path):
    """Neither library can be imported; the working directory has a folder and a file."""
    for name in ("transformers", "nemo"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("asr_punct.asr.transformers", "asr_punct.asr.nemo"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exp").mkdir()
    (tmp_path / "exp" / "a.txt").touch()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("./x", NOTHING),
        ("../x", NOTHING),
        ("/x", NOTHING),
        ("x/", NOTHING),
        ("exp/x", NOTHING),
        ("a/b/c", NOTHING),
        ("exp/a.txt", "a file"),
        ("wav2vec2", "no such directory"),
    ],
)
def test_what_is_no_model_of_transformers_is_told(name, found):
    for given in (name, f"transformers:{name}"):
        told = (
            f"^{name}: found {found}, expected a CTC model: a directory or org/name of transformers, FILE.nemo, or nemo"
        )
        with pytest.raises(ModelError, match=told):
            open_acoustic_model(given)
    with pytest.raises(
        ModelError, match=f"^{name}: found {found}, expected a CTC model or Whisper: a directory or org"
    ):
        open_recogniser(f"transformers:{name}")


@pytest.mark.parametrize("name", ["x.nemo", "./x.nemo", "/x/y.nemo"])
def test_a_file_of_nemo_that_is_not_there_is_told(name):
    for given in (name, f"nemo:{name}"):
        with pytest.raises(ModelError, match=f"^{name}: found {NOTHING}"):
            open_acoustic_model(given)
    with pytest.raises(ModelError, match=f"^{name}: found {NOTHING}, expected a model of nemo"):
        open_recogniser(f"nemo:{name}")


def test_a_directory_of_whisper_that_is_not_there_is_told():
    with pytest.raises(ModelError, match=f"^./x: found {NOTHING}, expected a model of whisper"):
        open_recogniser("whisper:./x")


@pytest.mark.skipif(not shipped_models(), reason="no model is shipped")
def test_a_punctuation_model_is_told():
    for name in (*shipped_models(), *map(str, shipped_models().values())):
        with pytest.raises(ModelError, match=f"^{name}: found a punctuation model, expected a CTC model"):
            open_acoustic_model(name)


def test_names_that_may_be_models_pass(tmp_path):
    (tmp_path / "exp" / "config.json").write_text('{"model_type": "wav2vec2"}')
    for name in ("exp", "./exp", str(tmp_path / "exp"), "org/name"):
        check_transformers_name(name, "a model")
