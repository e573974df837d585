"""The Hugging Face hub, whose library is kept quiet, and from trying again and again where there is no connection."""

from __future__ import annotations

import os
from typing import Any, cast

_PATIENCE = 5.0
"""Seconds that the hub has to answer."""


def reach_hub() -> bool:
    """Whether the hub answers; where it does not, its library uses from now on, in this process, only what it has.

    That library logs nothing but errors afterwards. It goes by `HF_ENDPOINT`, `HF_HUB_OFFLINE` and proxies as ever.
    """
    from huggingface_hub import constants, get_session
    from huggingface_hub.utils import logging

    cast(Any, logging).set_verbosity_error()
    if not constants.HF_HUB_OFFLINE:
        try:
            get_session().head(constants.ENDPOINT, timeout=_PATIENCE)
        except Exception:  # of requests or httpx, by the version of the library
            constants.HF_HUB_OFFLINE = True
    return not constants.HF_HUB_OFFLINE


def reach_hub_for(name: str) -> None:
    """See that the library knows whether the hub answers, before a model is loaded; one of a directory needs no hub."""
    if not os.path.isdir(name):
        reach_hub()
