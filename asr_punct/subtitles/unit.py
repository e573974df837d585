"""A unit of cues, and the cost of a break after it."""

from dataclasses import dataclass

from asr_punct.words import Seconds

NO_MARK = 8.0
"""Cost of a break after a word without marks."""
PHRASE = 6.0
"""Cost of a break without marks before an article, preposition or conjunction."""
COMMA, STOP, SENTENCE = 3.0, 2.0, 0.0
"""Costs of a break after a comma or a quotation mark, after `; : … –`, and after `. ? !`."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A written word with the free-standing marks beside it (`- hola`); never broken over lines.

    `start` is not before that of the previous unit: the word is said `late` seconds before it. `break_cost` is that of
    a cue break after it, without a pause. `binds` is whether it belongs to the next unit (`binding.binds`).
    """

    text: str
    start: Seconds
    end: Seconds
    break_cost: float
    ends_sentence: bool
    speaker: str = ""
    binds: bool = False
    late: Seconds = 0.0
