"""`Punctuator`: text, words and live streams in, the same with marks and capitals out."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, groupby, starmap
from operator import itemgetter
from os import PathLike
from typing import Any

from asr_punct.caching import made_once
from asr_punct.channels import Processed, by_channel
from asr_punct.checkpoint import ModelInfo
from asr_punct.errors import ArgumentError
from asr_punct.formats.lines.nemo_labels import format_labels
from asr_punct.glyphs import Glyphs
from asr_punct.hub import AUTO, DEFAULT_MODEL, find_model, models_by_language, named_models
from asr_punct.inference.choice import LanguageChoice
from asr_punct.inference.options import USUAL_STREAM, ModelOptions, OutputOptions, StreamSettings
from asr_punct.inference.predictor import Prediction
from asr_punct.inference.restorer import Restorer
from asr_punct.inference.stream import Stream
from asr_punct.inference.stream_pool import StreamPool
from asr_punct.languages import parse_language
from asr_punct.pauses import with_pauses
from asr_punct.text import without_marks
from asr_punct.words import Utterance, check_utterances, split_words, text_of_utterance, utterances_of_text


class Punctuator:
    """Adds marks and capitals with one model, or with that of each document's language.

    `from_pretrained` and `open` make it. It can be sent to another process, which opens its models again:
    `multiprocessing.Pool().map(punctuator, texts)`.

    Args:
        restorer: the model, or the default one of several.
        choice: chooses the model of a document by its language; None: there is one, for texts of any language.
        open_model: opens the other models of the choice by name.
        open_again: makes the same punctuator in another process; None: it cannot be sent to one.
    """

    def __init__(
        self,
        restorer: Restorer,
        choice: LanguageChoice | None = None,
        open_model: Callable[[str], Restorer] | None = None,
        open_again: Callable[[], Punctuator] | None = None,
    ) -> None:
        self._restorer, self._choice, self._open_again = restorer, choice, open_again
        self._other_model = cache(open_model) if open_model else None
        self.glyphs: Glyphs = replace(restorer.glyphs, of_language=self._glyphs_of) if open_model else restorer.glyphs
        """Glyphs of the default model's language, with its casing list; those of the other models by language."""

    @classmethod
    def from_pretrained(cls, name: str | PathLike[str] | None = None, **options: Any) -> Punctuator:
        """Open a model: `open(ModelOptions(name, **options))`."""
        return cls.open(ModelOptions(name, **options))

    @classmethod
    def open(cls, options: ModelOptions) -> Punctuator:
        """Open a model.

        With `auto` each document gets the shipped model of its language: that of the options, else
        `Utterance.language`, else the one identified from its words. A language without a model gets the default model,
        and a warning is logged, also for a text that is clearly not in the language of its model.

        Raises:
            AsrPunctError: unknown model, mark or class, a weight that is not above 0, a damaged model directory, or a
                malformed casing list.
        """
        name, language = "" if options.name is None else str(options.name), parse_language(options.language)
        if name not in ("", AUTO):
            restorer = Restorer.open(find_model(name), options)
            models = dict.fromkeys(restorer.info.model.language.split("+"), name)
            choice = LanguageChoice(models, name, language, fixed=True)
            return cls(restorer, choice, open_again=partial(cls.open, options))
        models = models_by_language()
        default = next((models[code] for code in language.split("+") if code in models), DEFAULT_MODEL)
        known = named_models() | {DEFAULT_MODEL: find_model(None)}

        def open_model(name: str) -> Restorer:
            return Restorer.open(known[name], options)

        choice = LanguageChoice(models, default, language)
        return cls(open_model(default), choice, open_model, partial(cls.open, options))

    def __reduce__(self) -> tuple[Any, ...]:
        if self._open_again is None:
            raise ArgumentError("punctuator", "one that was made of parts", "one of Punctuator.open")
        return made_once, (pickle.dumps(self._open_again),)

    @property
    def info(self) -> ModelInfo:
        """Configuration of the default model."""
        return self._restorer.info

    @property
    def runtime(self) -> str:
        """`onnxruntime` or `torch`."""
        return self._restorer.runtime

    def __call__(self, text: str, *, fill: bool = False) -> str:
        """Return text with marks and capitals; a line is an utterance, an empty line ends a document.

        With `fill` only stretches without marks are restored (see `restore`).

        Raises:
            ArgumentError: the argument is not a string.
        """
        if not isinstance(text, str):
            raise ArgumentError("text", type(text).__name__, "str (restore takes utterances)")
        return "\n".join(map(self.write, self.restore(utterances_of_text(text), fill=fill)))

    def write(self, utterance: Utterance) -> str:
        """Return the words with their marks and capitals as a line of text."""
        return text_of_utterance(utterance, self.glyphs)

    def restore(
        self, utterances: Iterable[Utterance], *, probabilities: bool = False, fill: bool = False
    ) -> Iterator[Utterance]:
        """Yield the same utterances with labels, lazily and in order; words and times are unchanged.

        Consecutive utterances of one document and channel are context for each other. Pauses are computed from the
        times if an utterance has none. Marks and capitals of the input stay, and the others are decided given them.
        Memory is bounded by a few windows, a block of decoding, and the longest utterance or document of several
        channels.

        Args:
            utterances: the input.
            probabilities: whether to add the probabilities of each word's labels (see `decode.inputs`).
            fill: whether only stretches of 20 or more words without a mark are restored, and all other words stay as
                they are (see `inference.fill`).

        Raises:
            AsrPunctError: a value is not an utterance.
        """
        return (each for each in self.steps(utterances, probabilities=probabilities, fill=fill) if each is not None)

    def steps(
        self, utterances: Iterable[Utterance], *, probabilities: bool = False, fill: bool = False
    ) -> Iterator[Utterance | None]:
        """Yield what `restore` yields, and None after each part of the work, of a few windows.

        The caller may do other work meanwhile, or stop, also within an utterance. See `restore` for the rest.
        """
        options = {"probabilities": probabilities, "fill": fill}
        return self._each_channel(utterances, lambda model, part: model.steps(part, **options))

    def without_marks(self, utterances: Iterable[Utterance]) -> Iterator[Utterance]:
        """Yield the utterances without labels, marks and capitals (see `text.without_marks`).

        The rules are those of the language that `restore` would add to an utterance, else of its model.
        """
        given = self._choice.language if self._choice else ""

        def bare(model: Restorer, part: Iterable[Utterance]) -> Iterator[Utterance]:
            for utterance in part:
                yield without_marks(utterance, given or utterance.language or model.info.model.language)

        return self._each_channel(utterances, bare)

    def language_warnings(self, utterances: Iterable[Utterance]) -> list[str]:
        """Return the warnings about the languages of texts that `restore` logs, also those that it logged before."""
        return self._choice.warnings(utterances) if self._choice else []

    def prepare(self, utterances: Iterable[Utterance]) -> Iterator[Utterance]:
        """Yield the same utterances with the languages and pauses that `restore` adds, but no labels."""
        return self._each_channel(utterances, lambda _, part: with_pauses(part))

    def predict(self, utterances: Iterable[Utterance]) -> Iterator[Prediction]:
        """Yield the default model's probabilities for all words but sounds and those that consist of marks."""
        return self._restorer.predict(utterances)

    def stream(self, language: str = "", settings: StreamSettings = USUAL_STREAM, **changes: Any) -> Stream:
        """Return a live stream (see `inference.stream`).

        Args:
            language: code of the language of the words, if the punctuator was opened without one.
            settings: when words are decided.
            changes: other values for fields of the settings, as in `stream(right=5)`.

        Raises:
            ArgumentError: a value of the settings is too small.
        """
        return Stream(self._model, replace(settings, **changes), self._choice, language)

    def stream_pool(
        self, language: str = "", settings: StreamSettings = USUAL_STREAM, **changes: Any
    ) -> StreamPool[Any]:
        """Return a pool of live streams. Arguments and errors are those of `stream`."""
        return StreamPool(partial(self.stream, language, replace(settings, **changes)))

    def with_windows(
        self, batch_size: int | None = None, max_tokens: int | None = None, margin: int | None = None
    ) -> Punctuator:
        """Return a punctuator of the same models with other windows; None keeps a size.

        Args:
            batch_size: maximum number of windows of a batch.
            max_tokens: maximum number of sub-words of a window, both special tokens included; at most the model's own.
            margin: words at inner edges of windows that a neighbouring window decides; at most half a window.
        """
        sizes = batch_size, max_tokens, margin

        def change(restorer: Restorer) -> Restorer:
            return replace(restorer, predictor=restorer.predictor.with_windows(*sizes))

        return self._changed(change, partial(Punctuator.with_windows, self, *sizes))

    def with_output(self, options: OutputOptions) -> Punctuator:
        """Return a punctuator of the same models that adds only what the options allow, and this one may add.

        Raises AsrPunctError for a casing list that cannot be read.
        """
        return self._changed(lambda restorer: restorer.with_output(options), partial(self.with_output, options))

    def _changed(self, change: Callable[[Restorer], Restorer], make_again: Callable[[], Punctuator]) -> Punctuator:
        """Return a punctuator of the same models, each changed."""

        def open_model(name: str) -> Restorer:
            return change(self._model(name))

        open_again = make_again if self._open_again else None
        return Punctuator(open_model(""), self._choice, open_model if self._other_model else None, open_again)

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
        """Return each query, as a document of its own, with marks and capitals; its own ones stay.

        The call of `PunctuationCapitalizationModel` in NeMo 2.4 and earlier. Sizes default to those with which the
        model was trained.

        Args:
            queries: the texts.
            batch_size: windows computed together, 1 or more.
            max_seq_length: maximum number of sub-words in a window, both special tokens included.
            step: ignored: each word is decided once, by the window with the most context on both sides.
            margin: number of words at the inner edges of a window that the neighbouring window decides.
            return_labels: return the added labels in NeMo's format (`formats.lines.nemo_labels`): `OU OO ,O ?U`.
            dataloader_kwargs: ignored: there is no data loader.

        Raises:
            ArgumentError: `queries` is a string or contains something else than strings, or a size is too small.
        """
        wrong = [queries] if isinstance(queries, str) else [query for query in queries if not isinstance(query, str)]
        if wrong:
            raise ArgumentError("queries", repr(wrong[0]), "a list of strings")
        _check_size("batch_size", batch_size, 1)
        _check_size("max_seq_length", max_seq_length, self.info.model.encoder.max_subwords + 2)
        _check_size("step", step, 1)
        _check_size("margin", margin, 0)
        utterances = [Utterance(split_words(query), document=str(i)) for i, query in enumerate(queries)]
        restored = self.with_windows(batch_size, max_seq_length, margin).restore(utterances)
        if return_labels:
            return [format_labels(utterance.labels, self.glyphs.of(utterance.language)) for utterance in restored]
        return [self.write(utterance) for utterance in restored]

    def _model(self, name: str) -> Restorer:
        """Return a model by name; "" is the default one."""
        if self._other_model is None or self._choice is None or name in ("", self._choice.default):
            return self._restorer
        return self._other_model(name)

    def _glyphs_of(self, language: str) -> Glyphs:
        models = self._choice.models if self._choice else {}
        name = next((models[code] for code in language.split("+") if code in models), "")
        return replace(self._model(name).glyphs, of_language=self._glyphs_of)

    def _each_channel(
        self, utterances: Iterable[Utterance], process: Callable[[Restorer, Iterable[Utterance]], Iterator[Processed]]
    ) -> Iterator[Processed]:
        """Yield what `process` makes of the utterances with their model, channel by channel, in the order of all."""
        given = check_utterances(utterances, "utterances", "for text, call the punctuator: punctuator('hola')")
        return by_channel(given, lambda channels: chain.from_iterable(starmap(process, self._by_model(channels))))

    def _by_model(self, utterances: Iterable[Utterance]) -> Iterator[tuple[Restorer, Iterable[Utterance]]]:
        """Yield consecutive utterances that one model restores, after the model."""
        if self._choice is None:
            yield self._restorer, utterances
            return
        for name, part in groupby(self._choice.assign(utterances), key=itemgetter(0)):
            yield self._model(name), map(itemgetter(1), part)


def _check_size(name: str, size: int | None, minimum: int) -> None:
    if size is not None and not (hasattr(size, "__index__") and size >= minimum):
        raise ArgumentError(name, repr(size), f"a whole number, {minimum} or more")
