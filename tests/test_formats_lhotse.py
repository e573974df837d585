"""Lhotse supervisions: all keys are kept, and marks are written into the text and the aligned words."""

import io as stdio
import json

import pytest
from dummies import with_labels
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.formats.lhotse import read_lhotse, write_lhotse
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import Utterance, Word

ES = glyphs("es")
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
STOP = Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP)
ALIGNED = {
    "id": "s-1",
    "recording_id": "r",
    "start": 1.5,
    "duration": 2.0,
    "channel": 1,
    "text": "qué  dijo",
    "language": "es",
    "custom": {"snr": 17.25, "tags": ["a", None]},
    "alignment": {
        "word": [["", 1.5, 0.1], ["qué", 1.6, 0.25, -3.5], ["dijo", 2.0, 0.5, None]],
        "phone": [["k", 1.6, 0.125]],
    },
}
PLAIN = {"id": "s-2", "recording_id": "r", "start": 4, "duration": 1.25, "channel": [0, 1], "text": "hola a todos"}
SILENT = {"id": "s-3", "recording_id": "r", "start": 6, "duration": 1, "channel": 0, "speaker": "ana"}
LINES = [ALIGNED, PLAIN, SILENT]


def dumped(items):
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def file(folder, items, name="supervisions.jsonl"):
    path = folder / name
    path.write_text(dumped(items), encoding="utf-8")
    return path


def written(utterances):
    out = stdio.StringIO()
    write_lhotse(utterances, out, ES)
    return [json.loads(line) for line in out.getvalue().split("\n")[:-1]]


def test_supervisions_are_utterances(tmp_path):
    aligned, plain, silent = formats.read(file(tmp_path, LINES))
    assert aligned.words == (Word("qué", 1.6, 1.85, -3.5), Word("dijo", 2.0, 2.5))
    assert (aligned.id, aligned.recording, aligned.channel, aligned.time_source) == ("s-1", "r", "2", "aligner")
    assert plain.words == (Word("hola", 4.0), Word("a"), Word("todos", None, 5.25))
    assert (plain.pauses, plain.time_source) == ((None,) * 3, "segment")
    assert (silent.words, silent.time_source) == ((), "none")


def test_supervisions_keep_everything_but_their_words(tmp_path):
    read = list(read_lhotse(file(tmp_path, LINES)))
    assert written(read) == LINES
    word = [["", 1.5, 0.1], ["Qué.", 1.6, 0.25, -3.5], ["Dijo.", 2.0, 0.5, None]]
    assert written(with_labels(read, STOP)) == [
        ALIGNED | {"text": "Qué.  Dijo.", "alignment": ALIGNED["alignment"] | {"word": word}},
        PLAIN | {"text": "Hola. A. Todos."},
        SILENT,
    ]


@pytest.mark.parametrize(
    ("text", "symbols", "timed"),
    [
        ("Qué dijo", ["QUÉ", "DIJO"], True),
        (None, ["qué", "dijo"], True),
        ("qué dijo", ["qué dijo"], True),
        ("qué", ["qué", "dijo"], False),
    ],
)
def test_text_and_alignment(tmp_path, text, symbols, timed):
    word = [{"symbol": symbol, "start": i, "duration": 0.5} for i, symbol in enumerate(symbols)]
    (value,) = read_lhotse(file(tmp_path, [ALIGNED | {"text": text, "alignment": {"word": word}}]))
    assert value.time_source == ("aligner" if timed else "segment")
    (item,) = written(with_labels([value], STOP))
    assert item["text"] == (text and " ".join(f"{token[:1].upper()}{token[1:]}." for token in text.split()))
    found = " ".join(entry["symbol"] for entry in item["alignment"]["word"])
    assert found == (" ".join(f"{s[:1].upper()}{s[1:]}." for s in " ".join(symbols).split()) if timed else "qué dijo")


def test_utterances_of_another_format():
    words = (Word("hola", 0.5, 1.0, 0.25), Word("ana", 1.1, 1.3))
    values = [Utterance(words, "u", recording="r"), Utterance((*words[:1], Word("ana")), recording="r"), Utterance(())]
    common = {"recording_id": "r", "start": 0.5, "channel": 0, "text": "hola ana"}
    assert written(values) == [
        {"id": "u", "duration": 0.8, "alignment": {"word": [["hola", 0.5, 0.5, 0.25], ["ana", 1.1, 0.2]]}} | common,
        {"id": "r-2", "duration": 0.5} | common,
    ]
    with pytest.raises(InputError, match="utterance 'u': found words without times"):
        written([Utterance((Word("a"),), "u")])


seconds = st.integers(0, 10**9).map(lambda value: value / 10**6)
symbols = st.text(st.sampled_from("abñ.,'<>"), min_size=1, max_size=4) | st.sampled_from(["", "<eps>", "a b"])
scores = st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), max_size=1)
entries = st.builds(lambda text, start, long, score: [text, start, long, *score], symbols, seconds, seconds, scores)
supervisions = st.fixed_dictionaries(
    {"id": st.sampled_from(["", "a", 'ñ"']), "recording_id": st.just("r"), "start": seconds, "duration": seconds},
    optional={
        "text": st.none() | st.text(st.sampled_from("ab., ñ"), max_size=9),
        "alignment": st.fixed_dictionaries({"word": st.lists(entries, max_size=5), "x": st.just([])}),
        "custom": st.dictionaries(st.text(max_size=3), st.none() | st.booleans() | st.integers(), max_size=2),
    },
)


@RELAXED
@given(st.lists(supervisions, max_size=4))
def test_any_supervisions_are_written_as_they_were_read(tmp_path_factory, items):
    folder = tmp_path_factory.mktemp("lhotse")
    read = list(read_lhotse(file(folder, items)))
    assert written(read) == items
    again = list(read_lhotse(file(folder, written(with_labels(read, STOP)))))
    assert [[(word.start, word.end, word.confidence) for word in value.words] for value in again] == [
        [(word.start, word.end, word.confidence) for word in value.words] for value in read
    ]


@pytest.mark.parametrize(
    ("item", "found"),
    [
        (3, "3, expected an object"),
        ({"id": "a"}, "no 'recording_id'"),
        (PLAIN | {"start": None}, "start null"),
        (PLAIN | {"duration": -1}, "duration -1"),
        (PLAIN | {"text": ["a"]}, r"text \['a'\]"),
        (PLAIN | {"alignment": {"word": [["a", 1]]}}, r"the alignment \['a', 1\]"),
        (PLAIN | {"alignment": {"word": [["a", "x", 1]]}}, "start 'x'"),
        (PLAIN | {"alignment": {"word": 3}}, "word 3, expected a list"),
    ],
)
def test_lhotse_errors_name_the_place(tmp_path, item, found):
    with pytest.raises(InputError, match=rf"supervisions\.jsonl:2.*found {found}"):
        list(formats.read(file(tmp_path, [PLAIN, item]), "lhotse"))


def test_the_package_reads_the_output(tmp_path):
    lhotse = pytest.importorskip("lhotse")
    formats.write(with_labels(read_lhotse(file(tmp_path, LINES)), STOP), tmp_path / "a.jsonl.gz", ES, "lhotse")
    first, *_ = lhotse.SupervisionSet.from_file(tmp_path / "a.jsonl.gz")
    assert (first.text, first.alignment["word"][1].symbol) == ("Qué.  Dijo.", "Qué.")
