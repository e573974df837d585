"""Corpora: treebanks, the IWSLT benchmark, the mintzai corpus and written text."""

import lzma
import re

import pytest
from conllu import read_conllu
from dummies import bare_words, refused
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.corpora.iwslt import join_clitics, label_tokens, prepare_iwslt, read_iwslt
from asr_punct.corpora.mintzai import prepare_mintzai
from asr_punct.corpora.written import prepare_text
from asr_punct.errors import ArgumentError, InputError
from asr_punct.formats.kaldi.tables import read_data_dir
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate


def row(number, form, tag):
    return "\t".join([str(number), form, "_", tag, *"______"])


SENTENCES = [
    [(1, "Well", "INTJ"), (2, ",", "PUNCT"), ("3-4", "don't", "_"), (3, "do", "AUX"), (4, "n't", "PART")],
    [
        (1, "it", "PRON"),
        (2, "'s", "AUX"),
        (2.1, "there", "ADV"),
        (3, "U.S.", "PROPN"),
        (4, "$", "SYM"),
        (5, "9", "NUM"),
    ],
    [(1, "...", "PUNCT")],
    [("1-2", "Del", "_"), (1, "de", "ADP"), (2, "el", "DET"), (3, "10 000", "NUM"), (4, "”", "PUNCT")],
]


def treebank(path, sentences=SENTENCES):
    text = "\n\n".join("\n".join(["# text = x", *(row(*token) for token in tokens)]) for tokens in sentences)
    if path.suffix == ".xz":
        path.write_bytes(lzma.compress(text.encode()))
    else:
        path.write_text(text + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.xz"])
def test_words_are_those_of_a_recogniser_with_the_tag_of_their_first_part(name, tmp_path):
    found = [list(map(tuple, sentence)) for sentence in read_conllu(treebank(tmp_path / name))]
    assert found == [
        [("well", "INTJ"), ("don't", "AUX")],
        [("it's", "PRON"), ("u.s", "PROPN"), ("9", "NUM")],
        [("del", "ADP"), ("10000", "NUM")],
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1\tx\ty", "found 3 columns, expected 10 columns"),
        (row("a", "x", "NOUN"), "found identifier 'a', expected a number"),
        (row("1-", "x", "NOUN"), "found identifier '1-', expected a number"),
        (row(1, "x", "NN"), "found part of speech 'NN', expected one of ADJ ADP"),
    ],
)
def test_a_line_of_another_form(line, message, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(f"# text = x\n{line}\n")
    with pytest.raises(InputError, match=f"a.conllu:2: {message}"):
        list(read_conllu(path))


# The IWSLT benchmark


ROWS = """we O
'll COMMA
she O
said O
, O
-- PERIOD
do O
n't O
you QUESTION
it O
's O
'the O
mid-'50s O
end O"""
WORDS = ["we'll", "she", "said", "don't", "you", "it's", "'the", "mid-'50s", "end"]


def source(folder, content=ROWS, name="test2011"):
    path = folder / name
    path.write_text(re.sub(" ", "\t", content) + "\n", encoding="utf-8")
    return path


def test_clitics_are_joined_and_sentences_cut(tmp_path):
    tokens = list(read_iwslt(source(tmp_path)))
    assert [len(utterance.words) for utterance in tokens] == [6, 3, 5]
    assert {utterance.document for utterance in tokens} == {"test2011"}
    words = list(map(join_clitics, tokens))
    assert [word.text for utterance in words for word in utterance.words] == WORDS
    marks = [sorted(label.marks) for utterance in words for label in utterance.labels]
    assert marks == [["COMMA"], [], ["PERIOD"], [], ["QUESTION"], [], [], [], []]


labels = st.builds(Labels, st.frozensets(st.sampled_from(Mark)), st.sampled_from(Case))


@given(st.lists(st.sampled_from(["a", "do", "n't", "'s", "--", "'tis", "7"]), min_size=1), st.data())
def test_joining_takes_back_what_was_spread(texts, data):
    tokens = Utterance(tuple(map(Word, texts)))
    words = join_clitics(tokens)
    wanted = tuple(data.draw(st.lists(labels, min_size=len(words.words), max_size=len(words.words))))
    spread = label_tokens(annotate(Utterance(words.words), labels=wanted), tokens)
    assert bare_words(spread) == tokens.words
    assert join_clitics(spread).labels == wanted


def test_a_token_without_text_gives_its_mark_to_the_word_before_it(tmp_path):
    """Three tokens of the Bangla news and one of dev2012 are empty."""
    (tmp_path / "test2011").write_text("well\tO\n\tPERIOD\nso\tCOMMA\n \tO\n")
    tokens = list(read_iwslt(tmp_path / "test2011"))
    assert [len(utterance.words) for utterance in tokens] == [2, 2]
    words = [join_clitics(utterance) for utterance in tokens]
    assert [(u.words[0].text, u.labels[0].marks) for u in words] == [("well", {Mark.PERIOD}), ("so", {Mark.COMMA})]
    again = [label_tokens(*pair).labels[-1].marks for pair in zip(words, tokens, strict=True)]
    assert again == [{Mark.PERIOD}, {Mark.COMMA}]


def test_all_parts_are_written_and_missing_files_reported(tmp_path):
    source(tmp_path)
    with lzma.open(tmp_path / "dev2012.xz", "wt", encoding="utf-8") as out:
        out.write("thank\tO\nyou\tPERIOD\n")
    summary = prepare_iwslt(tmp_path, tmp_path / "out")
    assert dict(summary.words) == {"dev": 2, "test": 9}
    assert summary.documents == {"dev": 1, "test": 1}
    assert summary.problems == [f"{tmp_path / name}: no such file" for name in ("train2012", "test2011asr")]
    assert [word.text for u in read_tsv(tmp_path / "out" / "test.tsv") for word in u.words] == WORDS
    assert {u.document for u in read_tsv(tmp_path / "out" / "dev.tsv")} == {"dev2012"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a O\nb", "test2011:2: found 'b', expected 2 columns"),
        ("a STOP", "test2011:1: found label 'STOP', expected one of COMMA PERIOD QUESTION O"),
    ],
)
def test_malformed_files(tmp_path, content, message):
    source(tmp_path, content)
    with pytest.raises(InputError, match=re.escape(message)):
        prepare_iwslt(tmp_path, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_directory_without_it(tmp_path):
    with pytest.raises(InputError, match="found none of the benchmark's files, expected a directory of train2012"):
        prepare_iwslt(tmp_path, tmp_path / "out")


# The mintzai corpus


def corpus(tmp_path, **files):
    """A corpus of empty audio files and transcriptions, given as `pair/part/stem=text`."""
    for name, text in files.items():
        pair, part, stem, suffix = name.split("__")
        root = tmp_path / pair.replace("_", "-") / part
        for directory in ("audio", "transcriptions"):
            (root / directory).mkdir(parents=True, exist_ok=True)
        (root / "audio" / f"{stem}.m4a").touch()
        (root / "transcriptions" / f"{stem}.{suffix}").write_text(text)
    return tmp_path


def test_segments_become_data_directories(tmp_path):
    source = corpus(
        tmp_path / "c",
        es_eu__train__s_10__es="¡Buenos días!",
        es_eu__train__s_9__es="Gracias,\nseñorías.",
        eu_es__test__t_1__eu="Egun on.",
    )
    summary = prepare_mintzai(source, tmp_path / "data")
    assert summary.words == {"es/train": 4, "eu/test": 2}
    assert summary.documents == {"es/train": 1, "eu/test": 1}
    items = list(read_data_dir(tmp_path / "data" / "es" / "train"))
    assert [(item.id, item.text, item.document) for item in items] == [
        ("s_9", "Gracias, señorías.", "s"),
        ("s_10", "¡Buenos días!", "s"),
    ]
    names = {path.name for path in (tmp_path / "data" / "es" / "train").iterdir()}
    assert names == {"wav.scp", "text", "utt2spk", "spk2utt", "utt2doc", "reco2file_and_channel"}
    assert (tmp_path / "data" / "es" / "train" / "text").read_text().startswith("s_10 ")


@pytest.mark.parametrize(
    ("stems", "documents"),
    [
        ("s_0.00_4.20 s_4.10_8.5 s_12.5_14 s_8.5_12.25", "s s s s"),
        ("900_1350 0_421 421_900", "es-eu-train es-eu-train es-eu-train"),
        ("2_001 2_002 2_010", "2 2 2"),
        ("s_2_002 s_2_003 s_2_004", "s_2 s_2 s_2"),
        ("1_5 2_7 other", "1 2 other"),
    ],
)
def test_segments_of_one_recording_are_one_document_in_the_order_of_speech(stems, documents, tmp_path):
    source = corpus(tmp_path / "c", **{f"es_eu__train__{stem}__es": "Sí." for stem in stems.split()})
    prepare_mintzai(source, tmp_path / "data")
    items = list(read_data_dir(tmp_path / "data" / "es" / "train"))
    assert [item.document for item in items] == documents.split()
    if "other" not in stems:
        starts = [float(re.findall(r"\d+(?:\.\d+)?", item.id)[-2]) for item in items]
        assert starts == sorted(starts)


def test_missing_and_odd_files_are_named(tmp_path):
    source = corpus(
        tmp_path / "c", es_eu__train__a_1__es="Sí.", es_eu__train__a_2__es="(…)", eu_es__train__b_1__es="Bai."
    )
    train = source / "es-eu" / "train"
    (train / "audio" / "only.m4a").touch()
    (train / "transcriptions" / "mute.es").write_text("No.")
    (train / "audio" / "a_1.wav").touch()
    problems = "\n".join(prepare_mintzai(source, tmp_path / "data").problems)
    for part in (
        "only.m4a: no transcription",
        "mute.es: no audio",
        "a_2.es: no words",
        "a_1.wav: same name as a_1.m4a",
        "no *.eu, used *.es instead, as es",
        "dev/audio: no such directory",
    ):
        assert part in problems


def test_nothing_to_prepare(tmp_path):
    with refused("none", "no such directory", InputError):
        prepare_mintzai(tmp_path / "none", tmp_path / "data")
    (tmp_path / "empty").mkdir()
    with refused("empty", "no segment", InputError):
        prepare_mintzai(tmp_path / "empty", tmp_path / "data")


def test_the_language_is_that_of_the_files(tmp_path):
    source = corpus(
        tmp_path / "c", es_eu__train__a_1__eu="Bai, jauna.", es_eu__dev__a_1__txt="Sí.", eu_es__train__a_2__eu="Ez."
    )
    summary = prepare_mintzai(source, tmp_path / "data")
    assert summary.words == {"eu/train": 3, "es/dev": 1}
    assert [item.id for item in read_data_dir(tmp_path / "data" / "eu" / "train")] == ["a_1", "a_2"]
    assert not (tmp_path / "data" / "es" / "train").exists()
    problems = "\n".join(summary.problems)
    assert "no *.es, used *.eu instead, as eu" in problems
    assert "no *.es, used *.txt instead, as es" in problems


def test_one_name_in_two_folders_of_a_language(tmp_path):
    source = corpus(tmp_path / "c", es_eu__train__a_1__eu="Bai.", eu_es__train__a_1__eu="Ez, ez.")
    summary = prepare_mintzai(source, tmp_path / "data")
    assert summary.words == {"eu/train": 1}
    assert any("same name as" in problem for problem in summary.problems)


# Written text


PARTS = ("train", "dev", "test")


def text_file(folder, text):
    path = folder / "a.txt"
    path.write_text(text, encoding="utf-8")
    return path


def parts_of(folder):
    return [[u.recording for u in read_tsv(folder / f"{name}.tsv")] for name in PARTS]


@pytest.mark.parametrize("seed", range(5))
def test_no_part_is_empty_and_a_seed_decides(tmp_path, seed):
    source = text_file(tmp_path, "\n\n\n".join(f"Uno {i}.\nDos." for i in range(3)) + "\n\n…\n")
    made = []
    for name in ("one", "two"):
        summary = prepare_text(source, tmp_path / name, language="es", seed=seed)
        assert sum(summary.words.values()) == 9
        assert sum(summary.documents.values()) == 3
        assert summary.problems == []
        made.append(parts_of(tmp_path / name))
    assert made[0] == made[1]
    assert [len(part) for part in made[0]] == [2, 2, 2]
    assert [len(set(part)) for part in made[0]] == [1, 1, 1]
    prepare_text(source, tmp_path / "three", language="es", seed=seed, test=0)
    assert [bool(part) for part in parts_of(tmp_path / "three")] == [True, True, False]


def test_shares_are_those_of_the_documents(tmp_path):
    source = text_file(tmp_path, "\n\n".join(f"Es el número {i}." for i in range(400)))
    prepare_text(source, tmp_path / "out", language="es", dev=0.2, test=0.3)
    assert [len(part) for part in parts_of(tmp_path / "out")] == [200, 80, 120]


def test_one_document_is_divided_by_lines(tmp_path):
    source = text_file(tmp_path, "".join(f"Es la línea {i}.\n" for i in range(40)))
    summary = prepare_text(source, tmp_path / "out", language="es")
    (problem,) = summary.problems
    assert problem.startswith("documents: found 1, expected 3 or more for train, dev, test: divided by blocks of lines")
    words = [u.words[-1].text for name in PARTS for u in read_tsv(tmp_path / "out" / f"{name}.tsv")]
    assert words == [str(i) for i in range(40)]
    assert [len(part) for part in parts_of(tmp_path / "out")] == [36, 2, 2]


def test_a_failure_leaves_nothing(tmp_path):
    out = tmp_path / "out"
    with refused("none", "no such file", InputError):
        prepare_text(tmp_path / "none", out, language="es")
    with refused("a.txt", "2 lines with words", InputError):
        prepare_text(text_file(tmp_path, "Uno.\nDos.\n"), out, language="es")
    with refused("a.txt", "no words", InputError):
        prepare_text(text_file(tmp_path, "…\n"), out, language="es")
    with refused("dev", "nan", ArgumentError):
        prepare_text(text_file(tmp_path, "Uno.\n"), out, language="es", dev=float("nan"))
    assert not out.exists()


def test_the_source_is_no_place_to_write(tmp_path):
    source = text_file(tmp_path, "Uno.\nDos.\nTres.\n")
    for target in (source, source / "below"):
        with refused(target, kind=InputError):
            prepare_text(source, target, language="es")
    assert source.read_text() == "Uno.\nDos.\nTres.\n"


def test_prepare_says_which_parts_are_small_and_what_it_dropped(run, tmp_path):
    text = tmp_path / "talks.txt"
    line = "Hola\u200b, hoy hablamos de la ley. " * 4
    text.write_text(f"{line}\n\n" * 900)
    status, _, error = run("prepare", "text", text, tmp_path / "data", "--dev", 0.3)
    assert status == 0
    small = [line.partition(":")[0] for line in error.splitlines() if "words are few" in line]
    assert small == ["test"]
    assert "dropped characters: U+200B 3600 times" in error
    assert "--test 0.15)" in error
    assert "--test 0.16)" in run("prepare", "text", text, tmp_path / "again", "--test", 0.08)[2]
