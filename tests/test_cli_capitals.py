"""The option --lowercase, and the hint to use it."""

import json
import re

import pytest
from dummies import file

HINT = "all words are in capitals, which stay in the output (to restore capitals: --lowercase)"
CAPITALS = "ANA MIRA LA CASA\nDÓNDE ESTÁ LA MESA\n"


def test_words_are_read_in_lower_case(run, model, tmp_path):
    lower, capitals = file(tmp_path, "a.txt", CAPITALS.lower()), file(tmp_path, "b.txt", CAPITALS)
    expected = run("punctuate", "--model", model, lower)
    assert run("punctuate", "--model", model, "--lowercase", capitals) == expected
    assert "Ana" in expected[1]
    status, out, err = run("punctuate", "--model", model, capitals)
    assert (status, err) == (0, f"asr-punct: {capitals}: {HINT}\n")
    assert re.sub(r"[^\w\s]", "", out) == CAPITALS


@pytest.mark.parametrize(
    ("text", "options", "hinted"),
    [
        (CAPITALS, (), True),
        ("ANA MIRA 25 <unk>\n[noise] - LA\n", (), True),
        (CAPITALS, ("--quiet",), False),
        (CAPITALS, ("--no-case",), False),
        ("NASA EHU\n", (), False),
        ("ANA MIRA LA casa\n", (), False),
        ("NASA EHU UPV Y otras\n", (), False),
        ("25 30 31 . -\n", (), False),
    ],
)
def test_the_hint_is_for_input_that_is_all_in_capitals(run, model, tmp_path, text, options, hinted):
    status, _, err = run("punctuate", "--model", model, *options, file(tmp_path, "a.txt", text))
    assert (status, HINT in err) == (0, hinted)


def test_tags_and_addresses_keep_their_letters(run, model, tmp_path):
    source = file(tmp_path, "a.txt", "ANA MIRA <UNK> LA [NOISE] CASA WWW.EHU.EUS\n")
    _, out, _ = run("punctuate", "--model", model, "--lowercase", source)
    assert "<UNK>" in out
    assert "[NOISE]" in out
    assert "casa" in out


def test_a_data_directory_in_capitals(run, model, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    file(data, "text", "u1 ANA MIRA LA CASA\n")
    file(data, "ctm", "".join(f"u1 1 {i} 0.5 {word}\n" for i, word in enumerate(["ANA", "MIRA", "LA", "CASA"])))
    arguments = ("punctuate", "--model", model, "--from", "kaldi", data, "--lowercase", "-o", tmp_path / "out")
    assert run(*arguments)[0] == 0
    words = (tmp_path / "out" / "text").read_text().split()[1:]
    assert [line.split()[4] for line in (tmp_path / "out" / "ctm").read_text().splitlines()] == words
    assert [re.sub(r"\W", "", word).lower() for word in words] == ["ana", "mira", "la", "casa"]
    assert "mira" in words


@pytest.mark.parametrize("options", [(), ("--no-case",), ("--lowercase",)])
def test_a_stream_in_capitals(run, model, standard_input, options):
    standard_input("ANA MIRA LA CASA\n" * 10)
    status, out, err = run("stream", "--model", model, *options)
    assert (status, err.count(HINT)) == (0, not options)
    assert out.isupper() == ("--lowercase" not in options)
    assert len(out.splitlines()) == 40


def test_json_words_of_a_stream_are_in_lower_case(run, model, standard_input):
    standard_input(json.dumps({"word": "ANA", "start": 0.5, "end": 0.75}) + "\n\n")
    status, out, err = run("stream", "--model", model, "--lowercase")
    assert (status, err) == (0, "")
    assert json.loads(out)["word"] == "ana"
