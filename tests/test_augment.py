"""Random changes of training windows, against a literal loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from dummies import tiny_config
from training_dummies import batches, check_form, copied, equal, generator, seeds

from asr_punct.config import AugmentConfig
from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.pauses import BUCKETS, UNKNOWN_PAUSE
from asr_punct.subwords import SubwordTokenizer, train_tokenizer
from asr_punct.training.augment import augment
from asr_punct.training.datamodule import PunctuationData
from asr_punct.training.mapped import Corpora

WORDS = 50
UNKNOWN_WORD = range(WORDS, WORDS + 1)
windows = batches(WORDS)
configs = st.builds(
    lambda rate, substitution, share: AugmentConfig(rate, substitution, (1 - substitution) * share),
    *[st.floats(0, 1)] * 3,
)


def window(batch, row):
    """Rows of (word, marks, case, pause, flags)."""
    columns = batch.words, batch.marks, batch.cases, batch.pauses, batch.boundaries
    return [list(map(int, values)) for values in zip(*(c[batch.rows == row] for c in columns), strict=True)]


def changed(words, change, kind, drawn, config):
    """The window of these (word, marks, case, pause, flags) after its changes, one word after the other."""
    result, starts, ends = [], words[0][4] & DOCUMENT_START, words[-1][4] & DOCUMENT_END
    all_deleted = all(
        c < config.rate and config.substitution <= k < config.substitution + config.deletion
        for c, k in zip(change, kind, strict=True)
    )
    for i, (word, marks, case, pause, _) in enumerate(words):
        if change[i] >= config.rate or (i == 0 and all_deleted):
            result.append([word, marks, case, pause, 0])
        elif kind[i] < config.substitution:
            result.append([drawn[i], marks, case, pause, 0])
        elif kind[i] < config.substitution + config.deletion:
            if result:
                known = UNKNOWN_PAUSE not in (result[-1][3], pause)
                result[-1][3] = min(result[-1][3] + pause, BUCKETS - 1) if known else UNKNOWN_PAUSE
        else:
            result += [[drawn[i], 0, 0, UNKNOWN_PAUSE, 0], [word, marks, case, pause, 0]]
    result[0][4] += starts
    result[-1][4] += ends
    return result


@given(windows, configs, seeds)
def test_augmentation_against_a_literal_loop(batch, config, seed):
    before, rng = copied(batch), generator(seed)
    change, kind = rng.random((2, len(batch.words)))
    drawn = rng.integers(0, WORDS, len(batch.words), dtype=np.int32)
    found = augment(batch, config, range(WORDS), generator(seed))
    for row in range(int(batch.rows[-1]) + 1):
        own = batch.rows == row
        expected = changed(window(batch, row), change[own], kind[own], drawn[own].tolist(), config)
        assert window(found, row) == expected
    assert equal(batch, before)
    check_form(found, batch)
    assert equal(augment(batch, AugmentConfig(), UNKNOWN_WORD, generator(seed)), batch)


def batches_of(corpus, tokenizer, max_tokens=64, **training):
    return list(PunctuationData(Corpora.open(corpus), tokenizer, tiny_config(**training), max_tokens).epoch(0))


@pytest.mark.parametrize(("replacement", "share"), [("unknown", 0.4), ("random", 0.0)])
def test_training_batches_have_changed_words(corpus, replacement, share):
    words = [word.lower() for word in (corpus / "train.tsv").read_text(encoding="utf-8").split()]
    tokenizer = SubwordTokenizer(train_tokenizer(words, 200), 4)
    rates = {"rate": 0.4, "substitution": 0.5, "deletion": 0.0, "replacement": replacement}
    made = batches_of(corpus, tokenizer, augment=rates)
    number = sum(int(batch.label_mask.sum()) for batch in made)
    unknown = sum(int((batch.inputs["input_ids"] == tokenizer.unknown).sum()) for batch in made)
    # of 100 words 20 are substituted and 20 inserted, of which full windows lose a sixth
    assert unknown / number == pytest.approx(share / 1.2, abs=0.05)


def test_augmentation_with_noise_keeps_the_windows_limits(corpus, tokenizer):
    noise = {"windows": 1, "repetition": 0.5, "filler": 0.5, "fillers": "eh", "substitution": 0.2, "deletion": 0.1}
    rates = {"rate": 0.9, "substitution": 0.3, "deletion": 0.5}
    for batch in batches_of(corpus, tokenizer, 40, noise=noise, augment=rates, windows={"kind": "sentences"}):
        assert batch.cases.shape[1] <= 16
        assert batch.inputs["input_ids"].shape[1] <= 40
