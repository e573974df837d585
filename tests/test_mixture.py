"""Training mixtures: cleaning, duplicates, division, balance, languages mixed, and the recipe's program."""

import json
import lzma
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from dummies import examples, json_lines
from hypothesis import example, given
from hypothesis import strategies as st
from training_text.basque_numbers import basque_cardinal, basque_ordinal
from training_text.cleaning import join_broken_lines, reason_to_drop, repaired
from training_text.documents import join_at_commas
from training_text.duplicates import find_duplicates
from training_text.mixture import prepare_mixture
from training_text.sources import Source, read_sources
from training_text.spoken_numbers import spelled_out

from asr_punct.errors import InputError
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.glyphs import glyphs, write_text
from asr_punct.marks import LEFT, Case, Labels
from asr_punct.text import parse
from asr_punct.words import Word

EGS = Path(__file__).parent.parent / "egs" / "models"


@pytest.mark.parametrize(("language", "line", "expected"), json_lines("repaired_lines.jsonl"))
def test_repaired(language, line, expected):
    assert repaired(line, language) == expected


@pytest.mark.parametrize(("line", "reason"), json_lines("dropped_lines.jsonl"))
def test_reasons_to_drop_a_line(line, reason):
    assert reason_to_drop(line, running_text=False) == reason


def test_running_text_may_end_within_a_sentence():
    assert reason_to_drop("Dijo que sí, y —", running_text=True) is None
    assert list(join_broken_lines(["Esto es", "una frase.", "Título", "Otra frase, y", "«otra» más"])) == [
        "Esto es una frase.",
        "Título",
        "Otra frase, y «otra» más",
    ]


def test_duplicates():
    rng = random.Random(3)
    words = [f"w{i}" for i in range(3000)]
    lines = [" ".join(rng.sample(words, 20)) for _ in range(200)]
    near = [f"{line} más" for line in lines[:50]]
    far = [" ".join(line.split()[:8] + rng.sample(words, 12)) for line in lines[50:100]]
    same = [line.upper() + "!" for line in lines[:10]]
    found = list(find_duplicates([*lines, *near, *far, *same, "Muchas gracias.", "Muchas gracias."]))
    assert found == [None] * 200 + ["near"] * 50 + [None] * 50 + ["exact"] * 10 + [None] * 2


def labelled(text, language):
    parsed = parse(text, language)
    return tuple(Word(word, labels=labels) for word, labels in zip(parsed.words, parsed.labels, strict=True))


def test_a_sentence_of_two_languages():
    line = join_at_commas(labelled("Si puedes, ven a casa.", "es"), labelled("Gaur goizean, etxera joan naiz.", "eu"))
    texts, labels = zip(*((word.text, word.labels) for word in line), strict=True)
    assert write_text(texts, labels, glyphs("es")) == "Si puedes, etxera joan naiz."
    assert join_at_commas(labelled("¿Vienes, Ana?", "es"), labelled("Bai, banoa.", "eu")) is None
    assert join_at_commas(labelled("Ven.", "es"), labelled("Bai, banoa.", "eu")) is None


def sentence(rng, language):
    words = {
        "es": "la casa verde del pueblo tiene una puerta muy vieja",
        "eu": "etxe zahar hori gure herrian dago oraindik",
    }
    return " ".join(rng.choice(words[language].split()) for _ in range(9)).capitalize() + ", sí, 25."


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    rng = random.Random(1)
    folder = tmp_path_factory.mktemp("corpus")
    turns = "\n\n".join("\n".join(sentence(rng, "es") for _ in range(3)) for _ in range(200))
    (folder / "run.txt.xz").write_bytes(lzma.compress(turns.encode()))
    (folder / "loose.txt").write_text("".join(sentence(rng, "eu") + "\n" for _ in range(300)), encoding="utf-8")
    return folder


SOURCES = [Source("run", "es", "yes", 1.0, 700, "CC0"), Source("loose", "eu", "no", 3.0, 300, "CC0")]


@pytest.fixture(scope="module")
def mixture(corpus, tmp_path_factory):
    """A folder with a mixture, and its summary."""
    folder = tmp_path_factory.mktemp("mixture")
    return folder, prepare_mixture(corpus, SOURCES, folder, seed=4)


def test_mixture(mixture):
    folder, summary = mixture
    parts = {part: list(read_tsv(folder / f"{part}.tsv")) for part in ("train", "dev")}
    for part, utterances in parts.items():
        assert sum(len(u.words) for u in utterances) == summary.words[part].total()
        assert all(word.text == word.text.lower() for u in utterances for word in u.words)
    assert 700 <= summary.words["dev"]["run"] < 1200
    sizes = Counter(u.document for u in parts["train"] if u.document.startswith("loose"))
    assert {1, 2, 3} <= set(sizes.values())
    words = Counter(word.text for u in parts["train"] for word in u.words)
    assert words["25"] > 100
    assert words["veinticinco"] > 100
    texts = {part: {" ".join(w.text for w in u.words) for u in us} for part, us in parts.items()}
    assert not {line for line in texts["train"] & texts["dev"] if line.endswith("25")}


def test_text_without_fit_lines(tmp_path):
    (tmp_path / "bad.txt").write_text("1 2 3\n\nTITLE\n")
    with pytest.raises(InputError, match="found no line that is fit, expected text to train on"):
        prepare_mixture(tmp_path, [Source("bad", "es", "yes", 1.0, 10, "CC0")], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_languages_mix_in_some_documents(mixture):
    documents = {}
    for utterance in read_tsv(mixture[0] / "train.tsv"):
        documents.setdefault(utterance.document, set()).update(word.text for word in utterance.words)
    both = [name for name, words in documents.items() if words & {"casa", "puerta"} and words & {"etxe", "herrian"}]
    assert both
    assert all(name.startswith("loose") for name in both)
    assert len(both) < 0.15 * len(documents)


@pytest.mark.parametrize(("seed", "same"), [(4, True), (2, False)])
def test_a_seed_decides(corpus, mixture, tmp_path, seed, same):
    prepare_mixture(corpus, SOURCES, tmp_path / "out", seed=seed)
    made = (tmp_path / "out" / "train.tsv").read_bytes()
    assert (made == (mixture[0] / "train.tsv").read_bytes()) == same


@pytest.mark.parametrize("table", sorted((EGS / "sources").glob("*.tsv")), ids=lambda path: path.stem)
def test_tables_that_ship(table):
    sources = read_sources(table)
    assert len({source.file for source in sources}) == len(sources)
    assert not [source.file for source in sources if "/dev/" in source.file or "/test/" in source.file]


@pytest.mark.parametrize(
    "row",
    ["es yes 1 0", "xx yes 1 0 CC0", "es maybe 1 0 CC0", "es yes 1.5 0 CC0", "es yes x 0 CC0", "es yes 1 -1 CC0"],
)
def test_bad_tables(tmp_path, row):
    (tmp_path / "a.tsv").write_text("# a\n" + f"a {row}\n".replace(" ", "\t"))
    with pytest.raises(InputError, match=r"a\.tsv:2: found 'a.*expected file TAB language"):
        read_sources(tmp_path / "a.tsv")


def test_program(corpus, tmp_path):
    table = tmp_path / "s.tsv"
    table.write_text("# file\nloose\teu\tno\t1\t0\tCC0\n")
    program = [sys.executable, EGS / "local" / "make_text.py", "--corpus", corpus, "--sources", table, tmp_path / "out"]
    made = subprocess.run(program, capture_output=True, text=True, check=True)
    assert (tmp_path / "out" / "casing.txt").read_text() == "# learnt from loose\n"
    assert "train words: " in made.stdout
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert 0 < summary["words"]["train"]["loose"] <= 300 * 12
    table.write_text("none\teu\tno\t1\t0\tCC0\n")
    failed = subprocess.run(program, capture_output=True, text=True)
    assert failed.returncode == 2
    assert failed.stderr.startswith("make_text.py: ")
    assert failed.stderr.count("\n") == 1


# Numbers in words


UNITS = """zero bat bi hiru lau bost sei zazpi zortzi bederatzi hamar hamaika hamabi hamahiru hamalau hamabost hamasei
    hamazazpi hemezortzi hemeretzi hogei"""
VALUES = {
    **{word: number for number, word in enumerate(UNITS.split())},
    **{"berrogei": 40, "hirurogei": 60, "laurogei": 80},
    **{f"{stem}ehun": 100 * number for number, stem in enumerate(
        ["", "berr", "hirur", "laur", "bost", "sei", "zazpi", "zortzi", "bederatzi"], start=1)},
}  # fmt: skip


def value(words):
    """The number of Basque words, added up from left to right."""
    total, part = 0, 0
    for word in words.split():
        if word == "mila":
            total, part = total + 1000 * (part or 1), 0
        elif word == "milioi":
            total, part = (total + part or 1) * 10**6, 0
        elif word != "eta":
            part += VALUES[word if word in VALUES else word.removesuffix("ta")]
    return total + part


@given(st.integers(1, 999_999))
def test_basque_cardinals(number):
    assert value(basque_cardinal(number)) == number


@given(st.integers(2_000_000, 10**12 - 1))
def test_basque_millions(number):
    millions, _, rest = basque_cardinal(number).partition(" milioi")
    assert (value(millions), value(rest)) == divmod(number, 10**6)


EXAMPLES = """0 zero, 31 hogeita hamaika, 101 ehun eta bat, 1100 mila eta ehun, 1150 mila ehun eta berrogeita hamar,
    1936 mila bederatziehun eta hogeita hamasei, 2015 bi mila eta hamabost, 1500000 milioi bat eta bostehun mila"""
ORDINALS = "1 lehen, 5 bosgarren, 15 hamabosgarren, 21 hogeita batgarren"


@pytest.mark.parametrize(("spell_out", "examples"), [(basque_cardinal, EXAMPLES), (basque_ordinal, ORDINALS)])
def test_basque_examples(spell_out, examples):
    for pair in examples.split(","):
        number, _, words = pair.strip().partition(" ")
        assert spell_out(int(number)) == words


def spell(text, language):
    """Texts and labels of the spoken words."""
    parsed = parse(text, language)
    words = [Word(text, labels=labels) for text, labels in zip(parsed.words, parsed.labels, strict=True)]
    spoken = spelled_out(words, language)
    return [word.text for word in spoken], [word.labels for word in spoken]


@pytest.mark.parametrize(("language", "text", "expected"), examples("spoken_numbers.tsv"))
def test_digits_in_words(language, text, expected):
    assert write_text(*spell(text, language), glyphs(language)) == expected


@example("0 -%", "es")
@given(st.text("0123456789.,%€$ºs?¿:ean -", max_size=30), st.sampled_from(["es", "eu", "en"]))
def test_marks_and_other_words_stay(text, language):
    def others(words):
        return [
            word for word in words if word in parsed.words and not any(c.isdigit() for c in word + "0" * (word in "%€"))
        ]

    parsed = parse(text, language)
    words, spoken_labels = spell(text, language)
    marks = [sorted(mark for label in labels for mark in label.marks) for labels in (parsed.labels, spoken_labels)]
    assert marks[0] == marks[1]
    assert others(words) == others(parsed.words)


def test_left_marks_go_to_the_first_word_and_right_marks_to_the_last():
    _, labels = spell("Dijo: «1978».", "es")
    assert labels[1].marks <= frozenset(LEFT)
    assert labels[1].case is Case.O
    assert labels[2:-1] == [Labels()] * 3
    assert not labels[-1].marks & frozenset(LEFT)
