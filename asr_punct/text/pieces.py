"""Words that the input has in pieces: the model reads such a word whole, and nothing is added inside it.

* contractions of English: `i 'll`, `do n't`;
* a number and its unit or currency: `3 %`, `$ 5`;
* numbers: `555 123 4567`, `1 500 000`, `3 . 5`, `five five five one two`, but not counting (`one two three`);
* addresses: `user @ example . com`, `www . example . org`.

Basque endings that are no words (`bilbo ra`, `eitb ren`) are read on their own, because the word before may be an
acronym, but in lower case and with no mark before them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from asr_punct.caching import cached_by_word
from asr_punct.characters import characters_of
from asr_punct.languages import any_language, facts_of
from asr_punct.marks import RIGHT, Mark
from asr_punct.text.edges import split_token


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMBER = re.compile(r"[-+±−]?\d+(?:[.,:/]\d+)*")
_SYMBOL = re.compile(r"[%‰€$£¥°º]|[°º][cf]", re.IGNORECASE)
_CURRENCY = re.compile(r"[$€£¥]")
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_DASHES = frozenset(characters_of([Mark.DASH]))
_JOINERS = _DASHES.union(".,:/@")
_NO_MARKS, _ALL_MARKS, _NO_DASH = frozenset[Mark](), frozenset(RIGHT), frozenset({Mark.DASH})
_NO_COMMA = frozenset({Mark.COMMA})
# between digits (`1 2`) these would make another number of them
_NO_MARKS_IN_DIGITS = frozenset({Mark.DASH, Mark.COMMA, Mark.PERIOD})
_DIGITS, _FURTHER_NUMBERS = any_language().digits, any_language().numbers
_KINDS = {"www": "h"} | dict.fromkeys(_words("com org net edu gov eus"), "c")
_KINDS |= dict.fromkeys(_words("uk eu cat gal mx ar au io"), "t")
# regular expressions of the tokens of an address, one character each: a word, a domain that is no word, one that may be
# a word, www, . or @; in capitals if marks follow the token
_WORDS = r"[wcth](?:\.[wcth])*"
_ADDRESS = re.compile(rf"(?:{_WORDS}@|h\.){_WORDS}\.[wcthWCTH]|{_WORDS}\.[cC]")
_BEGUN = re.compile(rf"[wcth](?:\.[wcth]){{0,2}}\.?|(?:{_WORDS}@|h)(?:\.?{_WORDS})?\.?")
_ADDRESS_WORD = re.compile(r"\w[\w+-]*")
_LONGEST_ADDRESS = 12


@cached_by_word(1 << 16)
def may_be_piece(token: str, language: str) -> bool:
    """Whether a token may be a part of a word in pieces, but for the words of addresses."""
    if token.isalpha():
        return _names_number(token) or is_ending(token, language)
    return (
        token in _JOINERS
        or is_clitic(token, language)
        or bool(_SYMBOL.fullmatch(_core(token)))
        or _is_number(_core(token))
        or is_ending(_core(token), language)
    )


def is_clitic(token: str, language: str) -> bool:
    """Whether a token is the end of a contraction (`'ll`), with or without marks after it."""
    clitics = facts_of(language).clitics
    if not clitics or not ("'" in token[:2] or "’" in token[:2]):
        return False
    after = split_token(token, language)[2]
    return token[: len(token) - len(after)].lower().replace("’", "'") in clitics


def is_ending(core: str, language: str) -> bool:
    """Whether a word without its marks is a Basque ending that is no word."""
    return core in facts_of(language).lone_suffixes


def count_pieces(word: Sequence[str], tokens: Sequence[str], language: str) -> int | None:
    """Return how many of the next tokens continue a word, given its first token and its pieces so far.

    None: that depends on the tokens that follow.
    """
    last, token = word[-1], tokens[0]
    if is_clitic(token, language):
        return int(last[-1].isalnum())
    core = _core(token)
    if token.startswith(core) and _continues_number(word, core):
        return 1
    if token in _JOINERS:
        return _count_joined(word, tokens)
    return _count_digits(word, tokens) if _is_digit(last) else 0


def spoken_whole(before: str, piece: str) -> str:
    """Return the word of two pieces as the model reads it, in lower case: of digits by name only the first."""
    return before if piece in _DASHES or before in _DIGITS else before + piece


def barred_between(before: str, after: str, language: str) -> frozenset[Mark]:
    """Return the marks that are not added between two words: all before a Basque ending, some between two numbers.

    There a dash is added only between the years of a range (`1936–1939`), and between digits a comma only if they count
    up (`one, two`).
    """
    if is_ending(after, language):
        return _ALL_MARKS
    if not (_is_number_or_name(before) and _is_number_or_name(after)):
        return _NO_MARKS
    if _is_digit(before) and _is_digit(after):
        return _NO_MARKS_IN_DIGITS if _value(after) != _value(before) + 1 else _NO_DASH
    return _NO_MARKS if _YEAR.fullmatch(before) and _YEAR.fullmatch(after) else _NO_DASH


def barred_before(left: str) -> frozenset[Mark]:
    """Return the marks that are not added before a word with these marks on its left.

    No comma before a bracket, nor before a dash that begins no turn (`—no lo sé —dijo ana`).
    """
    return _NO_COMMA if left.startswith(("(", "[", "{", *_DASHES)) else _NO_MARKS


def _core(token: str) -> str:
    return split_token(token)[1]


def _is_number(core: str) -> bool:
    return bool(_NUMBER.fullmatch(core))


def _is_number_or_name(core: str) -> bool:
    return _names_number(core) or _is_number(core)


def _names_number(core: str) -> bool:
    return core.lower() in _DIGITS or core.lower() in _FURTHER_NUMBERS


def _is_digit(token: str) -> bool:
    return token.lower() in _DIGITS or (len(token) == 1 and token.isdigit())


def _continues_number(word: Sequence[str], core: str) -> bool:
    """Whether a token without its marks continues a number that ends with no mark."""
    last = word[-1]
    if _SYMBOL.fullmatch(core):
        return _is_number_or_name(last)
    if not core.isdigit():
        return len(word) > 2 and _is_digit(word[0]) and _is_digit(core)
    if len(word) == 1 and _CURRENCY.fullmatch(last):
        return True
    if not last.isdigit():
        return len(word) > 2 and _is_digit(word[-1])
    is_thousands = len(core) == 3 and len(last) <= 3  # `1 500`
    is_long = len(core) >= 2 and len(last) >= 3 and not _YEAR.fullmatch(last)  # `5551 23`
    is_further_part = all(map(_is_digits_or_name, word)) and len(word) > (1 if len(core) >= 2 else 2)  # `12 34 56`
    return is_thousands or is_long or is_further_part


def _value(digit: str) -> int:
    return _DIGITS[digit.lower()] if digit.lower() in _DIGITS else int(digit)


def _is_digits_or_name(token: str) -> bool:
    """Whether a token is a number of digits, or the name of one digit."""
    return token.isdigit() or token.lower() in _DIGITS


def _count_digits(word: Sequence[str], tokens: Sequence[str]) -> int | None:
    """Return 2 if a digit and the next two tokens are digits spoken one by one, which do not count up or down."""
    second = _core(tokens[0])
    if len(word) > 1 or second != tokens[0] or not _is_digit(second):
        return 0
    if len(tokens) == 1:
        return None
    third = _core(tokens[1])
    if not _is_digit(third) or not tokens[1].startswith(third):
        return 0
    values = [_value(each) for each in (word[-1], second, third)]
    steps = {values[1] - values[0], values[2] - values[1]}
    return 0 if steps in ({1}, {-1}) else 2


def _count_joined(word: Sequence[str], tokens: Sequence[str]) -> int | None:
    """Return the number of tokens that continue a number or an address, of which the first one is a symbol."""
    last, joiner = word[-1], tokens[0]
    if last.isdigit():
        if len(tokens) == 1:
            return None
        is_part = joiner not in ".," or (len(last) <= 3 and (len(word) == 1 or len(_core(tokens[1])) == 3))
        return 2 if is_part and joiner != "@" and _core(tokens[1]).isdigit() and tokens[1][:1].isdigit() else 0
    if joiner not in ".@":
        return 0
    known = "".join(map(_address_class, word))
    classes = known + "".join(map(_address_class, tokens))
    is_complete = bool(_ADDRESS.fullmatch(known))
    for end in range(len(classes), len(known), -1):
        if _ADDRESS.fullmatch(classes, 0, end) and not (is_complete and classes[end - 1] not in "cCtT"):
            return end - len(known)
    may_go_on = _BEGUN.fullmatch(classes) and len(classes) < _LONGEST_ADDRESS
    return None if may_go_on and not (is_complete and len(tokens) > 1) else 0


def _address_class(token: str) -> str:
    if token in (".", "@"):
        return token
    before, core, after = split_token(token)
    if before or not _ADDRESS_WORD.fullmatch(core):
        return "x"
    kind = _KINDS.get(core.lower(), "w")
    return kind.upper() if after else kind
