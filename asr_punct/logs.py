"""Quieter logs of other libraries, for a while."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def log_level(name: str | None, level: int) -> Iterator[None]:
    """Let the logger of this name, or the root logger, pass on only messages of this level or above in the block."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.setLevel(before)
