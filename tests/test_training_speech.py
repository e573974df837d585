"""Transcribed speech: words, marks, pauses and turns of recordings, in training mixtures and as test sets."""

import json
import lzma
import random

import pytest
import score_speech
import speech_to_tsv
from training_text.documents import short_documents
from training_text.mixture import prepare_mixture
from training_text.sources import Source, read_blocks
from training_text.speech import read_recordings
from training_text.spoken_numbers import spelled_out

from asr_punct.errors import InputError
from asr_punct.formats.lines.tsv import read_tsv
from asr_punct.glyphs import glyphs, write_text
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Word


def spoken(text, start=0.0, speaker="1"):
    """Tokens of half a second each; a number between two tokens is the pause between them, `-` one without times."""
    tokens, clock = [], start
    for part in text.split():
        if part[0].isdigit():
            clock += float(part)
        elif part[0] == "-":
            tokens.append([part[1:], None, None, speaker])
        else:
            tokens.append([part, clock, clock + 0.5, speaker])
            clock += 0.5
    return tokens


def written(utterance):
    return write_text([word.text for word in utterance.words], utterance.labels, glyphs("en"))


@pytest.fixture
def read(tmp_path):
    """Turns of a recording with these words or utterances."""

    def turns(**row):
        (tmp_path / "calls.jsonl").write_text(json.dumps({"doc": "a", **row}) + "\n")
        ((name, found),) = read_recordings(tmp_path / "calls.jsonl")
        assert name == "a"
        return found

    return turns


def test_words_get_marks_and_pauses(read):
    ((turn,),) = read(words=spoken("Thanks, 0.2 everyone. 0.75 Uh, we grew."))
    assert written(turn) == "Thanks, everyone. Uh, we grew."
    assert turn.pauses == (0.2, 0.75, 0.0, 0.0, None)
    assert turn.speaker == "1"


def test_each_change_of_speaker_begins_a_turn(read):
    words = [*spoken("Any questions?"), *spoken("1.5 Yes, Dr. Li. Two.", 1.0, "2"), *spoken("Go on.", 5.0)]
    turns = read(words=words)
    assert [written(part) for turn in turns for part in turn] == ["Any questions?", "Yes, Dr. Li. Two.", "Go on."]
    assert turns[0][0].pauses == (0.0, 1.5)


def test_utterances_of_meetings_are_joined_to_turns(read):
    turns = read(
        utterances=[spoken("Mm, the but-", speaker="A"), spoken("2 it", speaker="A"), spoken("Okay.", speaker="B")]
    )
    assert [written(part) for turn in turns for part in turn] == ["Mm, the but it", "Okay."]


def test_sentences_that_were_not_understood_are_left_out(read):
    ((first, second),) = read(words=spoken("Fine. The <inaudible> rose. 0.4 Good <laugh> day."))
    assert (written(first), written(second)) == ("Fine.", "Good day.")
    assert first.pauses == (None,)


@pytest.mark.parametrize(
    ("words", "pauses"),
    [
        (spoken("One -two three."), (None, None, None)),
        ([["One", 5, 6, "1"], ["two", 3, 4, "1"], ["three.", 6.5, 7, "1"]], (None, None, None)),
        (spoken("One 3.1 two. 3.1 Three."), (None, 3.1, None)),
        (spoken("One.Two 0.2 three."), (None, None, None, None)[:3]),
    ],
    ids=["without times", "times that go back", "too long inside a sentence", "glued words"],
)
def test_unknown_pauses(read, words, pauses):
    assert read(words=words)[0][0].pauses == pauses


def test_remarks_and_capitals_of_transcripts(read):
    ((turn,),) = read(words=spoken("So i'm late.( laughs) [beep] (yes) i said.And went."))
    assert written(turn) == "So I'm late. I said. And went."


OTHER_ROWS = ["{}", '{"doc": "a", "words": [["a"]]}', '{"doc": "a", "words": [["a", "x", 1, 1]]}', "["]


@pytest.mark.parametrize("line", OTHER_ROWS)
def test_other_files(tmp_path, line):
    (tmp_path / "calls.jsonl").write_text(line + "\n")
    with pytest.raises(InputError, match=r"calls\.jsonl:1: found .*expected \{\"doc\""):
        list(read_recordings(tmp_path / "calls.jsonl"))


def test_the_pause_after_a_number_in_words():
    written_number = Word("25", pause=0.3, labels=Labels(frozenset({Mark.COMMA}), Case.O))
    spoken_number = spelled_out([written_number], "en")
    assert [(word.text, word.pause) for word in spoken_number] == [("twenty", None), ("five", 0.3)]


@pytest.fixture
def material(tmp_path):
    rng = random.Random(2)
    words = [token for turn in range(40) for token in spoken("So, 0.3 I see. 0.5", 3 * turn, str(turn))]
    calls = "".join(json.dumps({"doc": f"call {i}", "words": words}) + "\n" for i in range(5))
    (tmp_path / "calls.jsonl.xz").write_bytes(lzma.compress(calls.encode()))
    (tmp_path / "theatre.txt").write_text("¡Ven aquí!\n¿Quién es?\n\nSoy yo.\n", encoding="utf-8")
    lines = [" ".join(rng.sample(("casa", "mesa", "silla", "luz", "sol", "mar"), 5)).capitalize() for _ in range(300)]
    (tmp_path / "lines.txt").write_text("".join(f"{line}{rng.choice('.?')}\n" for line in lines), encoding="utf-8")
    return tmp_path


def test_half_of_the_documents_of_timed_speech_keep_their_pauses(material, tmp_path):
    sources = [Source("calls", "en", "timed", 4, 0, "CC0")]
    summary = prepare_mixture(material, sources, tmp_path / "out")
    assert summary.words["train"]["calls"] == 5 * 40 * 3 * 4
    documents = {}
    for utterance in read_tsv(tmp_path / "out" / "train.tsv"):
        documents.setdefault(utterance.document, []).append(utterance)
    known = [any(p is not None for u in parts for p in u.pauses) for parts in documents.values()]
    assert 0.3 < sum(known) / len(known) < 0.7
    assert max(map(len, documents.values())) > 3


def test_speech_that_is_not_timed_has_no_pauses(material, tmp_path):
    prepare_mixture(material, [Source("calls", "en", "speech", 1, 0, "CC0")], tmp_path / "out")
    utterances = list(read_tsv(tmp_path / "out" / "train.tsv"))
    assert {pause for utterance in utterances for pause in utterance.pauses} == {None}


def test_each_line_of_a_play_is_a_turn(material):
    assert list(read_blocks(material, Source("theatre", "es", "turns", 1, 0, "CC0"))) == [
        ["¡Ven aquí!"],
        ["¿Quién es?"],
        ["Soy yo."],
    ]


def test_conversations_have_a_named_turn_per_line(tmp_path):
    (tmp_path / "talk.txt").write_text("# at the market\nAne: Bi kilo: bai.\nJon: Ondo.\n\nMaria Luisa: Kaixo!\n")
    assert list(read_blocks(tmp_path, Source("talk", "eu", "named", 1, 0, "CC0"))) == [
        ["Bi kilo: bai."],
        ["Ondo."],
        ["Kaixo!"],
    ]


def test_everyday_sentences_are_mostly_documents_of_their_own(material):
    (lines,) = read_blocks(material, Source("lines", "es", "alone", 1, 0, "CC0"))
    found = list(short_documents(lines, random.Random(5)))
    assert len([each for each in found if len(each) == 1]) > len(found) / 2
    assert max(map(len, found)) <= 5
    pairs = [first.endswith("?") for first, *others in found if len(others) == 1]
    assert sum(pairs) > len(pairs) / 2


def test_conversion_to_tsv(material, tmp_path):
    speech_to_tsv.main(material / "calls.jsonl.xz", tmp_path / "calls.tsv")
    first, second, *others = read_tsv(tmp_path / "calls.tsv")
    assert (first.id, second.id, first.document) == ("call_0-1-0", "call_0-2-1", "call_0")
    assert first.pauses == (0.3, 0.0, 1.2)
    assert len(others) == 5 * 40 - 2


def test_a_model_is_scored_with_and_without_times_and_turns(material, punctuator, capsys):
    result = score_speech.score_file(punctuator, material / "calls.jsonl.xz")
    assert result["words"]["words"] == 600
    assert result["words"]["bootstrap"]["units"] == 5
    assert result["times - words"]["micro.f1"]["second"] == pytest.approx(result["times"]["micro"]["f1"], abs=1e-6)
    assert {"turns", "both", "turns - words", "both - words"} <= result.keys()
    assert "calls.jsonl.xz: 600 words of 5 recordings" in capsys.readouterr().out


def test_inputs_of_a_model(material):
    recordings = dict(list(read_recordings(material / "calls.jsonl.xz"))[:1])
    plain = score_speech.inputs(recordings, times=False, turns=False)
    assert {(word.start, word.pause, word.labels) for part in plain for word in part.words} == {(None, None, None)}
    assert {part.document for part in plain} == {"call 0"}
    both = score_speech.inputs(recordings, times=True, turns=True)
    assert both[0].words[0].pause == 0.3
    assert len({part.speaker for part in both}) == 40
    assert {part.document for part in both} == {"call 0"}
    silent = [score_speech.without_pauses(part) for part in recordings["call 0"][0]]
    assert list(score_speech.runs({"a": [silent]})) == ["words"]
