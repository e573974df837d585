"""The report of subtitles that break the limits."""

import pytest
from dummies import json_lines

from asr_punct.subtitles import NETFLIX, Cue, check_cues, parse_limits, report_lines, summarise


def cue(start, end, *lines, speaker=""):
    return Cue(start, end, lines or ("una frase.",), "r", (speaker,))


PLAIN = cue(1.0, 3.0)


@pytest.mark.parametrize(("cues", "limits", "language", "expected"), json_lines("subtitle_problems.jsonl"))
def test_problems(cues, limits, language, expected):
    """Rows of cues (start, end, lines, speakers), preset, language, and the number, kind and size of each problem."""
    made = [Cue(start, end, tuple(lines), "r", tuple(*speakers) or ("",)) for start, end, lines, *speakers in cues]
    found = check_cues(made, parse_limits(limits), language)
    assert [[problem.number, problem.kind, problem.found] for problem in found] == expected


def test_a_report_has_a_line_for_each_problem_and_a_summary():
    problems = check_cues([cue(0.0, 0.5, "-una frase larga", "-ya."), PLAIN], NETFLIX, "en")
    assert list(report_lines(problems, NETFLIX, "en")) == [
        "cue\tstart\tend\tproblem\tfound\tlimit\ttext\n",
        "1\t0.000\t0.500\tfast\t42.0\t20\t-una frase larga | -ya.\n",
        "1\t0.000\t0.500\tshort\t0.500\t0.833\t-una frase larga | -ya.\n",
    ]
    expected = "2 cues: 1 read faster than 20 characters a second, 1 shorter than 0.833 s"
    assert summarise(problems, 2, NETFLIX, "en") == expected
    assert summarise([], 1, NETFLIX, "en") == "1 cue: no problems"


SRT = "1\n00:00:01,000 --> 00:00:01,500\nvamos a\n\n2\n00:00:01,400 --> 00:00:03,000\nver\n"


@pytest.mark.parametrize("name", ["srt", "vtt", "ass", "ttml"])
def test_the_cues_of_a_file_are_reported(run, tmp_path, model, name):
    source, report = tmp_path / "in.srt", tmp_path / "report.tsv"
    source.write_text(SRT)
    status, _, error = run(
        *("punctuate", source, "-o", tmp_path / f"out.{name}", "--model", model, "--marks", "PERIOD"),
        *("--report", report),
    )
    assert status == 0
    found = {tuple(line.split("\t")[i] for i in (0, 3, 4)) for line in report.read_text().splitlines()[1:]}
    assert {("1", "short", "0.500"), ("2", "overlap", "0.100")} <= found
    assert f"asr-punct: {report}: 2 cues: " in error
