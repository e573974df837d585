"""Copies of the recipes for tests to run and change. They use the package under test."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HOSTILE = "a b'\"$(id>X)`id>X`&|;*?\n\\n{c,d}#~!"
"""Name of a folder that a shell would interpret."""
KALDI_RUNNER = """#!/bin/bash
# Like run.pl: bash interprets an argument without white space, others are in double quotes.
while [[ $1 == --* ]]; do shift 2; done
range=1:1
[[ $1 != JOB=* ]] || { range=${1#JOB=}; shift; }
log=$1; shift
line=
for word; do [[ ! $word =~ [[:space:]] ]] || word="\\"$word\\""; line+="$word "; done
for ((job = ${range%:*}; job <= ${range#*:}; job++)); do
  mkdir -p "$(dirname "$log")"
  bash -c "${line//JOB/$job}" >"${log//JOB/$job}" 2>&1 || exit 1
done
"""
_OUTPUTS = shutil.ignore_patterns("exp", "data", "corpus", "work", "__pycache__", "*.safetensors", ".*")


def copy_recipes(root: Path, *folders: str) -> Path:
    """Copy folders of the source tree (default: conf, egs and recipes) without outputs of earlier runs."""
    for name in folders or ("conf", "egs", "recipes"):
        shutil.copytree(ROOT / name, root / name, ignore=_OUTPUTS)
    return root


def environment(*programs: Path, packages: tuple[Path, ...] = ()) -> dict[str, str]:
    """Return the environment with this Python and the package under test. Folders of stubs come first."""
    path = [*map(str, programs), str(Path(sys.executable).parent), os.environ["PATH"]]
    python_path = [*map(str, packages), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PATH": ":".join(path), "PYTHONPATH": ":".join(filter(None, python_path))}


def run(
    command: list[object], cwd: Path, env: dict[str, str] | None = None, timeout: float | None = 120
) -> subprocess.CompletedProcess[str]:
    """Run a command and return its output."""
    words = [str(word) for word in command]
    env = env or environment()
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout, check=False)


def write_script(path: Path, content: str) -> None:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    path.chmod(0o755)


class StubbedRecipe:
    """A copy of the recipes with stubs of programs, which write their calls to the file `calls`.

    `stubs` are programs in Python by their path; `options` are those of every run of `egs/NAME/run.sh`.
    """

    def __init__(self, top: Path, name: str, stubs: dict[str, str], *options: object) -> None:
        self.top, self.root, self._options = copy_recipes(top), top / "egs" / name, options
        for path, program in stubs.items():
            write_script(top / path, f"#!{sys.executable}\n{program}")

    def __call__(self, *options: object, root: Path | None = None) -> subprocess.CompletedProcess[str]:
        root = root or self.root
        (root / "calls").unlink(missing_ok=True)
        env = environment(self.top / "bin", packages=(self.top / "packages",))
        return run([root / "run.sh", "--venv", "none", *self._options, *options], self.top, env)

    def calls(self, *options: object, root: Path | None = None) -> list[str]:
        """Return the calls of programs that a good run makes."""
        done = self(*options, root=root)
        assert done.returncode == 0, done.stdout + done.stderr
        calls = (root or self.root) / "calls"
        return calls.read_text().splitlines() if calls.exists() else []


def good(*command: object, cwd: Path) -> str:
    """Run a recipe, which must succeed, and return its output."""
    done = run(list(command), cwd, timeout=None)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def is_all_skipped(output: str) -> bool:
    """Whether the output of a recipe says that all steps were skipped."""
    steps = [line for line in output.splitlines() if ": stage " in line]
    return bool(steps) and all(line.endswith("done before") for line in steps)
