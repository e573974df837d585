"""`Restorer`: one model, which adds marks and case to utterances."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from asr_punct.caching import cached_by_word
from asr_punct.casing import Casing, read_casing
from asr_punct.checkpoint import CASING, ModelInfo, load_tokenizer, read_info, verified_file
from asr_punct.decode import DecodeSettings
from asr_punct.decode.inputs import label_probabilities, list_probabilities
from asr_punct.decode.plain import new_decoder
from asr_punct.decode.settings import with_class_weights
from asr_punct.glyphs import Glyphs, glyphs
from asr_punct.inference.backend import Backend, OnnxBackend, open_backend
from asr_punct.inference.fill import keep_marked
from asr_punct.inference.options import ANY_MODEL, ModelOptions, OutputOptions
from asr_punct.inference.predictor import Prediction, Predictor
from asr_punct.inference.quote_sides import QuoteSides
from asr_punct.inference.speaker_labels import with_speakers
from asr_punct.inference.token_reader import TokenReader
from asr_punct.inference.tokens import Token, flag_boundaries, spread_labels
from asr_punct.marks import CASES, MARKS, PAIRS, Labels, Mark, named_marks
from asr_punct.pauses import with_pauses
from asr_punct.subwords import SubwordTokenizer
from asr_punct.words import Utterance, annotate, by_speaker

_CACHED_WORDS = 1 << 16


class _Read(NamedTuple):
    """An utterance with its tokens, and the number of those that the decoder labels: the words that the model sees."""

    utterance: Utterance
    tokens: Sequence[Token]
    decoded_words: int


@dataclass(frozen=True, eq=False)
class Restorer:
    """Adds marks and case with one model, in any language.

    Attributes:
        info: the model's configuration.
        predictor: runs the model.
        reader: makes the model's inputs.
        settings: settings of the decoder, with the marks that may be added.
        case: whether capitals may be added.
        glyphs: glyphs of the model's language, with its casing list.
        casing: the forms of this list.
    """

    info: ModelInfo
    predictor: Predictor
    reader: TokenReader
    settings: DecodeSettings
    case: bool
    glyphs: Glyphs
    casing: tuple[str, ...] = ()

    @classmethod
    def open(cls, directory: Path, options: ModelOptions = ANY_MODEL) -> Restorer:
        """Open a model directory with the options, of which `name` and `language` are not used.

        Raises AsrPunctError: see `Punctuator.open`.
        """
        info = read_info(directory)
        backend = open_backend(directory, info, options.device, options.threads, options.graph)
        if isinstance(backend, OnnxBackend):
            backend.check_widths(len(info.model.heads.classes or MARKS), len(CASES))
        casing = read_casing(verified_file(directory, info, CASING)) if CASING in info.files else ()
        return cls.of(info, load_tokenizer(directory, info), backend, options, casing)

    @classmethod
    def of(
        cls,
        info: ModelInfo,
        tokenizer: SubwordTokenizer,
        backend: Backend,
        options: ModelOptions = ANY_MODEL,
        casing: Iterable[str] = (),
    ) -> Restorer:
        """Make a restorer of a model's parts and its own casing list.

        Raises AsrPunctError if an option is unusable.
        """
        language = info.model.language
        turns = info.model.speakers
        predictor = Predictor(backend, tokenizer, info.model.window, info.max_tokens, knows_turns=turns)
        reader = TokenReader(tokenizer, language)
        fitted = DecodeSettings(plain=True) if options.plain else info.decoding
        settings = with_class_weights(fitted, options.class_weights or {}, info.model.heads.classes)
        forms = tuple(casing)
        whole = cls(info, predictor, reader, replace(settings, language=language), True, _style(language, forms), forms)
        return whole.with_output(options)

    def with_output(self, options: OutputOptions) -> Restorer:
        """Return a restorer of the same model that adds only what the options allow, and this one may add.

        Raises AsrPunctError for a casing list that cannot be read.
        """
        given = read_casing(options.casing) if isinstance(options.casing, str | PathLike) else options.casing or ()
        language, forms = self.info.model.language, (*self.casing, *given)
        case = self.case and options.case
        style = self.glyphs
        if case != self.case:
            style = glyphs(language)
        elif case and forms != self.casing:
            style = _style(language, forms)
        enabled = self.settings.enabled
        if options.marks is not None:
            enabled &= _with_opening(options.marks)
        sensitivity = self.settings.sensitivity + options.sensitivity
        settings = replace(self.settings, enabled=enabled, sensitivity=sensitivity)
        return replace(self, settings=settings, case=case, glyphs=style, casing=forms)

    @property
    def classes(self) -> tuple[str, ...]:
        """The model's classes, each a set of marks; empty for a model that decides each mark on its own."""
        return self.info.model.heads.classes

    @property
    def runtime(self) -> str:
        """`onnxruntime` or `torch`."""
        return self.predictor.backend.runtime

    def restore(
        self, utterances: Iterable[Utterance], *, probabilities: bool = False, fill: bool = False
    ) -> Iterator[Utterance]:
        """Yield the same utterances with labels, lazily and in order (see `Punctuator.restore`)."""
        return (each for each in self.steps(utterances, probabilities=probabilities, fill=fill) if each is not None)

    def steps(
        self, utterances: Iterable[Utterance], *, probabilities: bool = False, fill: bool = False
    ) -> Iterator[Utterance | None]:
        """Yield what `restore` yields, and None after each part of the work (see `Punctuator.steps`)."""
        waiting = deque[_Read]()
        decided = deque[Labels]()
        rows = deque[list[float]]()  # of the probabilities of labels
        decoder, sides = new_decoder(self.settings, self.classes), QuoteSides(self.info.model.language)
        for part in self.predictor.predict(self._read(utterances, waiting, fill)):
            decided.extend(decoder.push(part.labels, part.cases, part.flags, part.end, part.texts))
            if probabilities:
                settings = self.settings, self.classes, self.case
                rows.extend(label_probabilities(part.labels, part.cases, part.flags, *settings).tolist())
            while waiting and waiting[0].decoded_words <= len(decided):
                yield self._labelled(waiting.popleft(), decided, rows, sides)
            yield None
        while waiting:
            yield self._labelled(waiting.popleft(), decided, rows, sides)

    def predict(self, utterances: Iterable[Utterance]) -> Iterator[Prediction]:
        """Yield the model's probabilities for all words but sounds and those that consist of marks, in order."""
        return self.predictor.predict(self._read(utterances, deque()))

    def _read(self, utterances: Iterable[Utterance], waiting: deque[_Read], fill: bool = False) -> Iterator[Token]:
        """Yield the words of utterances, with flags of boundaries, and append each utterance to `waiting`.

        With `fill` nothing is added to the words outside the stretches without marks (see `inference.fill`).
        """
        for _, document in groupby(with_pauses(utterances), key=attrgetter("side")):
            yield from flag_boundaries(self._read_document(document, waiting, fill))

    def _read_document(
        self, document: Iterable[Utterance], waiting: deque[_Read], fill: bool
    ) -> Iterator[tuple[str, Sequence[Token]]]:
        """Yield the words of each speaker in turn."""
        unread = deque[tuple[Utterance, str]]()

        def read() -> Iterator[Sequence[Token]]:
            for utterance, name, words in with_speakers(document, self.info.model.language):
                unread.append((utterance, utterance.speaker or name))
                yield self.reader.read(utterance.words, words)

        for tokens in keep_marked(read()) if fill else read():
            (utterance, name), first = unread.popleft(), 0
            waiting.append(_Read(utterance, tokens, sum(bool(token.core) for token in tokens)))
            for speaker, count in by_speaker(utterance.words, name):
                yield speaker, tokens[first : first + count]
                first += count

    def _labelled(self, read: _Read, decided: deque[Labels], rows: deque[list[float]], sides: QuoteSides) -> Utterance:
        """Return an utterance with the next labels and, if any, probabilities of the queues (see `merge_labels`)."""
        utterance, tokens, _ = read
        labels = [token.merge_labels(decided.popleft(), self.case) if token.core else token.labels for token in tokens]
        labels = sides.place(tokens, labels, utterance.side)
        if any(token.is_piece for token in tokens):
            labels = spread_labels(tokens, labels)
        if not rows:
            return annotate(utterance, labels=labels)
        listed = [
            list_probabilities(rows.popleft(), word.probabilities, token.labels, new)
            if token.core
            else word.probabilities
            for word, token, new in zip(utterance.words, tokens, labels, strict=True)
        ]
        return annotate(utterance, labels=labels, probabilities=listed)


def _style(language: str, forms: Iterable[str]) -> Glyphs:
    """Return the glyphs of a language with a casing list."""
    return replace(glyphs(language), cased=cached_by_word(_CACHED_WORDS)(Casing.of(forms, language).apply))


def _with_opening(marks: Collection[str]) -> frozenset[Mark]:
    """Return the marks of these names, and the opening marks of those that close."""
    chosen = named_marks(marks)
    return chosen | {opening for opening, closing in PAIRS if closing in chosen}
