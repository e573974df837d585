"""Audio that is posted to a service with a recogniser."""

import threading
import wave

import pytest

pytest.importorskip("fastapi", reason="pip install '.[serve]'")
pytest.importorskip("soundfile")
import httpx
import numpy as np
from services import bare, running

from asr_punct.serve.transcription import Transcriber
from asr_punct.words import Word

RATE = 16000


class Heard:
    """A recogniser that hears two words in each segment; it may wait in its first segment."""

    def __init__(self, released=None):
        self.rate, self.time_source, self.language, self.merge_segments_up_to = RATE, "asr", "es", 0.0
        self.segments, self.begun, self._released = 0, threading.Event(), released

    def words(self, samples):
        self.segments += 1
        self.begun.set()
        if self._released:
            self._released.wait(60)
        return [Word("ana", 0.1, 0.3), Word("mira", 0.4, 0.6)]


@pytest.fixture
def talk(tmp_path):
    """Four seconds of noise with a pause of a second after each."""
    noise = np.random.default_rng(0).normal(0, 6000, RATE)
    with wave.open(str(tmp_path / "talk.wav"), "wb") as out:
        out.setparams((1, 2, RATE, 0, "NONE", ""))
        out.writeframes(np.concatenate([noise, 0 * noise] * 4).astype("<i2").tobytes())
    return (tmp_path / "talk.wav").read_bytes()


def test_audio_is_transcribed(make_client, talk):
    client = make_client(transcriber=Transcriber(Heard()))
    form = client.post("/v1/punctuate", files={"file": ("talk.wav", talk)}, data={"to": "text"})
    assert (form.status_code, bare(form.text.replace("\n", " "))) == (200, ["ana", "mira"] * 4)
    assert form.text[0] == "A"
    body = client.post("/v1/punctuate", content=talk, headers={"content-type": "audio/wav"}, params={"to": "ctm"})
    assert [line.split()[:2] for line in body.text.splitlines()[:2]] == [["upload", "1"]] * 2
    assert client.post("/v1/punctuate", content=talk).json()  # by its content
    assert client.post("/v1/punctuate", json={"text": "ana"}).status_code == 200


def test_options_of_files_hold_for_audio(make_client, talk):
    heard = Heard()
    client = make_client(transcriber=Transcriber(heard))
    refused = client.post("/v1/punctuate", files={"file": ("talk.wav", talk)}, data={"to": "text", "subtitles": "bbc"})
    assert (refused.status_code, heard.segments) == (422, 0)
    options = {"to": "srt", "subtitles": "bbc,characters=8,lines=1"}
    answer = client.post("/v1/punctuate", files={"file": ("talk.wav", talk)}, data=options)
    assert [bare(cue.split("\n", 2)[2]) for cue in answer.text.strip().split("\n\n")] == [["ana"], ["mira"]] * 4


@pytest.mark.parametrize(("name", "content"), [("talk.wav", b"RIFF"), ("talk.mp3", b""), ("talk.wav", b"ana")])
def test_broken_audio_is_refused(make_client, name, content):
    client = make_client(transcriber=Transcriber(Heard()))
    answer = client.post("/v1/punctuate", files={"file": (name, content)})
    assert answer.status_code == 422
    assert "/" not in answer.json()["error"]["place"]  # no path of this machine


def test_audio_is_refused_without_a_recogniser(make_client, talk):
    answer = make_client().post("/v1/punctuate", files={"file": ("talk.wav", talk)})
    assert (answer.status_code, answer.json()["error"]["found"]) == (422, "audio")


def test_transcription_ends_when_the_client_leaves(make_service, talk):
    released = threading.Event()
    heard = Heard(released)
    with running(make_service(host="127.0.0.1", transcriber=Transcriber(heard))) as (_, address):
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"http://{address}/v1/punctuate", files={"file": ("talk.wav", talk)}, timeout=2)
        while httpx.get(f"http://{address}/metrics").text.count('status="499"') == 0:
            pass
        released.set()
        answer = httpx.post(f"http://{address}/v1/punctuate", files={"file": ("talk.wav", talk)}, timeout=60)
    assert answer.status_code == 200
    assert heard.segments == 1 + 4


def test_a_recogniser_that_is_not_installed(run, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "faster_whisper", None)
    status, _, err = run("serve", "--asr", "whisper:small", "--port", "1")
    assert (status, err.count("\n")) == (2, 1)
    status, _, err = run("serve", "--asr", "nothing", "--port", "1")
    assert (status, err.count("\n")) == (2, 1)
