"""Channels are separate texts: for the model, for pauses, on audio, and one text in the order of time for a reader."""

import io
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.channels import by_channel, in_order_of_time
from asr_punct.formats.source import Source
from asr_punct.glyphs import glyphs
from asr_punct.marks import Labels, Mark
from asr_punct.pauses import with_pauses
from asr_punct.restoring import PipelineOptions, restore_file
from asr_punct.words import Utterance, Word, split_words

WORDS = ["ana", "mira", "la", "casa", "dónde", "está", "luis"]


@st.composite
def calls(draw):
    """Recordings whose utterances of up to three channels are in any order; times of a channel go on."""
    utterances = []
    for recording in range(draw(st.integers(1, 2))):
        clock = Counter()
        for number in range(draw(st.integers(0, 6))):
            channel, words = draw(st.sampled_from("12A")), []
            for text in draw(st.lists(st.sampled_from(WORDS), max_size=5)):
                start = clock[channel] + draw(st.sampled_from([0.0, 0.5, 1.5]))
                clock[channel] = start + 0.25
                labels = Labels(frozenset({Mark.PERIOD} if draw(st.booleans()) else ()))
                words.append(Word(text, start, start + 0.25, labels=labels))
            name = f"r{recording}"
            utterances.append(Utterance(tuple(words), f"{name}-{number}", recording=name, channel=channel))
    return utterances


def side(utterances, recording, channel):
    return [u for u in utterances if (u.recording, u.channel) == (recording, channel)]


@given(calls())
def test_channels_are_processed_one_by_one_and_come_back_in_order(utterances):
    got = []
    processed = by_channel(utterances, lambda parts: (got.append(u.side) or replace(u, speaker="x") for u in parts))
    assert list(processed) == [replace(utterance, speaker="x") for utterance in utterances]
    changes = sum(a != b for a, b in zip(["", *got], got, strict=False))
    assert changes == len({utterance.side for utterance in utterances})


def test_one_channel_is_not_read_ahead():
    waiting = iter([Utterance((), "1"), Utterance((), "2")])
    assert next(by_channel(waiting, lambda parts: parts)).id == "1"
    assert next(waiting).id == "2"


@settings(max_examples=20)
@given(calls())
def test_pauses_and_marks_are_those_of_each_channel_alone(punctuator, utterances):
    bare = [replace(u, words=tuple(replace(word, labels=None) for word in u.words)) for u in utterances]
    for function in (with_pauses, punctuator.restore, punctuator.prepare):
        together = list(function(bare))
        for name in {utterance.side for utterance in utterances}:
            assert side(together, *name) == list(function(side(bare, *name)))


@given(calls())
def test_a_text_of_channels_is_their_turns_in_the_order_of_time(utterances):
    turns = list(in_order_of_time(utterances, glyphs("es")))
    for name in {utterance.side for utterance in utterances}:
        words, given = ([word for u in side(each, *name) for word in u.words] for each in (turns, utterances))
        assert words == given
    if len({utterance.channel for utterance in utterances}) > 1:
        for recording in ("r0", "r1"):
            spoken = [turn for turn in turns if turn.recording == recording and turn.words]
            starts = [turn.words[0].start for turn in spoken]
            assert starts == sorted(starts)


@pytest.mark.parametrize(("text", "marks"), [("uno", {Mark.PERIOD}), ("uno.", ())])
def test_turns_end_where_another_channel_begins_a_sentence(text, marks):
    words = [Word(text, 0.0, 0.2, labels=Labels(frozenset(marks))), Word("dos", 2.0, 2.2), Word("tres")]
    call = [Utterance(tuple(words), recording="r"), Utterance((Word("sí", 1.0, 1.2),), recording="r", channel="2")]
    out = io.StringIO()
    formats.write_stream(call, out, glyphs("es"), "text")
    assert out.getvalue() == "uno.\nsí\ndos tres\n"


@pytest.mark.parametrize("name", ["ctm", "stm", "json", "lhotse", "textgrid", "eaf"])
def test_a_file_of_two_channels_is_restored_as_two_files_are(punctuator, tmp_path, name):
    def timed(text, start, channel, speaker):
        words = [replace(word, start=start + i, end=start + i + 0.5) for i, word in enumerate(split_words(text))]
        return Utterance(tuple(words), recording="call", channel=channel, speaker=speaker, time_source="asr")

    call = [timed("dónde está la casa", 0.0, "1", "a"), timed("ana mira la casa", 2.0, "2", "b")]
    if name != "ctm":  # segments in the order of time
        call += [timed("mira la", 8.0, "1", "a"), timed("ana mira", 9.0, "2", "b")]

    def restored(utterances):
        path, output = tmp_path / "in", tmp_path / "out"
        formats.write(utterances, path, glyphs("es"), name)
        restore_file(Source(path, name), output, punctuator, PipelineOptions(target_format=name))
        found = list(formats.read(output, name))
        return [(u.channel, word.text, word.start, word.labels) for u in found for word in u.words]

    together = restored(call)
    for channel in "12":
        alone = restored([utterance for utterance in call if utterance.channel == channel])
        assert [word[1:] for word in together if word[0] == channel] == [word[1:] for word in alone]
