"""STM: segments come back with all but the words' marks as it was."""

import io as stdio
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asr_punct.errors import InputError
from asr_punct.io.stm import read_stm, write_stm
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import Utterance, Word

ES = glyphs("es")
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
STOP = Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP)
STM = """;; CATEGORY "0" "" ""
talk 1 inter_segment_gap 0 1.50 <o,,unknown>
talk 1 speaker-1 1.50 03.250 <o,f0,male> qué dijo ana

talk\tA  speaker-2 4 6.5 hola
talk A excluded_region 6.5 7 ignore_time_segment_in_scoring
;; end
"""


def file(folder, content):
    path = folder / "a.stm"
    path.write_text(content, encoding="utf-8")
    return path


def written(utterances):
    out = stdio.StringIO()
    write_stm(utterances, out, ES)
    return out.getvalue()


def stopped(utterances):
    return [replace(utterance, labels=(STOP,) * len(utterance.words)) for utterance in utterances]


def test_a_segment_is_an_utterance(tmp_path):
    first, second = read_stm(file(tmp_path, STM))
    words = (Word("qué", 1.5), Word("dijo"), Word("ana", None, 3.25))
    assert first == Utterance(words, "talk-3", "talk", speaker="speaker-1", pauses=(None,) * 3)
    assert (second.words, second.id, second.channel) == ((Word("hola", 4.0, 6.5),), "talk-5", "A")
    assert second.speaker == "speaker-2"


def test_segments_of_a_channel_are_in_the_order_of_time_and_may_overlap(tmp_path):
    lines = ["t A x 1 9 uno\n", "t A y 2 3 dos\n", "t B x 0 1 tres\n", "u A x 0 1 ya\n"]
    assert len(list(read_stm(file(tmp_path, "".join(lines))))) == 4
    with pytest.raises(InputError, match=r"a\.stm:4: found start 1 after 2, expected segments in the order of time"):
        list(read_stm(file(tmp_path, "".join(lines[1:] + lines[:1]))))


def test_all_but_the_transcript_comes_back(tmp_path):
    read = list(read_stm(file(tmp_path, STM)))
    assert written(read) == STM
    assert written(stopped(read)) == STM.replace("qué dijo ana", "Qué. Dijo. Ana.").replace("hola", "Hola.")


def test_utterances_of_another_format():
    words = (Word("<unk>", 0.5, 1.0), Word("hola", 1.25, 1.5))
    values = [
        Utterance(words, "u", "my talk", "2"),
        Utterance(()),
        Utterance((Word("a", 2.0, 2.125),), speaker="ana maría"),
    ]
    expected = "my_talk 2 unknown 0.50 1.50 <NA> <unk> hola\nutterance3 1 ana_maría 2.00 2.125 a\n"
    assert written(values) == expected
    with pytest.raises(InputError, match="utterance 'u': found words without times"):
        written([Utterance((Word("hola"),), "u")])


texts = st.lists(st.text(st.sampled_from("abñ.,'¿"), min_size=1, max_size=4), min_size=1, max_size=5)
others = st.sampled_from([";; a comment", "", "t 1 inter_segment_gap 0 1 <o,,unknown>", "t A x 0 1.0  "])


@st.composite
def transcripts(draw):
    lines = draw(st.lists(others, max_size=2))
    for start in sorted(draw(st.lists(st.integers(0, 99), min_size=1, max_size=5))):
        label = draw(st.sampled_from(["", "<o,f0,male> ", "<NA>\t", "<a b> "])).strip("\t ")
        times = draw(st.sampled_from([f"{start} {start}.5", f"{start}.00\t{start + 1:e}"]))
        lines.append(" ".join(["t 1 s", times, label, *draw(texts)] if label else ["t 1 s", times, *draw(texts)]))
        lines += draw(st.lists(others, max_size=2))
    return "".join(f"{line}\n" for line in lines)


@RELAXED
@given(transcripts())
def test_any_stm_comes_back(tmp_path_factory, content):
    read = list(read_stm(file(tmp_path_factory.mktemp("stm"), content)))
    assert written(read) == content
    again = list(read_stm(file(tmp_path_factory.mktemp("stm"), written(stopped(read)))))
    assert [len(value.words) for value in again] == [len(value.words) for value in read]
    edges = [(value.words[0].start, value.words[-1].end, value.id, value.channel) for value in read]
    assert [(value.words[0].start, value.words[-1].end, value.id, value.channel) for value in again] == edges


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("talk 1 s 0", "4 columns"),
        ("talk 1 s x 1 hola", "start 'x'"),
        ("talk 1 s 0 -1 hola", "end '-1'"),
        ("talk 1 s 2 1 hola", "end 1.0 before start 2.0"),
        ("talk 1 s nan 1 hola", "start 'nan'"),
    ],
)
def test_stm_errors_name_the_place(tmp_path, line, found):
    with pytest.raises(InputError, match=rf"a\.stm:2: found {found}"):
        list(read_stm(file(tmp_path, f";;\n{line}\n")))
