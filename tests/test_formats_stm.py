"""STM: segments come back with all but the words' marks as it was."""

import random
import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from dummies import file, with_labels, written

from asr_punct.errors import InputError
from asr_punct.formats.ctm import read_ctm
from asr_punct.formats.stm import read_stm, without_ignored_segments
from asr_punct.marks import Case, Labels, Mark, glyphs
from asr_punct.words import Utterance, Word, annotate

ES = glyphs("es")
SCTK = shutil.which("sctk")
STOP = Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP)
STM = """;; CATEGORY "0" "" ""
talk 1 inter_segment_gap 0 1.50 <o,,unknown>
talk 1 speaker-1 1.50 03.250 <o,f0,male> qué dijo ana

talk\tA  speaker-2 4 6.5 hola
talk A excluded_region 6.5 7 ignore_time_segment_in_scoring
;; end
"""


def test_a_segment_is_an_utterance(tmp_path):
    first, second = read_stm(file(tmp_path, "a.stm", STM))
    words = (Word("qué", 1.5), Word("dijo"), Word("ana", None, 3.25))
    assert first == Utterance(words, "talk-3", recording="talk", speaker="speaker-1", time_source="segment")
    assert (second.words, second.id, second.channel) == ((Word("hola", 4.0, 6.5),), "talk-5", "A")
    assert second.speaker == "speaker-2"


def test_braces_and_slashes_alone_are_words(tmp_path):
    (value,) = read_stm(file(tmp_path, "a.stm", "talk 1 s 0 1 {risas} 1 / 2 (eh) {a/b}\n"))
    assert [word.text for word in value.words] == ["{risas}", "1", "/", "2", "(eh)", "{a/b}"]


def test_segments_of_a_channel_are_in_the_order_of_time_and_may_overlap(tmp_path):
    lines = ["t A x 1 9 uno\n", "t A y 2 3 dos\n", "t B x 0 1 tres\n", "u A x 0 1 ya\n"]
    assert len(list(read_stm(file(tmp_path, "a.stm", "".join(lines))))) == 4
    with pytest.raises(InputError, match=r"a\.stm:4: found start 1 after 2, expected segments in the order of time"):
        list(read_stm(file(tmp_path, "a.stm", "".join(lines[1:] + lines[:1]))))


def test_everything_but_the_transcript_is_kept(tmp_path):
    read = list(read_stm(file(tmp_path, "a.stm", STM)))
    assert written(read, "stm") == STM
    assert written(with_labels(read, STOP), "stm") == STM.replace("qué dijo ana", "Qué. Dijo. Ana.").replace(
        "hola", "Hola."
    )


def test_utterances_of_another_format():
    words = (Word("<unk>", 0.5, 1.0), Word("hola", 1.25, 1.5))
    values = [
        Utterance(words, "u", recording="my talk", channel="2"),
        Utterance(()),
        Utterance((Word("a", 2.0, 2.125),), speaker="ana maría"),
    ]
    expected = "my_talk 2 unknown 0.50 1.50 <NA> <unk> hola\nutterance3 1 ana_maría 2.00 2.125 a\n"
    assert written(values, "stm") == expected
    with pytest.raises(InputError, match="utterance 'u': found words without times"):
        written([Utterance((Word("hola"),), "u")], "stm")


def test_new_segments_are_sorted_by_recording_channel_and_time(tmp_path):
    places = [("talk", "1", 10.0), ("b", "2", 0.0), ("talk", "1", 9.5), ("b", "1", 7.0), ("talk", "1", 2.0)]
    values = [
        Utterance((Word(f"w{number}", start, start + 1),), "", recording=name, channel=channel)
        for number, (name, channel, start) in enumerate(places)
    ]
    again = list(read_stm(file(tmp_path, "a.stm", written(values, "stm"))))
    assert [value.words[0].text for value in again] == ["w3", "w1", "w4", "w2", "w0"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("talk 1 s 0", "4 columns"),
        ("talk 1 s x 1 hola", "start 'x'"),
        ("talk 1 s 0 -1 hola", "end '-1'"),
        ("talk 1 s 2 1 hola", "end 1.0 before start 2.0"),
        ("talk 1 s 0 1 <o> eh {uh / um / @} hola", "the alternatives '{uh / um / @}', expected one transcript"),
        ("talk 1 s 0 1 { a / { b c / d } }", "the alternatives '{ b c / d }'"),
    ],
)
def test_stm_errors_name_the_place(tmp_path, line, found):
    with pytest.raises(InputError, match=rf"a\.stm:2: found {found}"):
        list(read_stm(file(tmp_path, "a.stm", f";;\n{line}\n")))


IGNORED = "ignore_time_segment_in_scoring"
EXCLUSIONS = f"""talk A s 0 2 <o,f0> hola
;; a comment
talk A excluded_region 2 4 <o,f0> {IGNORED.upper()}
talk A s 5 7 adiós
talk B excluded_region 0 1 {IGNORED}
talk B s 1 2 sí
"""


def spoken(*words, recording="talk", channel="A"):
    return Utterance(
        tuple(Word(text, start, end) for text, start, end in words), "u", recording=recording, channel=channel
    )


@pytest.mark.parametrize(("middle", "stays"), [(1.99, True), (2, False), (3.9, False), (4, True), (99, True)])
def test_words_whose_middle_is_in_an_ignored_segment_are_not_scored(tmp_path, middle, stays):
    said = spoken(("hola", 0.1, 0.4), ("eh", middle - 0.1, middle + 0.1))
    (scored,) = without_ignored_segments([said], read_stm(file(tmp_path, "a.stm", EXCLUSIONS)))
    assert scored == (said if stays else replace(said, words=said.words[:1]))


def test_words_outside_segments_belong_to_the_next_or_last_one(tmp_path):
    content = f"t 1 s 0 1 a\nt 1 s 2 3 {IGNORED}\nt 1 s 4 5 b\nt 1 s 6 7 {IGNORED}\n"
    said = replace(spoken(("x", 1.4, 1.6), ("b", 4, 5), ("y", 8, 9), recording="t"), channel="1", time_source="asr")
    (scored,) = without_ignored_segments([said], read_stm(file(tmp_path, "a.stm", content)))
    assert scored == replace(said, words=said.words[1:2])


def test_other_channels_and_words_without_times_are_scored(tmp_path):
    references = list(read_stm(file(tmp_path, "a.stm", EXCLUSIONS)))
    said = spoken(("eh", 2.5, 2.6), ("y", None, None), ("no", 5, 6))
    stop, none = STOP, Labels()
    labelled = annotate(said, labels=(none, none, stop), pauses=(0.1, None, 0.2))
    (scored,) = without_ignored_segments([labelled], references)
    assert scored == annotate(replace(said, words=said.words[1:]), labels=(none, stop))
    others = [replace(said, channel="C"), replace(said, recording="other")]
    assert list(without_ignored_segments(others, references)) == others
    assert list(without_ignored_segments([said], [replace(said, id="r")])) == [said]


@pytest.mark.skipif(SCTK is None, reason="sctk, which brings sclite, is not installed")
def test_sclite_scores_the_same_words(tmp_path):
    rng = random.Random(2)
    rows, lines, time = [], [], 0
    for number in range(60):
        start, end = time + rng.choice([0, 0, 3]), time + rng.randint(4, 9)
        lines.append(f"t 1 s {start} {end} {rng.choice(['a b', 'c', IGNORED]) if number else 'a'}\n")
        time = end
    for tenth in range(0, 10 * time + 40, 7):  # the middles are never an edge
        rows.append(f"t 1 {tenth / 10} 0.05 {rng.choice('abcd')}\n")
    (tmp_path / "h.ctm").write_text("".join(rows), encoding="ascii")
    reference = file(tmp_path, "a.stm", "".join(lines))
    command = [SCTK, "sclite", "-r", reference, "stm", "-h", tmp_path / "h.ctm", "ctm", "-o", "pralign", "stdout"]
    out = subprocess.run(command, check=True, capture_output=True).stdout.decode("ascii")
    counts = re.findall(r"^Scores: \(#C #S #D #I\) (\d+) (\d+) \d+ (\d+)$", out, re.M)
    scored = without_ignored_segments(read_ctm(tmp_path / "h.ctm"), read_stm(reference))
    words = sum(len(utterance.words) for utterance in scored)
    assert words == sum(int(count) for row in counts for count in row) < len(rows)
