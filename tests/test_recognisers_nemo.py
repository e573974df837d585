"""A recogniser of NeMo: a tiny CTC model with random weights, saved and opened by its file."""

import re

import pytest

pytest.importorskip("nemo", reason="nemo-toolkit is not installed: pip install '.[nemo]'")
models = pytest.importorskip("nemo.collections.asr.models")

from test_nemo import ctc_configuration  # noqa: E402
from test_recognisers import recording  # noqa: E402, F401 - a fixture

from asr_punct.asr import open_recogniser  # noqa: E402
from asr_punct.asr.transcribe import transcribe  # noqa: E402
from asr_punct.errors import AsrPunctError  # noqa: E402


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("nemo") / "stt_es_tiny.nemo"
    models.EncDecCTCModel(cfg=ctc_configuration()).save_to(str(path))
    return path


def test_a_model_of_nemo_is_opened_by_its_file(saved, recording):  # noqa: F811
    recogniser = open_recogniser(f"nemo:{saved}")
    assert (recogniser.rate, recogniser.times, recogniser.language) == (16000, "ctc", "es")
    values = list(transcribe(recording, recogniser))
    words = [word for value in values for word in value.words]
    assert words
    assert all(re.fullmatch("[abcdeo]+", word.text) for word in words)
    assert all(0 <= word.start <= word.end <= 6 for word in words)
    assert words[-1].end > 2
    assert {value.time_source for value in values} == {"ctc"}


def test_files_and_names_that_nemo_cannot_open_are_told(tmp_path):
    (tmp_path / "text.nemo").write_text("hola\n")
    for name in (str(tmp_path / "text.nemo"), "no_such_model"):
        with pytest.raises(AsrPunctError, match=f"{name}: found .+, expected a recogniser of NeMo"):
            open_recogniser(f"nemo:{name}")
