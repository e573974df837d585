"""The page on the architecture is up to date."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMES = sorted({name.rstrip("/") for name in re.findall(r"`((?:[\w-]+/)*[\w-]+(?:\.(?:py|json|svg)|/))`", PAGE)})
"""Files and folders that the page names."""


def test_the_picture_is_that_of_the_code():
    subprocess.run([sys.executable, ROOT / "docs" / "draw_architecture.py", "--check"], check=True)


def test_the_files_that_the_page_names_exist():
    files = [f"/{path.relative_to(ROOT)}" for path in (ROOT / "asr_punct").rglob("*")]
    unknown = [name for name in NAMES if not (ROOT / name).exists() and not any(f.endswith(f"/{name}") for f in files)]
    assert unknown == []


def test_every_module_is_on_the_page():
    """By its name, with its folder if another module has the same name."""
    modules = [f"/{path.relative_to(ROOT)}" for path in (ROOT / "asr_punct").rglob("*.py")]
    named = [[module for module in modules if module.endswith(f"/{name}")] for name in NAMES]
    assert sorted(module for module in modules if [module] not in named and "__init__" not in module) == []


def test_a_row_of_the_page_is_not_a_page():
    long = {row.split("|")[1].strip(): len(row.split()) for row in PAGE.splitlines() if row.startswith("| ")}
    assert {place: words for place, words in long.items() if words > 160} == {}


def test_the_names_that_the_page_gives_are_in_the_code():
    """Classes, constants and what belongs to them, such as `PunctuationData` and `Corpora.open`."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "asr_punct").rglob("*.py"))
    given = {part for name in re.findall(r"`(_?[A-Z]\w+(?:\.\w+)*)`", PAGE) for part in name.split(".")}
    assert len(given) > 40
    assert given - {"CHANGELOG", "md"} <= set(re.findall(r"\w+", code))
