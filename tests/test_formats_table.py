"""All formats: a file that is read and written keeps everything but the marks; each format converts to each other."""

import json
import re
from dataclasses import replace
from pathlib import Path

import format_samples
import pytest
from format_samples import DEFAULT_TIME_SOURCE, ROWS, SAMPLES, TEXTS, TIMES, WORDS
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.encoding import UTF8
from asr_punct.errors import InputError
from asr_punct.formats.registry import READABLE, WRITABLE, WRITTEN_BACK
from asr_punct.glyphs import glyphs
from asr_punct.marks import Labels, Mark
from asr_punct.text import without_marks
from asr_punct.words import TIME_SOURCES, Utterance, Word, annotate

ES = glyphs("es")
EXCLAIMED = Labels(frozenset({Mark.EXCLAMATION, Mark.OPEN_EXCL}))
"""Marks that are in no sample: without them, the output is the sample."""


def format_of(row):
    """The format of a row of the table, which may name a form of it after a slash."""
    return row.partition("/")[0]


ROWS_READ = [row for row in SAMPLES if format_of(row) in READABLE]
ROWS_WRITTEN = [row for row in SAMPLES if format_of(row) in (*WRITABLE, *WRITTEN_BACK)]
READ_BACK = [name for name in WRITABLE if name in READABLE]
IN_COLUMNS = ("tsv", "json", "textgrid", "mfa")
"""Formats that write marks beside the words, not into them."""
TIMED = ("json", "ctm", "textgrid", "eaf", "nemo", "whisper", "whisper-jsonl", "vosk", "lhotse", "kaldi")
"""Formats that have the times of every word."""
NAMING = ("tsv", "json", "textgrid", "eaf", "nemo", "whisper", "whisper-jsonl", "vosk", "lhotse")
"""Formats whose files can name the time source."""
WITH_KEY = ("nemo", "whisper", "whisper-jsonl", "vosk", "lhotse")
"""Those that name it by the key `times`, unless it is the default."""
WITH_SPEAKERS = ("json", "stm", "eaf", "whisper", "whisper-jsonl", "lhotse", "vtt", "ass")
"""Formats with speakers."""
TIMELESS = ("text", "tsv", "kaldi-text")
EDGES = ("stm", "srt", "vtt", "ass", "whisper-log", "whisper-tsv", "whisper-csv", "aeneas")
"""Formats without times, and with those of segments alone."""
OFFSETS = ("startOffset", "endOffset")
KEEP_CASE = ("textgrid", "mfa")
"""Formats that keep the case of their words beside the words with marks."""
NEED_TIMES = (
    "ctm",
    "stm",
    "textgrid",
    "eaf",
    "lhotse",
    "srt",
    "vtt",
    "ass",
    "whisper-log",
    "whisper-tsv",
    "whisper-csv",
)


def put(path, content):
    """Write a sample, a file or a directory of files."""
    if isinstance(content, dict):
        path.mkdir()
        for name, text in content.items():
            (path / name).write_text(text, encoding="utf-8")
    else:
        path.write_text(content, encoding="utf-8")
    return path


def content_of(path):
    if Path(path).is_dir():
        return {file.name: content_of(file) for file in path.iterdir()}
    text = path.read_text(encoding="utf-8")
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def read(path, row):
    return list(formats.read(path, format_of(row)))


def write(utterances, path, row):
    formats.write(utterances, path, ES, format_of(row))
    return path


def exclaimed(utterances):
    return [annotate(utterance, labels=(EXCLAIMED,) * len(utterance.words)) for utterance in utterances]


def plain(value):
    """Remove the marks that `exclaimed` added, and what counts the characters of a text (Gentle)."""
    if isinstance(value, str):
        return value.replace("¡", "").replace("!", "")
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in OFFSETS}
    return [plain(item) for item in value] if isinstance(value, list) else value


def words_of(utterances):
    return [word for utterance in utterances for word in utterance.words]


def texts_of(utterances):
    return [word.text for word in words_of(utterances)]


def times_of(utterances):
    return [(word.start, word.end) for word in words_of(utterances)]


def sources_of(utterances):
    """Sources of word times; `none` if only segments have times."""
    return {"none" if utterance.time_source == "segment" else utterance.time_source for utterance in utterances}


def expected_sources(sources, name):
    """Time sources that are read back."""
    if name in NAMING or sources == {"none"}:
        return sources
    return {DEFAULT_TIME_SOURCE[name]} if name in TIMED else {"none"}


def test_the_table_has_all_formats():
    assert {format_of(row) for row in SAMPLES} == set(READABLE)
    only_written = {"ttml"}, {"stl", "markdown", "docx", "sentences", "audacity"}
    assert set.union(*only_written) == set(WRITABLE) - set(READABLE)  # read in test_formats_cues and test_documents


@pytest.mark.parametrize("name", ROWS_READ)
def test_a_sample_is_read(tmp_path, name):
    found = read(put(tmp_path / "in", SAMPLES[name]), name)
    assert texts_of(found) == TEXTS
    known = [time for time in zip(times_of(found), TIMES, strict=True) if time[0] != (None, None)]
    assert all(start in (None, truth[0]) and end in (None, truth[1]) for (start, end), truth in known)
    complete = [time for time, _ in known if None not in time]
    assert len(complete) == (0 if format_of(name) in (*TIMELESS, *EDGES) else len(ROWS))
    expected = "none" if format_of(name) in (*TIMELESS, *EDGES) else DEFAULT_TIME_SOURCE.get(format_of(name), "asr")
    assert sources_of(found) == {expected}
    assert {utterance.time_source for utterance in found if format_of(name) in EDGES} <= {"segment"}


@pytest.mark.parametrize("name", ROWS_WRITTEN)
def test_a_sample_is_written_as_it_was_read(tmp_path, name):
    source = put(tmp_path / "in", SAMPLES[name])
    found = read(source, name)
    assert content_of(write(found, tmp_path / "out", name)) == content_of(source)


@pytest.mark.parametrize("name", ROWS_WRITTEN)
def test_only_marks_are_added(tmp_path, name):
    source = put(tmp_path / "in", SAMPLES[name])
    found = read(source, name)
    path = write(exclaimed(found), tmp_path / "out", name)
    again = read(path, name)
    assert times_of(again) == times_of(found)
    assert texts_of(again) == (TEXTS if name in IN_COLUMNS else [f"¡{text}!" for text in TEXTS])
    assert [utterance.time_source for utterance in again] == [utterance.time_source for utterance in found]
    if name in IN_COLUMNS:
        assert content_of(write(again, tmp_path / "again", name)) == content_of(path)
    else:
        assert plain(content_of(path)) == plain(content_of(source))


@pytest.mark.parametrize("name", [row for row in ROWS_WRITTEN if format_of(row) not in ("eaf", "kaldi")])
def test_a_byte_that_is_not_utf8_stays_or_is_shown(tmp_path, name):
    sample = SAMPLES[name].encode().replace(b"hola", b"ho\x98la")
    (tmp_path / "in").write_bytes(sample)
    found = read(tmp_path / "in", name)
    formats.write(found, tmp_path / "kept", ES, format_of(name), form=UTF8)
    shown = content_of(write(found, tmp_path / "shown", name))
    assert shown == content_of(put(tmp_path / "expected", SAMPLES[name].replace("hola", "ho\ufffdla")))
    kept = (tmp_path / "kept").read_bytes().replace(b"\x98", b"")
    assert b"ho\x98la" in (tmp_path / "kept").read_bytes()
    assert content_of(put(tmp_path / "rest", kept.decode())) == content_of(put(tmp_path / "bare", SAMPLES[name]))


BAD_ROWS = {'("ana", 1.75, 1.25)': (1.75, None), '("ana", 0.25, 0.75)': (None, None)}
"""Rows of a word whose end is before its start, or that starts before the word before, and its known times."""


def samples_with(row):
    """The samples with another row for the third word."""
    source, scope = Path(format_samples.__file__).read_text(encoding="utf-8"), dict(vars(format_samples))
    exec(source.replace('("ana", 1.75, 2.125)', row), scope)
    return scope["SAMPLES"]


@pytest.mark.parametrize("row", BAD_ROWS)
@pytest.mark.parametrize("name", [row for row in SAMPLES if format_of(row) not in (*TIMELESS, *EDGES)])
def test_times_that_make_no_sense_are_unknown_in_every_format_alike(tmp_path, name, row):
    if name == "eaf" and BAD_ROWS[row] == (None, None):  # a tier has no other order than that of time
        return
    path, bad = put(tmp_path / "in", samples_with(row)[name]), []
    found = list(formats.read(path, format_of(name), on_bad_times=bad.append))
    assert (texts_of(found), times_of(found)) == (TEXTS, [*TIMES[:2], BAD_ROWS[row], *TIMES[3:]])
    assert [each.count for each in bad] == [1]
    if name in ROWS_WRITTEN:
        assert content_of(write(found, tmp_path / "out", name)) == content_of(path)


@pytest.mark.parametrize("name", ROWS_WRITTEN)
def test_marks_can_be_removed_and_set_again(tmp_path, name):
    found = read(put(tmp_path / "in", SAMPLES[name]), name)
    marked = write(exclaimed(found), tmp_path / "marked", name)
    bare = [without_marks(utterance, "es") for utterance in read(marked, name)]
    assert content_of(write(exclaimed(bare), tmp_path / "again", name)) == content_of(marked)


def with_words(utterances, change):
    return [
        replace(each, words=tuple(replace(word, text=change(word.text)) for word in each.words)) for each in utterances
    ]


@pytest.mark.parametrize("name", ROWS_WRITTEN)
def test_words_in_capitals_are_written_in_lower_case(tmp_path, name):
    sample = read(put(tmp_path / "in", SAMPLES[name]), name)
    capitals = read(write(with_words(sample, str.upper), tmp_path / "capitals", name), name)
    assert texts_of(capitals) == ([text.upper() for text in TEXTS] if name not in KEEP_CASE else TEXTS)
    path = write(with_words(capitals, str.lower), tmp_path / "out", name)
    assert content_of(path) == content_of(tmp_path / "in")


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize(("source", "target"), [(a, b) for a in ROWS_READ for b in READ_BACK if format_of(a) != b])
def test_every_other_format_has_the_words_and_their_times(tmp_path, source, target, labelled):
    found = read(put(tmp_path / "in", SAMPLES[source]), source)
    given = exclaimed(found) if labelled else found
    if (source in TIMELESS and target in NEED_TIMES) or (format_of(source) in EDGES and target == "ctm"):
        with pytest.raises(InputError, match="times"):
            write(given, tmp_path / "out", target)
        assert not (tmp_path / "out").exists()
        return
    path = write(given, tmp_path / "out", target)
    again = read(path, target)
    assert plain(texts_of(again)) == TEXTS
    if labelled and target not in IN_COLUMNS:
        assert all(text[0] + text[-1] == "¡!" for text in texts_of(again))
    if target in TIMED:
        assert [time for time in times_of(again) if None not in time] == [
            time for time in times_of(found) if None not in time
        ]
    usual = [{DEFAULT_TIME_SOURCE.get(target, "none")}] * (format_of(source) in EDGES)
    assert sources_of(again) in [expected_sources(sources_of(found), target), *usual]


@pytest.mark.parametrize("name", [row for row in ROWS_WRITTEN if format_of(row) in TIMED])
def test_a_named_time_source_is_all_that_changes(tmp_path, name):
    source, format_name = put(tmp_path / "in", SAMPLES[name]), format_of(name)
    found = read(source, name)
    same = list(formats.read(source, format_name, times=found[0].time_source))
    assert content_of(write(same, tmp_path / "same", name)) == content_of(source)
    named = list(formats.read(source, format_name, times="ctc"))
    assert named == [replace(utterance, time_source="ctc") for utterance in found]
    path = write(named, tmp_path / "named", name)
    assert sources_of(read(path, name)) == expected_sources({"ctc"}, format_name)
    if format_name in WITH_KEY:
        without = put(tmp_path / "without", path.read_text(encoding="utf-8").replace(', "times": "ctc"', ""))
        assert content_of(without) == content_of(source)


OTHER_MEANING = {
    "lhotse": ('"custom": {', '"custom": {"times": @, '),
    "nemo": ('"lang": ', '"times": @, "lang": '),
    "textgrid": ('name = "phones"', 'name = "times"'),
    "vosk": ('"spk": ', '"times": @, "spk": '),
    "whisper": ('"seek": 7', '"times": @'),
    "whisper/chunks": ('"chunks": [', '"times": @, "chunks": ['),
    "whisper/cpp": ('"tokens": [', '"times": @, "tokens": ['),
}
"""A change of each sample that uses the key or tier of the time source for something else."""


@pytest.mark.parametrize("value", ['["asr"]', '"clock"', "null"])
@pytest.mark.parametrize("name", OTHER_MEANING)
def test_a_key_of_another_meaning_is_kept(tmp_path, name, value):
    old, new = OTHER_MEANING[name]
    assert old in SAMPLES[name]
    source, format_name = put(tmp_path / "in", SAMPLES[name].replace(old, new.replace("@", value))), format_of(name)
    assert sources_of(read(source, name)) == {DEFAULT_TIME_SOURCE[format_name]}
    named = list(formats.read(source, format_name, times="ctc"))
    assert content_of(write(named, tmp_path / "out", name)) == content_of(source)


def test_the_documentation_lists_the_default_time_sources():
    text = (Path(__file__).parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")
    _, _, section = text.partition("\n## Where times come from\n")
    rows = [line.split("|")[1:4] for line in section.split("\n## ")[0].splitlines() if line.startswith("| `")]
    listed = {name: (default, named) for names, default, named in rows for name in re.findall(r"`([\w-]+)`", names)}
    assert listed.keys() == set(READABLE)
    for name, (default, named) in listed.items():
        forms = {times for form, times in DEFAULT_TIME_SOURCE.items() if format_of(form) == name}
        assert set(re.findall("|".join(TIME_SOURCES), re.sub("[^`]*(`[^`]*`)?", r"\1", default))) == forms
        assert (named.strip() not in ("no", "not written")) == (name in NAMING)


@pytest.mark.parametrize("name", WITH_SPEAKERS)
def test_speakers_are_kept_between_formats(tmp_path, name):
    values = [
        Utterance(WORDS[0], "u", recording="r", time_source="asr"),
        Utterance(WORDS[1], "v", recording="r", speaker="S1 & <co>", time_source="asr"),
    ]
    again = read(write(values, tmp_path / "out", name), name)
    assert [utterance.speaker for utterance in again] == ["", "S1_&_<co>" if name == "stm" else "S1 & <co>"]


@st.composite
def transcripts(draw):
    """Utterances of one recording, words with times in whole milliseconds that do not overlap."""
    tokens = st.text(st.sampled_from("abñ3&'\"<-"), min_size=1, max_size=4)
    utterances, clock, times = [], 0, draw(st.sampled_from(TIME_SOURCES))
    for number in range(draw(st.integers(1, 3))):
        words = []
        for _ in range(draw(st.integers(1, 5))):
            start = clock + draw(st.integers(0, 3000))
            clock = start + draw(st.integers(1, 1500))
            words.append(Word(draw(tokens), start / 1000, clock / 1000))
        speaker = draw(st.sampled_from(["", "ana", "R&D <a>"]))
        utterances.append(Utterance(tuple(words), f"u{number}", recording="r", speaker=speaker, time_source=times))
    return utterances


@pytest.mark.parametrize("name", READ_BACK)
@settings(max_examples=20)
@given(utterances=transcripts(), labelled=st.booleans())
def test_any_transcript_is_read_back(tmp_path_factory, name, utterances, labelled):
    if name in ("srt", "vtt", "ass"):  # cues of several speakers have dashes
        utterances = [replace(utterance, speaker="") for utterance in utterances]
    path = write(exclaimed(utterances) if labelled else utterances, tmp_path_factory.mktemp("trip") / "out", name)
    again = read(path, name)
    assert plain(texts_of(again)) == texts_of(utterances)
    if name in TIMED:
        assert times_of(again) == times_of(utterances)
    assert sources_of(again) == expected_sources(sources_of(utterances), name)
    if name in WITH_KEY:
        assert ('"times"' in path.read_text()) == (utterances[0].time_source != DEFAULT_TIME_SOURCE[name])
    second = write(again, tmp_path_factory.mktemp("trip") / "out", name)
    assert content_of(second) == content_of(path)
