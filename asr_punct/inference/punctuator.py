"""`Punctuator`: utterances in, the same utterances with marks and case out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import islice
from os import PathLike
from typing import Any, Literal

import numpy as np

from asr_punct import text
from asr_punct.casing import Casing, parse_casing, read_casing
from asr_punct.checkpoint import CASING, ModelInfo, checked_file, has_file, load_tokenizer, read_info
from asr_punct.config import LEFT_WORDS, RIGHT_WORDS
from asr_punct.decode import Decoder
from asr_punct.decode.classes import with_class_weights
from asr_punct.decode.online import OnlineDecoder
from asr_punct.decode.probabilities import label_probabilities, listed_probabilities
from asr_punct.errors import AsrPunctError
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, WordInput, collate
from asr_punct.find import find_model
from asr_punct.formats.nemo_labels import write_pairs
from asr_punct.inference.aggregate import AggregateBy, Aggregation
from asr_punct.inference.backend import Backend, WindowScores, open_backend
from asr_punct.inference.lookahead import Lookahead
from asr_punct.inference.merge import added_labels, mark_flags
from asr_punct.inference.stream import Committer, Stream, restore_streaming
from asr_punct.inference.windows import Window, plan_windows
from asr_punct.marks import MARKS, PAIRS, Glyphs, Labels, Mark, glyphs, named_marks, write_text
from asr_punct.pauses import buckets, with_pauses
from asr_punct.subwords import SubwordTokenizer
from asr_punct.words import Utterance, Word, annotate

_BATCH = 16
_SORTED_BATCHES = 8
_NEVER = 2.0


class Punctuator:
    """Restores marks and case with one model.

    Args:
        info: the model's configuration.
        tokenizer: its tokenizer.
        backend: computes its scores.
        marks: marks that may be added; all where None. A closing mark brings its opening one (QUESTION OPEN_QUES).
        case: whether capitals may be added.
        casing: forms of a casing list, as `asr_punct.casing.parse_casing` gives them, by which words are written where
            capitals may be added.
        class_weights: factors on the probabilities of classes, by name, beside those of the model; on the odds of marks
            where it has no classes.
        aggregation: how several windows decide a word; where None, one window does, with context on both sides.

    Attributes:
        classes: the classes that its scores are of; none where they are of marks.

    Raises:
        AsrPunctError: there is no such mark or class, or a weight is not above 0.
    """

    def __init__(
        self,
        info: ModelInfo,
        tokenizer: SubwordTokenizer,
        backend: Backend,
        marks: Collection[str] | None = None,
        case: bool = True,
        casing: Iterable[str] = (),
        class_weights: Mapping[str, float] | None = None,
        aggregation: Aggregation | None = None,
    ) -> None:
        self.info = info
        self._tokenizer = tokenizer
        self._backend = backend
        allowed = MARKS if marks is None else _with_opening(marks)
        self.classes = info.model.heads.classes
        decoding = with_class_weights(info.decoding, class_weights or {}, self.classes)
        thresholds = {mark: decoding.thresholds[mark] if mark in allowed else _NEVER for mark in MARKS}
        self._decoding = replace(decoding, thresholds=thresholds)
        self._aggregation = aggregation
        self._batch = _BATCH
        self._case = case
        self._language = info.model.language
        style = glyphs(self._language)
        self._glyphs = replace(style, cased=Casing.of(casing, self._language).write) if case else style

    @classmethod
    def from_pretrained(
        cls,
        name: str | PathLike[str] | None = None,
        *,
        device: str | None = None,
        threads: int = 0,
        graph: Literal["fp32", "int8"] | None = None,
        marks: Collection[str] | None = None,
        case: bool = True,
        casing: str | PathLike[str] | Iterable[str] | None = None,
        class_weights: Mapping[str, float] | None = None,
        aggregate: int | None = None,
        aggregate_by: AggregateBy = "logits",
    ) -> Punctuator:
        """A model by directory, shipped name, or `org/name` of the Hugging Face hub.

        Args:
            name: which; without one the shipped default model.
            device: where scores are computed; the CPU by default.
            threads: threads on the CPU; 0 for as many as there are cores.
            graph: the graph to run; by default fp32, or int8 where there is no other.
            marks: marks that may be added; all where None. A closing mark brings its opening one.
            case: whether capitals may be added.
            casing: a casing list's file, or its lines; they go before those of the model's own.
            class_weights: factors on the probabilities of classes, by name, beside those of the model; on the odds of
                marks where it has no classes.
            aggregate: windows whose results for a word are averaged, 1 or more (`inference.aggregate`); without it one
                window decides each word, with context on both sides.
            aggregate_by: what is averaged.

        Raises:
            AsrPunctError: there is no such model, mark or class, a weight is not above 0, `aggregate` is below 1, the
                model's directory is damaged, or the casing list has not its form.
        """
        aggregation = None if aggregate is None else Aggregation(aggregate, aggregate_by)
        directory = find_model(None if name is None else str(name))
        info = read_info(directory)
        backend = open_backend(directory, info, device, threads, graph)
        own = read_casing(checked_file(directory, info, CASING)) if has_file(info, CASING) else ()
        forms = (*own, *_casing_forms(casing))
        tokenizer = load_tokenizer(directory, info)
        return cls(info, tokenizer, backend, marks, case, forms, class_weights, aggregation)

    @property
    def runtime(self) -> str:
        """What runs the model: `onnxruntime` or `torch`."""
        return self._backend.runtime

    @property
    def glyphs(self) -> Glyphs:
        """How the model's language writes the marks, and its casing list the capitals."""
        return self._glyphs

    def __call__(self, string: str) -> str:
        """Text with its marks and capitals; a line is an utterance, an empty line ends a document.

        Raises:
            AsrPunctError: it is no string.
        """
        if not isinstance(string, str):
            raise AsrPunctError(
                f"text: found {type(string).__name__}, expected str "
                "(add_punctuation_capitalization takes a list of them, restore takes utterances)"
            )
        document, utterances = 0, []
        for line in string.split("\n"):
            utterances.append(_utterance(line, str(document)))
            document += not line.strip()
        return "\n".join(self._write(utterance) for utterance in self.restore(utterances))

    def add_punctuation_capitalization(
        self,
        queries: Sequence[str],
        batch_size: int | None = None,
        max_seq_length: int | None = None,
        step: int | None = None,
        margin: int | None = None,
        return_labels: bool = False,
        dataloader_kwargs: Mapping[str, Any] | None = None,
    ) -> list[str]:
        """Each query, a document of its own, with marks and capitals (the call of NeMo 2.4 and earlier).

        Where a size is not given it is the model's own, which is what it was trained with.

        Args:
            queries: words without marks and capitals; those that stand there stay.
            batch_size: windows that are computed together, 1 or more.
            max_seq_length: most sub-words of a window, both special tokens included.
            step: changes nothing: windows start as far apart as their margins allow, for each word is decided once,
                by the window that shows enough on both its sides.
            margin: words at the inner edges of windows that a neighbour decides, fewer where a window has no room.
            return_labels: give what is added as NeMo's labels (`formats.nemo_labels`) instead: `OU OO ,O ?U`.
            dataloader_kwargs: changes nothing, for there is no data loader.

        Raises:
            AsrPunctError: they are one string, one of them is no string, or a size is too small.
        """
        wrong = [queries] if isinstance(queries, str) else [query for query in queries if not isinstance(query, str)]
        if wrong:
            raise AsrPunctError(f"queries: found {wrong[0]!r}, expected a list of strings")
        least = self.info.model.encoder.max_subwords + 2
        sizes = {"batch_size": (batch_size, 1), "max_seq_length": (max_seq_length, least), "step": (step, 1)}
        for name, (size, smallest) in (sizes | {"margin": (margin, 0)}).items():
            if size is not None and not (hasattr(size, "__index__") and size >= smallest):
                raise AsrPunctError(f"{name}: found {size!r}, expected a whole number, {smallest} or more")
        utterances = [_utterance(query, str(number)) for number, query in enumerate(queries)]
        restored = self._with_windows(batch_size, max_seq_length, margin).restore(utterances)
        if return_labels:
            return [write_pairs(utterance.labels, self.glyphs) for utterance in restored]
        return [self._write(utterance) for utterance in restored]

    def _with_windows(self, batch: int | None, tokens: int | None, margin: int | None) -> Punctuator:
        """The same punctuator with other windows."""
        window = self.info.model.window
        tokens = min(window.tokens, tokens or window.tokens)
        margin = window.margin if margin is None else min(margin, (window.words - 1) // 2)
        changed = copy(self)
        changed.info = replace(
            self.info, model=replace(self.info.model, window=replace(window, tokens=tokens, margin=margin))
        )
        changed._batch = batch or self._batch
        return changed

    def _write(self, utterance: Utterance) -> str:
        return write_text([word.text for word in utterance.words], utterance.labels, self.glyphs)

    def restore(self, utterances: Iterable[Utterance], *, probabilities: bool = False) -> Iterator[Utterance]:
        """The same utterances, lazily and in order, with labels for what the model adds; words and times untouched.

        Utterances of one recording follow each other and are context for each other. Pauses are computed from the
        times where an utterance has none. Marks and capitals that stand in the input stay, and none is added beside
        them. Memory is bounded by a few windows, a block of decoding and the longest utterance.

        Args:
            utterances: of words.
            probabilities: give each word those of its labels too (`decode.probabilities`); the labels stay the same.
        """
        waiting: deque[tuple[Utterance, list[int]]] = deque()  # each with the flags of its words for the model
        flags: deque[int] = deque()
        decided: deque[Labels] = deque()
        likely: deque[Sequence[float]] | None = deque() if probabilities else None

        def passing() -> Iterator[Utterance]:
            for utterance in with_pauses(utterances):
                own = mark_flags(utterance, self._language)
                waiting.append((utterance, own))
                flags.extend(own)
                yield utterance

        decoder = Decoder(self._decoding, self.classes)
        for scores, end in self.scores(passing()):
            own = np.array([flags.popleft() for _ in scores.labels], dtype=np.uint8)
            decided.extend(decoder.push(scores.labels, scores.cases, own, end))
            if likely is not None:
                rows = label_probabilities(scores.labels, scores.cases, own, self._decoding, self.classes, self._case)
                likely.extend(rows.tolist())
            while waiting and len(waiting[0][1]) <= len(decided):
                yield self._finish(*waiting.popleft(), decided, likely)
        while waiting:
            yield self._finish(*waiting.popleft(), decided, likely)

    def restore_streaming(
        self, utterances: Iterable[Utterance], left: int = LEFT_WORDS, right: int = RIGHT_WORDS
    ) -> Iterator[Utterance]:
        """The same utterances with the labels that `stream` would give to their words, a recording after the other.

        Args:
            utterances: as for `restore`.
            left: words before each word that its window holds at most.
            right: words after it, and how far the stream looks ahead.

        Raises:
            AsrPunctError: `left` is below 0, or `right` below 1.
        """
        return restore_streaming(utterances, self._lookahead(left, right), self._committer())

    def stream(self, left: int = LEFT_WORDS, right: int = RIGHT_WORDS) -> Stream:
        """A live stream: words in one by one, each committed when the word `right` places after it is there.

        A model reads no longer windows than its own; `inference.stream` tells what is left out.

        Args:
            left: words before each word that its window holds at most.
            right: words after it that are waited for.

        Raises:
            AsrPunctError: `left` is below 0, or `right` below 1.
        """
        return Stream(self._lookahead(left, right), self._committer(), self.glyphs)

    def _lookahead(self, left: int, right: int) -> Lookahead:
        for name, value, least in (("left", left, 0), ("right", right, 1)):
            if value < least:
                raise AsrPunctError(f"--{name}: found {value}, expected {least} or more words")
        return Lookahead(
            left,
            right,
            most_words=self.info.model.window.words,
            most_subwords=self.info.max_tokens - 2,
            encode=self._encode,
            language=self._language,
        )

    def _committer(self) -> Committer:
        return Committer(self._decide, OnlineDecoder(self._decoding, self.classes), self._case)

    def scores(self, utterances: Iterable[Utterance]) -> Iterator[tuple[WindowScores, bool]]:
        """Probabilities of the words that are more than marks, lazily and in order, as the model gives them.

        Yields:
            Those of consecutive words of one document, (words, labels) and (words, cases), and whether it ends there.
        """

        def words() -> Iterator[tuple[str, WordInput]]:
            for utterance in with_pauses(utterances):
                yield from ((utterance.context, word) for word in self._inputs(utterance))

        flagged, config, most = _flag_documents(words()), self.info.model.window, self.info.max_tokens
        most_waiting = self._batch * _SORTED_BATCHES
        if self._aggregation is None:
            decided = _in_groups(plan_windows(flagged, config, most), self._decide, most_waiting)
        else:
            computed = _in_groups(self._aggregation.plan(flagged, config, most), self._compute, most_waiting)
            decided = self._aggregation.combine(computed, bool(self.classes))
        for window, scores in decided:
            yield scores, bool(window.words[window.keep[1] - 1].boundary & DOCUMENT_END)

    def _inputs(self, utterance: Utterance) -> Iterator[WordInput]:
        cores = [self._core(word) for word in utterance.words]
        kept = [i for i, core in enumerate(cores) if core]
        subwords = self._encode([cores[i] for i in kept])
        numbers = buckets(utterance.pauses)[kept].tolist()
        return map(WordInput, subwords, numbers)

    def _encode(self, cores: Sequence[str]) -> list[tuple[int, ...]]:
        """Sub-words of words without the marks at their edges."""
        return self._tokenizer.encode([text.clean(core).lower() for core in cores])

    def _decide(self, windows: Sequence[Window]) -> list[WindowScores]:
        """Scores of the words that each window decides."""
        kept = zip((slice(*window.keep) for window in windows), self._compute(windows), strict=True)
        return [WindowScores(scores.labels[keep], scores.cases[keep]) for keep, scores in kept]

    def _compute(self, windows: Sequence[Window]) -> list[WindowScores]:
        """Scores of all words of each window; windows of like length are computed together."""
        order = sorted(range(len(windows)), key=lambda i: len(windows[i].words))
        result: dict[int, WindowScores] = {}
        for first in range(0, len(order), self._batch):
            chosen = order[first : first + self._batch]
            features = collate(
                [windows[i].words for i in chosen], self._tokenizer.start, self._tokenizer.end, self._tokenizer.pad
            )
            scores = self._backend.scores(features)
            for row, i in enumerate(chosen):
                words = len(windows[i].words)
                result[i] = WindowScores(scores.labels[row, :words], scores.cases[row, :words])
        return [result[i] for i in range(len(windows))]

    def _finish(
        self, utterance: Utterance, flags: list[int], decided: deque[Labels], likely: deque[Sequence[float]] | None
    ) -> Utterance:
        predicted = [decided.popleft() for _ in flags]
        labels = added_labels(utterance, predicted, flags, self._language, self._case)
        if likely is None:
            return annotate(utterance, labels=labels)
        rows = [likely.popleft() if self._core(word) else None for word in utterance.words]
        own = utterance.probabilities
        listed = map(listed_probabilities, rows, own, utterance.labels, labels)
        return annotate(utterance, labels=labels, probabilities=tuple(listed))

    def _core(self, word: Word) -> str:
        """The token without the marks at its edges; nothing is left of a token that is marks alone."""
        return text.split_token(word.text, self._language)[1]


def _in_groups(
    windows: Iterator[Window], compute: Callable[[Sequence[Window]], list[WindowScores]], size: int
) -> Iterator[tuple[Window, WindowScores]]:
    """Windows and what is computed for them, in order, `size` at a time: those of like length fill batches."""
    while group := list(islice(windows, size)):
        yield from zip(group, compute(group), strict=True)


def _with_opening(marks: Collection[str]) -> frozenset[Mark]:
    """The marks of those names, and the opening partners of those that close."""
    chosen = named_marks(marks)
    return chosen | {opening for opening, closing in PAIRS if closing in chosen}


def _casing_forms(casing: str | PathLike[str] | Iterable[str] | None) -> tuple[str, ...]:
    if isinstance(casing, str | PathLike):
        return read_casing(casing)
    return parse_casing(casing or ())


def _utterance(line: str, document: str) -> Utterance:
    return Utterance(tuple(Word(token) for token in line.split()), document=document)


def _flag_documents(words: Iterable[tuple[str, WordInput]]) -> Iterator[WordInput]:
    """The words with their flags set where the document, given with each word, begins and ends."""
    held: WordInput | None = None
    current = ""
    for document, word in words:
        starts = held is None or document != current
        if held is not None:
            yield _flagged(held, DOCUMENT_END) if starts else held
        held, current = _flagged(word, DOCUMENT_START) if starts else word, document
    if held is not None:
        yield _flagged(held, DOCUMENT_END)


def _flagged(word: WordInput, flag: int) -> WordInput:
    return replace(word, boundary=word.boundary + flag)
