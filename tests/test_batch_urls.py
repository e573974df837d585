"""Batches whose inputs and outputs are at URLs of fsspec."""

import os
import uuid
from pathlib import Path

import pytest
from batch_dummies import FILES, Periods, contents, write_files
from dummies import refused

from asr_punct.batch.names import Inputs, complete_outputs
from asr_punct.batch.work import BatchWork
from asr_punct.restoring import PipelineOptions

fsspec = pytest.importorskip("fsspec", reason="pip install '.[ray]'")


@pytest.fixture
def s3(monkeypatch):
    """URL of a bucket of a server on this machine."""
    server = pytest.importorskip("moto.server", reason="pip install 'moto[server]'")
    s3fs = pytest.importorskip("s3fs")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "us-east-1")
    running = server.ThreadedMotoServer(port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    s3fs.S3FileSystem.clear_instance_cache()
    bucket = f"talks-{uuid.uuid4().hex}"
    s3fs.S3FileSystem().mkdir(bucket)
    yield f"s3://{bucket}"
    s3fs.S3FileSystem.clear_instance_cache()
    running.stop()


@pytest.fixture(params=["memory", "file", "s3"])
def top(request, tmp_path):
    """URL of an empty folder."""
    if request.param == "s3":
        return request.getfixturevalue("s3")
    if request.param == "memory":
        fsspec.filesystem("memory").store.clear()
        return "memory://top"
    return f"file://{tmp_path}/top"


def upload(folder, url):
    system, path = fsspec.url_to_fs(url)
    for name, content in contents(folder).items():
        system.makedirs(os.path.dirname(f"{path}/{name}"), exist_ok=True)
        system.pipe_file(f"{path}/{name}", content)


def download(url):
    system, path = fsspec.url_to_fs(url)
    system.invalidate_cache()
    return {name.removeprefix(path).lstrip("/"): system.cat_file(name) for name in system.find(path)}


WORK = BatchWork(Periods, PipelineOptions())


def restore(sources, output):
    items = Inputs(sources, output).items()
    return items, {item.source: WORK.restore(item) for item in items}


def test_files_at_urls_are_those_of_local_folders(top, tmp_path):
    talks = write_files(tmp_path / "talks", FILES)
    upload(write_files(talks, {"x.wav": "", ".hidden.txt": "", ".git/a.txt": ""}), f"{top}/in")
    assert not any(result.error for result in restore([str(talks)], str(tmp_path / "out"))[1].values())
    expected = contents(tmp_path / "out")
    assert sorted(expected) == sorted(FILES)
    for output in (f"{top}/out", f"{top}/in/out/"):
        items, results = restore([f"{top}/in"], output)
        assert not any(result.error for result in results.values())
        assert sum(result.words for result in results.values()) == 17
        assert download(output) == expected
        assert complete_outputs(items, output) == {item.output for item in items}
        assert sum(result.words for result in restore([f"{top}/in"], output)[1].values()) == 0
    restore([f"{top}/in"], str(tmp_path / "local"))
    assert {name: expected[name] for name in FILES} == {
        name: content for name, content in contents(tmp_path / "local").items() if not name.startswith("out/")
    }
    items = Inputs([f"{top}/in/deep/*.txt", f"{top}/in/a.txt"], str(tmp_path / "some")).items()
    assert sorted(os.path.relpath(item.output, tmp_path / "some") for item in items) == ["a.txt", "d.txt"]


def test_errors_name_the_url(top, tmp_path):
    upload(write_files(tmp_path / "bad", {"m.ctm": "r 1 0.1\n"}), f"{top}/in")
    items, results = restore([f"{top}/in"], f"{top}/out")
    (error,) = (result.error for result in results.values())
    assert (error.place, error.found) == (f"{items[0].source}:1", "3 columns")
    listed = tmp_path / "list"
    listed.write_text(f"{top}/in/none.txt\n")
    (item,) = Inputs([], f"{top}/out", str(listed)).items()
    error = WORK.restore(item).error
    assert (error.place, error.found) == (f"{top}/in/none.txt", "no such file or folder")
    with refused(f"{top}/none", "no file"):
        Inputs([f"{top}/none"], f"{top}/out")


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    """The local file system of fsspec renames a complete file."""
    talks = write_files(tmp_path / "talks", {"a.txt": "ana mira\n"})
    system = fsspec.filesystem("file")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(type(system), "mv", fail)
    _, results = restore([str(talks)], f"file://{tmp_path}/out")
    (error,) = (result.error for result in results.values())
    assert (error.place, error.found) == (f"file://{tmp_path}/out/a.txt", "OSError: disk full")
    assert contents(tmp_path / "out") == {}


def test_unknown_file_systems_are_refused(tmp_path):
    with refused("nothing://a", "Protocol not known: nothing"):
        Inputs([str(Path(__file__))], "nothing://a")
