"""STM: segments come back with all but the words' marks as it was."""

import random
import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from dummies import file

from asr_punct.errors import InputError
from asr_punct.formats.kaldi.ctm import read_ctm
from asr_punct.formats.kaldi.stm import read_stm, without_ignored_segments
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate

SCTK = shutil.which("sctk")
STOP = Labels(frozenset({Mark.PERIOD}), Case.FIRST_CAP)


def test_segments_of_a_channel_are_in_the_order_of_time_and_may_overlap(tmp_path):
    lines = ["t A x 1 9 uno\n", "t A y 2 3 dos\n", "t B x 0 1 tres\n", "u A x 0 1 ya\n"]
    assert len(list(read_stm(file(tmp_path, "a.stm", "".join(lines))))) == 4
    with pytest.raises(InputError, match=r"a\.stm:4: found start 1 after 2, expected segments in the order of time"):
        list(read_stm(file(tmp_path, "a.stm", "".join(lines[1:] + lines[:1]))))


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
