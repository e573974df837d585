"""One table over all formats: what each keeps on the way in and out again, and what every other one makes of it."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.formats.formats import READABLE, WRITABLE
from asr_punct.formats.time_sources import DEFAULT_TIME_SOURCE
from asr_punct.marks import Labels, Mark, glyphs
from asr_punct.words import TIME_SOURCES, Utterance, Word, annotate

ES = glyphs("es")
CRIED = Labels(frozenset({Mark.EXCLAMATION, Mark.OPEN_EXCL}))
"""Marks that stand in no sample, so that what is written without them is the sample."""
ROWS = [("qué", 0.25, 0.5), ("dijo", 0.5, 1.0), ("ana", 1.75, 2.125), ("hola", 3.0, 3.5), ("r&d", 3.5, 4.25)]
TEXTS = [text for text, _, _ in ROWS]
TIMES = [(start, end) for _, start, end in ROWS]
SEGMENTS = [ROWS[:3], ROWS[3:]]


def line(value):
    return json.dumps(value, ensure_ascii=False)


def told(rows, **more):
    return [{"word": text, "start": start, "end": end, **more} for text, start, end in rows]


def said(rows):
    return " ".join(text for text, _, _ in rows)


def own_utterance(rows, **more):
    head = {"id": "u", "recording": "r", "channel": "1", "times": "asr", "text": said(rows)}
    return {**head, "words": told(rows, confidence=0.50, speaker="a"), **more}


def manifest(rows, **more):
    item = {"audio_filepath": "d/r.wav", "duration": 9.5, "lang": "es", **more}
    return line({**item, "pred_text": said(rows), "word": told(rows, start_offset=3)}) + "\n"


def supervision(number, rows):
    item = {"id": f"s{number}", "recording_id": "r", "start": rows[0][1], "duration": 2, "channel": 0}
    word = [[text, start, end - start, 0.75] for text, start, end in rows]
    more = {"text": said(rows), "custom": {"snr": 1.5}, "alignment": {"word": word, "phone": [["k", 0.25, 0.1]]}}
    return line(item | more) + "\n"


def whisper_segment(number, rows):
    words = told([(f" {text}", start, end) for text, start, end in rows], probability=0.5)
    limits = {"start": rows[0][1], "end": rows[-1][2]}
    return {"id": number, "seek": 7, **limits, "text": f" {said(rows)}", "tokens": [1, 2], "words": words}


def cpp_times(start, end):
    clock = [f"00:00:{int(t):02},{int(t * 1000) % 1000:03}" for t in (start, end)]
    milliseconds = [int(t * 1000) for t in (start, end)]
    return {name: {"from": a, "to": b} for name, (a, b) in (("timestamps", clock), ("offsets", milliseconds))}


def cpp_segment(rows):
    """A segment whose words are one token each or two, the second of an end of its own, between special tokens."""
    tokens = [{"text": "[_BEG_]", **cpp_times(0, 0), "id": 50363, "p": 0.9, "t_dtw": -1}]
    for text, start, end in rows:
        parts = [f" {text}"] if len(text) < 4 else [f" {text[:2]}", text[2:]]
        for part in parts:
            times = cpp_times(start, end if part == parts[-1] else start)
            tokens.append({"text": part, **times, "id": 7, "p": 0.5, "t_dtw": -1})
    tokens.append({"text": "[_TT_100]", "id": 50463, "p": 0.25, "t_dtw": -1})
    return {**cpp_times(rows[0][1], rows[-1][2]), "text": f" {said(rows)}", "tokens": tokens, "speaker": "0"}


def grid_tier(number, name, rows):
    intervals = "".join(
        f'        intervals [{i}]:\n            xmin = {start}\n            xmax = {end}\n            text = "{text}"\n'
        for i, (text, start, end) in enumerate(rows, start=1)
    )
    head = f'    item [{number}]:\n        class = "IntervalTier"\n        name = "{name}"\n'
    return f"{head}        xmin = 0\n        xmax = 4.250\n        intervals: size = {len(rows)}\n{intervals}"


def aws_item(text, start, end):
    return {
        "type": "pronunciation",
        "start_time": str(start),
        "end_time": str(end),
        "alternatives": [{"confidence": "0.5", "content": text}],
    }


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
    "nemo": "".join(map(manifest, SEGMENTS)),
    "whisper": line({"text": f" {said(ROWS)}", "segments": list(map(whisper_segment, (0, 1), SEGMENTS)), "x": 1}),
    "whisper/cpp": line({"params": {"language": "es"}, "transcription": list(map(cpp_segment, SEGMENTS))}),
    "whisper/chunks": line(
        {"text": f" {said(ROWS)}", "chunks": [{"text": f" {t}", "timestamp": [a, b]} for t, a, b in ROWS], "x": [1]}
    ),
    "vosk": line({"result": told(ROWS, conf=0.5), "spk": [0.25], "text": said(ROWS)}),
    "lhotse": "".join(map(supervision, (1, 2), SEGMENTS)),
    "kaldi": {
        "text": "u qué dijo ana\nv hola r&d\n",
        "segments": "u r 0.25 2.5\nv r 3.00 4.5\n",
        "utt2spk": "u a\nv b\n",
        "spk2gender": "a f\nb m\n",
        "ctm": "".join(f"r 1 {start} {end - start} {text} 0.9\n" for text, start, end in ROWS),
    },
    "aws": line({"results": {"transcripts": [], "items": [aws_item(*row) for row in ROWS]}}),
    "google": line(
        {
            "results": [
                {
                    "alternatives": [
                        {"words": [{"word": t, "startTime": f"{a}s", "endTime": f"{b}s"} for t, a, b in rows]}
                    ]
                }
                for rows in SEGMENTS
            ]
        }
    ),
    "ibm": line(
        {
            "results": [
                {"final": True, "alternatives": [{"transcript": said(ROWS), "timestamps": list(map(list, ROWS))}]}
            ]
        }
    ),
    "speechmatics": line(
        {"words": [{"name": text, "time": str(a), "duration": str(b - a), "confidence": "1"} for text, a, b in ROWS]}
    ),
    "srt": "1\n00:00:00,250 --> 00:00:02,125 X1:10\nqué dijo\nana\n\n"
    "7\n00:00:03,000 --> 00:00:04,250\n<i>hola</i> r&d\n\n",
    "vtt": "WEBVTT - talk\n\nNOTE made\n\na\n00:00.250 --> 00:02.125 line:0\n<v Ana>qué dijo\nana</v>\n\n"
    "00:03.000 --> 00:04.250\nhola r&amp;d\n",
}
ROWS_READ = [row for row in SAMPLES if row.partition("/")[0] in READABLE]
ROWS_WRITTEN = [row for row in SAMPLES if row.partition("/")[0] in WRITABLE]
"""The rows of the table: a format, or after a / one of the forms that its files have."""
IN_COLUMNS = ("tsv", "json", "textgrid")
"""Formats whose marks stand beside the words, which come back without them."""
TIMED = ("json", "ctm", "textgrid", "nemo", "whisper", "vosk", "lhotse", "kaldi")
"""Formats that have the times of every word."""
TELLING = ("tsv", "json", "textgrid", "nemo", "whisper", "vosk", "lhotse")
"""Formats that tell where times come from."""
SPEAKING = ("json", "stm", "whisper", "lhotse", "vtt")
"""Formats that say who speaks."""
TIMELESS, EDGES = ("text", "tsv"), ("stm", "srt", "vtt")
"""Formats without times, and with those of segments alone."""
NEED_TIMES = ("ctm", "stm", "textgrid", "lhotse", "srt", "vtt")


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
    return list(formats.read(path, row.partition("/")[0]))


def write(utterances, path, row):
    formats.write(utterances, path, ES, row.partition("/")[0])
    return path


def cried(utterances):
    return [annotate(utterance, labels=(CRIED,) * len(utterance.words)) for utterance in utterances]


def plain(value):
    """The same without the marks that were added."""
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
    """Sources of words' own times; times of segments alone count as none."""
    return {"none" if utterance.time_source == "segment" else utterance.time_source for utterance in utterances}


def expected_sources(sources, name):
    """What a format makes of sources of times."""
    if name in TELLING or sources == {"none"}:
        return sources
    return {DEFAULT_TIME_SOURCE[name]} if name in TIMED else {"none"}


def test_the_table_has_all_formats():
    assert {row.partition("/")[0] for row in SAMPLES} == set(READABLE) | set(WRITABLE)


@pytest.mark.parametrize("name", ROWS_READ)
def test_a_sample_is_read(tmp_path, name):
    found = read(put(tmp_path / "in", SAMPLES[name]), name)
    assert texts_of(found) == TEXTS
    known = [time for time in zip(times_of(found), TIMES, strict=True) if time[0] != (None, None)]
    assert all(start in (None, truth[0]) and end in (None, truth[1]) for (start, end), truth in known)
    complete = [time for time, _ in known if None not in time]
    assert len(complete) == (0 if name in (*TIMELESS, *EDGES) else len(ROWS))
    expected = "none" if name in (*TIMELESS, *EDGES) else DEFAULT_TIME_SOURCE.get(name.partition("/")[0], "asr")
    assert sources_of(found) == {expected}
    assert {utterance.time_source for utterance in found if name in EDGES} <= {"segment"}


@pytest.mark.parametrize("name", ROWS_WRITTEN)
def test_all_comes_back_in_the_same_format(tmp_path, name):
    source = put(tmp_path / "in", SAMPLES[name])
    found = read(source, name)
    assert content_of(write(found, tmp_path / "out", name)) == content_of(source)


@pytest.mark.parametrize("name", ROWS_WRITTEN)
def test_all_but_the_marks_comes_back_in_the_same_format(tmp_path, name):
    source = put(tmp_path / "in", SAMPLES[name])
    found = read(source, name)
    path = write(cried(found), tmp_path / "out", name)
    again = read(path, name)
    assert times_of(again) == times_of(found)
    assert texts_of(again) == (TEXTS if name in IN_COLUMNS else [f"¡{text}!" for text in TEXTS])
    assert [utterance.time_source for utterance in again] == [utterance.time_source for utterance in found]
    if name in IN_COLUMNS:
        assert content_of(write(again, tmp_path / "again", name)) == content_of(path)
    else:
        assert plain(content_of(path)) == content_of(source)


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize(
    ("source", "target"), [(a, b) for a in ROWS_READ for b in WRITABLE if a.partition("/")[0] != b]
)
def test_every_other_format_has_the_words_and_their_times(tmp_path, source, target, labelled):
    found = read(put(tmp_path / "in", SAMPLES[source]), source)
    given = cried(found) if labelled else found
    if (source in TIMELESS and target in NEED_TIMES) or (source in EDGES and target == "ctm"):
        with pytest.raises(InputError, match="times"):
            write(given, tmp_path / "out", target)
        assert not (tmp_path / "out").exists()
        return
    path = write(given, tmp_path / "out", target)
    again = read(path, target)
    assert plain(texts_of(again)) == TEXTS
    if labelled and target not in IN_COLUMNS:
        assert [mark for text in texts_of(again) for mark in (text[0], text[-1])] == ["¡", "!"] * len(TEXTS)
    if target in TIMED:
        assert [time for time in times_of(again) if None not in time] == [
            time for time in times_of(found) if None not in time
        ]
    usual = [{DEFAULT_TIME_SOURCE.get(target, "none")}] * (source in EDGES)
    assert sources_of(again) in [expected_sources(sources_of(found), target), *usual]


@pytest.mark.parametrize("times", TIME_SOURCES)
@pytest.mark.parametrize("name", WRITABLE)
def test_the_time_source_is_in_the_file_or_is_the_default(tmp_path, name, times):
    """Also where the file tells another source already, and by no more keys than it takes."""
    said = [tuple(Word(*row) for row in rows) for rows in SEGMENTS]
    values = [Utterance(words, f"u{number}", recording="r", time_source=times) for number, words in enumerate(said)]
    path = write(values, tmp_path / "out", name)
    assert sources_of(read(path, name)) == expected_sources({times}, name)
    if name in TELLING and name in TIMED:
        again = list(formats.read(path, name, times="whisper"))
        second = write(again, tmp_path / "again", name)
        assert sources_of(read(second, name)) == {"whisper"}
        if name not in ("json", "textgrid"):
            assert ('"times"' in path.read_text()) == (times != DEFAULT_TIME_SOURCE[name])


@pytest.mark.parametrize("name", [row for row in ROWS_WRITTEN if row.partition("/")[0] in TIMED])
def test_a_source_that_is_named_is_all_that_changes(tmp_path, name):
    source, format_name = put(tmp_path / "in", SAMPLES[name]), name.partition("/")[0]
    found = read(source, name)
    same = list(formats.read(source, format_name, times=found[0].time_source))
    assert content_of(write(same, tmp_path / "same", name)) == content_of(source)
    named = list(formats.read(source, format_name, times="ctc"))
    assert sources_of(named) == {"ctc"}
    assert named == [replace(utterance, time_source="ctc") for utterance in found]
    path = write(named, tmp_path / "named", name)
    assert sources_of(read(path, name)) == expected_sources({"ctc"}, format_name)
    if format_name in ("nemo", "whisper", "vosk", "lhotse"):
        without = put(tmp_path / "without", path.read_text(encoding="utf-8").replace(', "times": "ctc"', ""))
        assert content_of(without) == content_of(source)
    back = list(formats.read(path, format_name, times=found[0].time_source))
    assert sources_of(read(write(back, tmp_path / "back", name), name)) == sources_of(found)


@pytest.mark.parametrize("name", [*TIMELESS, *EDGES])
def test_words_without_times_come_from_nowhere(tmp_path, name):
    found = formats.read(put(tmp_path / "in", SAMPLES[name]), name, times="ctc")
    assert sources_of(found) == {"ctc" if name in EDGES else "none"}


def with_key(name, value):
    """A sample with another meaning of the key that tells where times come from."""
    text = SAMPLES[name]
    if name == "lhotse":
        return text.replace('"custom": {', f'"custom": {{"times": {value}, ')
    if name == "textgrid":
        return text.replace('"phones"', '"times"').replace('"k"', f'"{value}"')
    if name == "whisper":
        return text.replace('"seek": 7', f'"times": {value}')
    first = {"whisper/cpp": '"tokens": [', "whisper/chunks": '"chunks": [', "nemo": '"lang": ', "vosk": '"spk": '}[name]
    return text.replace(first, f'"times": {value}, {first}')


@pytest.mark.parametrize("value", ['["asr"]', '"clock"', "null", '"none"', "3"])
@pytest.mark.parametrize("name", ["lhotse", "nemo", "vosk", "whisper", "whisper/chunks", "whisper/cpp"])
def test_a_key_of_another_meaning_stays(tmp_path, name, value):
    source = put(tmp_path / "in", with_key(name, value))
    assert '"times"' in source.read_text()
    format_name = name.partition("/")[0]
    assert sources_of(read(source, name)) == {DEFAULT_TIME_SOURCE[format_name]}
    named = list(formats.read(source, format_name, times="ctc"))
    assert content_of(write(named, tmp_path / "out", name)) == content_of(source)


def test_a_tier_or_custom_value_of_another_meaning_stays(tmp_path):
    grid, custom = with_key("textgrid", "clock"), re.sub(r'"custom": {[^}]*}', '"custom": ["times"]', SAMPLES["lhotse"])
    for name, content in (("textgrid", grid), ("lhotse", custom)):
        source = put(tmp_path / name, content)
        named = list(formats.read(source, name, times="ctc"))
        assert content_of(write(named, tmp_path / f"{name}.out", name)) == content_of(source)
        assert sources_of(read(source, name)) == {"aligner"}


def test_the_documentation_lists_the_default_time_sources():
    text = (Path(__file__).parent.parent / "docs" / "formats.md").read_text(encoding="utf-8")
    _, _, section = text.partition("\n## Where times come from\n")
    rows = [line.split("|")[1:4] for line in section.split("\n## ")[0].splitlines() if line.startswith("| `")]
    listed = {name: (default, named) for names, default, named in rows for name in re.findall(r"`(\w+)`", names)}
    assert listed.keys() == set(READABLE)
    for name, (default, named) in listed.items():
        forms = {times for form, times in DEFAULT_TIME_SOURCE.items() if form.partition("/")[0] == name}
        assert set(re.findall("|".join(TIME_SOURCES), re.sub("[^`]*(`[^`]*`)?", r"\1", default))) == forms
        assert (named.strip() not in ("no", "not written")) == (name in TELLING)


@pytest.mark.parametrize("name", SPEAKING)
def test_speakers_are_kept_between_formats(tmp_path, name):
    said = [tuple(Word(*row) for row in rows) for rows in SEGMENTS]
    values = [
        Utterance(said[0], "u", recording="r", time_source="asr"),
        Utterance(said[1], "v", recording="r", speaker="S1 & <co>", time_source="asr"),
    ]
    again = read(write(values, tmp_path / "out", name), name)
    assert [utterance.speaker for utterance in again] == ["", "S1_&_<co>" if name == "stm" else "S1 & <co>"]


@pytest.mark.parametrize(("name", "speakers"), [("stm", ["a", "b"]), ("vtt", ["Ana", ""]), ("whisper/cpp", ["0", "0"])])
def test_speakers_are_read(tmp_path, name, speakers):
    assert [utterance.speaker for utterance in read(put(tmp_path / "in", SAMPLES[name]), name)] == speakers


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


@pytest.mark.parametrize("name", WRITABLE)
@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(utterances=transcripts(), labelled=st.booleans())
def test_any_transcript_makes_the_trip(tmp_path_factory, name, utterances, labelled):
    path = write(cried(utterances) if labelled else utterances, tmp_path_factory.mktemp("trip") / "out", name)
    again = read(path, name)
    assert plain(texts_of(again)) == texts_of(utterances)
    if name in TIMED:
        assert times_of(again) == times_of(utterances)
    assert sources_of(again) == expected_sources(sources_of(utterances), name)
    second = write(again, tmp_path_factory.mktemp("trip") / "out", name)
    assert content_of(second) == content_of(path)
