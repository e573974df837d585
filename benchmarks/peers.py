"""Compare the speed, memory, start-up and size of punctuation programs on the same text; writes docs/peers.md.

Each program has its own virtual environment, which is made if it is missing, and each run is a new process with one
thread. The programs take turns, so that other load of the machine affects all; the measures are medians over the
rounds. All run an encoder of the size of `en`. Run it in an environment with asr_punct's extra `train`.

    python benchmarks/peers.py --venvs DIR [--text FILE] [--words 20000] [--rounds 3] [--only NAME …] [--page FILE]
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

import peer_models

from asr_punct.errors import InputError
from asr_punct.files import read_text_file

sys.path.append(str(Path(__file__).parent.parent / "recipes/utils"))
from environment import describe_environment

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/peers.md"
BEGIN, END = "<!-- benchmarks/peers.py: begin -->", "<!-- end -->"
_TORCH = ("torch==2.13.0",)
_PINS = ("-c", str(ROOT / "recipes/constraints.txt"))
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "0"}
_VARIABLES = _ONE_THREAD | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
_LIMIT_S = 1800
_BASELINE = "fullstop"
_VOCABULARY = "words.tsv"


class Environment(NamedTuple):
    """A virtual environment: its packages, and the parts of benchmarks/peer_models.py that need them.

    `installs` are arguments of consecutive calls of `pip install`: torch is the first, so that pip's settings choose
    its build. `removes` are uninstalled: torchvision of PyPI does not load beside a CPU build of torch.
    """

    installs: Sequence[Sequence[str]]
    makes: Sequence[str] = ()
    removes: Sequence[str] = ()


class Program(NamedTuple):
    """A row of the table: its title in Markdown, and the name of the program's environment."""

    title: str
    environment: str


Measures = Mapping[str, float]
"""What benchmarks/peer_systems.py writes, and `install_mb`."""

ENVIRONMENTS = {
    "asr_punct": Environment([[str(ROOT), *_PINS]]),
    "asr_punct-train": Environment([[*_TORCH], [f"{ROOT}[train]", *_PINS]]),
    "fullstop": Environment([_TORCH, ["deepmultilingualpunctuation==1.0.1", "transformers==4.57.6"]]),
    "nemo": Environment([_TORCH, ["nemo-toolkit[nlp]==2.4.1", "pangu==4.0.6.1"]], ["nemo"], ["torchvision"]),
    "punctuators": Environment([_TORCH, ["punctuators==0.0.7", "onnxruntime==1.31.1"]], ["sentencepiece"]),
    "sherpa": Environment([["sherpa-onnx==1.13.8"]]),
    "transformers": Environment([_TORCH, ["transformers==5.23.0"]]),
    "onnxruntime": Environment([["onnxruntime==1.31.1", "tokenizers==0.23.3"]]),
}
PROGRAMS = {
    "asr_punct-int8": Program("**asr_punct**, `en` as shipped (int8)", "asr_punct"),
    "asr_punct-fp32": Program("**asr_punct**, `en` in fp32", "asr_punct"),
    "asr_punct-torch": Program("**asr_punct**, `en` in torch (fp32)", "asr_punct-train"),
    "fullstop": Program("deepmultilingualpunctuation 1.0.1 (FullStop)", "fullstop"),
    "nemo": Program("NeMo 2.4.1, `PunctuationCapitalizationModel`", "nemo"),
    "punctuators": Program("punctuators 0.0.7", "punctuators"),
    "sherpa": Program("sherpa-onnx 1.13.8, CT transformer", "sherpa"),
    "transformers": Program("limit: transformers 5.23.0, torch fp32", "transformers"),
    "graph-fp32": Program("limit: onnxruntime 1.31.1, fp32", "onnxruntime"),
    "graph-int8": Program("limit: onnxruntime 1.31.1, int8", "onnxruntime"),
}


def repository_words() -> list[str]:
    """Return the words of the prose of this repository's documentation without the table's page, as `plain_words`."""
    pages = [
        *sorted({*ROOT.glob("docs/*.md")} - {PAGE}),
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
    ]
    text = "\n".join(read_text_file(page) for page in pages)
    text = re.sub(r"^```.*?^```|`[^`\n]*`|^\|.*?$|\(.*?\)|<.*?>", " ", text, flags=re.MULTILINE | re.DOTALL)
    return plain_words(text)


def plain_words(text: str) -> list[str]:
    """Return the words of a text in lower case and without marks."""
    return re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*", text.lower())


def call(command: Sequence[object], log: Path) -> str:
    """Run a command with one thread and without a network for models. Returns its last line if it fails, else ''."""
    with log.open("w", encoding="utf-8") as out:
        try:
            done = subprocess.run(
                [*map(str, command)],
                env=os.environ | _VARIABLES,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=_LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            return f"more than {_LIMIT_S} s"
    lines = [line.strip() for line in read_text_file(log).splitlines() if line.strip()]
    return (lines[-1] if lines else f"status {done.returncode}") if done.returncode else ""


def make_environment(name: str, venvs: Path) -> str:
    """Make a virtual environment if it is missing. Returns the reason if it cannot be made, else ''."""
    folder, installs = venvs / name, json.dumps([[*install] for install in ENVIRONMENTS[name].installs])
    done = folder / "installed.json"
    if done.is_file() and read_text_file(done) == installs:
        return ""
    venv.create(folder, clear=True)
    commands = [["install", *install] for install in ENVIRONMENTS[name].installs]
    commands += [["uninstall", "--yes", package] for package in ENVIRONMENTS[name].removes]
    for command in commands:
        pip = [sys.executable, "-m", "pip", "--python", folder / "bin/python", *command]
        if reason := call(pip, venvs / f"{name}.log"):
            return reason
    done.write_text(installs, encoding="utf-8")
    return ""


def make_models(environments: Sequence[str], venvs: Path) -> dict[str, str]:
    """Make the models that are missing. Returns the reasons for which some cannot be made, by environment."""
    (venvs / "models").mkdir(exist_ok=True)
    for part in ("encoder", "graphs", "asr_punct"):
        if reason := _make_part(part, sys.executable, venvs):
            raise SystemExit(f"{part}: {reason}")
    parts = [(name, part) for name in environments for part in ENVIRONMENTS[name].makes]
    return {name: _make_part(part, venvs / name / "bin/python", venvs) for name, part in parts}


def _make_part(part: str, python: Path | str, venvs: Path) -> str:
    models, words, script = venvs / "models", venvs / _VOCABULARY, ROOT / "benchmarks/peer_models.py"
    made, source = models / f"{part}.made", inspect.getsource(peer_models.PARTS[part]) + read_text_file(words)
    if made.is_file() and read_text_file(made) == source:
        return ""
    reason = call([python, "-P", script, part, models, words], venvs / f"{part}.log")
    if not reason:
        made.write_text(source, encoding="utf-8")
    return reason


def install_mb(environment: Path) -> float:
    """Return the size of the packages of a virtual environment in 10^6 bytes."""
    files = [path for path in environment.glob("lib/python*/site-packages/**/*") if path.is_file()]
    return sum(path.stat().st_size for path in files if not path.is_symlink()) / 1e6


def run(name: str, venvs: Path, text: Path) -> Measures | str:
    """Run a program once. Returns its measures, or the reason of its failure."""
    python, script = venvs / PROGRAMS[name].environment / "bin/python", ROOT / "benchmarks/peer_systems.py"
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "measures.json")
        reason = call([python, "-P", script, name, venvs / "models", text, output], venvs / f"run-{name}.log")
        return reason or json.loads(read_text_file(output))


def table(results: Mapping[str, Measures | str], words: int) -> Iterator[str]:
    """Yield the lines of the table: the measures of each program, or the reason why it has none."""
    yield "| program | CPU s | words per CPU second | against FullStop | memory, MB | start-up, CPU s | install, MB |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    baseline = results.get(_BASELINE)
    for name, result in results.items():
        title = PROGRAMS[name].title
        if isinstance(result, str):
            yield f"| {title} | {result.replace('|', ' ')} | | | | | |"
            continue
        ratio = "" if not baseline or isinstance(baseline, str) else f"{baseline['cpu_s'] / result['cpu_s']:.2f}"
        speed, cpu, start = words / result["cpu_s"], result["cpu_s"], result["start_s"]
        sizes = f"{result['memory_mb']:,.0f} | {start:.1f} | {result['install_mb']:,.0f}"
        yield f"| {title} | {cpu:.2f} | {speed:,.0f} | {ratio} | {sizes} |"


def replace_between(page: str, lines: Sequence[str], place: object = "page") -> str:
    """Return the page with other lines between the two markers.

    Raises:
        InputError: the page has not one of each marker, in order.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest:
        raise InputError(place, "no such pair", f"one {BEGIN} and {END} after it")
    return "\n".join([before + begin, "", *lines, "", end + after])


def measure(names: Sequence[str], venvs: Path, text: Path, rounds: int) -> dict[str, Measures | str]:
    """Make what is missing, and run the programs in turn. Returns medians, or the reason of the first failure."""
    environments = [*dict.fromkeys(PROGRAMS[name].environment for name in names)]
    failed = {name: make_environment(name, venvs) for name in environments}
    failed |= make_models([name for name in environments if not failed[name]], venvs)
    reasons = {name: failed[PROGRAMS[name].environment] for name in names}
    measured: dict[str, list[Measures]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in names if turn % 2 else names[::-1]:
            result = reasons[name] or run(name, venvs, text)
            print(f"round {turn + 1}, {name}: {result}", flush=True)
            if isinstance(result, str):
                reasons[name] = result
            else:
                measured[name].append(result)
    sizes = {name: install_mb(venvs / name) for name in environments}
    results: dict[str, Measures | str] = {}
    for name, rows in measured.items():
        medians = {key: median(row[key] for row in rows) for key in (rows[0] if rows else ())}
        results[name] = reasons[name] or {**medians, "install_mb": sizes[PROGRAMS[name].environment]}
    return results


def _command(options: argparse.Namespace) -> str:
    """Return the command without the folders of this machine."""
    text = " --text FILE" if options.text else ""
    only = f" --only {' '.join(options.only)}" if options.only != [*PROGRAMS] else ""
    return f"python benchmarks/peers.py --venvs DIR{text} --words {options.words} --rounds {options.rounds}{only}"


def main() -> None:
    """Measure, print the table and put it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venvs", type=Path, required=True, help="folder of the virtual environments and models")
    parser.add_argument("--text", type=Path, help="text, by default the documentation of this repository")
    parser.add_argument("--words", type=int, default=20_000, help="the text is repeated or cut to this length")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=[*PROGRAMS], help="programs, by default all")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to put the table into")
    options = parser.parse_args()
    page = read_text_file(options.page)
    replace_between(page, [], options.page)
    venvs = options.venvs.resolve()
    venvs.mkdir(parents=True, exist_ok=True)
    words = plain_words(read_text_file(options.text)) if options.text else repository_words()
    counts = Counter(words).most_common()
    (venvs / _VOCABULARY).write_text("".join(f"{word}\t{count}\n" for word, count in counts), encoding="utf-8")
    text = venvs / "text.txt"
    text.write_text(" ".join(islice(cycle(words), options.words)), encoding="utf-8")
    results = measure(options.only, venvs, text, options.rounds)
    lines = [*table(results, options.words), "", *describe_environment(_command(options))]
    print("\n".join(lines))
    options.page.write_text(replace_between(page, lines), encoding="utf-8")


if __name__ == "__main__":
    main()
