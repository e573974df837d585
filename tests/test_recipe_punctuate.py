"""recipes/punctuate.sh on small CTMs. A stub of the model adds periods at pauses and ends of documents."""

import json
import subprocess
from pathlib import Path

import pytest
from recipe_runs import HOSTILE, KALDI_RUNNER, ROOT, environment, run, write_script

SCRIPT = ROOT / "recipes" / "punctuate.sh"
STUB = '''
import sys
from types import SimpleNamespace
if sys.argv[0].endswith(("restore_part.py", "merge_decode.py")):
    from asr_punct.errors import ModelError
    from asr_punct.inference import punctuator
    from asr_punct.glyphs import glyphs
    from asr_punct.marks import Case, Labels, Mark
    from asr_punct.words import annotate

    class ByPause:
        """A period at pauses over half a second and ends of documents, a capital after it."""
        glyphs = glyphs("es")
        info = SimpleNamespace(model=SimpleNamespace(language="es"))

        @classmethod
        def from_pretrained(cls, name, language, threads):
            if name == "broken":
                raise ModelError(name, "nothing", "a model")
            return cls()

        def restore(self, utterances):
            utterances, capital = list(utterances), True
            for number, utterance in enumerate(utterances):
                labels = []
                for i, pause in enumerate(utterance.pauses):
                    last = number + 1 == len(utterances) and i + 1 == len(utterance.words)
                    stop = last or (pause or 0) > 0.5
                    marks = frozenset({Mark.PERIOD}) if stop else frozenset()
                    labels.append(Labels(marks, Case.FIRST_CAP if capital else Case.O))
                    capital = stop
                yield annotate(utterance, labels=labels)

    punctuator.Punctuator = ByPause
'''
FILES = {
    "segments": "b-1 r 0.00 2.00\nb-2 r 6 7.5\na-1 r 2.5 4\nc-1 s 0 5\n",
    "text": "b-1 Uno dos, tres.\nb-2 Cinco.\na-1 Cuatro\nc-1 Seis.\n",
    "reco2file_and_channel": "r talk A\ns talk B\n",
}
ROWS = """;; decoded
talk A 0.10 .4 uno 0.90
talk A 0.500 0.5 dos
talk A 1.0 0.4 tres NA
talk A 2.2 0.1 eh
talk A 3 0.5 cuatro 1
talk A 6.1 0.5 cinco 1
talk B 1 1 seis
"""


class Stage:
    """Runs the script in a folder with the stub of the model."""

    def __init__(self, root: Path) -> None:
        self.root = root
        write(root / "stub", {"sitecustomize.py": STUB})

    def __call__(self, *arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return run([SCRIPT, *arguments], cwd or self.root, environment(packages=(self.root / "stub",)))

    def good(self, *arguments: object, cwd: Path | None = None) -> str:
        done = self(*arguments, cwd=cwd)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    write(tmp_path / "data", FILES)
    (tmp_path / "talk.ctm").write_text(ROWS)
    return Stage(tmp_path)


def write(root: Path, files: dict[str, str]) -> Path:
    root.mkdir(exist_ok=True)
    for name, content in files.items():
        (root / name).write_text(content, encoding="utf-8")
    return root


def outputs(root: Path) -> dict[str, str]:
    """Return the contents of all outputs but scores.txt, which has the paths of its inputs."""
    files = [root / "text", root / "ctm", root / "scores.json", *sorted((root / "srt").iterdir())]
    return {path.name: path.read_text() for path in files if path.exists()}


def test_a_ctm_of_recordings(stage):
    out = stage.root / "out"
    assert "4 utterances, 2 recordings, 7 words in 2 parts" in stage.good("data", "talk.ctm", "out")
    assert (out / "text").read_text() == "b-1 Uno dos tres. Eh.\nb-2 Cinco.\na-1 Cuatro.\nc-1 Seis.\n"
    expected = ROWS.replace("uno", "Uno").replace("tres", "tres.").replace("eh", "Eh.")
    for word in ("cuatro", "cinco", "seis"):
        expected = expected.replace(word, f"{word.capitalize()}.")
    assert (out / "ctm").read_text() == expected
    assert {path.name for path in (out / "srt").iterdir()} == {"r.srt", "s.srt"}
    assert "00:00:01,000 --> 00:00:02," in (out / "srt" / "s.srt").read_text()
    scores = json.loads((out / "scores.json").read_text())
    assert scores["words"] == 6
    assert scores["wer"] == pytest.approx(1 / 6, abs=1e-5)
    assert scores["marks"]["PERIOD"]["recall"] == 1.0
    assert scores["marks"]["COMMA"]["recall"] == 0.0
    assert "word error rate" in (out / "scores.txt").read_text()
    left = {"text", "ctm", "srt", "scores.json", "scores.txt", "scoring", "split2", "log", ".lock"}
    assert {path.name for path in out.iterdir()} == left


def test_times_of_utterances_count_from_the_recording_or_the_utterance(stage):
    begins = {"b-1": 0.0, "b-2": 6.0, "a-1": 2.5, "c-1": 0.0}
    rows = [("c-1", 1, "seis"), ("b-1", 0.1, "uno"), ("b-1", 0.5, "dos"), ("a-1", 3, "cuatro"), ("b-2", 6.1, "cinco")]
    texts = []
    for clock in ("recording", "utterance"):
        offsets = begins if clock == "utterance" else dict.fromkeys(begins, 0.0)
        lines = [f"{name} 1 {start - offsets[name]:.2f} 0.3 {word}\n" for name, start, word in rows]
        (stage.root / f"{clock}.ctm").write_text("".join(lines))
        stage.good("data", f"{clock}.ctm", clock)
        texts.append([(stage.root / clock / name).read_text() for name in ("text", "srt/r.srt", "srt/s.srt")])
        words = [line.split()[4] for line in (stage.root / clock / "ctm").read_text().splitlines()]
        assert words == ["Seis.", "Uno", "dos.", "Cuatro.", "Cinco."]
    assert texts[0] == texts[1]


def test_the_number_of_jobs_changes_nothing(stage):
    """Four recordings with three utterances each; the first two recordings are one document."""
    utterances = [(f"u{recording}-{i}", recording, 3 * i) for recording in range(4) for i in range(3)]
    rows = [
        f"{name} 1 {start + 0.7 * i:.2f} {0.1 + 0.3 * i:.2f} w{i}\n" for name, _, start in utterances for i in range(3)
    ]
    files = {
        "segments": "".join(f"{name} r{recording} {start} {start + 3}\n" for name, recording, start in utterances),
        "utt2doc": "".join(f"{name} d{max(recording, 1)}\n" for name, recording, _ in utterances),
        "text": "".join(f"{name} W0, w1 w2.\n" for name, _, _ in utterances),
    }
    write(stage.root / "many", files)
    (stage.root / "many.ctm").write_text("".join(rows))
    found = []
    for jobs in (1, 9):
        stage.good("--nj", jobs, "many", "many.ctm", f"out{jobs}")
        found.append(outputs(stage.root / f"out{jobs}"))
    assert found[0] == found[1]
    assert len(list((stage.root / "out9" / "split9").glob("*/words.json"))) == 3


def test_in_the_folder_of_another_recipe_with_its_queue(stage):
    foreign = stage.root / "egs" / "s5"
    for name in ("utils/parse_options.sh", "utils/common.sh", "split_decode.py", "path.sh"):
        (foreign / name).parent.mkdir(parents=True, exist_ok=True)
        (foreign / name).write_text("exit 7\n")
    write_script(foreign / "utils" / "queue.pl", KALDI_RUNNER.replace("while", 'echo "$*" >>queue.calls\nwhile', 1))
    write(foreign / "data", FILES)
    (foreign / "talk.ctm").write_text(ROWS)
    stage.good("data", "talk.ctm", "here")
    stage.good("--cmd", "utils/queue.pl --mem 2G", "data", "talk.ctm", "exp/decode/punctuated", cwd=foreign)
    calls = (foreign / "queue.calls").read_text().splitlines()
    assert [call.split()[:4] for call in calls] == [
        ["--mem", "2G", "JOB=1:2", "exp/decode/punctuated/log/restore.JOB.log"]
    ]
    assert outputs(foreign / "exp/decode/punctuated") == outputs(stage.root / "here")


@pytest.mark.parametrize("runner", ["run_jobs.sh", "./run.pl"])
def test_no_shell_interprets_the_name_of_a_folder(stage, runner):
    root = stage.root / HOSTILE
    write(root, {"talk.ctm": ROWS})
    write(root / "data", FILES)
    write_script(root / "run.pl", KALDI_RUNNER)
    names = [f"../{HOSTILE}/{name}" for name in ("data", "talk.ctm", HOSTILE)]
    stage.good("--cmd", runner, *names, cwd=root)
    stage.good("data", "talk.ctm", "here")
    assert outputs(root / HOSTILE) == outputs(stage.root / "here")
    assert {path.name for path in root.iterdir()} == {"data", "talk.ctm", "run.pl", HOSTILE}


def test_a_stopped_run_is_continued(stage):
    stage.good("--stop-stage", 2, "data", "talk.ctm", "out")
    out = stage.root / "out"
    assert not (out / "text").exists()
    done = [part.stat().st_mtime_ns for part in out.glob("split2/*/restored.json")]
    stage.good("data", "talk.ctm", "out")
    assert [part.stat().st_mtime_ns for part in out.glob("split2/*/restored.json")] == done
    before = outputs(out)
    stage.good("--stage", 2, "--stop-stage", 2, "data", "talk.ctm", "out")
    assert [part.stat().st_mtime_ns for part in out.glob("split2/*/restored.json")] != done
    (stage.root / "talk.ctm").write_text(ROWS.replace("seis", "siete"))
    assert stage("--stage", 3, "data", "talk.ctm", "out").returncode == 2
    assert outputs(out) == before
    stage.good("data", "talk.ctm", "out")
    assert "c-1 Siete.\n" in (out / "text").read_text()


def test_a_reference_for_one_of_two_recordings(stage):
    write(stage.root / "few", {"wav.scp": "x x.wav\ny y.wav\n", "text": "y ¡Dos!\n", "utt2doc": "y d\nx d\n"})
    (stage.root / "few.ctm").write_text("x 1 1 1 uno\ny 1 1 1 dos\n")
    stage.good("few", "few.ctm", "out")
    assert (stage.root / "out" / "text").read_text() == "x uno.\ny Dos\n"
    assert json.loads((stage.root / "out" / "scores.json").read_text())["words"] == 1


def test_a_reference_without_marks_is_not_scored(stage):
    stage.good("data", "talk.ctm", "out")
    write(stage.root / "data", {"text": "b-1 uno dos tres\n"})
    stage.good("data", "talk.ctm", "out")
    assert {path.name for path in (stage.root / "out").iterdir()} >= {"text", "ctm", "srt"}
    assert not list((stage.root / "out").glob("scor*"))
    (stage.root / "data" / "text").unlink()
    stage.good("data", "talk.ctm", "out")


def test_utterances_without_recognised_words(stage):
    write(stage.root / "data", {"segments": FILES["segments"] + "d-1 s 6 7\nd-2 s 7 8\n"})
    write(stage.root / "data", {"text": FILES["text"] + "d-1 ¿Eh?\n"})
    stage.good("data", "talk.ctm", "out")
    assert (stage.root / "out" / "text").read_text().endswith("c-1 Seis.\nd-1\nd-2\n")
    assert json.loads((stage.root / "out" / "scores.json").read_text())["word_edits"]["deleted"] == 1


def test_pauses_are_refined_on_the_audio(stage):
    np, soundfile = pytest.importorskip("numpy"), pytest.importorskip("soundfile")
    rate = 16000
    sound = np.random.default_rng(0).normal(0, 0.2, 6 * rate)
    sound[2 * rate : 4 * rate] *= 1e-3
    soundfile.write(stage.root / "r.wav", sound, rate)
    (stage.root / "one.ctm").write_text("r 1 1.0 2.0 uno\nr 1 3.0 2.0 dos\n")
    for name, entry in (("file", f"{stage.root}/r.wav"), ("command", f"cat {stage.root}/r.wav |")):
        write(stage.root / name, {"wav.scp": f"r {entry}\n"})
        stage.good("--use-audio", "true", name, "one.ctm", f"refined-{name}")
        assert (stage.root / f"refined-{name}" / "text").read_text() == "r Uno. Dos.\n"
    assert (stage.root / "refined-file" / "ctm").read_text() == "r 1 1.0 2.0 Uno.\nr 1 3.0 2.0 Dos.\n"
    stage.good("file", "one.ctm", "plain")
    stage.good("--use-audio", "true", "--times", "aligner", "file", "one.ctm", "aligned")
    assert (stage.root / "plain" / "text").read_text() == "r Uno dos.\n"
    assert outputs(stage.root / "aligned") == outputs(stage.root / "plain")


@pytest.mark.parametrize(
    "arguments",
    [
        *(["data", "talk.ctm"], ["data", "none.ctm", "out"], ["data", "talk.ctm", "data"]),
        *(["--times", "clock", "data", "talk.ctm", "out"], ["--stage", "2", "data", "talk.ctm", "out"]),
        *(["--use-audio", "true", "data", "talk.ctm", "out"], ["data", "bad.ctm", "out"]),
        *(["data", "silent.ctm", "out"], ["--model", "broken", "data", "talk.ctm", "out"]),
    ],
)
def test_wrong_calls_are_one_line_and_status_2(stage, arguments):
    (stage.root / "bad.ctm").write_text("r 1 2\n")
    (stage.root / "silent.ctm").write_text(";; nothing\n")
    done = stage(*arguments)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not (stage.root / "out" / "text").exists()
