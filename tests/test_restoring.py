"""Words and utterances as values, and the pipeline from words to words with marks."""

import pickle
from dataclasses import FrozenInstanceError, replace

import pytest
from dummies import LABELLED, file, grid_of, refused_at

from asr_punct.errors import Setting
from asr_punct.formats.source import Source
from asr_punct.glyphs import glyphs
from asr_punct.hints import CAPITALS_STAY, LABELS_STAY, Hint
from asr_punct.marks import Labels, Mark
from asr_punct.restoring import PipelineOptions, prepare_words, restore_file
from asr_punct.subtitles.report import HEADER
from asr_punct.text.bare import bare
from asr_punct.words import Utterance, Word, split_words, text_of_utterance, utterances_of_text


def test_a_word_is_a_frozen_value():
    word = Word("hola", 0.5, end=1.0, origin="line 1")
    assert word == Word("hola", 0.5, 1.0)  # its origin does not count
    assert hash(word) == hash(Word("hola", 0.5, 1.0))
    assert pickle.loads(pickle.dumps(word)) == word
    assert replace(word, text="adiós") == Word("adiós", 0.5, 1.0)
    with pytest.raises(FrozenInstanceError):
        word.text = "adiós"


def test_a_text_is_utterances_and_back():
    text = "Hola, Ana.\n¿Qué?\n\nUna casa."
    utterances = list(utterances_of_text(text, "es"))
    assert [(u.id, u.document, len(u.words)) for u in utterances] == [
        ("1", "1", 2),
        ("2", "1", 1),
        ("3", "1", 0),
        ("4", "2", 2),
    ]
    assert {u.language for u in utterances} == {"es"}
    assert "\n".join(text_of_utterance(u, glyphs("es")) for u in utterances) == text


def test_bare_words_are_those_of_a_recogniser():
    words = (Word("Hola", 1.0, 2.0, labels=Labels(frozenset({Mark.COMMA})), probabilities={}), Word("<UNK>"))
    assert bare(Utterance(words, id="a")) == Utterance((Word("hola", 1.0, 2.0), Word("<UNK>")), id="a")


CAPITALS = Utterance(split_words("ANA MIRA LA CASA"))


@pytest.mark.parametrize(
    ("utterance", "options", "hints"),
    [
        (CAPITALS, {}, [CAPITALS_STAY]),
        (CAPITALS, {"lowercase": True}, []),
        (LABELLED, {}, [LABELS_STAY]),
        (LABELLED, {"ignore_labels": True}, []),
    ],
)
def test_hints_are_about_what_stays(punctuator, utterance, options, hints):
    found = []
    prepared = list(prepare_words([utterance], punctuator, PipelineOptions(**options), found.append))
    assert found == hints
    assert prepared == ([utterance] if hints else [bare(utterance)])
    assert list(prepare_words([utterance], punctuator, PipelineOptions(**options))) == prepared


def test_a_file_is_restored_into_a_new_folder(punctuator, tmp_path):
    source = file(tmp_path, "a.txt", "ana mira la casa\n\n")
    output = tmp_path / "new" / "a.srt"
    with pytest.raises(ValueError, match="without times"):
        restore_file(Source(source), output, punctuator, PipelineOptions(), make_folder=True)
    output = tmp_path / "new" / "a.txt"
    assert restore_file(Source(source), output, punctuator, PipelineOptions(), make_folder=True).words == 4
    assert output.read_text() == "Ana, mira la casa.\n\n"


SILENT_GRID = grid_of(ana=["", ""], leo=[""])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.srt", "1\r\n00:00:01,000 --> 00:00:02,000\r\n \r\n\r\n"),
        ("a.srt", ""),
        ("a.vtt", "\ufeffWEBVTT\n\nNOTE nobody speaks\n\n00:01.000 --> 00:02.000\n\n"),
        ("a.TextGrid", "".join(SILENT_GRID.lines())),
        ("a.eaf", '<ANNOTATION_DOCUMENT><TIME_ORDER/><TIER TIER_ID="default"></TIER></ANNOTATION_DOCUMENT>'),
        ("a.tsv", "start\tend\ttext\n0\t1000\t\n"),
        ("a.json", '{"text": "",  "segments": []}'),
    ],
)
def test_silence_is_written_as_it_is(punctuator, tmp_path, name, content):
    source, output, hints = tmp_path / name, tmp_path / f"new-{name}", list[Hint]()
    source.write_bytes(content.encode())
    options = PipelineOptions()
    written = restore_file(options.source(source), output, punctuator, options, hints.append)
    assert (written.words, output.read_bytes(), hints) == (0, content.encode(), [Hint("no words, written as it is")])
    as_text = PipelineOptions(target_format="text")
    restore_file(as_text.source(source), tmp_path / "a", punctuator, as_text)
    assert (tmp_path / "a").read_text().strip() == ""


def test_the_report_of_silence_has_no_cues(punctuator, tmp_path):
    options, hints = PipelineOptions(report=tmp_path / "report.tsv"), list[Hint]()
    source = options.source(file(tmp_path, "a.vtt", b"WEBVTT\n\nNOTE caf\xe9 \xff\n\n"))
    written = restore_file(source, tmp_path / "b.vtt", punctuator, options, hints.append)
    assert written.report == "0 cues: no problems"
    assert (tmp_path / "report.tsv").read_text() == HEADER
    assert (tmp_path / "b.vtt").read_bytes() == (tmp_path / "a.vtt").read_bytes()
    silence, encoding = hints
    assert silence == Hint("no words, written as it is")
    assert encoding.setting == Setting("encoding")
    in_srt = PipelineOptions(target_format="srt", report=tmp_path / "b.tsv")
    assert restore_file(in_srt.source(tmp_path / "a.vtt"), tmp_path / "b", punctuator, in_srt).report == written.report


@pytest.mark.parametrize(("name", "content"), [("a.txt", " \n"), ("a.ctm", ";; no rows\n")])
def test_other_files_have_words(punctuator, tmp_path, name, content):
    options = PipelineOptions()
    with refused_at(file(tmp_path, name, content), "no words"):
        restore_file(options.source(tmp_path / name), tmp_path / "b", punctuator, options)
    assert not (tmp_path / "b").exists()
