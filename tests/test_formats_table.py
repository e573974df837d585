"""All formats: a file that is read and written keeps everything but the marks; each format converts to each other."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.formats.formats import READABLE, WRITABLE
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE
from asr_punct.marks import Labels, Mark, glyphs
from asr_punct.words import TIME_SOURCES, Utterance, Word, annotate

ES = glyphs("es")
EXCLAIMED = Labels(frozenset({Mark.EXCLAMATION, Mark.OPEN_EXCL}))
"""Marks that are in no sample: without them, the output is the sample."""
ROWS = [("qué", 0.25, 0.5), ("dijo", 0.5, 1.0), ("ana", 1.75, 2.125), ("hola", 3.0, 3.5), ("r&d", 3.5, 4.25)]
TEXTS = [text for text, _, _ in ROWS]
TIMES = [(start, end) for _, start, end in ROWS]
SEGMENTS = [ROWS[:3], ROWS[3:]]
WORDS = [tuple(Word(*row) for row in rows) for rows in SEGMENTS]


def line(value):
    return json.dumps(value, ensure_ascii=False)


def entries(rows, **more):
    return [{"word": text, "start": start, "end": end, **more} for text, start, end in rows]


def joined(rows):
    return " ".join(text for text, _, _ in rows)


def own_utterance(rows, **more):
    head = {"id": "u", "recording": "r", "channel": "1", "times": "asr", "text": joined(rows)}
    return {**head, "words": entries(rows, confidence=0.50, speaker="a"), **more}


def manifest(rows, **more):
    item = {"audio_filepath": "d/r.wav", "duration": 9.5, "lang": "es", **more}
    return line({**item, "pred_text": joined(rows), "word": entries(rows, start_offset=3)}) + "\n"


def supervision(number, rows):
    item = {"id": f"s{number}", "recording_id": "r", "start": rows[0][1], "duration": 2, "channel": 0}
    word = [[text, start, end - start, 0.75] for text, start, end in rows]
    more = {"text": joined(rows), "custom": {"snr": 1.5}, "alignment": {"word": word, "phone": [["k", 0.25, 0.1]]}}
    return line(item | more) + "\n"


def whisper_segment(number, rows):
    words = entries([(f" {text}", start, end) for text, start, end in rows], probability=0.5)
    limits = {"start": rows[0][1], "end": rows[-1][2]}
    return {"id": number, "seek": 7, **limits, "text": f" {joined(rows)}", "tokens": [1, 2], "words": words}


def cpp_times(start, end):
    clock = [f"00:00:{int(t):02},{int(t * 1000) % 1000:03}" for t in (start, end)]
    milliseconds = [int(t * 1000) for t in (start, end)]
    return {name: {"from": a, "to": b} for name, (a, b) in (("timestamps", clock), ("offsets", milliseconds))}


def cpp_segment(rows):
    """A segment of whisper.cpp: words of one or two tokens, between special tokens."""
    tokens = [{"text": "[_BEG_]", **cpp_times(0, 0), "id": 50363, "p": 0.9, "t_dtw": -1}]
    for text, start, end in rows:
        parts = [f" {text}"] if len(text) < 4 else [f" {text[:2]}", text[2:]]
        for part in parts:
            times = cpp_times(start, end if part == parts[-1] else start)
            tokens.append({"text": part, **times, "id": 7, "p": 0.5, "t_dtw": -1})
    tokens.append({"text": "[_TT_100]", "id": 50463, "p": 0.25, "t_dtw": -1})
    return {**cpp_times(rows[0][1], rows[-1][2]), "text": f" {joined(rows)}", "tokens": tokens, "speaker": "0"}


def grid_tier(number, name, rows):
    intervals = "".join(
        f'        intervals [{i}]:\n            xmin = {start}\n            xmax = {end}\n            text = "{text}"\n'
        for i, (text, start, end) in enumerate(rows, start=1)
    )
    head = f'    item [{number}]:\n        class = "IntervalTier"\n        name = "{name}"\n'
    return f"{head}        xmin = 0\n        xmax = 4.250\n        intervals: size = {len(rows)}\n{intervals}"


EAF_SLOTS = [250, 250, 500, 500, 1000, 1750, 2125, 2125, 3000, 3000, 3500, 3500, 4250, 4250]


def eaf_annotation(number, first, last, text):
    return (
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" TIME_SLOT_REF1="ts{first}"'
        f' TIME_SLOT_REF2="ts{last}">\n<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>\n</ALIGNABLE_ANNOTATION>'
        "</ANNOTATION>\n"
    )


def aws_item(text, start, end):
    return {
        "type": "pronunciation",
        "start_time": str(start),
        "end_time": str(end),
        "alternatives": [{"confidence": "0.5", "content": text}],
    }


def google_result(rows):
    words = [{"word": text, "startTime": f"{start}s", "endTime": f"{end}s"} for text, start, end in rows]
    return {"alternatives": [{"words": words}]}


def ticks(start, end):
    return {"offsetInTicks": start * 1e7, "durationInTicks": (end - start) * 1e7}


def azure_phrase(rows):
    words = [{"word": text, "offset": f"PT{a}S", **ticks(a, b), "confidence": 0.5} for text, a, b in rows]
    best = {"confidence": 0.75, "lexical": joined(rows), "itn": joined(rows), "display": joined(rows), "words": words}
    phrase = {"recognitionStatus": "Success", "channel": 0, **ticks(rows[0][1], rows[-1][2])}
    return {**phrase, "nBest": [best, {**best, "words": []}]}


def azure_fast_phrase(rows):
    words = [{"text": t, "offsetMilliseconds": a * 1000, "durationMilliseconds": (b - a) * 1000} for t, a, b in rows]
    return {"offsetMilliseconds": 250, "text": joined(rows), "words": words, "locale": "es-ES", "confidence": 0.5}


def azure_sdk_result(rows):
    words = [{"Word": text, "Offset": int(a * 1e7), "Duration": int((b - a) * 1e7)} for text, a, b in rows]
    best = {"Confidence": 0.5, "Lexical": joined(rows), "Display": joined(rows), "Words": words}
    return {"Id": "1", "RecognitionStatus": "Success", "Offset": 1, "Duration": 1, "Channel": 0, "NBest": [best]}


SAMPLES: dict[str, str | dict[str, str]] = {
    "text": "qué dijo ana\nhola r&d\n",
    "tsv": "# id = u\n# recording = r\nqué\tO\t0.000\tO\ndijo\tO\t0.750\tO\n\n"
    "# id = v\n# recording = r\nana\tO\t-\tO\nhola\tO\t0.000\tO\nr&d\tO\t-\tO\n\n",
    "json": line({"made": "here", "utterances": [own_utterance(SEGMENTS[0]), own_utterance(SEGMENTS[1], number=2)]}),
    "ctm": ";; made\n"
    + "".join(f"r A  {start:.4f} {end - start} {text} 0.90 lex  a\n" for text, start, end in ROWS)
    + "r A 5 1 <eps>\n",
    "stm": ";; made\nr 1 a 0.250 2.125 <o,f0,male> qué dijo ana\n"
    "r 1 inter_segment_gap 2.125 3\nr 1 b 3 4.25 hola r&d\n",
    "textgrid": 'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 4.250\ntiers? <exists>\n'
    + "size = 2\nitem []:\n"
    + grid_tier(1, "words", [("", 0, "0.250"), *ROWS[:2], ("sil", 1, 1.75), ROWS[2], ("", 2.125, 3), *ROWS[3:]])
    + grid_tier(2, "phones", [("k", "1e-1", "0.20")]),
    "eaf": '<?xml version="1.0" encoding="UTF-8"?>\n<?made here?><ANNOTATION_DOCUMENT AUTHOR="" FORMAT="3.0">\n'
    + '<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"><PROPERTY NAME="URN">urn:x</PROPERTY></HEADER>\n<TIME_ORDER>\n'
    + "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{i}" TIME_VALUE="{t}"/>\n' for i, t in enumerate(EAF_SLOTS))
    + '</TIME_ORDER>\n<TIER LINGUISTIC_TYPE_REF="utterance" PARTICIPANT="" TIER_ID="K-Spch">\n'
    + eaf_annotation(1, 0, 6, "qué dijo ana")
    + eaf_annotation(2, 8, 12, "hola r&amp;d")
    + '</TIER>\n<TIER LINGUISTIC_TYPE_REF="words" PARENT_REF="K-Spch" TIER_ID="K-Words">\n'
    + "".join(
        eaf_annotation(i, EAF_SLOTS.index(int(a * 1000)), EAF_SLOTS.index(int(b * 1000)), text.replace("&", "&amp;"))
        for i, (text, a, b) in enumerate(ROWS, start=3)
    )
    + '</TIER>\n<TIER LINGUISTIC_TYPE_REF="pos" PARENT_REF="K-Words" TIER_ID="K-POS"><ANNOTATION>'
    + '<REF_ANNOTATION ANNOTATION_ID="a9" ANNOTATION_REF="a3"><ANNOTATION_VALUE>pro</ANNOTATION_VALUE></REF_ANNOTATION>'
    + '</ANNOTATION></TIER>\n<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="words" TIME_ALIGNABLE="true"/>\n'
    + "</ANNOTATION_DOCUMENT>\n",
    "nemo": "".join(map(manifest, SEGMENTS)),
    "whisper": line({"text": f" {joined(ROWS)}", "segments": list(map(whisper_segment, (0, 1), SEGMENTS)), "x": 1}),
    "whisper/cpp": line({"params": {"language": "es"}, "transcription": list(map(cpp_segment, SEGMENTS))}),
    "whisper/chunks": line(
        {"text": f" {joined(ROWS)}", "chunks": [{"text": f" {t}", "timestamp": [a, b]} for t, a, b in ROWS], "x": [1]}
    ),
    "whisper-log": "Detected language 'es' with probability 0.98\n[0.25s -> 2.125s] qué dijo ana\n"
    "\n[3.00s -> 4.25s]  hola r&d \nDone\n",
    "whisper-log/whisper": "[00:00.250 --> 00:02.125]  qué dijo ana\n[00:03.000 --> 00:04.250]  hola r&d\n",
    "whisper-log/cpp": "main: processing\n\n[00:00:00.250 --> 00:00:02.125]  (speaker 0) qué dijo ana [SPEAKER_TURN]\n"
    "[00:00:02.125 --> 00:00:03.000]\n[00:00:03.000 --> 00:00:04.250]  (speaker ?) hola r&d\n\ntimings:\n",
    "whisper-tsv": "start\tend\ttext\n250\t2125\tqué dijo ana\n2125\t3000\t\n3000\t4250\thola r&d\n",
    "vosk": line({"result": entries(ROWS, conf=0.5), "spk": [0.25], "text": joined(ROWS)}),
    "lhotse": "".join(map(supervision, (1, 2), SEGMENTS)),
    "kaldi": {
        "text": "u qué dijo ana\nv hola r&d\n",
        "segments": "u r 0.25 2.5\nv r 3.00 4.5\n",
        "utt2spk": "u a\nv b\n",
        "spk2gender": "a f\nb m\n",
        "ctm": "".join(f"r 1 {start} {end - start} {text} 0.9\n" for text, start, end in ROWS),
    },
    "kaldi-text": "talk_1 qué dijo ana\ntalk_2\ntalk_3\thola r&d\n",
    "aws": line({"results": {"transcripts": [], "items": [aws_item(*row) for row in ROWS]}}),
    "google": line({"results": list(map(google_result, SEGMENTS))}),
    "ibm": line({"results": [{"final": True, "alternatives": [{"transcript": joined(ROWS), "timestamps": ROWS}]}]}),
    "speechmatics": line(
        {"words": [{"name": text, "time": str(a), "duration": str(b - a), "confidence": "1"} for text, a, b in ROWS]}
    ),
    "deepgram": line(
        {
            "metadata": {"request_id": "r", "channels": 1},
            "results": {"channels": [{"alternatives": [{"transcript": joined(ROWS), "words": entries(ROWS)}]}]},
        }
    ),
    "assemblyai": line(
        {
            "id": "r",
            "audio_url": "https://a/r.wav",
            "status": "completed",
            "text": joined(ROWS),
            "words": [{"text": t, "start": int(a * 1000), "end": int(b * 1000), "speaker": None} for t, a, b in ROWS],
            "utterances": None,
        }
    ),
    "azure": line({"source": "r.wav", "recognizedPhrases": list(map(azure_phrase, SEGMENTS))}),
    "azure/fast": line(
        {"combinedPhrases": [{"text": joined(ROWS)}], "phrases": list(map(azure_fast_phrase, SEGMENTS))}
    ),
    "azure/sdk": "".join(line(azure_sdk_result(rows)) + "\n" for rows in SEGMENTS),
    "srt": "1\n00:00:00,250 --> 00:00:02,125 X1:10\nqué dijo\nana\n\n"
    "7\n00:00:03,000 --> 00:00:04,250\n<i>hola</i> r&d\n\n",
    "vtt": "WEBVTT - talk\n\nNOTE made\n\na\n00:00.250 --> 00:02.125 line:0\n<v Ana>qué dijo\nana</v>\n\n"
    "00:03.000 --> 00:04.250\nhola r&amp;d\n",
}


def format_of(row):
    """The format of a row of the table, which may name a form of it after a slash."""
    return row.partition("/")[0]


ROWS_READ = [row for row in SAMPLES if format_of(row) in READABLE]
ROWS_WRITTEN = [row for row in SAMPLES if format_of(row) in WRITABLE]
READ_BACK = [name for name in WRITABLE if name in READABLE]
IN_COLUMNS = ("tsv", "json", "textgrid")
"""Formats that write marks beside the words, not into them."""
TIMED = ("json", "ctm", "textgrid", "eaf", "nemo", "whisper", "vosk", "lhotse", "kaldi")
"""Formats that have the times of every word."""
NAMING = ("tsv", "json", "textgrid", "eaf", "nemo", "whisper", "vosk", "lhotse")
"""Formats whose files can name the time source."""
WITH_KEY = ("nemo", "whisper", "vosk", "lhotse")
"""Those that name it by the key `times`, unless it is the default."""
WITH_SPEAKERS = ("json", "stm", "eaf", "whisper", "lhotse", "vtt")
"""Formats with speakers."""
TIMELESS, EDGES = ("text", "tsv", "kaldi-text"), ("stm", "srt", "vtt", "whisper-log", "whisper-tsv")
"""Formats without times, and with those of segments alone."""
KEEP_CASE = ("textgrid",)
"""Formats that keep the case of their words beside the words with marks."""
NEED_TIMES = ("ctm", "stm", "textgrid", "eaf", "lhotse", "srt", "vtt", "whisper-log", "whisper-tsv")


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
    """Remove the marks that `exclaimed` added."""
    if isinstance(value, str):
        return value.replace("¡", "").replace("!", "")
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
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
    assert {"ass", "ttml"} == set(WRITABLE) - set(READABLE)  # tests/test_formats_captions.py reads these


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
        assert plain(content_of(path)) == content_of(source)


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
    if name in ("srt", "vtt"):  # cues of several speakers have dashes
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
