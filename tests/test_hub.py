"""The hub's library: quiet, and soon done where there is no connection."""

import logging
import time

import pytest
from huggingface_hub import constants

from asr_punct.errors import AsrPunctError, ModelError
from asr_punct.hub import find_model, reach_hub


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """A hub that nobody answers for, and an empty cache."""
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    level = logging.getLogger("huggingface_hub").level
    yield
    logging.getLogger("huggingface_hub").setLevel(level)


def test_a_hub_without_an_answer_is_not_asked_again(nowhere):
    assert not reach_hub()
    assert constants.HF_HUB_OFFLINE
    assert not reach_hub()


def test_a_model_of_the_hub_is_told_soon(nowhere, caplog):
    begin = time.monotonic()
    with pytest.raises(AsrPunctError, match=r"^model 'a/b': found no such .*downloaded: no connection to the hub$"):
        find_model("a/b")
    assert time.monotonic() - begin < 20
    assert not caplog.messages


def test_a_ctc_model_of_the_hub_is_told_soon(nowhere, caplog):
    pytest.importorskip("transformers")
    from asr_punct.asr.aligners import open_acoustic_model

    with pytest.raises(ModelError, match=r"^a/b: found .* expected a CTC model of transformers"):
        open_acoustic_model("a/b")
    assert not caplog.messages
