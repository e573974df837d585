"""Treebanks: their words, and what is no treebank."""

import lzma

import pytest

from asr_punct.corpora.conllu import read_conllu
from asr_punct.errors import InputError


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
