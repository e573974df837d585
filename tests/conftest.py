"""Shared fixtures."""

import io
import json
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from dummies import tiny_config, write_corpus
from hypothesis import HealthCheck, settings

from asr_punct import Punctuator, cli
from asr_punct.subwords import SubwordTokenizer, train_tokenizer

# Programs of the recipes and benchmarks, which tests import.
RECIPES = ("iwslt", "mintzai", "models", "basque_parliament")
for folder in ("benchmarks", "recipes", "recipes/utils", *(f"egs/{name}/local" for name in RECIPES)):
    sys.path.append(str(Path(__file__).parent.parent / folder))

# Examples are the same in each run, so that a failure belongs to a change; `HYPOTHESIS_PROFILE=search` draws new ones.
for name, derandomize in (("repeat", True), ("search", False)):
    settings.register_profile(
        name,
        deadline=None,
        derandomize=derandomize,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """Data directory of a small corpus."""
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="session")
def model(tmp_path_factory, corpus):
    """Directory of a tiny trained model with all graphs. Do not change it."""
    pytest.importorskip("torch")
    from filelock import FileLock

    from asr_punct.training.export import export
    from asr_punct.training.fit import train

    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder  # one model for all workers
    with FileLock(folder / "tiny.lock"):
        if not (folder / "tiny" / "model.int8.onnx").exists():
            train(tiny_config(epochs=14), corpus, folder / "tiny", device="cpu")
            export(folder / "tiny", int8=True)
    return folder / "tiny"


@pytest.fixture
def graphs(model, tmp_path):
    """Return a function that copies the model with only some of its graphs and weights."""

    def copy(*names):
        folder = tmp_path / "copy"
        folder.mkdir()
        config = json.loads((model / "config.json").read_text())
        config["files"] = {name: config["files"][name] for name in (*names, "tokenizer.json")}
        (folder / "config.json").write_text(json.dumps(config))
        for name in config["files"]:
            shutil.copy(model / name, folder / name)
        return folder

    return copy


@pytest.fixture(scope="session")
def punctuator(model):
    """Punctuator with the tiny model."""
    return Punctuator.from_pretrained(model, threads=1)


@pytest.fixture(scope="module")
def make_service(model, punctuator):
    """Return a function that makes a service with the tiny model; its arguments are those of `Service`."""
    from services import service_maker

    from asr_punct.serve.models import Models

    with service_maker(Models(lambda _: punctuator, str(model))) as make:
        yield make


@pytest.fixture(scope="module")
def make_client(make_service):
    """Return a function that opens a service without a port; its arguments are those of `Service`."""
    from services import client_maker

    with client_maker(make_service) as make:
        yield make


@pytest.fixture(scope="module")
def client(make_client):
    """Client of a service with the usual options."""
    return make_client()


@pytest.fixture
def open_page(make_service, tmp_path):
    """Return a function that opens the page of a service in Chromium; its arguments are those of `Service`."""
    from browser import chromium
    from services import running

    @contextmanager
    def opened(language="en", query="", make=make_service, **options):
        with running(make(host="127.0.0.1", **options)) as (_, address), chromium(tmp_path, language) as page:
            page.open(f"http://{address}/{query}")
            page.wait("document.querySelector('#model').options.length > 1")
            yield page
            assert page.console == []

    return opened


@pytest.fixture(scope="session")
def tokenizer():
    """Tokenizer of a few words."""
    return SubwordTokenizer(train_tokenizer(["la", "casa", "mira", "ana"], 40), 4)


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that runs the command line and returns status, standard output and standard error."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["asr-punct", *map(str, arguments)])
        with pytest.raises(SystemExit) as leaving:
            cli.main()
        captured = capsys.readouterr()
        return leaving.value.code, captured.out, captured.err

    return call


@pytest.fixture
def standard_input(monkeypatch):
    """Return a function that sets standard input."""

    def give(text):
        content = text if isinstance(text, bytes) else text.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))

    return give


@pytest.fixture
def talk(tmp_path):
    """A .wav file: 1 s of noise, 1 s of silence, 2 s of noise, 1 s of silence, 1 s of noise."""
    pytest.importorskip("soundfile")
    np = pytest.importorskip("numpy")
    from asr_punct import audio

    noise = np.random.default_rng(0).normal(0, 0.1, 6 * 16000).astype(np.float32)
    noise[16000:32000] *= 1e-3
    noise[64000:80000] *= 1e-3
    audio.write_samples(tmp_path / "talk.wav", noise, 16000)
    return tmp_path / "talk.wav"
