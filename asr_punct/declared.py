"""Options and settings, declared once: a field of a dataclass has the type, the range and the default of an option, and
a line of the docstring its meaning.

The range is a part of the type, `right: PositiveInt = 3`, and is checked whenever an object is made. The command line
makes options of the fields (`cli/groups.py`), the service keys of JSON (`serve/keys.py`).
"""

import dataclasses
import functools
import inspect
import math
import re
import typing
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

from asr_punct.errors import ArgumentError, AsrPunctError


@dataclasses.dataclass(frozen=True)
class Range:
    """Numbers from `low`, which may be excluded, to `high`; infinity is none of them, unless it is permitted."""

    low: float = 0
    high: float = math.inf
    excludes_low: bool = False
    is_finite: bool = True

    def __contains__(self, value: float) -> bool:
        is_above = value > self.low if self.excludes_low else value >= self.low
        return is_above and value <= self.high and not (self.is_finite and abs(value) == math.inf)

    def __str__(self) -> str:
        if self.low == -math.inf:
            return "a finite number"
        if self.excludes_low:
            return f"above {self.low}" + (f", {self.high} at most" if self.high < math.inf else "")
        return f"from {self.low} to {self.high}" if self.high < math.inf else f"{self.low} or more"


PositiveInt = Annotated[int, Range(1)]
NonNegativeInt = Annotated[int, Range(0)]
PositiveFloat = Annotated[float, Range(0, excludes_low=True)]
NonNegativeFloat = Annotated[float, Range(0)]
Share = Annotated[float, Range(0, 1)]
"""A share of a whole, or a probability."""


class Checked:
    """Base of such dataclasses. A value outside the range of its field raises `_error`; None is always valid."""

    _error: ClassVar[type[AsrPunctError]] = ArgumentError
    _ranges: ClassVar[Mapping[str, Range]]

    def __init_subclass__(cls) -> None:
        hints = typing.get_type_hints(cls, include_extras=True)
        cls._ranges = {name: found for name, hint in hints.items() if (found := _range_of(hint))}

    def __post_init__(self) -> None:
        for name, allowed in self._ranges.items():
            value = getattr(self, name)
            if value is not None and value not in allowed:
                raise self._error(name, str(value), str(allowed))


def _range_of(hint: Any) -> Range | None:
    kinds = (hint, *typing.get_args(hint))  # the arguments of `Share | None` are `Share` and `None`
    extras = (extra for kind in kinds for extra in getattr(kind, "__metadata__", ()))  # beside the type in `Annotated`
    return next((extra for extra in extras if isinstance(extra, Range)), None)


class Declaration(NamedTuple):
    """A field: its type without the range, the range, the default, and its meaning as a sentence."""

    name: str
    type: Any
    range: Range | None
    default: Any
    meaning: str


@functools.cache
def declarations(cls: type) -> tuple[Declaration, ...]:
    """Return the fields of a dataclass whose fields all have defaults, in order."""
    ranges, types = typing.get_type_hints(cls, include_extras=True), typing.get_type_hints(cls)
    meanings, found = _meanings(cls), list[Declaration]()
    for each in dataclasses.fields(cls):
        meaning = meanings.get(each.name, "")
        sentence = f"{meaning[:1].upper()}{meaning[1:].removesuffix('.')}." if meaning else ""
        found.append(Declaration(each.name, types[each.name], _range_of(ranges[each.name]), each.default, sentence))
    return tuple(found)


def _meanings(cls: type) -> dict[str, str]:
    """Return the lines `name: meaning` of the sections "Attributes" of a class and of its bases."""
    meanings = dict[str, str]()
    for each in reversed(cls.__mro__):
        section = inspect.cleandoc(each.__doc__ or "").partition("Attributes:\n")[2].partition("\n\n")[0]
        for name, text in re.findall(r"^    (\w+): (.*(?:\n     +.*)*)", section, re.MULTILINE):
            meanings[name] = " ".join(text.split())
    return meanings
