"""How a live stream decides words."""

from dataclasses import dataclass

from asr_punct.errors import ArgumentError
from asr_punct.words import Seconds


@dataclass(frozen=True)
class StreamSettings:
    """When a live stream decides words, and with how much context. Counts are numbers of words.

    Attributes:
        left: maximum context, before the words that a window decides; 0 or more.
        right: the look-ahead: words that must follow a word before it is decided; 1 or more.
        hop: words that are decided together; 1 or more.
        flush_after: pause in seconds after which words are decided without look-ahead; 0 or more.
        patience: further words for which a word waits while one of its marks is unsure; 0 or more.

    Raises:
        ArgumentError: a value is too small.
    """

    left: int = 24
    """The shipped models gain nothing from more (docs/measurements.md)."""
    right: int = 3
    hop: int = 1
    flush_after: Seconds = 0.8
    patience: int = 6

    def __post_init__(self) -> None:
        for name, minimum in {"left": 0, "right": 1, "hop": 1, "flush_after": 0, "patience": 0}.items():
            if not (value := getattr(self, name)) >= minimum:
                raise ArgumentError(name, str(value), f"{minimum} or more")
