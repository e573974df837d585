"""A release: the built wheel and sdist are checked, and the wheel works in an environment of its own."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CONSTRAINTS = ROOT / "recipes" / "constraints.txt"
MAX_WHEEL = 70 * 2**20
pytestmark = pytest.mark.slow


def run(*command, folder, **more):
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def environment(folder, *packages, constraints=True):
    """Make a virtual environment with packages; return its folder of programs."""
    venv.create(folder, with_pip=True)
    pinned = ["-c", CONSTRAINTS] if constraints else []
    run(folder / "bin" / "pip", "install", "-q", "--no-input", *pinned, *packages, folder=folder)
    return folder / "bin"


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The folder of the built wheel and sdist, and that of the programs that check them."""
    folder = tmp_path_factory.mktemp("release")
    tools = environment(folder / "tools", "build", "twine", constraints=False)
    run(tools / "python", "-m", "build", "--outdir", folder / "dist", ROOT, folder=folder)
    return folder / "dist", tools


@pytest.fixture(scope="module")
def programs(dist, tmp_path_factory):
    """The programs of an environment that has the wheel with the service, and no checkout."""
    [wheel] = dist[0].glob("*.whl")
    return environment(tmp_path_factory.mktemp("bare") / "venv", f"{wheel}[serve,docx]")


def bare(programs):
    return {"PATH": f"{programs}:/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"}


def test_packages_are_complete(dist):
    folder, tools = dist
    run(tools / "twine", "check", "--strict", *folder.iterdir(), folder=folder)
    [wheel], [source] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    assert wheel.stat().st_size < MAX_WHEEL
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"asr_punct", wheel.name.split("-py3")[0] + ".dist-info"}
    for name in ("conf/small.yaml", "pretrained/es-eu/model.int8.onnx", "serve/page/main.js", "py.typed"):
        assert f"asr_punct/{name}" in names
    with tarfile.open(source) as archive:
        sources = {name.partition("/")[2] for name in archive.getnames()}
    assert {"tests/run.sh", "egs/mintzai/run.sh", "CITATION.cff"} <= sources
    assert not any(name.endswith((".safetensors", ".partial")) for name in sources)


def test_the_wheel_runs_the_readme(programs, tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    examples = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", blocks, re.MULTILINE)
    assert len(examples) > 2
    for command, shown in examples:
        assert run("bash", "-c", command, folder=tmp_path, env=bare(programs)) == shown
    code = "import doctest, sys; sys.exit(doctest.testfile(sys.argv[1], module_relative=False).failed)"
    run(programs / "python", "-c", code, ROOT / "README.md", folder=tmp_path, env=bare(programs))


def test_the_wheel_has_all_commands_and_a_service(programs, tmp_path):
    help_text = run(programs / "asr-punct", "--help", folder=tmp_path, env=bare(programs))
    commands = re.findall(r"^  ([a-z]+)  ", help_text, re.MULTILINE)
    assert {"punctuate", "stream", "serve", "train"} <= set(commands)
    for name in commands:
        assert "Usage" in run(programs / "asr-punct", name, "--help", folder=tmp_path, env=bare(programs))
    command = [programs / "asr-punct", "serve", "--port", "18451"]
    with subprocess.Popen(command, cwd=tmp_path, env=bare(programs), stderr=subprocess.DEVNULL) as service:
        try:
            answer("http://127.0.0.1:18451/healthz")
            body = json.dumps({"text": "buenos días a todos cómo están ustedes"}).encode()
            headers = {"Content-Type": "application/json"}
            request = urllib.request.Request("http://127.0.0.1:18451/v1/punctuate", body, headers)
            assert json.loads(answer(request))["text"] == "Buenos días a todos. ¿Cómo están ustedes?"
        finally:
            service.terminate()
    assert service.returncode == 0


def answer(request):
    """Return the body of the answer to a request; the service may not have started yet."""
    for _ in range(300):
        try:
            with urllib.request.urlopen(request) as reply:
                return reply.read()
        except urllib.error.URLError:
            time.sleep(0.1)
    raise TimeoutError(request)


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_other_versions_of_python(dist, tmp_path, version):
    """The core works on them, where they are installed."""
    python = shutil.which(f"python{version}")
    if python and subprocess.run([python, "--version"], capture_output=True).returncode:
        python = None  # a program that only says how to choose a version
    if python is None:
        pytest.skip(f"no python{version} on PATH (this is {sys.version_info[:2]})")
    [wheel] = dist[0].glob("*.whl")
    run(python, "-m", "venv", tmp_path / "venv", folder=tmp_path)
    run(tmp_path / "venv" / "bin" / "pip", "install", "-q", wheel, folder=tmp_path)
    programs = tmp_path / "venv" / "bin"
    found = run(programs / "asr-punct", "punctuate", folder=tmp_path, env=bare(programs), input="hola qué tal\n")
    assert found.lower().startswith("¡hola") or found.startswith("Hola")
