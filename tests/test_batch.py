"""Many files, each restored to a file of its own."""

import os
from pathlib import Path

import pytest
from batch_dummies import CTM, FILES, Periods, contents, die, refuse, write_files
from dummies import file, refused
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.batch.names import Inputs, Item, output_name
from asr_punct.batch.work import BatchWork
from asr_punct.batch.workers import restore_files
from asr_punct.errors import InputError
from asr_punct.formats.registry import BY_SUFFIX, FORMATS, format_by_name
from asr_punct.restoring import PipelineOptions


@pytest.fixture
def talks(tmp_path, monkeypatch):
    """A folder of inputs in the working directory."""
    monkeypatch.chdir(tmp_path)
    return write_files(tmp_path / "talks", FILES)


def names_of(*sources, output="out", **options):
    return sorted(os.path.relpath(item.output, output) for item in Inputs(sources, output, **options).items())


def test_names_of_outputs(talks):
    write_files(talks, {"x.wav": "", ".hidden.txt": "", ".git/a.txt": "", "plain": "", "out/a.txt": ""})
    assert names_of("talks", output="talks/out") == sorted(FILES)
    assert names_of("talks", output="elsewhere") == sorted([*FILES, "out/a.txt"])
    assert names_of("talks/deep/er/b.ctm", "talks/a.txt") == ["a.txt", "b.ctm"]
    assert names_of("talks/**/*.txt", output="talks/out") == ["a.txt", "deep/d.txt"]
    assert names_of("talks/d*/*.txt") == ["deep/d.txt"]
    listed = file(talks.parent, "list", "talks/a.txt\n\n  ./talks//deep/d.txt \nmissing.txt\n")
    assert names_of(list_file=str(listed)) == ["missing.txt", "talks/a.txt", "talks/deep/d.txt"]
    assert names_of(list_file=str(file(talks.parent, "list", f"{talks}/a.txt\n"))) == [f"{talks}/a.txt"[1:]]
    assert "plain" in names_of("talks", any_format=True)
    assert Inputs(["talks"], "talks/out").ignored == 2


def test_an_input_is_taken_once(talks):
    assert names_of("talks", "talks/a.txt", "./talks/*.txt") == sorted(FILES)


@pytest.mark.parametrize(
    ("sources", "output", "format_name", "place", "found"),
    [
        (["nothing"], "out", None, "nothing", "no such file or folder"),
        (["*.ogg"], "out", None, "*.ogg", "no matching file"),
        (["talks/a.txt"], "talks", None, "output", "talks/a.txt, which is also an input"),
        (["talks"], "talks", "srt", "output", "talks, the folder of the input talks"),
        (["talks/*.txt"], "talks", "srt", "output", "talks, the folder of the input talks/*.txt"),
        (
            ["talks/deep/er/b.ctm", "talks/deep/b.vtt"],
            *("out", "srt", "output", "the output out/b.srt for talks/deep/er/b.ctm and talks/deep/b.vtt"),
        ),
    ],
)
def test_refused_before_any_work(talks, sources, output, format_name, place, found):
    with refused(place, found):
        Inputs(sources, output).items(format_name)


def test_named_pipes_are_skipped_in_a_folder_and_refused_alone(tmp_path):
    (tmp_path / "a.txt").write_text("hola\n")
    os.mkfifo(tmp_path / "b.txt")
    found = Inputs([str(tmp_path)], str(tmp_path / "out")).items("text")
    assert [item.source for item in found] == [str(tmp_path / "a.txt")]
    with refused("b.txt", "named pipe"):
        Inputs([str(tmp_path / "b.txt")], str(tmp_path / "out"))


def test_a_list_line_with_two_dots_is_refused(talks):
    listed = file(talks.parent, "list", "talks/a.txt\n../a.txt\n")
    with refused(f"{listed}:2", "'../a.txt'", InputError):
        Inputs([], "out", str(listed))


@given(
    st.sampled_from(["", "a", "a/b.c"]),
    st.text("ab. é", min_size=1).map(lambda text: f"x{text}x"),
    st.sampled_from(sorted(BY_SUFFIX)),
    st.sampled_from(["", ".gz", ".xz"]),
    st.sampled_from([name for name in BY_SUFFIX.values() if FORMATS[name].write]),
)
def test_the_suffix_is_that_of_the_format(folder, stem, suffix, compression, format_name):
    name = os.path.join(folder, stem + suffix + compression)
    renamed = output_name(name, format_name)
    assert os.path.dirname(renamed) == folder
    assert os.path.basename(renamed).startswith(f"{stem}.")
    assert renamed.endswith(compression)
    assert format_by_name(renamed.removesuffix(compression)) == format_name
    assert output_name(name, None) == name


LOWERCASE = "(to restore capitals: --lowercase)"


def run_workers(items, jobs=2, opener=Periods, **options):
    work = BatchWork(opener, PipelineOptions(**options))
    return {Path(result.item.source).name: result for result in restore_files(items, jobs, work)}


def items_of(talks, **options):
    return Inputs([str(talks)], str(talks.parent / "out"), **options).items()


def test_a_fault_fails_only_its_file(talks):
    write_files(talks, {"r.txt": "raise\n", "k.txt": "die " * 99, "m.ctm": "r 1 0.1\n"})
    results = run_workers([*items_of(talks), Item("missing.txt", "out/missing.txt")])
    assert {result.error.place: result.error.found for result in results.values() if result.error} == {
        f"{talks}/r.txt": "an internal error (KeyError: 'raise')",
        f"{talks}/k.txt": "a worker process killed by SIGKILL",
        f"{talks}/m.ctm:1": "3 columns",
        "missing.txt": "no such file",
    }
    assert sorted(contents(talks.parent / "out")) == sorted(FILES)
    assert results["a.txt"].words == 4
    assert (talks.parent / "out" / "a.txt").read_text() == "ana mira la casa.\n"


@pytest.mark.parametrize(("opener", "place"), [(refuse, "model"), (die, "jobs")])
def test_a_model_that_cannot_be_opened_ends_the_batch(talks, opener, place):
    with refused(place):
        run_workers(items_of(talks), opener=opener)
    assert not (talks.parent / "out").exists()


def test_the_command_writes_what_punctuate_writes(run, talks):
    options = "--model", "es-eu", "--marks", "COMMA,PERIOD"
    status, out, err = run("batch", "talks", "-o", "out", "--jobs", 1, *options)
    assert (status, out) == (0, "")
    assert err.startswith("asr-punct: 5 files of 17 words restored; ")
    for name in FILES:
        assert run("punctuate", f"talks/{name}", "-o", "one" + Path(name).suffix, *options)[0] == 0
        assert Path("out", name).read_bytes() == Path("one" + Path(name).suffix).read_bytes()
    os.remove("out/a.txt")
    file(Path("out"), "deep/b.vtt", "complete")
    status, _, err = run("batch", "talks", "-o", "out", *options)
    assert status == 0
    assert err.startswith("asr-punct: 1 file of 4 words restored, 4 complete before; ")
    assert Path("out/deep/b.vtt").read_text() == "complete"
    status, _, err = run("batch", "talks/deep/b.vtt", "-o", "out/deep", "--overwrite", "--quiet", *options)
    assert (status, err) == (0, "")
    assert Path("out/deep/b.vtt").read_text() != "complete"


def test_a_suffix_that_no_format_has_needs_the_format(run, talks):
    file(talks, "b.log", "[0.00s -> 2.50s] hola ana\n")
    status, _, err = run("batch", "talks/b.log", "-o", "out", "--model", "es-eu")
    assert (status, "the suffix .log, which no format has" in err) == (1, True)
    assert run("batch", "talks/b.log", "-o", "out", "--model", "es-eu", "--from", "whisper-log")[0] == 0
    assert "[0.00s -> 2.50s] Hola, Ana" in Path("out/b.log").read_text()


def test_failures_are_listed_at_the_end(run, talks):
    write_files(talks, {"z.ctm": "r 1 0.1\n", "C.ctm": CTM.upper()})
    status, out, err = run("batch", "talks", "-o", "out", "--model", "es-eu", "--to", "srt")
    assert (status, out) == (1, "")
    *hints, summary, first, second, third = err.splitlines()
    assert hints == ["asr-punct: talks/C.ctm: all words are in capitals, which stay in the output " + LOWERCASE]
    assert "4 files of 13 words restored, 3 failed; " in summary
    assert first.startswith("asr-punct: talks/a.txt: utterance ")
    assert second.startswith("asr-punct: talks/deep/d.txt: utterance ")
    assert third.startswith("asr-punct: talks/z.ctm:1: found 3 columns")
    assert sorted(contents(Path("out"))) == ["C.srt", "deep/b.srt", "deep/c.srt", "deep/er/b.srt"]


def test_a_line_about_a_file_names_it_once(run, talks):
    file(talks, "e.vtt", "WEBVTT\n\nstray\n\n00:01.000 --> 00:02.000\nhola\n")
    status, _, err = run("batch", "talks/e.vtt", "-o", "out", "--model", "es-eu")
    assert (status, err.splitlines()[0][:53]) == (0, "asr-punct: talks/e.vtt: 1 block of text without times")


def test_no_empty_folder_is_left_for_files_that_fail(run, tmp_path):
    """One that was there before stays."""
    for folder in ("in/new/deep", "in/old", "out/old"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("in/new/deep/a.txt", "in/old/b.txt"):
        (tmp_path / name).write_text("sin tiempos\n")
    assert run("batch", tmp_path / "in", "-o", tmp_path / "out", "--model", "es-eu", "--to", "srt")[0] == 1
    assert [path.name for path in (tmp_path / "out").rglob("*")] == ["old"]


@pytest.mark.parametrize("options", [("--model", "en"), ("--lang", "en")])
def test_labels_are_removed_by_the_rules_of_the_language(run, talks, options):
    file(talks, "en.txt", "We saw Mr. Smith.\n")
    options = *options, "--ignore-labels", "--marks", "COMMA"
    assert run("batch", "talks/en.txt", "-o", "out", "--jobs", 1, *options)[0] == 0
    assert Path("out/en.txt").read_text() == "We saw Mr. Smith\n"
    assert run("punctuate", "talks/en.txt", *options)[1] == "We saw Mr. Smith\n"
