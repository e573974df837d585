"""Choose the model of each document by its language: the given one, else the one identified from the words."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby

from asr_punct.identifier import CLEAR_ODDS, Guess, identify, known_languages
from asr_punct.languages import describe_languages, parse_language
from asr_punct.words import Utterance

_LOG = logging.getLogger(__name__)
_MAX_WORDS = 100
"""The language of a document is identified by its first words, at most this many."""
_WARNING_WORDS, _WARNING_PROBABILITY = 10, 0.9
"""Minimum number of different words, and minimum probability, for a warning that a text looks like another language. If
no language is given, one of them is enough."""
_SURE_WORDS, _SURE_PROBABILITY = 60, 0.99
"""A text of this many words or more in languages of models is in them with this probability; of 10,000 texts 6 have a
lower one. Other texts are mostly in languages that the identifier does not know, such as Welsh."""
_EARLY_PROBABILITY = 0.98
"""Probability from which a stream chooses the model before it has read `MAX_WAITING_WORDS` words."""
CHECKED_WORDS = 20
"""Number of words after which a stream checks that they are in a language of its model."""
_NO_MODEL = ", for which there is no model"
MAX_WAITING_WORDS = 10
"""Maximum number of words of a document that wait in a stream until its model is chosen."""


@dataclass(frozen=True)
class LanguageChoice:
    """Chooses models by language. Warns once for each language that has no model, or is not the given one.

    Attributes:
        models: names of models by language code.
        default: the model of texts in other languages; with `fixed`, of all texts.
        language: the language of all texts; "" if it is not known.
        report: called with the language and text of each warning; None: warnings are logged.
    """

    models: Mapping[str, str]
    default: str
    language: str = ""
    fixed: bool = False
    report: Callable[[str, str], object] | None = None
    _warned: set[str] = field(default_factory=set, init=False)

    def assign(self, utterances: Iterable[Utterance]) -> Iterator[tuple[str, Utterance]]:
        """Yield the name of its model and each utterance, with its language.

        Reads ahead at most `_MAX_WORDS` words, none if all texts get the default model.
        """
        for _, document in groupby(map(_with_code, utterances), key=lambda utterance: utterance.side):
            if self.fixed:
                yield from self._checked(document)
                continue
            first, words = list[Utterance](), list[str]()
            for utterance in document:
                first.append(utterance)
                words += [word.text for word in utterance.words]
                if len(words) >= _MAX_WORDS:
                    break
            model, language = self.choose(words, next((item.language for item in first if item.language), ""))
            for utterance in chain(first, document):
                yield model, replace(utterance, language=self.language or utterance.language or language)

    def _checked(self, document: Iterable[Utterance]) -> Iterator[tuple[str, Utterance]]:
        """Yield the name of the default model with each utterance of a document, and check the language."""
        words, language = list[str](), self.language
        for utterance in document:
            yield self.default, replace(utterance, language=self.language or utterance.language)
            if len(words) < _MAX_WORDS:
                words += [word.text for word in utterance.words]
                language = language or utterance.language
                if len(words) >= _MAX_WORDS:
                    self.choose(words, language)  # for its warnings
        if len(words) < _MAX_WORDS:
            self.choose(words, language)

    def choose(self, words: Sequence[str], file_language: str = "") -> tuple[str, str]:
        """Return the model of a text, and its language if the model is for it, else "".

        `words` are the first words of the text; `file_language` is "" if the file names none.
        """
        guess, given = identify(words[:_MAX_WORDS]), self.language or file_language
        if self.fixed or given:
            return self._choose_by_name(given, guess, words)
        is_clear = guess is not None
        guess = guess or identify(words, minimum=1)
        if guess is None:
            return self.default, ""
        model, probability = self._most_probable(guess)
        if is_clear and guess.language in self.models:
            found = self.models[guess.language]
            if len(words) < _SURE_WORDS or guess.probability_of(self.models) >= _SURE_PROBABILITY:
                return found, guess.language
            near = describe_languages([guess.language])
            self._warn(f"near {guess.language}", f"the words are in no known language, nearest to {near}", found)
            return found, ""
        if is_clear and probability > guess.probability:  # such as a mixture of Spanish and Basque
            return model, ""
        if not is_clear or (len(set(words)) < _WARNING_WORDS and guess.probability < _WARNING_PROBABILITY):
            if probability <= CLEAR_ODDS * guess.probability_of(self._languages(self.default)):
                return self.default, ""
            return model, max(self._languages(model), key=lambda code: guess.probability_of([code]))
        name = describe_languages([guess.language])
        self._warn(guess.language, f"the words look like {name}{_NO_MODEL}", self.default)
        return self.default, ""

    def choose_early(self, words: Sequence[str]) -> tuple[str, str] | None:
        """Return the choice for a text that begins with these words; None if more words are needed."""
        if len(words) < MAX_WAITING_WORDS and not (self.language or self.fixed):
            guess = identify(words)
            if guess is None or self._most_probable(guess)[1] < _EARLY_PROBABILITY:
                return None
        return self.choose(words)

    def _choose_by_name(self, language: str, guess: Guess | None, words: Sequence[str]) -> tuple[str, str]:
        """Return the result of `choose` for a given language, or with `fixed`."""
        codes = language.split("+") if language else []
        found = next((code for code in codes if code in self.models), "")
        model = self.default if self.fixed else self.models.get(found, self.default)
        model_languages = self._languages(model)
        if codes and not set(codes) & set(model_languages):
            self._warn(language, f"the language is {describe_languages(codes)}{'' if self.fixed else _NO_MODEL}", model)
        elif guess:
            self._warn_if_other(guess, words, model)
        return model, found if found in model_languages else ""

    def check(self, words: Sequence[str], model: str) -> None:
        """Warn if words, at least `_WARNING_WORDS` different ones, are clearly not in a language of their model."""
        if guess := identify(words):
            self._warn_if_other(guess, words, model)

    def _warn_if_other(self, guess: Guess, words: Sequence[str], model: str) -> None:
        languages = self._languages(model)
        is_clear = len(set(words)) >= _WARNING_WORDS and guess.probability >= _WARNING_PROBABILITY
        if is_clear and guess.language not in languages and known_languages().issuperset(languages):
            self._warn(guess.language, f"the words look like {describe_languages([guess.language])}", model)

    def _most_probable(self, guess: Guess) -> tuple[str, float]:
        models = set(self.models.values())
        return max(
            ((model, guess.probability_of(self._languages(model))) for model in models), key=lambda item: item[1]
        )

    def _languages(self, model: str) -> list[str]:
        return [language for language, name in self.models.items() if name == model]

    def _warn(self, language: str, found: str, model: str) -> None:
        known = describe_languages(self._languages(model))
        (self.report or self.log)(language, f"{found}: used the model {model}, which is for {known}")

    def log(self, language: str, warning: str) -> None:
        """Log a warning, once for each language."""
        if language not in self._warned:
            self._warned.add(language)
            _LOG.warning("%s (name the language or the model to change this)", warning)

    def warnings(self, utterances: Iterable[Utterance]) -> list[str]:
        """Return the warnings about texts, also those that were logged before, without logging them."""
        found = dict[str, str]()
        for _ in replace(self, report=found.setdefault).assign(utterances):
            pass
        return list(found.values())


def _with_code(utterance: Utterance) -> Utterance:
    """Return the utterance with the code of its language, which may be given as `en-US` or `eng`."""
    code = parse_language(utterance.language)
    return utterance if code == utterance.language else replace(utterance, language=code)
