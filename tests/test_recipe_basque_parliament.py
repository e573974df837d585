"""egs/basque_parliament on a look-alike of the published corpus: lower-case texts without marks, audio in archives."""

import io
import json
import tarfile

import pytest
from dummies import refused
from recipe_runs import copy_recipes, environment, run

from asr_punct.errors import InputError
from asr_punct.text import parse

make_corpus = pytest.importorskip("make_corpus")
HEADER = "path\tlanguage\tspeaker_id\tPRR\tlength\tsentence\n"
TEXTS = {
    "1-01_0.00_4.00": ("es", "buenos días señorías gracias por venir"),
    "1-01_4.00_9.50": ("es", "qué hora es señor consejero"),
    "1-02_0.00_6.25": ("eu", "egun on guztioi eskerrik asko etortzeagatik"),
    "1-03_0.00_3.00": ("bi", "eskerrik asko jaun andreok zuen arretagatik muchas gracias"),
}


def write_look_alike(folder, texts, audio=lambda name: b"sound"):
    """Write metadata and archives; `texts` are language and text of each segment by name."""
    for name in ("metadata", "audio"):
        (folder / name).mkdir(parents=True)
    for part in ("train", "train_clean", "dev", "test"):
        rows = [f"{name}.mp3\t{code}\t7\t98.5\t4.5\t{text}\n" for name, (code, text) in texts(part).items()]
        (folder / "metadata" / f"{part}.tsv").write_text(HEADER + "".join(rows), encoding="utf-8")
        if part == "train_clean":
            continue
        for number in range(2):
            with tarfile.open(folder / "audio" / f"{part}_{number}.tar", "w") as archive:
                for name in list(texts(part))[number::2]:
                    content = audio(name)
                    member = tarfile.TarInfo(f"{part}/{name}.mp3")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))


def transcriptions(folder):
    return {path.name: path.read_text().strip() for path in folder.rglob("transcriptions/*")}


def test_texts_get_the_marks_of_a_model(tmp_path):
    write_look_alike(tmp_path / "published", lambda part: TEXTS)
    make_corpus.main(tmp_path / "published", tmp_path / "out", hours=0)
    root = tmp_path / "out" / "eu-es" / "train"
    assert {path.name for path in (root / "audio").iterdir()} == {"1-02_0.00_6.25.mp3", "1-03_0.00_3.00.mp3"}
    found = transcriptions(tmp_path / "out" / "es-eu" / "test")
    assert set(found) == {"1-01_0.00_4.00.es", "1-01_4.00_9.50.es"}
    for name, text in found.items():
        assert [word.lower() for word in parse(text, "es").words] == TEXTS[name.removesuffix(".es")][1].split()
    assert any(char in text for text in found.values() for char in ",.?")
    made = (tmp_path / "out" / "made.json").stat().st_mtime_ns
    make_corpus.main(tmp_path / "published", tmp_path / "out", hours=0)
    assert (tmp_path / "out" / "made.json").stat().st_mtime_ns == made


def test_marks_of_the_minutes_are_taken_where_the_words_are_the_same(tmp_path):
    write_look_alike(tmp_path / "published", lambda part: TEXTS)
    (tmp_path / "minutes").mkdir()
    for part in ("train", "dev", "test"):
        lines = "1-01_0.00_4.00 Buenos días, señorías. Gracias por venir.\n1-01_4.00_9.50 ¿Qué hora será?\n"
        (tmp_path / "minutes" / part).write_text(lines)
    make_corpus.main(tmp_path / "published", tmp_path / "out", marked=tmp_path / "minutes")
    assert transcriptions(tmp_path / "out" / "es-eu" / "dev") == {
        "1-01_0.00_4.00.es": "Buenos días, señorías. Gracias por venir."
    }


def test_hours_are_the_first_ones_of_each_language(tmp_path):
    names = [make_corpus.Segment(str(i), "es" if i % 2 else "eu", 1800.0, "a") for i in range(8)]
    assert [segment.name for segment in make_corpus.first_hours(names, 1)] == ["0", "1", "2", "3"]
    assert make_corpus.first_hours(names, 0) == names


@pytest.mark.parametrize(
    ("table", "line", "found"),
    [
        ("path\tsentence\na.mp3\tbai\n", 1, "no column language"),
        (HEADER + "a.mp3\tfr\t1\t1\t2\tbai\n", 2, "language 'fr'"),
        (HEADER + "a.mp3\teu\t1\t1\tlong\tbai\n", 2, "length 'long'"),
    ],
)
def test_malformed_tables(table, line, found, tmp_path):
    write_look_alike(tmp_path / "published", lambda part: TEXTS)
    (tmp_path / "published" / "metadata" / "dev.tsv").write_text(table)
    with refused(f"dev.tsv:{line}", found, InputError):
        list(make_corpus.read_segments(tmp_path / "published" / "metadata" / "dev.tsv"))


def test_missing_files(tmp_path):
    with refused("train_clean.tsv", "no such file", InputError):
        make_corpus.main(tmp_path, tmp_path / "out")
    write_look_alike(tmp_path / "published", lambda part: TEXTS)
    (tmp_path / "published" / "audio" / "dev_0.tar").unlink()
    (tmp_path / "published" / "audio" / "dev_1.tar").unlink()
    with refused("audio", "no dev_*.tar", InputError):
        make_corpus.main(tmp_path / "published", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_whole_recipe(tmp_path):
    """The synthetic corpus of egs/mintzai in the form of the published one."""
    pytest.importorskip("lightning")
    copy_recipes(tmp_path)
    made = run(["egs/mintzai/local/make_mini_corpus.py", "mini", "--scale", "0.05"], tmp_path, timeout=None)
    assert made.returncode == 0, made.stderr
    sounds = {path.stem: path for path in (tmp_path / "mini").rglob("audio/*")}

    def texts(part):
        part = part.removesuffix("_clean")
        files = sorted((tmp_path / "mini").glob(f"*/{part}/transcriptions/*"))
        plain = {f.stem: (f.suffix[1:], " ".join(parse(f.read_text(), f.suffix[1:]).words).lower()) for f in files}
        return {name: value for name, value in plain.items() if value[1]}

    write_look_alike(tmp_path / "published", texts, lambda name: sounds[name].read_bytes())
    times = tmp_path / "mini" / "truth"
    options = ["--languages", "es+eu", "--ctm-dir", times, "--config", "autopunct_mini", "--venv", "none"]
    options += ["--train-options", "training.epochs=1"]
    recipe = ["egs/basque_parliament/run.sh", "--corpus", "published", *options]
    done = run(recipe, tmp_path, environment(), timeout=None)
    assert done.returncode == 0, done.stdout + done.stderr
    exp = tmp_path / "egs" / "basque_parliament" / "exp"
    assert list(json.loads((exp / "scores.json").read_text())) == ["es+eu", "es+eu plain"]
    page = (exp / "RESULTS.md").read_text()
    assert page.startswith("# AutoPunct on Basque Parliament 1.0, marks by the model es-eu\n")
