"""Ways to decode of egs/iwslt: the average of several windows for each word, and streams whose windows are batched."""

import itertools
import math

import numpy as np
import pytest
from aggregate import Aggregation, averaging
from dummies import bare_words, document_sizes, endless_document, in_documents, transcripts
from hypothesis import given, settings
from hypothesis import strategies as st
from stream_in_batches import restore_streaming

from asr_punct.config import WindowConfig
from asr_punct.errors import ArgumentError
from asr_punct.features import WindowProbabilities
from asr_punct.inference.options import StreamSettings
from asr_punct.inference.restorer import Restorer
from asr_punct.marks import Mark
from asr_punct.words import Utterance, Word

# Several windows for each word

LABELS = 4


def backend(words):
    """Probabilities that depend on the word, on its place in the window and on the window's length; some are 0 or 1."""
    seed = [words[0].subwords[0], len(words)]
    rng = np.random.default_rng(seed)
    labels, cases = rng.dirichlet([0.1] * LABELS, len(words)), rng.dirichlet([1] * 3, len(words))
    return WindowProbabilities(labels.astype(np.float32), cases.astype(np.float32))


def literal_windows(document, size, tokens, count):
    """First word and the one after the last of each window of one document."""
    start, windows = 0, []
    while True:
        end = start
        while end < len(document) and end - start < size and sum(document[start : end + 1]) <= tokens:
            end += 1
        windows.append((start, end))
        if end == len(document):
            return windows
        start += math.ceil((end - start) / count)


def literal_mean(values, exclusive, of):
    """Mean of the probabilities of one word in several windows, each (values,)."""
    values = [np.array(value, dtype=np.float64) for value in values]
    if of == "probabilities":
        return sum(values) / len(values)
    if not exclusive:
        logs = [np.log(np.clip(v, 1e-6, 1 - 1e-6) / (1 - np.clip(v, 1e-6, 1 - 1e-6))) for v in values]
        return 1 / (1 + np.exp(-sum(logs) / len(logs)))
    product = np.exp(sum(np.log(np.maximum(v, 1.2e-38)) for v in values) / len(values))
    return product / product.sum()


@settings(max_examples=60)
@given(
    document_sizes,
    st.integers(1, 12),
    st.integers(1, 14),
    st.integers(5, 30),
    st.booleans(),
    st.sampled_from(["activations", "probabilities"]),
)
def test_probabilities_are_the_mean_over_all_windows_of_a_word(sizes, size, count, tokens, classes, of):
    aggregation = Aggregation(count, of)
    windows = list(aggregation.plan(in_documents(sizes), WindowConfig(size, 0), tokens + 2))
    words, expected, planned = list(in_documents(sizes)), [], []
    for number, document in enumerate(sizes):
        first = sum(map(len, sizes[:number]))
        spans = literal_windows(document, size, tokens, count)
        planned += [tuple(words[first + start : first + end]) for start, end in spans]
        scores = [backend(words[first + start : first + end]) for start, end in spans]
        for word in range(len(document)):
            holding = [(s, word - a) for s, (a, b) in zip(scores, spans, strict=True) if a <= word < b]
            labels = literal_mean([s.labels[i] for s, i in holding], classes, of)
            expected.append((labels, literal_mean([s.cases[i] for s, i in holding], True, of)))
    assert [window.words for window in windows] == planned
    combined = list(aggregation.combine(((window, backend(window.words)) for window in windows), classes))
    assert [window for window, _ in combined] == windows
    assert [word for window in windows for word in window.kept] == words
    found = [row for _, scores in combined for row in zip(scores.labels, scores.cases, strict=True)]
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(row[0], other[0], atol=1e-5)
        np.testing.assert_allclose(row[1], other[1], atol=1e-5)


def test_an_endless_document_is_aggregated_lazily():
    aggregation = Aggregation(4)
    planned = aggregation.plan(endless_document(), WindowConfig(8, 2), 100)
    windows = ((window, backend(window.words)) for window in planned)
    combined = list(itertools.islice(aggregation.combine(windows, True), 50))
    assert [len(probabilities.labels) for _, probabilities in combined] == [2] * 50


def test_no_window_at_all_is_refused():
    with pytest.raises(ArgumentError) as error:
        Aggregation(0)
    assert (error.value.place, error.value.found, error.value.expected) == ("aggregate", "0", "1 or more")


def test_one_window_of_all_words_is_the_model_itself(restorer):
    """A document that fits into one window."""
    (whole,) = utterances_of("ana mira la casa dónde está la mesa")
    (expected,) = restorer.restore([whole])
    for windows in (1, 3):
        (found,) = averaging(restorer, windows).restore([whole])
        assert found.labels == expected.labels
    text = utterances_of("ana mira la casa dónde está la mesa " * 9)
    assert sum(len(part.tokens) for part in averaging(restorer, 4).predict(text)) == 72


def utterances_of(text):
    return [Utterance(tuple(map(Word, text.split())))]


# Streams in batches


@pytest.fixture(scope="module")
def restorer(model):
    return Restorer.open(model)


def test_a_question_that_a_pause_leaves_open_ends_with_its_document(restorer):
    asked = tuple(
        Word(text, start, start + 0.2) for text, start in [("dónde", 0), ("está", 0.2), ("la", 0.4), ("♪", 3)]
    )
    talks = [Utterance(asked, recording="0"), Utterance((Word("ana"),), recording="1")]
    settings = StreamSettings(left=5, right=1, flush_after=1)
    first, second = restore_streaming(restorer, talks, settings)
    assert [label.marks for label in first.labels] == [{Mark.OPEN_QUES}, set(), set(), set()]
    (alone,) = restore_streaming(restorer, talks[1:], settings)
    assert second.labels == alone.labels


@settings(max_examples=60)
@given(transcripts(), st.integers(0, 12), st.integers(1, 5), st.integers(1, 4), st.sampled_from([0.1, 0.4, 9]))
def test_a_transcript_in_batches_is_what_the_stream_gives(
    punctuator, restorer, utterances, left, right, hop, flush_after
):
    settings = StreamSettings(left, right, hop, flush_after, patience=0)
    restored = list(restore_streaming(restorer, utterances, settings))
    assert [bare_words(u) for u in restored] == [u.words for u in utterances]
    stream = punctuator.stream(settings=settings)
    live = []
    for number in sorted({u.recording for u in utterances}):
        words = [word for u in utterances if u.recording == number for word in u.words]
        live += [item for word in words for item in stream.push(word)] + stream.flush()
    assert [item.word for item in live] == [word for u in utterances for word in u.words]
    assert [item.labels for item in live] == [label for u in restored for label in u.labels]


def test_transcripts_are_read_lazily(restorer):
    read = 0

    def counted():
        nonlocal read
        for number in range(400):
            read += 1
            yield Utterance((Word("ana"), Word("mira")), recording=str(number // 100))

    waiting = [read - done for done, _ in enumerate(restore_streaming(restorer, counted(), StreamSettings()), start=1)]
    assert len(waiting) == 400
    assert max(waiting) < 100
