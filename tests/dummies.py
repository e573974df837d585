"""Test data: random sentences, corpora of them, and models that are trained in seconds."""

from __future__ import annotations

import io
import itertools
import json
import random
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from asr_punct import formats
from asr_punct.config import Config, from_mapping
from asr_punct.errors import AsrPunctError, InputError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WordInput
from asr_punct.formats.lines.tsv import write_tsv
from asr_punct.formats.tiers.grid import INTERVALS, Grid, GridTier
from asr_punct.glyphs import glyphs
from asr_punct.marks import Case, Labels, Mark
from asr_punct.words import Utterance, Word, annotate

COMMAND_LINE = [sys.executable, "-c", "from asr_punct.cli import main; main()"]
"""The program `asr-punct` in another process."""
NAMES = ["ana", "luis", "miren", "jon"]
NOUNS = ["casa", "ley", "mesa", "sala", "calle"]
ASKS = ["dónde", "cuándo", "quién"]
_TOKENS = ["ana", "mira", "la", "casa", "dónde", "está", "¿y", "no,", "ISO", "-", "«", ",", "?", "ß", "♪"]
LABELLED = annotate(
    Utterance(words=(Word("qué"), Word("dijo")), id="u1", recording="r", pause_before=0.5, time_source="ctc"),
    labels=(
        Labels(frozenset({Mark.OPEN_QUES, Mark.OPEN_QUOTE, Mark.QUESTION, Mark.QUOTE}), Case.FIRST_CAP),
        Labels(frozenset({Mark.PERIOD})),
    ),
    pauses=(0.25, None),
)


@contextmanager
def refused(place: object, found: str = "", kind: type[AsrPunctError] = AsrPunctError) -> Iterator[None]:
    """Expect an error whose place ends with `place`, and whose part `found` contains `found`."""
    with pytest.raises(kind) as caught:
        yield
    error = caught.value
    assert error.place.endswith(str(place))
    assert found in error.found
    assert error.expected
    assert "\n" not in str(error)


def accept_signals() -> None:
    """A shell that runs the tests in the background ignores SIGINT, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


document_sizes = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=60), max_size=4)


def in_documents(sizes: Iterable[Sequence[int]]) -> Iterator[WordInput]:
    """Yield words of documents, given as numbers of sub-words; the first sub-word of a word is its index."""
    numbers = itertools.count()
    for document in sizes:
        for i, subwords in enumerate(document):
            flags = DOCUMENT_START * (i == 0) + DOCUMENT_END * (i + 1 == len(document))
            yield WordInput((next(numbers),) * subwords, 0, flags)


def endless_document() -> Iterator[WordInput]:
    return (WordInput((1,), 0) for _ in itertools.count())


@st.composite
def transcripts(draw: Any) -> list[Utterance]:
    """Recordings of a few utterances of words whose times go on."""
    result = []
    for number in range(draw(st.integers(0, 3))):
        start = 0.0
        for _ in range(draw(st.integers(1, 3))):
            words = []
            for text in draw(st.lists(st.sampled_from(_TOKENS), max_size=12)):
                start += draw(st.sampled_from([0.3, 0.5, 0.9]))
                words.append(Word(text, start, start + 0.25) if draw(st.booleans()) else Word(text))
            result.append(Utterance(tuple(words), recording=str(number)))
    return result


def bare_words(utterance: Utterance) -> tuple[Word, ...]:
    """Return the words without labels, pauses and probabilities."""
    return annotate(utterance, labels=None, pauses=None, probabilities=None).words


CTC_SYMBOLS = {symbol: i for i, symbol in enumerate(["<unk>", "|", *"abcdefghijklmnoprstuvzñ", "<pad>"])}
CTC_SETTINGS = {
    "vocab_size": len(CTC_SYMBOLS),
    "pad_token_id": CTC_SYMBOLS["<pad>"],
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "conv_dim": (16,) * 4,
    "conv_stride": (10, 4, 4, 2),
    "conv_kernel": (20, 8, 8, 4),
    "num_feat_extract_layers": 4,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
}


def examples(name: str) -> list[tuple[str, ...]]:
    """Return the rows of a table in `tables`; lines that begin with # are comments."""
    lines = (Path(__file__).parent / "tables" / name).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if not line.startswith("#")]


def json_lines(name: str) -> list[Any]:
    """Return the values of a file of JSON lines in `tables`."""
    lines = (Path(__file__).parent / "tables" / name).read_text(encoding="utf-8").strip().split("\n")
    return [json.loads(line) for line in lines]


def file(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@contextmanager
def refused_at(place: object, found: str, kind: type[AsrPunctError] = InputError) -> Iterator[None]:
    """Expect an error of this kind with exactly these parts."""
    with pytest.raises(kind) as raised:
        yield
    assert (raised.value.place, raised.value.found) == (str(place), found)
    assert raised.value.expected


def read_value(folder: Path, value: Any, format_name: str | None = None, **options: Any) -> list[Utterance]:
    """Return the utterances of a file with this JSON value."""
    return list(formats.read(file(folder, "talk.json", json.dumps(value)), format_name, **options))


def written(utterances: Iterable[Utterance], format_name: str) -> str:
    """Return the utterances as the text of a file, with the glyphs of Spanish."""
    out = io.StringIO()
    formats.write_stream(utterances, out, glyphs("es"), format_name)
    return out.getvalue()


def written_value(utterances: Iterable[Utterance], format_name: str) -> Any:
    """Return the utterances as a JSON value."""
    return json.loads(written(utterances, format_name))


def written_lines(utterances: Iterable[Utterance], format_name: str) -> list[Any]:
    """Return the utterances as the JSON values of lines."""
    return [json.loads(line) for line in written(utterances, format_name).split("\n")[:-1]]


def marked(utterance: Utterance) -> Utterance:
    """Return the utterance with a capital on its first word and a period on its last, if it has several."""
    count = len(utterance.words)
    first, last = Labels(case=Case.FIRST_CAP), Labels(frozenset({Mark.PERIOD}))
    return annotate(utterance, labels=((first,) + (Labels(),) * max(0, count - 2) + (last,))[:count])


def with_labels(utterances: Iterable[Utterance], labels: Labels) -> list[Utterance]:
    """Return the utterances with these labels on every word."""
    return [annotate(utterance, labels=(labels,) * len(utterance.words)) for utterance in utterances]


def sentence(rng: random.Random) -> list[tuple[str, Labels, float]]:
    """Return a short statement or question whose marks follow from its words, with long pauses at its end."""
    name, noun = rng.choice(NAMES), rng.choice(NOUNS)
    if rng.random() < 0.4:
        asked = Labels(frozenset({Mark.OPEN_QUES}), Case.FIRST_CAP)
        last = Labels(frozenset({Mark.QUESTION}))
        rows = [(rng.choice(ASKS), asked), ("está", Labels()), ("la", Labels()), (noun, last)]
    else:
        comma = Labels(frozenset({Mark.COMMA}), Case.FIRST_CAP)
        rows = [(name, comma), ("mira", Labels()), ("la", Labels()), (noun, Labels(frozenset({Mark.PERIOD})))]
    ends = {Mark.PERIOD, Mark.QUESTION}
    return [(word, label, rng.uniform(0.3, 0.8) if label.marks & ends else 0.01) for word, label in rows]


def utterances(count: int, seed: int) -> list[Utterance]:
    """Return utterances of one to three sentences; a recording has ten."""
    rng = random.Random(seed)
    result = []
    for number in range(count):
        rows = [row for _ in range(rng.randint(1, 3)) for row in sentence(rng)]
        words, labels, pauses = zip(*rows, strict=True)
        recording = f"r{seed}-{number // 10}"
        result.append(
            annotate(
                Utterance(tuple(map(Word, words)), f"u{number}", recording=recording, time_source="asr"),
                labels=labels,
                pauses=pauses,
            )
        )
    return result


def write_corpus(directory: Path, train: int = 120, dev: int = 30) -> Path:
    """Write `train.tsv` and `dev.tsv` of this many utterances."""
    directory.mkdir(parents=True, exist_ok=True)
    for seed, (name, count) in enumerate({"train": train, "dev": dev}.items()):
        with open(directory / f"{name}.tsv", "w", encoding="utf-8") as out:
            write_tsv(utterances(count, seed), out)
    return directory


def tiny_config(**training: object) -> Config:
    """Return a model of a few thousand parameters that learns the marks of `sentence` in seconds."""
    encoder = {
        "vocabulary": 60,
        "layers": 1,
        "width": 32,
        "heads": 2,
        "feed_forward": 32,
        "dropout": 0.0,
        "local_attention": 8,
    }
    values = {
        "model": {
            "language": "es",
            "encoder": {**encoder, "max_tokens": 64},
            "context": {"layers": 1, "heads": 2, "feed_forward": 32, "dropout": 0.1},
            "window": {"words": 16, "margin": 4},
        },
        "training": {
            "epochs": 3,
            "batch_size": 8,
            "learning_rate": 0.005,
            "warmup_epochs": 0.5,
            "precision": "fp32",
            **training,
        },
    }
    return from_mapping(Config, values, "tiny")


def save_ctc_model(folder: Path, model: str = "Wav2Vec2ForCTC", **tokens: str) -> Path:
    """Save a tiny CTC model of transformers with random weights, its tokenizer and feature extractor."""
    import torch
    import transformers

    torch.manual_seed(0)
    kind = getattr(transformers, model)
    kind(kind.config_class(**CTC_SETTINGS)).save_pretrained(folder)
    (folder / "symbols.json").write_text(json.dumps(CTC_SYMBOLS))
    tokenizer = transformers.Wav2Vec2CTCTokenizer(folder / "symbols.json", bos_token=None, eos_token=None, **tokens)
    tokenizer.save_pretrained(folder)
    transformers.Wav2Vec2FeatureExtractor(return_attention_mask=True).save_pretrained(folder)
    return folder


def small_bert(vocabulary: int, layers: int = 2) -> Any:
    """Return a BERT model with random weights."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 512}
    config = BertConfig(vocab_size=vocabulary, num_hidden_layers=layers, pad_token_id=1, **sizes)
    return BertModel(config, add_pooling_layer=False).eval()


def save_cased_encoder(folder: Path) -> Path:
    """Save a small encoder with SentencePiece unigrams: single letters, and some longer ones in several cases."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = [*"▁abcdefghijklmnopqrstuvwxyzáéíóúñ", "▁la", "▁La", "▁LA", "▁casa", "▁xyz", "▁Mira"]
    special = [(name, 0.0) for name in ("<s>", "<pad>", "</s>", "<unk>")]
    scores = [(name, -9.0 if len(name) == 1 else -3.0 - index / 10) for index, name in enumerate(names)]
    tokenizer = Tokenizer(models.Unigram([*special, *scores], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.add_special_tokens([name for name, _ in special])
    small_bert(len(special) + len(names)).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return folder


def grid_of(**tiers: Sequence[str]) -> Grid:
    """A TextGrid of interval tiers, in which every text lasts a second; the tiers follow each other."""
    rows, start = list[GridTier](), 0
    end = str(sum(map(len, tiers.values())))
    for name, texts in tiers.items():
        each = tuple((str(start + i), str(start + i + 1), text) for i, text in enumerate(texts))
        rows.append(GridTier(INTERVALS, name, "0", end, each))
        start += len(texts)
    return Grid("0", end, tuple(rows))
