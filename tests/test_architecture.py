"""The page on the architecture is up to date."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_picture_is_that_of_the_code():
    subprocess.run([sys.executable, ROOT / "docs" / "draw_architecture.py", "--check"], check=True)


def test_the_files_that_the_page_names_exist():
    names = re.findall(r"`((?:[\w-]+/)*[\w-]+(?:\.(?:py|json|svg)|/))`", PAGE)
    folders = [ROOT, ROOT / "asr_punct", *(folder for folder in (ROOT / "asr_punct").iterdir() if folder.is_dir())]
    ignored = {"config.json"}
    assert len(names) > 20
    assert [name for name in names if name not in ignored and not any((top / name).exists() for top in folders)] == []


def test_the_names_that_the_page_gives_are_in_the_code():
    """Classes, constants and what belongs to them, such as `PunctuationData` and `Corpora.open`."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "asr_punct").rglob("*.py"))
    given = {part for name in re.findall(r"`(_?[A-Z]\w+(?:\.\w+)*)`", PAGE) for part in name.split(".")}
    assert len(given) > 40
    assert given - {"CHANGELOG", "md"} <= set(re.findall(r"\w+", code))
