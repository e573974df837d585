"""The report of subtitles that break the limits."""

import pytest

from asr_punct.subtitles import BBC, NETFLIX, Cue, check_cues, report_lines, summarise


def cue(start, end, *lines, speaker=""):
    return Cue(start, end, lines or ("una frase.",), "r", (speaker,))


PLAIN = cue(1.0, 3.0)


@pytest.mark.parametrize(
    ("cues", "limits", "language", "expected"),
    [
        ([PLAIN, cue(3.083, 5.0), cue(5.0, 6.0)], BBC, "es", []),
        ([cue(0.0, 2.0, "x" * 34), cue(3.0, 5.0, "x" * 35)], NETFLIX, "es", [(2, "fast", "17.5")]),
        ([cue(0.0, 2.0, "x" * 20, "x" * 19), cue(3.0, 5.0, "x" * 20, "x" * 20)], NETFLIX, "en", [(2, "fast", "20.5")]),
        ([cue(0.0, 0.833), cue(2.0, 2.82)], NETFLIX, "es", [(2, "short", "0.820")]),
        ([cue(0.0, 7.001), cue(9.0, 16.01)], NETFLIX, "es", [(2, "long", "7.010")]),
        ([cue(0.0, 7.0, "x" * 42), cue(9.0, 16.0, "x", "x" * 43)], NETFLIX, "es", [(2, "line", "43")]),
        ([cue(0.0, 2.0, "a", "b", "c")], NETFLIX, "es", [(1, "lines", "3")]),
        (
            [cue(0.0, 9.0), cue(1.0, 2.0), cue(3.0, 5.0)],
            *(BBC, "es", [(1, "long", "9.000"), (2, "overlap", "8.000"), (3, "overlap", "6.000")]),
        ),
        (
            [PLAIN, cue(3.0, 5.0), cue(5.082, 6.5), cue(6.56, 8.0)],
            *(NETFLIX, "es", [(2, "gap", "0.000"), (4, "gap", "0.060")]),
        ),
        ([cue(0.0, 2.0, "Going"), cue(2.1, 4.0, "to be.")], NETFLIX, "en", [(1, "binding", "Going")]),
        ([cue(0.0, 2.0, "Going,"), cue(2.1, 4.0, "to be.")], NETFLIX, "en", []),
        ([cue(0.0, 2.0, "Por la", speaker="a"), cue(2.1, 4.0, "ley.", speaker="b")], NETFLIX, "es", []),
        ([cue(0.0, 2.0, "Egin"), cue(2.1, 4.0, "dut.")], NETFLIX, "eu", [(1, "binding", "Egin")]),
        ([cue(1.0, 1.0, "a")], NETFLIX, "es", [(1, "fast", "inf"), (1, "short", "0.000")]),
        ([cue(1.0, 2.0), Cue(3.0, 4.0, ())], NETFLIX, "es", []),
    ],
)
def test_problems(cues, limits, language, expected):
    found = check_cues(cues, limits, language)
    assert [(problem.number, problem.kind, problem.found) for problem in found] == expected


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


def test_a_report_does_not_overwrite_its_input(run, tmp_path, model):
    source = tmp_path / "in.srt"
    source.write_text(SRT)
    status, _, error = run("punctuate", source, "-o", tmp_path / "a.vtt", "--model", model, "--report", source)
    assert (status, error.count("\n")) == (2, 1)
    assert "--report: found" in error
    assert source.read_text() == SRT
