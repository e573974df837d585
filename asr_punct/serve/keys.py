"""Keys of JSON that are options of Python: their type, range, default and description are those of the declaration."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, Field, create_model

from asr_punct.declared import declarations


def keys_of(
    cls: type,
    base: type[BaseModel],
    names: Collection[str] | None = None,
    types: Mapping[str, Any] = MappingProxyType({}),
    most: Mapping[str, float] = MappingProxyType({}),
) -> Any:
    """Return a subclass of the pydantic model `base` with the fields of a dataclass (`asr_punct.declared`) as keys.

    `names` are those of the fields, if they are not all. `types` are those of keys that have another type in JSON;
    `most` are maxima that are only the service's. A class that derives from the result also names `base`, for mypy,
    which does not see what is made here.
    """
    keys = dict[str, Any]()
    for name, kind, allowed, default, meaning in declarations(cls):
        if names is not None and name not in names:
            continue
        limits: dict[str, Any] = {}
        if allowed:
            high = most.get(name, allowed.high)
            limits = {"gt" if allowed.excludes_low else "ge": allowed.low, "allow_inf_nan": False}
            limits |= {"le": high} if high < math.inf else {}
        keys[name] = types.get(name, kind), Field(default=default, description=meaning, **limits)
    return create_model(f"{cls.__name__}Keys", __base__=base, **keys)
