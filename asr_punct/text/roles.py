"""What each token of a transcript is: a word, a sound, a piece of the word before it, or the start of a turn."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from asr_punct.caching import cached_by_word
from asr_punct.text.edges import split_token
from asr_punct.text.pieces import count_pieces, may_be_piece
from asr_punct.text.sounds import (
    LONGEST_SONG,
    is_remark,
    may_begin_sound,
    sentence_begins_after,
    sound_length,
    split_sound,
)
from asr_punct.text.turns import Turns, closes_parenthesis, may_begin_turn


class Role(Enum):
    """What a token is to the model."""

    WORD = auto()
    """A token that is read on its own: a word, a sound in one token, or marks."""
    SOUND = auto()
    """A part of a sound of several tokens (`sounds`)."""
    REMARK = auto()
    """A word in round brackets that is no sound (`sounds`)."""
    PIECE = auto()
    """The continuation of the word before it (`pieces`)."""
    TURN = auto()
    """A dash or `>>`, or a word with one, that begins a speaker's turn (`turns`)."""


class RoleReader:
    """Finds the roles of the tokens of a document, in order. A token whose role depends on the next ones is held.

    Args:
        language: code of the language, or a mixture.
        longest: maximum number of tokens of a sound, and so of those that are held.
        has_parentheses: whether dashes close parentheses (`turns`).
    """

    def __init__(self, language: str, longest: int = LONGEST_SONG, has_parentheses: bool = False) -> None:
        self._language, self._longest = language, longest
        self._held: list[str] = []
        self._word: list[str] = []  # the last word with its pieces, without marks at its end; empty after anything else
        self._begins_sentence = self._at_start = True
        self._turns = Turns(has_parentheses)

    def push(self, token: str) -> list[Role]:
        """Return the roles of the oldest held tokens that are known now that the next token is."""
        if not self._held and not is_special(token, self._language):
            self._take_word(token, is_sound=split_sound(token) is not None)
            return [Role.WORD]
        self._held.append(token)
        return self._settle(final=False)

    def end(self) -> list[Role]:
        """Return the roles of all held tokens: no others follow them for now."""
        return self._settle(final=True)

    def _settle(self, final: bool) -> list[Role]:
        roles = list[Role]()
        while self._held:
            found = self._next_roles(final)
            if not found:
                break
            roles += found
            del self._held[: len(found)]
        return roles

    def _next_roles(self, final: bool) -> list[Role]:
        """Return the roles of the first held tokens, none if they depend on the next ones; with `final` of any."""
        held = self._held
        length = sound_length(held, self._begins_sentence, self._longest)
        if length:
            self._word = []
            return [Role.SOUND] * length
        pieces = count_pieces(self._word, held, self._language) if self._word else 0
        if pieces:
            self._add_pieces(held[:pieces])
            return [Role.PIECE] * pieces
        if (length is None or pieces is None) and not final:
            return []
        is_turn = may_begin_turn(held[0]) and self._turns.begins(held, self._at_start, final)
        if is_turn is None:
            return []
        role = Role.REMARK if is_remark(held[0], self._begins_sentence) else Role.WORD
        self._take_word(held[0], is_sound=role is Role.WORD and split_sound(held[0]) is not None)
        return [Role.TURN if is_turn else role]

    def _take_word(self, token: str, is_sound: bool) -> None:
        _, core, after = split_token(token, self._language)
        if not core or is_sound:
            self._word = []
            self._begins_sentence = sentence_begins_after(token, self._begins_sentence) or not core
            return
        self._at_start = False
        self._word = [] if after else [core]
        self._begins_sentence = bool(after) and sentence_begins_after(token, before=False)

    def _add_pieces(self, tokens: list[str]) -> None:
        _, core, after = split_token(tokens[-1], self._language)
        self._word = [*self._word, *tokens] if not after or not core else []
        self._begins_sentence = bool(after) and sentence_begins_after(tokens[-1], before=False)


def roles_of(tokens: Iterable[str], language: str) -> list[Role]:
    """Return the roles of all tokens of an utterance."""
    tokens = list(tokens)
    reader = RoleReader(language, has_parentheses=closes_parenthesis(tokens))
    roles = [role for token in tokens for role in reader.push(token)]
    return roles + reader.end()


@cached_by_word(1 << 16)
def is_special(token: str, language: str) -> bool:
    """Whether the role of a token, or of those after it, may be another one than `WORD`."""
    return may_be_piece(token, language) or may_begin_sound(token) or may_begin_turn(token) or is_remark(token, False)
