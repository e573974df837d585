"""The hub without a connection: quiet, and no waiting."""

import logging
import time

import huggingface_hub
import pytest
from huggingface_hub import constants

from asr_punct import hub
from asr_punct.errors import ArgumentError, ModelError
from asr_punct.hub import find_model, reach_hub


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """A hub that does not answer, and an empty cache."""
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:9/{tmp_path.name}")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    level = logging.getLogger("huggingface_hub").level
    yield
    logging.getLogger("huggingface_hub").setLevel(level)


def test_an_unreachable_hub_is_asked_once(nowhere, monkeypatch):
    asked = []
    monkeypatch.setattr(huggingface_hub, "get_session", lambda: asked.append(1))  # None has no method to ask with
    assert not reach_hub()
    assert not reach_hub()
    assert len(asked) == 1
    assert not constants.HF_HUB_OFFLINE  # other users of the library may still reach it


def test_a_model_on_an_unreachable_hub(nowhere, caplog):
    begin = time.monotonic()
    with pytest.raises(ArgumentError) as error:
        find_model("a/b")
    assert error.value.place == "model"
    assert error.value.found.startswith("'a/b', no such")
    assert error.value.found.endswith("no connection to the hub")
    assert time.monotonic() - begin < 20
    assert not caplog.messages


def test_a_hub_that_takes_long_is_named(nowhere, monkeypatch, caplog):
    def wait(*_, **__):
        while not caplog.messages:
            time.sleep(0.01)
        raise OSError("late")

    monkeypatch.setattr(hub, "_SILENT_S", 0.0)
    monkeypatch.setattr(hub, "reach_hub", lambda: True)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", wait)
    with pytest.raises(ArgumentError, match="late"):
        find_model("a/b")
    assert caplog.messages == [f"waiting for the model a/b of {constants.ENDPOINT}"]


def test_a_ctc_model_on_an_unreachable_hub(nowhere, caplog):
    pytest.importorskip("transformers")
    from asr_punct.asr import open_acoustic_model

    with pytest.raises(ModelError) as error:
        open_acoustic_model("a/b")
    assert error.value.place == "a/b"
    assert not caplog.messages


@pytest.mark.parametrize(
    ("name", "found"),
    [
        *((name, "no such model directory") for name in ("exp/none", "./none", "../none", "/none", "none")),
        *((name, "no such model directory") for name in ("a/b/c", "~/none", "./a/none")),
        ("exp/model.onnx", "a file"),
    ],
)
def test_a_path_is_not_looked_up_on_the_hub(tmp_path, monkeypatch, name, found):
    def fail(*_, **__):
        pytest.fail("the hub was asked")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    (tmp_path / "exp").mkdir()
    (tmp_path / "exp" / "model.onnx").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError) as error:
        find_model(name)
    assert (error.value.place, error.value.found) == ("model", f"{name!r}, {found}")
