"""The documentation: its examples give the results that it shows, its pictures are those of the code, it builds."""

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "examples" / "pauses.ipynb"
ENVIRONMENT = {
    **os.environ,
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    "PYTHONPATH": str(ROOT),
    "NO_MKDOCS_2_WARNING": "1",
}
pages = pytest.mark.parametrize(
    "page", [*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md"], ids=lambda page: page.name
)


@pages
def test_python_examples(page):
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed == 0


@pages
def test_console_examples(page, tmp_path):
    """Lines after `$` are run in a copy of `examples`; the lines below show what they print (…: anything)."""
    folder = shutil.copytree(ROOT / "examples", tmp_path / "examples")
    blocks = re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks), re.MULTILINE):
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        pattern = ".*".join(map(re.escape, shown.split("…")))
        assert re.fullmatch(pattern, done.stdout, re.DOTALL), f"{command}\n{done.stdout}"


def test_the_pictures_of_pauses_are_those_of_the_code():
    subprocess.run([sys.executable, ROOT / "docs" / "draw_pauses.py", "--check"], check=True, env=ENVIRONMENT)


def test_the_notebook_has_no_outputs():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@pytest.mark.slow
def test_the_notebook_runs():
    nbformat = pytest.importorskip("nbformat", reason="pip install '.[docs]'")
    client = pytest.importorskip("nbclient", reason="pip install '.[docs]'")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": NOTEBOOK.parent}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    printed = "".join(output.get("text", "") for output in outputs)
    with_pauses, without = (float(f1) for f1 in re.findall(r"F1 of marks (\d\.\d+)", printed))
    assert with_pauses >= without > 0.5


@pytest.mark.slow
def test_the_site_builds_without_warnings(tmp_path):
    pytest.importorskip("mkdocs", reason="pip install '.[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    api = (tmp_path / "api" / "index.html").read_text(encoding="utf-8")
    for name in ("restore", "stream", "push", "with_pauses", "read", "write", "score", "InputError"):
        assert re.search(rf'id="asr_punct\.[\w.]*\b{name}"', api), name
