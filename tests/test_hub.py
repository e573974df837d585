"""The hub without a connection: quiet, and no waiting."""

import logging
import time

import pytest
from huggingface_hub import constants

from asr_punct.errors import AsrPunctError, ModelError
from asr_punct.hub import find_model, reach_hub


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """A hub that does not answer, and an empty cache."""
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    level = logging.getLogger("huggingface_hub").level
    yield
    logging.getLogger("huggingface_hub").setLevel(level)


def test_an_unreachable_hub_is_asked_once(nowhere):
    assert not reach_hub()
    assert constants.HF_HUB_OFFLINE
    assert not reach_hub()


def test_a_model_on_an_unreachable_hub(nowhere, caplog):
    begin = time.monotonic()
    with pytest.raises(AsrPunctError, match=r"^model 'a/b': found no such .*downloaded: no connection to the hub$"):
        find_model("a/b")
    assert time.monotonic() - begin < 20
    assert not caplog.messages


def test_a_ctc_model_on_an_unreachable_hub(nowhere, caplog):
    pytest.importorskip("transformers")
    from asr_punct.asr import open_acoustic_model

    with pytest.raises(ModelError, match=r"^a/b: found .* expected a CTC model of transformers"):
        open_acoustic_model("a/b")
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
    import huggingface_hub

    def fail(*_, **__):
        pytest.fail("the hub was asked")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    (tmp_path / "exp").mkdir()
    (tmp_path / "exp" / "model.onnx").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AsrPunctError, match=f"^model '{name}': found {found}, expected a model directory"):
        find_model(name)
