"""The models that clients may choose."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import Any

from asr_punct.hub import AUTO, DEFAULT_MODEL, named_languages, named_models
from asr_punct.inference.options import ALL_OUTPUT, OutputOptions
from asr_punct.inference.punctuator import Punctuator
from asr_punct.serve.service_errors import ServiceError

_KEPT = 16
"""Number of punctuators with other output that are kept: their casing lists have caches."""
Open = Callable[[str | None], Punctuator]
"""Opens a model by name; None: the model of each text's language."""


class Models:
    """Opens models when they are first used. Clients may name only models of `named_models` and the model `name`.

    Requests that name no model use `name`, the model of the command line; None: the model of the text's language.
    """

    def __init__(self, open_model: Open, name: str | None = None) -> None:
        self._open_model, self._lock = open_model, Lock()
        self.default = name or AUTO
        self._names = {AUTO, self.default, *named_models()}
        self._opened = {self.default: open_model(name)}
        self._with_output = lru_cache(_KEPT)(lambda name, output: self._get(name).with_output(output))

    def check(self, name: str | None) -> str:
        """Return the name, or that of the default model. Raises ServiceError for an unknown name."""
        name = name or self.default
        if name not in self._names:
            raise ServiceError(422, "model", repr(name)[:80], f"one of {' '.join(sorted(self._names))}")
        return name

    def get(self, name: str, output: OutputOptions = ALL_OUTPUT) -> Punctuator:
        """Return the punctuator of a name that `check` returned, which adds only what `output` allows."""
        return self._get(name) if output == ALL_OUTPUT else self._with_output(name, output)

    def _get(self, name: str) -> Punctuator:
        if opened := self._opened.get(name):  # without waiting for another one that is being opened
            return opened
        with self._lock:
            if name not in self._opened:
                self._opened[name] = self._open_model(None if name == AUTO else name)
            return self._opened[name]

    def describe(self) -> list[dict[str, Any]]:
        """Return name and languages of each model, for `GET /v1/models`."""
        languages = named_languages()
        if self.default != AUTO:
            languages[self.default] = self.get(self.default).info.model.language.split("+")
        default = DEFAULT_MODEL if self.default == AUTO else self.default
        return [{"name": name, "languages": codes, "default": name == default} for name, codes in languages.items()]
