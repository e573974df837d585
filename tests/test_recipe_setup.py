"""recipes/setup.sh with stubs of Python, pip and uv: which build of torch it installs, and with which program."""

import shutil
import subprocess
from pathlib import Path

import pytest
from recipe_runs import ROOT, run, write_script

CPU_INDEX = "--extra-index-url https://download.pytorch.org/whl/cpu"

# The Python that makes the environment and the one in it. It records the calls of pip install.
PYTHON = """#!/bin/bash
case "$*" in
  *"version_info < "*) exit "${STUB_OLD:-0}" ;;
  --version) echo Python 3.10.1 ;;
  *"import ensurepip"*) exit "${STUB_NO_VENV:-0}" ;;
  "-m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  *urlopen*) [ "$STUB_INDEX" = reachable ] ;;
  *"pip config list") printf '%s' "$STUB_PIP_SETTINGS" ;;
  *"pip "*install*) echo "pip $*" >>"$STUB_CALLS"; echo "no such version"; exit "${STUB_PIP_STATUS:-0}" ;;
esac
"""
UV = """#!/bin/bash
echo "uv $*" >>"$STUB_CALLS"
exit "${STUB_UV_STATUS:-0}"
"""
NVIDIA_SMI = "#!/bin/bash\necho 'GPU 0: some GPU'\n"


class Machine:
    """A machine with stubs of the programs that setup.sh starts."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.programs, self.calls = folder, folder / "bin", folder / "calls"
        self.programs.mkdir()
        # Only these programs: the machine that runs the tests may have uv.
        for name in ("bash", "cat", "cp", "cut", "dirname", "grep", "mkdir", "sha256sum", "tail", "timeout"):
            (self.programs / name).symlink_to(str(shutil.which(name)))
        self.add("python3", PYTHON)
        self.environment = {"PATH": str(self.programs), "STUB_CALLS": str(self.calls)}

    def add(self, name: str, script: str) -> None:
        write_script(self.programs / name, script)

    def setup(self, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", ROOT / "recipes/setup.sh", "--venv", self.folder / "venv", *options]
        return run(command, self.folder, self.environment | environment)

    def installs(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("gpu", [False, True])
@pytest.mark.parametrize("index", ["reachable", "unreachable"])
@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_the_cpu_build_of_torch_is_chosen_without_a_gpu_if_its_index_is_reachable(machine, gpu, index, installer):
    if gpu:
        machine.add("nvidia-smi", NVIDIA_SMI)
    elif Path("/dev/nvidia0").exists():
        pytest.skip("this machine has a GPU")
    if installer == "uv":
        machine.add("uv", UV)
    done = machine.setup(STUB_INDEX=index)
    assert (done.returncode, done.stderr) == (0, "")
    torch, package = machine.installs()
    assert torch.startswith(f"{installer} ")
    assert package.startswith(f"{installer} ")
    assert " torch==" in torch
    assert torch.count("constraints.txt") == package.count("constraints.txt") == 1
    assert (CPU_INDEX in torch) == (not gpu and index == "reachable")
    assert "[audio,train]" in package
    assert CPU_INDEX not in package


def test_an_extra_is_installed_once(machine):
    for extras, count in ("audio", 1), ("audio", 1), ("audio,dev", 2), ("dev", 2):
        assert machine.setup("--extras", extras).returncode == 0
        assert len(machine.installs()) == count  # without train or nemo there is no torch to install
    assert not any("torch" in call for call in machine.installs())


@pytest.mark.parametrize(
    ("environment", "installer"),
    [
        ({"STUB_PIP_SETTINGS": ":env:.timeout='180'\n:env:.no-input='1'\n"}, "uv"),  # they do not change the result
        ({"STUB_UV_STATUS": "2"}, "pip"),
        ({"STUB_PIP_SETTINGS": ":env:.timeout='180'\nglobal.proxy='http://a'\n"}, "pip"),
    ],
)
def test_uv_installs_unless_it_fails_or_pip_has_settings(machine, environment, installer):
    machine.add("uv", UV)
    done = machine.setup(**environment)
    assert (done.returncode, done.stderr) == (0, "")
    used = [call.split()[0] for call in machine.installs()]
    assert [name for name in used if name == "pip" or installer == "uv"] == [installer] * 2


def test_a_failure_of_pip(machine):
    done = machine.setup(STUB_PIP_STATUS="1")
    assert done.returncode == 2
    assert "no such version" in done.stderr


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        *((["--extras", "nonsense"], {}), ([], {"STUB_OLD": "1"}), ([], {"STUB_NO_VENV": "1"})),
        *((["--python", "python9"], {}), (["more"], {})),
    ],
)
def test_wrong_use(machine, options, environment):
    done = machine.setup(*options, **environment)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not (machine.folder / "venv").exists()
