"""The mintzai recipe's synthetic corpus: committed text, its cuts, its sound, its files."""

import random
import re
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from make_mini_corpus import make_corpus
from mini_corpus.speech import RATE, draw_speaker, speak_segment
from mini_corpus.transcripts import Segment, Token, read_recordings

from asr_punct import audio
from asr_punct.errors import InputError
from asr_punct.formats.kaldi.ctm import read_ctm
from asr_punct.marks import MARKS, Mark
from asr_punct.text import parse

PARTS = ("train", "dev", "test")
LANGUAGES = ("es", "eu")


def segments(language, part):
    return [segment for recording in read_recordings(language, part) for segment in recording.segments]


def segment(text, language="es"):
    return Segment("s_001", tuple(Token(token, language) for token in text.split()))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_token_is_a_word_or_a_dash_and_every_mark_occurs(language, part):
    marks = Counter()
    for each in segments(language, part):
        parsed = parse(each.text, language)
        assert not parsed.dropped, each.text
        assert len(parsed.words) == sum(bool(re.search(r"\w", token.text)) for token in each.tokens), each.text
        assert not re.search(r"[{}<>|\"]|  | ,", each.text), each.text
        marks.update(mark for labels in parsed.labels for mark in labels.marks)
    opening = {Mark.OPEN_QUES, Mark.OPEN_EXCL} if language == "eu" else set()
    assert set(marks) - opening == set(MARKS) - opening
    assert all(count >= (10 if part == "train" else 2) for mark, count in marks.items() if mark not in opening), marks


@pytest.mark.parametrize("language", LANGUAGES)
def test_parts_share_no_sentence_of_four_words_and_more(language):
    sentences = {
        part: {
            sentence
            for each in read_recordings(language, part)
            for sentence in re.split(r"(?<=[.?!…])»? ", " ".join(s.text for s in each.segments))
            if len(sentence.split()) > 3
        }
        for part in PARTS
    }
    assert not any(one & other for one, other in combinations(sentences.values(), 2))
    words = sum(len(s.tokens) for part in PARTS for s in segments(language, part))
    assert 9_500 < words < 11_500


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_have_times_in_order_inside_the_sound(language):
    rng = random.Random(1)
    for each in segments(language, "dev")[:12]:
        samples, utterance = speak_segment(each, language, draw_speaker("dev", rng), rng)
        assert tuple(word.text for word in utterance.words) == parse(each.text, language).words
        assert all(0 <= a.start < a.end <= b.start < b.end for a, b in pairwise(utterance.words))
        assert utterance.words[-1].end < len(samples) / RATE
        assert 0.1 < np.abs(samples).max() <= 1


def test_layout_and_a_second_run(tmp_path):
    out = tmp_path / "corpus"
    description = make_corpus(out, 0.004)
    assert {path.name for path in out.iterdir()} == {"es-eu", "eu-es", "truth", "README.md"}
    assert (out / "README.md").read_text(encoding="utf-8") == description
    for language, pair in (("es", "es-eu"), ("eu", "eu-es")):
        for part in PARTS:
            sounds = {path.stem: path for path in (out / pair / part / "audio").glob("*.m4a")}
            texts = {path.stem: path for path in (out / pair / part / "transcriptions").glob(f"*.{language}")}
            truth = {utterance.id: utterance for utterance in read_ctm(out / "truth" / language / f"{part}.ctm")}
            assert sounds
            assert sounds.keys() == texts.keys() == truth.keys()
            for name, path in texts.items():
                assert tuple(w.text for w in truth[name].words) == parse(path.read_text("utf-8"), language).words
                assert audio.duration(sounds[name]) > truth[name].words[-1].end
    (out / "es-eu" / "old").touch()
    assert make_corpus(out, 0.004) == description
    assert not (out / "es-eu" / "old").exists()


def test_a_folder_of_something_else_is_kept(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="other files"):
        make_corpus(tmp_path)
    assert (tmp_path / "mine.txt").exists()
