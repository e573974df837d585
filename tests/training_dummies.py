"""Training windows and documents for tests."""

import numpy as np
from hypothesis import strategies as st

from asr_punct.features import DOCUMENT_END, DOCUMENT_START
from asr_punct.marks import MARKS
from asr_punct.pauses import BUCKETS, UNKNOWN_PAUSE
from asr_punct.training.corpus import WordArrays

KINDS = {"words": "i4", "marks": "u2", "cases": "u1", "pauses": "i2", "boundaries": "u1", "rows": "i4"}
seeds = st.integers(0, 99)


def generator(seed=0):
    return np.random.default_rng(seed)


def arrays(words, **columns):
    """Windows of these words; a column that is not given is 0."""
    columns = {"words": words, **columns}
    return WordArrays(**{name: np.array(columns.get(name, [0] * len(words)), kind) for name, kind in KINDS.items()})


@st.composite
def batches(draw, words):
    """Windows of up to 12 words, drawn from a vocabulary of `words`, each in one document, with labels and pauses."""
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=6))
    number, rng = sum(lengths), generator(draw(st.integers(0, 999)))
    edges, last = np.zeros(number, int), np.cumsum(lengths) - 1
    edges[last - np.array(lengths) + 1] += DOCUMENT_START * rng.integers(0, 2, len(lengths))
    edges[last] += DOCUMENT_END * rng.integers(0, 2, len(lengths))
    return arrays(
        rng.integers(0, words, number),
        marks=rng.integers(0, 2 ** len(MARKS), number) * (rng.random(number) < 0.4),
        cases=rng.choice(3, number, p=[0.7, 0.2, 0.1]),
        pauses=rng.choice([0, 3, 70, BUCKETS - 1, UNKNOWN_PAUSE], number),
        boundaries=edges,
        rows=np.repeat(np.arange(len(lengths)), lengths),
    )


def equal(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in KINDS)


def copied(batch):
    return WordArrays(**{name: column.copy() for name, column in vars(batch).items()})


def check_form(changed, batch):
    """The same windows, flags at their edges and types of columns."""
    for name, column in vars(changed).items():
        assert column.dtype == getattr(batch, name).dtype
        assert len(column) == len(changed.words)
    assert (np.diff(changed.rows) >= 0).all()
    assert set(changed.rows.tolist()) == set(batch.rows.tolist())
    for flag, edge in ((DOCUMENT_START, "first"), (DOCUMENT_END, "last")):
        assert changed.rows[changed.boundaries & flag > 0].tolist() == batch.rows[batch.boundaries & flag > 0].tolist()
        assert getattr(changed, edge)[changed.boundaries & flag > 0].all()
    assert 0 <= changed.pauses.min() <= changed.pauses.max() <= UNKNOWN_PAUSE
