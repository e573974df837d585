"""CTM: rows come back as they were written, and a long utterance in parts that are not seen in any output."""

import io as stdio
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_survival import drawn_punctuator

from asr_punct import formats
from asr_punct.errors import InputError
from asr_punct.formats import files
from asr_punct.formats.ctm import PART, OwnName, read_ctm, write_ctm
from asr_punct.formats.text import write_text_lines
from asr_punct.formats.tsv import write_tsv
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.pauses import with_pauses
from asr_punct.words import Utterance, Word, whole

ES = glyphs("es")
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
ASKED = Labels(frozenset({Mark.QUESTION, Mark.OPEN_QUES}), Case.FIRST_CAP)
CTM = """;; a recogniser's output

talk A 0.10 0.20 qué
talk A 0.30 0.50 <eps>
talk\tA  1e-1 .30 dijo 0.9500 lex   speaker-1
talk A 0.90 0.1000001 hola 1
;; the other side

talk B 0.5 0 ho<space>la NA lex NA
;; the end
"""


def written(writer, utterances):
    out = stdio.StringIO()
    writer(utterances, out, ES)
    return out.getvalue()


def file(folder, content):
    path = folder / "a.ctm"
    path.write_text(content, encoding="utf-8")
    return path


def asked(utterances):
    return [replace(utterance, labels=(ASKED,) * len(utterance.words)) for utterance in utterances]


def test_all_that_stands_in_a_ctm_comes_back(tmp_path):
    content = CTM.replace("1e-1", "0.81")
    read = list(read_ctm(file(tmp_path, content)))
    assert written(write_ctm, read) == content
    marked = content.replace(" qué", " ¿Qué?").replace("dijo", "¿Dijo?").replace(" hola", " ¿Hola?")
    assert written(write_ctm, asked(read)) == marked.replace("ho<space>la", "¿Ho?<space>¿La?")


def test_words_of_one_row_share_its_times(tmp_path):
    (utterance,) = read_ctm(file(tmp_path, "s 1 0.5 2 <space>una<space><space>casa<space>grande<space> 0.7\n"))
    assert utterance.words == (
        Word("una", 0.5, None, 0.7),
        Word("casa", None, None, 0.7),
        Word("grande", None, 2.5, 0.7),
    )
    expected = "s 1 0.5 2 <space>una<space><space>casa<space>grande<space> 0.7\n"
    assert written(write_ctm, [utterance]) == expected
    (alone,) = read_ctm(file(tmp_path, "s 1 0.5 2 <space>\n"))
    assert alone.words == (Word("<space>", 0.5, 2.5),)


def test_rows_of_an_other_format_stand_beside_those_of_a_ctm(tmp_path):
    (utterance,) = read_ctm(file(tmp_path, "s 1 0.50 2.000 una 0.70\n"))
    mixed = replace(utterance, words=(*utterance.words, Word("casa", 3.0, 3.5)))
    assert written(write_ctm, [mixed]) == "s 1 0.50 2.000 una 0.70\ns 1 3.00 0.50 casa\n"


def test_rows_are_named_by_the_recording_that_their_times_are_of(tmp_path):
    said = [
        Utterance((Word("sí", 1.0, 1.5), Word("no", 2.5, 2.75)), "talk-1", "talk", "2"),
        Utterance((Word("hola", 0.5, 0.75),), "talk-2", "talk", "1"),
        Utterance((Word("ya", 2.0, 2.25),), "talk-3", "talk", "2"),
    ]
    content = "talk 1 0.50 0.25 hola\ntalk 2 1.00 0.50 sí\ntalk 2 2.00 0.25 ya\ntalk 2 2.50 0.25 no\n"
    assert written(write_ctm, said) == content
    assert [utterance.channel for utterance in read_ctm(file(tmp_path, content))] == ["1", "2"]
    assert written(write_ctm, said[::-1]) == content


def test_rows_of_data_directories_are_named_by_their_utterances():
    said = [Utterance((Word("sí", start, start + 0.5),), f"u{start}", "talk", rest=OwnName()) for start in (3, 1)]
    assert written(write_ctm, said) == "u3 1 3.00 0.50 sí\nu1 1 1.00 0.50 sí\n"


numbers = st.decimals(0, 1000, places=3).flatmap(
    lambda value: st.sampled_from([str(value), f"{value:.5f}", f"{value:e}", str(value).rstrip("0") + "0"])
)
tails = st.sampled_from(["", " 0.5", "  1", "\t0.990 ", " NA lex NA", " -0.5 lex  B", " 1e-3\tx y "])
tokens = st.text(st.sampled_from("abñß.,'-<>é"), min_size=1, max_size=6) | st.sampled_from(
    ["a<space>b", "<space>", "-"]
)
extra = st.sampled_from(["", ";; a comment", "  ", "u 1 0 1 <eps>"])


@st.composite
def transcripts(draw):
    lines = draw(st.lists(extra, max_size=2))
    for name in draw(st.permutations(["u", "v 2"])):
        head = name if " " in name else f"{name}\tA"
        for start in sorted(draw(st.lists(numbers, min_size=1, max_size=8)), key=float):
            lines += [
                f"{head} {start}  {draw(numbers)} {draw(tokens)}{draw(tails)}",
                *draw(st.lists(extra, max_size=2)),
            ]
    return "".join(f"{line}\n" for line in lines)


@RELAXED
@given(transcripts(), st.integers(1, 5))
def test_any_ctm_comes_back(tmp_path_factory, content, part):
    path = file(tmp_path_factory.mktemp("ctm"), content)
    utterances, parts = list(read_ctm(path)), list(read_ctm(path, part))
    assert written(write_ctm, utterances) == content == written(write_ctm, parts)
    assert list(whole(parts)) == utterances
    labelled = written(write_ctm, asked(parts))
    assert labelled == written(write_ctm, asked(utterances))
    again = list(read_ctm(file(tmp_path_factory.mktemp("ctm"), labelled)))
    assert [[(word.start, word.end, word.confidence) for word in utterance.words] for utterance in again] == [
        [(word.start, word.end, word.confidence) for word in utterance.words] for utterance in utterances
    ]


@RELAXED
@given(transcripts(), st.integers(1, 5))
def test_parts_are_not_seen(tmp_path_factory, content, part):
    path = file(tmp_path_factory.mktemp("ctm"), content)
    once, cut = asked(with_pauses(read_ctm(path))), asked(with_pauses(read_ctm(path, part)))
    assert list(whole(cut)) == once
    for writer in (write_text_lines, write_tsv):
        assert written(writer, cut) == written(writer, once)


def test_parts_are_cut_between_words(tmp_path):
    """Marks alone belong to the words beside them."""
    rows = "".join(f"u 1 {i} 0.5 {text}\n" for i, text in enumerate(["a", "-", "b", "c", "-", "-", "-", "d"]))
    parts = read_ctm(file(tmp_path, rows), 2)
    assert [[word.text for word in part.words] for part in parts] == [["a", "-", "b"], ["c", "-", "-", "-"], ["d"]]


def rows(count):
    yield from (f"talk 1 {i * 0.37:.2f} 0.25 palabra{i % 977} 0.9\n" for i in range(count))


def peak(path):
    tracemalloc.start()
    try:
        with open("/dev/null", "w") as out:
            write_ctm(with_pauses(read_ctm(path, PART)), out, ES)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_an_utterance(tmp_path):
    peaks = []
    for count in (8 * PART, 40 * PART):
        path = tmp_path / f"{count}.ctm"
        path.write_text("".join(rows(count)), encoding="utf-8")
        peaks.append(peak(path))
    assert peaks[1] < 1.2 * peaks[0] < 12_000_000


@pytest.mark.parametrize("how", ["restore", "restore_streaming"])
def test_a_punctuator_sees_no_parts(tmp_path, how):
    path = tmp_path / "a.ctm"
    path.write_text("".join(rows(70)), encoding="utf-8")
    once, cut = (list(getattr(drawn_punctuator(), how)(read_ctm(path, part))) for part in (None, 9))
    assert len(cut) == 8
    assert list(whole(cut)) == once
    assert written(write_ctm, cut) == written(write_ctm, once)


def test_lines_without_words_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_KEPT", 3)
    assert list(read_ctm(file(tmp_path, ";;\n" * 3 + "u 1 0 1 a\n")))
    for content in (";;\n" * 4, "u 1 0 1 <eps>\n\n" * 2):
        with pytest.raises(InputError, match=r"a\.ctm:4: found more than 3 lines without a word"):
            list(read_ctm(file(tmp_path, content)))


def test_whole_puts_together_what_belongs_together():
    first = Utterance((Word("a"),), "u", "r", pauses=(0.5,), pause_before=0.1)
    second = Utterance((Word("b"),), "u", "r", continues=True, rest="end")
    other = Utterance((Word("c"),), "v", "r")
    joined, same = whole([first, second, other])
    assert joined == Utterance((Word("a"), Word("b")), "u", "r", pauses=(0.5, None), pause_before=0.1)
    assert (joined.rest, same) == ("end", other)
    assert list(whole([second])) == [replace(second, continues=False)]
    with pytest.raises(ValueError, match="1 labels for 2 words"):
        list(whole([replace(first, labels=(ASKED,)), second]))


def test_a_long_utterance_is_whole_unless_parts_are_asked_for(tmp_path):
    path = tmp_path / "a.ctm"
    path.write_text("".join(rows(2 * PART + 1)), encoding="utf-8")
    parts = list(formats.read_utterances(path, parts=True))
    assert [len(part.words) for part in parts] == [PART, PART, 1]
    assert list(formats.read_utterances(path)) == list(whole(parts))
    for name in set(formats.WRITABLE) - {"kaldi"}:
        for number, value in enumerate((asked(parts), list(whole(asked(parts))))):
            formats.write_utterances(value, tmp_path / f"{number}", ES, name)
        assert (tmp_path / "0").read_text() == (tmp_path / "1").read_text()


def test_rows_of_a_recording_that_comes_back_are_refused():
    one, two = (Utterance((Word("ya", 0.0, 1.0),), recording=name) for name in "ab")
    with pytest.raises(InputError, match="recording 'a': found utterances in two places"):
        written(write_ctm, [one, two, one])


def test_an_utterance_without_words_parts_no_recording():
    spoken = [Utterance((Word("ya", 1.0, 1.5),), recording="r", channel=channel) for channel in "21"]
    text = written(write_ctm, [spoken[0], Utterance((), recording="r"), spoken[1]])
    assert text == "r 1 1.00 0.50 ya\nr 2 1.00 0.50 ya\n"


def test_utterances_that_overlap_stand_by_time():
    words = Word("b", 2.0, 3.0), Word("a", 1.5, 2.5)
    late, early = (Utterance((word,), recording="r") for word in words)
    assert written(write_ctm, [late, early]) == "r 1 1.50 1.00 a\nr 1 2.00 1.00 b\n"


@pytest.mark.parametrize(
    ("recording", "name"), [("d/a.wav", "a"), ("d/a.b", "d/a.b"), ("talk.FLAC", "talk"), ("a", "a")]
)
def test_audio_files_are_named_without_folder_and_suffix(recording, name):
    assert written(write_ctm, [Utterance((Word("ya", 0.0, 1.0),), recording=recording)]) == f"{name} 1 0.00 1.00 ya\n"
