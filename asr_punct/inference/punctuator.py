"""`Punctuator`: utterances in, the same utterances with marks and case out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import Any

from asr_punct.caching import cached_by_word
from asr_punct.casing import Casing, parse_casing, read_casing
from asr_punct.checkpoint import CASING, ModelInfo, load_tokenizer, read_info, verified_file
from asr_punct.config import STREAM_FLUSH_AFTER_S, STREAM_LEFT_WORDS, STREAM_PATIENCE_WORDS, STREAM_RIGHT_WORDS
from asr_punct.decode import Decoder
from asr_punct.decode.classes import with_class_weights
from asr_punct.decode.online import OnlineDecoder
from asr_punct.decode.probabilities import label_probabilities
from asr_punct.decode.settings import switched_off
from asr_punct.errors import AsrPunctError
from asr_punct.hub import AUTO, DEFAULT_MODEL, find_model, models_by_language, shipped_models
from asr_punct.inference.aggregate import Aggregation
from asr_punct.inference.backend import Backend, Graph, open_backend
from asr_punct.inference.choice import LanguageChoice
from asr_punct.inference.lookahead import Lookahead
from asr_punct.inference.model_stream import ModelStream, restore_streaming
from asr_punct.inference.options import ModelOptions
from asr_punct.inference.predictor import Prediction, Predictor
from asr_punct.inference.stream import Stream
from asr_punct.inference.stream_pool import StreamPool
from asr_punct.inference.tokens import PendingUtterance, Token, TokenReader, flag_boundaries
from asr_punct.languages import parse_language
from asr_punct.marks import MARKS, PAIRS, Glyphs, Labels, Mark, glyphs, named_marks
from asr_punct.pauses import with_pauses
from asr_punct.subwords import SubwordTokenizer
from asr_punct.text import without_marks
from asr_punct.words import Seconds, Utterance, check_utterances, text_of_utterance, utterances_of_text

_CACHED_WORDS = 1 << 16


class Punctuator:
    """Restores marks and case with one model.

    Args:
        info: the model's configuration.
        tokenizer: the model's tokenizer.
        backend: runs the model.
        marks: marks that may be added, all by default; a closing mark includes its opening one (QUESTION, OPEN_QUES).
        case: whether capitals may be added.
        casing: forms of a casing list (see `asr_punct.casing.parse_casing`); not used without `case`.
        class_weights: further factors on the probabilities of classes, or for a model without classes on the odds of
            marks, by name.
        aggregation: averages several windows for each word; by default one window decides it.

    Raises:
        AsrPunctError: unknown mark or class, or a weight that is not above 0.
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
        self.classes = info.model.heads.classes
        allowed = MARKS if marks is None else _with_opening(marks)
        settings = with_class_weights(info.decoding, class_weights or {}, self.classes)
        thresholds = {
            mark: limit if mark in allowed else switched_off(limit) for mark, limit in settings.thresholds.items()
        }
        self._settings = replace(settings, thresholds=thresholds)
        self._case = case
        language = info.model.language
        style = glyphs(language)
        self.glyphs: Glyphs = (
            replace(style, cased=cached_by_word(_CACHED_WORDS)(Casing.of(casing, language).apply)) if case else style
        )
        """Glyphs of the model's language, with its casing list."""
        self._reader = TokenReader(tokenizer, language)
        self._predictor = Predictor(
            backend, tokenizer, info.model.window, info.max_tokens, aggregation=aggregation, classes=bool(self.classes)
        )
        self._choice: LanguageChoice | None = None
        self._open: Callable[[str], Punctuator] = lambda _: self

    @classmethod
    def from_pretrained(
        cls,
        name: str | PathLike[str] | None = None,
        *,
        language: str | None = None,
        device: str | None = None,
        threads: int = 0,
        graph: Graph | None = None,
        marks: Collection[str] | None = None,
        case: bool = True,
        casing: str | PathLike[str] | Iterable[str] | None = None,
        class_weights: Mapping[str, float] | None = None,
        aggregate: int | None = None,
    ) -> Punctuator:
        """Open a model by directory, shipped name, or `org/name` of the Hugging Face hub.

        With `auto` each document gets the shipped model of its language: `language`, else `Utterance.language`, else
        identified from its words. A language without a model gets the default model, and a warning is logged, also for
        a text that is clearly not in the language of its model. The attributes are those of the default model.

        Args:
            name: the model; None for `auto`.
            language: code of the language of all texts (`en`, `en-US`, `eng`); None if it is not known.
            device: a device of torch (`cpu`, `cuda`, `cuda:1`, `mps`); by default the CPU.
            threads: threads on the CPU; 0 for OMP_NUM_THREADS, or if it is not set, one per core.
            graph: the ONNX graph to run; by default fp32, or int8 if that is the only one.
            marks: see the class, also for `case` and `class_weights`.
            casing: path of a casing list, or its lines; overrides entries of the model's own list.
            aggregate: number of windows that are averaged for each word (see `inference.aggregate`).

        Raises:
            AsrPunctError: unknown model, mark or class, a weight that is not above 0, `aggregate` below 1, a damaged
                model directory, or a malformed casing list.
        """
        aggregation = None if aggregate is None else Aggregation(aggregate)
        added = tuple(read_casing(casing) if isinstance(casing, str | PathLike) else parse_casing(casing or ()))

        def open_directory(directory: Path) -> Punctuator:
            info = read_info(directory)
            backend = open_backend(directory, info, device, threads, graph)
            own = read_casing(verified_file(directory, info, CASING)) if CASING in info.files else ()
            tokenizer = load_tokenizer(directory, info)
            return cls(info, tokenizer, backend, marks, case, (*own, *added), class_weights, aggregation)

        given, language = "" if name is None else str(name), parse_language(language)
        if given in ("", AUTO):
            models = models_by_language()
            default = next((models[code] for code in language.split("+") if code in models), DEFAULT_MODEL)
            known = shipped_models() | {DEFAULT_MODEL: find_model(None)}
            chosen = open_directory(known[default])
            chosen._choice = LanguageChoice(models, default, language)
            chosen._set_models(cache(lambda model: open_directory(known[model])))
        else:
            chosen = open_directory(find_model(given))
            models = dict.fromkeys(chosen.info.model.language.split("+"), given)
            chosen._choice = LanguageChoice(models, given, language, fixed=True)
        return chosen

    @classmethod
    def open(cls, options: ModelOptions) -> Punctuator:
        """Open the model that the options describe (see `from_pretrained`)."""
        return cls.from_pretrained(**vars(options))

    @property
    def runtime(self) -> str:
        """`onnxruntime` or `torch`."""
        return self._predictor.backend.runtime

    def __call__(self, text: str) -> str:
        """Return text with marks and capitals; a line is an utterance, an empty line ends a document.

        Raises:
            AsrPunctError: the argument is not a string.
        """
        if not isinstance(text, str):
            raise AsrPunctError(
                f"text: found {type(text).__name__}, expected str "
                "(add_punctuation_capitalization takes a list of them, restore takes utterances)"
            )
        return "\n".join(map(self.write, self.restore(utterances_of_text(text))))

    def write(self, utterance: Utterance) -> str:
        """Return the words with their marks and capitals as a line of text."""
        return text_of_utterance(utterance, self.glyphs)

    def restore(self, utterances: Iterable[Utterance], *, probabilities: bool = False) -> Iterator[Utterance]:
        """Yield the same utterances with labels, lazily and in order; words and times are unchanged.

        Consecutive utterances of one document are context for each other. Pauses are computed from the times if an
        utterance has none. Marks and capitals of the input stay, and none is added beside them. Memory is bounded by a
        few windows, a block of decoding and the longest utterance.

        Args:
            utterances: the input.
            probabilities: whether to add the probabilities of each word's labels (see `decode.probabilities`).

        Raises:
            AsrPunctError: a value is not an utterance.
        """
        for punctuator, part in self._by_model(utterances):
            yield from punctuator._restore_part(part, probabilities)

    def without_marks(self, utterances: Iterable[Utterance]) -> Iterator[Utterance]:
        """Yield the utterances without labels, marks and capitals (see `text.without_marks`).

        The rules are those of the language that `restore` would add to an utterance, else of its model.
        """
        given = self._choice.language if self._choice else ""
        for punctuator, part in self._by_model(utterances):
            for utterance in part:
                yield without_marks(utterance, given or utterance.language or punctuator.info.model.language)

    def language_warnings(self, utterances: Iterable[Utterance]) -> list[str]:
        """Return the warnings about the languages of texts that `restore` logs, also those that it logged before."""
        return self._choice.warnings(utterances) if self._choice else []

    def prepare(self, utterances: Iterable[Utterance]) -> Iterator[Utterance]:
        """Yield the same utterances with the languages and pauses that `restore` adds, but no labels."""
        for _, part in self._by_model(utterances):
            yield from with_pauses(part)

    def _restore_part(self, utterances: Iterable[Utterance], probabilities: bool) -> Iterator[Utterance]:
        waiting: deque[PendingUtterance] = deque()
        decided: deque[Labels] = deque()
        rows: deque[list[float]] = deque()  # of the probabilities of labels
        decoder = Decoder(self._settings, self.classes)
        for part in self._predictor.predict(self._read(utterances, waiting)):
            decided.extend(decoder.push(part.labels, part.cases, part.flags, part.end))
            if probabilities:
                settings = self._settings, self.classes, self._case
                rows.extend(label_probabilities(part.labels, part.cases, part.flags, *settings).tolist())
            while waiting and waiting[0].decoded_words <= len(decided):
                yield waiting.popleft().finish(decided, rows, self._case)
        while waiting:
            yield waiting.popleft().finish(decided, rows, self._case)

    def predict(self, utterances: Iterable[Utterance]) -> Iterator[Prediction]:
        """Yield the model's probabilities for all words but sounds and those that consist of marks, in order."""
        return self._predictor.predict(self._read(utterances, deque()))

    def restore_streaming(
        self,
        utterances: Iterable[Utterance],
        left: int = STREAM_LEFT_WORDS,
        right: int = STREAM_RIGHT_WORDS,
        hop: int = 1,
        flush_after: Seconds = STREAM_FLUSH_AFTER_S,
    ) -> Iterator[Utterance]:
        """Yield the same utterances with the labels of a `stream` with patience 0, document by document.

        Arguments and errors are those of `stream`.
        """
        self._model_stream(left, right, hop, flush_after, 0)  # raises before an utterance is read
        for punctuator, part in self._by_model(utterances):
            yield from restore_streaming(part, punctuator._model_stream(left, right, hop, flush_after, 0))

    def stream(
        self,
        left: int = STREAM_LEFT_WORDS,
        right: int = STREAM_RIGHT_WORDS,
        hop: int = 1,
        flush_after: Seconds = STREAM_FLUSH_AFTER_S,
        patience: int = STREAM_PATIENCE_WORDS,
        language: str = "",
    ) -> Stream:
        """Return a live stream (see `inference.stream`).

        Args:
            left: maximum number of words of context, before those that a window decides.
            right: the look-ahead: number of words that must follow a word before it is decided.
            hop: number of words that are decided together.
            flush_after: pause in seconds after which words are decided without look-ahead.
            patience: number of further words for which a word waits while one of its marks is unsure.
            language: code of the language of the words, if the punctuator was opened without one.

        Raises:
            AsrPunctError: `left` or `patience` is below 0, or `right` or `hop` below 1.
        """

        def open_model(name: str) -> ModelStream:
            return self._model(name)._model_stream(left, right, hop, flush_after, patience)

        return Stream(open_model, self._choice, language)

    def stream_pool(
        self,
        left: int = STREAM_LEFT_WORDS,
        right: int = STREAM_RIGHT_WORDS,
        hop: int = 1,
        flush_after: Seconds = STREAM_FLUSH_AFTER_S,
        patience: int = STREAM_PATIENCE_WORDS,
        language: str = "",
    ) -> StreamPool[Any]:
        """Return a pool of live streams. Arguments and errors are those of `stream`."""
        self._model_stream(left, right, hop, flush_after, patience)  # raises before the first stream is opened
        return StreamPool(lambda: self.stream(left, right, hop, flush_after, patience, language))

    def with_windows(
        self, batch_size: int | None = None, max_tokens: int | None = None, margin: int | None = None
    ) -> Punctuator:
        """Return a copy with other windows; None keeps a size.

        Args:
            batch_size: maximum number of windows of a batch.
            max_tokens: maximum number of sub-words of a window, both special tokens included; at most the model's own.
            margin: words at inner edges of windows that a neighbouring window decides; at most half a window.
        """
        old, window = self._predictor, self.info.model.window
        own_margin = window.margin if margin is None else min(margin, (window.words - 1) // 2)
        changed = copy(self)
        changed._predictor = replace(
            old,
            batch_size=batch_size or old.batch_size,
            max_tokens=min(old.max_tokens, max_tokens or old.max_tokens),
            window=replace(window, margin=own_margin),
        )
        changed._set_models(cache(lambda model: self._open(model).with_windows(batch_size, max_tokens, margin)))
        return changed

    def _set_models(self, open_model: Callable[[str], Punctuator]) -> None:
        self._open = open_model
        if self._choice and not self._choice.fixed:
            models = self._choice.models

            def glyphs_of(language: str) -> Glyphs:
                found = next((models[code] for code in language.split("+") if code in models), "")
                return replace(self._model(found).glyphs, of_language=glyphs_of)

            self.glyphs = replace(self.glyphs, of_language=glyphs_of)

    def _model(self, name: str) -> Punctuator:
        """Return the punctuator of a model, this one for its own name or ""."""
        if not name or self._choice is None or name == self._choice.default:
            return self
        return self._open(name)

    def _by_model(self, utterances: Iterable[Utterance]) -> Iterator[tuple[Punctuator, Iterable[Utterance]]]:
        """Yield consecutive utterances that one model restores, after its punctuator."""
        utterances = check_utterances(utterances, "utterances", "for text, call the punctuator: punctuator('hola')")
        if self._choice is None:
            yield self, utterances
            return
        for model, part in groupby(self._choice.assign(utterances), key=itemgetter(0)):
            yield self._model(model), map(itemgetter(1), part)

    def _read(self, utterances: Iterable[Utterance], waiting: deque[PendingUtterance]) -> Iterator[Token]:
        """Yield the words of utterances, with flags at document boundaries, and append each utterance to `waiting`."""

        def read() -> Iterator[tuple[str, list[Token]]]:
            for utterance in with_pauses(utterances):
                tokens = self._reader.read(utterance.words)
                waiting.append(PendingUtterance(utterance, tokens))
                yield utterance.context, tokens

        for _, document in groupby(read(), key=itemgetter(0)):
            yield from flag_boundaries(map(itemgetter(1), document))

    def _model_stream(self, left: int, right: int, hop: int, flush_after: Seconds, patience: int) -> ModelStream:
        minimums = {"left": (left, 0), "right": (right, 1), "hop": (hop, 1), "patience": (patience, 0)}
        for name, (value, minimum) in minimums.items():
            if value < minimum:
                raise AsrPunctError(f"--{name}: found {value}, expected {minimum} or more words")
        limits = {"max_words": self.info.model.window.words, "max_subwords": self.info.max_tokens - 2}
        lookahead = Lookahead(self._reader, left, right, hop, flush_after, patience, **limits)
        decoder = OnlineDecoder(self._settings, self.classes)
        return ModelStream(lookahead, self._predictor.decide, decoder, self._case, self.glyphs)


def _with_opening(marks: Collection[str]) -> frozenset[Mark]:
    """Return the marks of these names, and the opening marks of those that close."""
    chosen = named_marks(marks)
    return chosen | {opening for opening, closing in PAIRS if closing in chosen}
