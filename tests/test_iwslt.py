"""`prepare iwslt`: clitics joined for a model, labels brought back onto the benchmark's tokens."""

import lzma
import re

import pytest
from dummies import bare_words
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.corpora.iwslt import join_clitics, label_tokens, prepare_iwslt, read_iwslt
from asr_punct.errors import InputError
from asr_punct.formats.tsv import read_tsv
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate

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


def test_all_parts_are_written_and_missing_files_reported(tmp_path):
    source(tmp_path)
    with lzma.open(tmp_path / "dev2012.xz", "wt", encoding="utf-8") as out:
        out.write("thank\tO\nyou\tPERIOD\n")
    summary = prepare_iwslt(tmp_path, tmp_path / "out")
    assert dict(summary.words) == {"dev": 2, "test": 9}
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
