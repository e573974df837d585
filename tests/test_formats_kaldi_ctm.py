"""Words of a recogniser's CTM in the utterances of a data directory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asr_punct.errors import InputError
from asr_punct.formats.kaldi_ctm import place_words, read_decode
from asr_punct.words import Word

SEGMENTS = "b-1 r 0.00 2.00\nb-2 r 6 7.5\na-1 r 2.5 4\n"


def folder(root, **files):
    root.mkdir()
    for name, content in files.items():
        (root / name.replace("wav_scp", "wav.scp")).write_text(content, encoding="utf-8")
    return root


def decode(root, rows, **files):
    """Words of each utterance, with their starts."""
    folder(root, ctm=rows, **files)
    values = read_decode(root, root / "ctm")
    return {value.id: [(word.text, word.start) for word in value.words] for value in values}


def test_rows_of_recordings_belong_to_their_segment_or_the_nearest(tmp_path):
    rows = "r 1 0.1 .4 uno\nr 1 2.1 0.1 eh\nr 1 2.3 0.1 oh\nr 1 3 0.5 dos\nr 1 6 0.5 tres\nr 1 9 0.5 fin\n"
    assert decode(tmp_path / "d", rows, segments=SEGMENTS) == {
        "b-1": [("uno", 0.1), ("eh", 2.1)],
        "a-1": [("oh", 2.3), ("dos", 3.0)],
        "b-2": [("tres", 6.0), ("fin", 9.0)],
    }


def test_times_may_start_at_the_beginning_of_the_utterance(tmp_path):
    absolute = "b-1 1 0.1 0.4 uno\na-1 1 2.7 0.5 dos\nb-2 1 6.2 1.1 tres\n"
    relative = "b-1 1 0.1 0.4 uno\na-1 1 0.2 0.5 dos\nb-2 1 0.2 1.1 tres\n"
    expected = {"b-1": [("uno", 0.1)], "a-1": [("dos", 2.7)], "b-2": [("tres", 6.2)]}
    assert decode(tmp_path / "a", absolute, segments=SEGMENTS) == expected
    assert decode(tmp_path / "b", relative, segments=SEGMENTS) == expected


def test_without_segments_recordings_are_utterances(tmp_path):
    found = decode(tmp_path / "d", "y 1 5 1 dos\nx 1 0 1 uno\n", wav_scp="x a.wav\ny b.wav\nz c.wav\n")
    assert found == {"x": [("uno", 0.0)], "y": [("dos", 5.0)], "z": []}
    assert list(found) == ["x", "y", "z"]
    documents = {"wav_scp": "x a\ny b\n", "utt2doc": "y d\nx d\n"}
    assert list(decode(tmp_path / "e", "x 1 0 1 uno\n", **documents)) == ["y", "x"]


def test_channels_are_recordings(tmp_path):
    files = {"segments": "a s-A 0 9\nb s-B 0 9\n", "reco2file_and_channel": "s-A s A\ns-B s B\n"}
    assert decode(tmp_path / "d", "s A 1 1 uno\ns B 2 1 dos\n", **files) == {"a": [("uno", 1.0)], "b": [("dos", 2.0)]}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("x 1 0 1 hola\n", "found 'x', expected names of the directory's utterances or recordings"),
        ("r A 0 1 hola\nr B 0 1 hola\n", "found channels 'A' and 'B' of 'r', expected one channel, or"),
        ("r 1 0 1 hola\nb-1 1 0 1 hola\n", "found rows of 'b-1' and of its recording"),
        ("b-2 1 3.5 1 hola\n", "found 'b-2' at 3.5 s, expected words in its segment from 6.0 to 7.5 s, or from 0"),
        ("b-2 1 6.5 hola\n", "ctm:1: found 4 columns"),
    ],
)
def test_rows_of_unknown_names_or_times_are_errors(tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        decode(tmp_path / "d", rows, segments=SEGMENTS)


def test_a_directory_without_tables_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no such directory"):
        read_decode(tmp_path / "none", tmp_path / "ctm")
    with pytest.raises(InputError, match=r"found none of segments, wav\.scp, text and utt2spk"):
        decode(tmp_path / "d", "x 1 0 1 hola\n")


times = st.integers(0, 60).map(lambda value: value / 2)


@given(st.lists(st.tuples(times, times), min_size=1, max_size=8), st.lists(times, max_size=8), st.booleans())
def test_a_word_belongs_to_a_segment_that_contains_it_or_the_nearest(tmp_path_factory, spans, middles, nearest):
    segments = {f"u{i}": ("r", min(span), max(span)) for i, span in enumerate(spans)}
    root = tmp_path_factory.mktemp("data")
    rows = [f"r 1 {middle} 0 w{i}\n" for i, middle in enumerate(sorted(middles))]
    (root / "ctm").write_text("".join(rows) + ";;\n")
    placed = place_words(root, root / "ctm", segments, segments, nearest=nearest)
    where = {word: name for name, words in placed.items() for word in words}
    for i, middle in enumerate(sorted(middles)):
        name = where.get(Word(f"w{i}", middle, middle))
        holding = {name for name, (_, start, end) in segments.items() if start <= middle < end}
        if holding:
            assert name in holding
        elif nearest:
            distances = {key: max(start - middle, middle - end) for key, (_, start, end) in segments.items()}
            assert distances[name] == min(distances.values())
        else:
            assert name is None
