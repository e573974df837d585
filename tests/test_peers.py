"""The table of benchmarks/peers.py and its place in the page."""

import sys
from pathlib import Path

import pytest

from asr_punct.errors import InputError

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import peer_models  # noqa: E402
import peer_systems  # noqa: E402
import peers  # noqa: E402

MEASURES = {"cpu_s": 5.0, "start_s": 0.25, "memory_mb": 1234.5, "install_mb": 99.6}


def test_the_table_compares_with_fullstop_and_shows_why_a_program_failed():
    results = {"asr_punct-int8": MEASURES, "fullstop": {**MEASURES, "cpu_s": 12.0}, "nemo": "No module | named x"}
    assert list(peers.table(results, 20_000))[2:] == [
        "| **asr_punct**, `en` as shipped (int8) | 5.00 | 4,000 | 2.40 | 1,234 | 0.2 | 100 |",
        "| deepmultilingualpunctuation 1.0.1 (FullStop) | 12.00 | 1,667 | 1.00 | 1,234 | 0.2 | 100 |",
        "| NeMo 2.4.1, `PunctuationCapitalizationModel` | No module   named x | | | | | |",
    ]


def test_without_fullstop_nothing_is_compared():
    assert "| 5.00 | 4,000 |  |" in list(peers.table({"fullstop": "failed", "asr_punct-int8": MEASURES}, 20_000))[-1]


def test_medians_are_those_of_each_measure():
    rounds = [{"cpu_s": cpu, "start_s": start} for cpu, start in ((1, 9), (2, 7), (6, 8))]
    assert peers.medians(rounds) == {"cpu_s": 2, "start_s": 8}


def test_lines_between_the_markers_are_replaced_and_the_rest_stays():
    page = f"a\n{peers.BEGIN}\nold\n{peers.END}\nb\n"
    new = peers.replace_between(page, ["x", "y"])
    assert new == f"a\n{peers.BEGIN}\n\nx\ny\n\n{peers.END}\nb\n"
    assert peers.replace_between(new, ["x", "y"]) == new


@pytest.mark.parametrize("page", ["", peers.BEGIN, f"{peers.END} {peers.BEGIN}", f"{peers.BEGIN * 2} {peers.END}"])
def test_a_page_without_a_pair_of_markers_is_refused(page):
    with pytest.raises(InputError, match=r"docs\.md: found no such pair"):
        peers.replace_between(page, [], "docs.md")


def test_the_page_of_the_documentation_has_the_markers():
    peers.replace_between((ROOT / "docs/peers.md").read_text(encoding="utf-8"), [])


def test_plain_words_have_no_marks_and_no_capitals():
    assert peers.plain_words("«¿Qué?», dijo: it's 3 (U.S.)") == ["qué", "dijo", "it's", "u", "s"]


def test_the_default_text_is_long_enough():
    words = peers.repository_words()
    assert len(words) > 3000
    assert all(word == word.lower() and word.replace("'", "").isalpha() for word in words)


def test_each_program_has_an_environment_and_a_function():
    assert set(peers.PROGRAMS) == set(peer_systems.SYSTEMS)
    assert {program.environment for program in peers.PROGRAMS.values()} == set(peers.ENVIRONMENTS)
    assert {part for each in peers.ENVIRONMENTS.values() for part in each.makes} <= set(peer_models.PARTS)


def test_measures_are_refused_if_a_program_changes_words(tmp_path):
    text = "one two three"
    measures = peer_systems.measure(lambda _: lambda text: text.replace(" ", ", ").title(), tmp_path, text)
    assert measures["cpu_s"] >= 0
    assert measures["memory_mb"] > 1
    with pytest.raises(ValueError, match="10 letters in the output, 11 in the text"):
        peer_systems.measure(lambda _: lambda text: text[:-1], tmp_path, text)


def test_a_failing_command_gives_its_last_line(tmp_path):
    command = [sys.executable, "-c", "print('loading'); raise SystemExit('no model')"]
    assert peers.call(command, tmp_path / "log") == "no model"
    assert peers.call([sys.executable, "-c", "print('done')"], tmp_path / "log") == ""
