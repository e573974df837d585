"""Tokens: words of the input with their sub-words for the model and their flags for the decoder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, repeat
from operator import attrgetter
from typing import cast

from asr_punct.caching import LONGEST_CACHED, cached_by_word
from asr_punct.decode.inputs import WordFlag
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, TURN_END, TURN_START, WordInput
from asr_punct.identifier import MIN_WORDS
from asr_punct.inference.evidence import (
    CLOSED,
    LANGUAGE_WORDS,
    STOPPED,
    in_word,
    mark_flags,
    opening_flag,
    without_end,
)
from asr_punct.marks import LEFT, Case, Labels, Mark, apply_case, case_of, takes_case
from asr_punct.pauses import BUCKETS, UNKNOWN_PAUSE, Pause, add_pauses, buckets, duration
from asr_punct.subwords import SubwordTokenizer
from asr_punct.text import clean, glued_marks, split_sound, split_token
from asr_punct.text.abbreviations import rules_of
from asr_punct.text.entities import unescape
from asr_punct.text.pieces import barred_before, barred_between, is_clitic, spoken_whole
from asr_punct.text.roles import Role, RoleReader, is_special, roles_of
from asr_punct.text.sounds import LONGEST_SOUND, marks_beside_sound
from asr_punct.words import Word, changes_speaker

_LEFT = frozenset(LEFT)
_CACHED_TOKENS, _CACHED_WORDS = 100_000, 1 << 16
_NO_LABELS, _AS_IS, _NO_CAPITAL = Labels(), Labels(as_is=True), Case.O
_NO_MARKS = frozenset[Mark]()
_CORE, _NEEDS_NEIGHBOURS = attrgetter("core"), attrgetter("needs_neighbours")
_Key = tuple[str, int]
"""Text of a word and bucket of the pause after it."""
# integers, because they are faster than flags
_FLAGS = list(map(int, WordFlag))
_LEFT_TAKEN, _RIGHT_TAKEN, _QUOTED, _ENDED, _CASE_FIXED, _NEVER_NAME, _LONG_WORD = _FLAGS[:7]
_MUST_OPEN, _NEVER_OPEN, _NO_LETTER, _TURN_ENDS, _LETTER, _CONJUNCTION, _MUST_END = _FLAGS[7:]
_CONJUNCTIONS = frozenset("yeou")
_TAKEN = _LEFT_TAKEN | _RIGHT_TAKEN
_FIXED = _TAKEN | _QUOTED | _CASE_FIXED
_KEPT_FLAGS = _NEVER_NAME | _LONG_WORD | _NO_LETTER | _TURN_ENDS | _LETTER | _CONJUNCTION | _MUST_END
_LONG_WORD_LETTERS = 7
_APOSTROPHES = "'’"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token(WordInput):
    """A word of the input, as the model and the decoder read it. Equal words may share one token.

    Some words consist of marks, such as `-`, or are sounds, such as `[noise]`: the model does not see them, and their
    time belongs to the pause before them. Others are pieces of the word before them (`text.pieces`): the model reads
    the word whole, as the first token.

    Attributes:
        text: the word of the input, unchanged.
        core: the word without the marks at its edges; empty if it consists of marks, is a sound or a piece.
        left: the marks before the core, after those of a left neighbour that consists of marks.
        right: the marks after the core, before those of a right neighbour that consists of marks.
        flags: flags for the decoder, a sum of `WordFlag` and `given_flags`.
        labels: labels of the input.
        spoken: the word as the model reads it, with its pieces.
        is_piece: whether it is a piece of the word before it.
        barred: marks that are not added between this word, a number, and the next one, which is one too.
        begins_turn: whether a dash of the input begins a speaker's turn at it.
    """

    text: str
    core: str
    left: str
    right: str
    flags: int
    labels: Labels = _NO_LABELS
    spoken: str = ""
    is_piece: bool = False
    barred: frozenset[Mark] = _NO_MARKS
    begins_turn: bool = False

    @property
    def is_bare_sound(self) -> bool:
        """Whether it is a sound or a piece without marks."""
        return not (self.core or self.left or self.right)

    @property
    def needs_neighbours(self) -> bool:
        """Whether its marks concern the words beside it, or theirs it (see `TokenReader.share_marks`)."""
        return not self.core or bool(self.flags & (CLOSED | STOPPED)) or bool(self.left and glued_marks(self.left))

    def with_marks(self, left: str = "", right: str = "") -> Token:
        """Return the token with further marks beside it."""
        return replace(self, left=left + self.left, right=self.right + right)._with_flags()

    def with_pause_of(self, following: Token) -> Token:
        """Return the token with the pause of the next one, which the model does not see, added to its own.

        The pause after a piece replaces it.
        """
        if following.is_piece:
            return replace(self, pause=following.pause)
        if UNKNOWN_PAUSE in (self.pause, following.pause):
            return replace(self, pause=UNKNOWN_PAUSE)
        return replace(self, pause=min(BUCKETS - 1, self.pause + following.pause))

    def at(self, boundary: int) -> Token:
        """Return the token with one more flag of a boundary."""
        ends = _TURN_ENDS if boundary == TURN_END else 0
        return replace(self, boundary=self.boundary | boundary, flags=self.flags | ends)

    def with_labels(self, labels: Labels) -> Token:
        """Return the token with marks and case that the decoder keeps."""
        return replace(self, labels=labels)._with_flags()

    def ending(self) -> Token:
        """Return the token of a word after which a dash of the input begins a turn."""
        return replace(self, flags=self.flags | _MUST_END | _TURN_ENDS)

    def beginning_turn(self) -> Token:
        """Return the token of a word at which a dash of the input begins a speaker's turn."""
        return replace(self, begins_turn=True)

    def kept(self) -> Token:
        """Return the token with flags and labels with which nothing is added to it."""
        return replace(self, flags=self.flags & ~_MUST_OPEN | _FIXED, labels=replace(self.labels, as_is=True))

    def _with_flags(self) -> Token:
        flags = _flags(self.spoken, self.left, self.core, self.right, self.labels)
        return replace(self, flags=flags | self.flags & _KEPT_FLAGS)

    def merge_labels(self, predicted: Labels, case: bool) -> Labels:
        """Return the labels of the input and the predicted ones that may be added; capitals only with `case`."""
        given = self.labels
        if given.as_is:
            return given
        if not self.barred.isdisjoint(predicted.marks):
            predicted = Labels(predicted.marks - self.barred, predicted.case)
        if predicted.case is _NO_CAPITAL and given is _NO_LABELS and not self.flags & _TAKEN:
            return predicted  # most words
        marks, new_case = predicted.marks, _NO_CAPITAL
        if self.flags & _LEFT_TAKEN:
            marks -= _LEFT
        if self.flags & _RIGHT_TAKEN:
            marks &= _LEFT
        if case and predicted.case is not _NO_CAPITAL and not self.flags & _CASE_FIXED:
            new_case = _possible_case(self.core, predicted.case)
        if given is _NO_LABELS and marks is predicted.marks and new_case is predicted.case:
            return predicted
        return Labels(given.marks | marks, given.case if new_case is _NO_CAPITAL else new_case)


def spread_labels(tokens: Sequence[Token], labels: Sequence[Labels]) -> list[Labels]:
    """Return the labels of tokens; of a word in pieces the last piece gets the marks after the word."""
    result, first = list(labels), 0
    for i, token in enumerate(tokens):
        if not token.is_piece:
            first = i
        elif not (i + 1 < len(tokens) and tokens[i + 1].is_piece):
            marks = result[first].marks - _LEFT
            result[first] = replace(result[first], marks=result[first].marks - marks)
            result[i] = replace(result[i], marks=result[i].marks | marks)
    return result


def gather_labels(tokens: Sequence[Token], labels: Sequence[Labels]) -> list[Labels]:
    """Return the labels of the words that the model sees, given those of all tokens; the inverse of `spread_labels`."""
    result = list[Labels]()
    for token, label in zip(tokens, labels, strict=True):
        if token.core:
            result.append(label)
        elif token.is_piece:
            result[-1] = Labels(result[-1].marks | label.marks, result[-1].case)
    return result


def flag_boundaries(document: Iterable[tuple[str, Sequence[Token]]]) -> Iterator[Token]:
    """Yield the words of one document that the model sees, given the speaker and all words of each utterance.

    The words at the edges of the document, and those beside a change of speaker, get their `boundary`. A turn that
    begins with a dash is read as a document of its own: such turns are short, and the model, which has learnt from
    continuous text, would read question and answer as one sentence.
    """
    last: Token | None = None
    voice = ""
    for speaker, utterance in document:
        if last is not None and utterance and not utterance[0].core:
            last = last.with_pause_of(utterance[0])
        for token in filter(_CORE, utterance):
            if last is None:
                token = token.at(DOCUMENT_START)
            elif token.begins_turn:
                last, token = last.ending().at(DOCUMENT_END), token.at(DOCUMENT_START)
            elif changes_speaker(voice, speaker):
                last, token = last.at(TURN_END), token.at(TURN_START)
            if last is not None:
                yield last
            last, voice = token, speaker or voice
    if last is not None:
        yield last.at(DOCUMENT_END)


def _cores(tokens: Iterable[Token]) -> list[str]:
    return list(map(_CORE, tokens))


def _any_known(values: Sequence[object]) -> bool:
    return values.count(None) < len(values)


class TokenReader:
    """Makes tokens of words, and caches those of words without labels."""

    def __init__(self, tokenizer: SubwordTokenizer, language: str) -> None:
        self._tokenizer, self._language = tokenizer, language
        self._never_names = rules_of(language).never_names
        self._cache: dict[_Key, Token] = {}

    def roles(self) -> RoleReader:
        """Return a reader of the roles of the words of a document that arrive one by one."""
        return RoleReader(self._language, LONGEST_SOUND)

    def read(self, words: Sequence[Word]) -> list[Token]:
        """Return the tokens of all words of an utterance."""
        texts = [word.text for word in words]
        if any(is_special(text, self._language) for text in texts):
            return self._join(self._attach_pieces(self._read(words, roles_of(texts, self._language))))
        tokens = self._read(words)
        return self._join(tokens) if any(map(_NEEDS_NEIGHBOURS, tokens)) else tokens

    def share_marks(self, before: Token, after: Token, context: Sequence[Token]) -> tuple[Token, Token]:
        """Return two neighbours with the marks that the other one has for it.

        A token of marks has them for both, and a mark glued to the next word (`,cómo`) is the word's before. `context`
        has the tokens before them.
        """
        if before.core and after.begins_turn:
            return before.ending(), after
        if before.core and not after.core:
            return self.settle(before.with_marks(right=after.left + after.right), context), after
        if after.core and not before.core:
            after = after.with_marks(left=before.left + before.right)
            return before, after.beginning_turn() if before.begins_turn else after
        if after.core and (glued := glued_marks(after.left)):
            before = self.settle(before.with_marks(right=glued), context, [after])
            after = replace(after, left=after.left[len(glued) :])
        if after.core and before.flags & STOPPED and in_word(before.core, after.core, _cores(context), self._language):
            before = replace(before, flags=without_end(before.flags))
        if barred := barred_between(before.core, after.core) or barred_before(after.left):
            before = replace(before, barred=barred)
        return before, after

    def settle(self, token: Token, before: Sequence[Token], after: Sequence[Token] = ()) -> Token:
        """Return the token; its ? or ! of the input needs an opening mark, or gets none, by the language of the words.

        These are the words of its sentence, or of its context if they are few.
        """
        if not token.flags & CLOSED:
            return token
        words = [token.core]
        for other in reversed(before[-LANGUAGE_WORDS:]):
            if other.flags & _ENDED:
                break
            words.insert(0, other.core)
        if sum(map(bool, words)) < MIN_WORDS:
            words = [*_cores(before), token.core, *_cores(after[:LANGUAGE_WORDS])]
        flags = token.flags & ~(_MUST_OPEN | _NEVER_OPEN)
        return replace(token, flags=flags | opening_flag(words, self._language))

    def _join(self, tokens: Iterable[Token]) -> list[Token]:
        """Return the tokens with the marks of their neighbours and the time of those that the model does not see."""
        joined = list(tokens)
        places = [i for i, token in enumerate(joined) if not token.is_bare_sound]
        for before, after in pairwise(places):
            context = joined[max(0, before - LANGUAGE_WORDS) : before]
            joined[before], joined[after] = self.share_marks(joined[before], joined[after], context)
        for i in places:
            context = joined[max(0, i - LANGUAGE_WORDS) : i]
            joined[i] = self.settle(joined[i], context, joined[i + 1 : i + 1 + LANGUAGE_WORDS])
        for i in range(len(joined) - 1, 0, -1):
            if not joined[i].core:
                joined[i - 1] = joined[i - 1].with_pause_of(joined[i])
        return joined

    def read_one(self, word: Word, role: Role) -> Token:
        """Return the token of a word, without the words beside it."""
        return self._read([word], [role])[0]

    def attach(self, word: Token, piece: Token) -> Token:
        """Return a word that the model sees, with a further piece of it."""
        spoken = spoken_whole(word.spoken, piece.spoken)
        (subwords,) = self._tokenizer.encode([spoken])
        return replace(word, subwords=subwords, spoken=spoken)._with_flags()

    def _attach_pieces(self, tokens: list[Token]) -> list[Token]:
        first = 0
        for i, token in enumerate(tokens):
            if token.is_piece:
                tokens[first] = self.attach(tokens[first], token)
            else:
                first = i
        return tokens

    def _read(self, words: Sequence[Word], roles: Sequence[Role] = ()) -> list[Token]:
        """Return the tokens of words, without regard to each other; the roles are `Role.WORD` by default."""
        pauses = list(map(self._pause, words, roles or repeat(Role.WORD)))
        pause_buckets = buckets(pauses).tolist() if _any_known(pauses) else [UNKNOWN_PAUSE] * len(words)
        tokens = self._tokens(list(zip([word.text for word in words], pause_buckets, strict=True)))
        for i, role in enumerate(roles):
            if role is not Role.WORD:
                tokens[i] = _with_role(tokens[i], role)
        labels = [word.labels for word in words]
        if not _any_known(labels):
            return tokens
        return [
            token if given is None else token.with_labels(given) for token, given in zip(tokens, labels, strict=True)
        ]

    def _pause(self, word: Word, role: Role) -> Pause:
        """Return the pause after a word, with the time of the word itself if the model does not see it."""
        is_seen = role is Role.PIECE or (role is not Role.SOUND and _split(word.text, self._language)[1])
        return word.pause if is_seen else add_pauses(duration(word), word.pause)

    def _tokens(self, keys: Sequence[_Key]) -> list[Token]:
        cache = self._cache  # other threads may replace it
        found = list(map(cache.get, keys))
        if all(found):
            return cast(list[Token], found)
        missing = [key for key in dict.fromkeys(keys) if key not in cache]
        new = dict(zip(missing, self._make_tokens(missing), strict=True))
        result = [new.get(key) or cache[key] for key in keys]
        if len(cache) + len(new) > _CACHED_TOKENS:
            cache = self._cache = {}
        cache.update((key, token) for key, token in new.items() if len(key[0]) <= LONGEST_CACHED)
        return result

    def _make_tokens(self, keys: Sequence[_Key]) -> Iterator[Token]:
        parts = [_split(text, self._language) for text, _ in keys]
        spoken = [clean(unescape(core)).lower() for _, core, _ in parts]
        subwords = self._tokenizer.encode(spoken)
        for (text, pause), (left, core, right), read, ids in zip(keys, parts, spoken, subwords, strict=True):
            flags = _flags(text, left, core, right, _NO_LABELS) | self._letter_flags(core)
            flags |= _CASE_FIXED if is_clitic(text, self._language) else 0
            yield Token(ids, pause, text=text, core=core, left=left, right=right, flags=flags, spoken=read)

    def _letter_flags(self, core: str) -> int:
        single = _LETTER if len(core) == 1 and core.isalpha() else 0
        if core.lower() in self._never_names:
            return _NEVER_NAME | single | (_CONJUNCTION if single and core.lower() in _CONJUNCTIONS else 0)
        if single:
            return single
        begins = 0 if core.lstrip(_APOSTROPHES)[:1].isalpha() else _NO_LETTER
        return begins | (_LONG_WORD if sum(map(str.isalpha, core)) >= _LONG_WORD_LETTERS else 0)


@cached_by_word(_CACHED_WORDS)
def _split(text: str, language: str) -> tuple[str, str, str]:
    """Return the marks before a word, its core, and the marks after it (see `Token`)."""
    parts = split_token(text, language)
    if sound := split_sound(text):
        return sound[0], "", sound[2]
    return ("", parts[0] + parts[1], parts[2]) if is_clitic(text, language) else parts


def _with_role(token: Token, role: Role) -> Token:
    """Return the token of a part of a sound, of a piece, which have only the marks beside the sound or the word, or of
    the start of a turn, where a dash alone is before the next word."""
    if role is Role.TURN:
        token = token.beginning_turn()
        return token if token.core else replace(token, left=token.left + token.right, right="")
    if role is Role.SOUND:
        left, right = marks_beside_sound(token.text)
        return replace(token, core="", left=left, right=right, labels=_AS_IS)
    if not token.core:  # a symbol in an address or a number
        return replace(token, left="", right="", spoken=token.text, is_piece=True, labels=_AS_IS)
    return replace(token, core="", left="", is_piece=True, labels=_AS_IS)


def _flags(text: str, left: str, core: str, right: str, labels: Labels) -> int:
    flags = mark_flags(left, right, labels)
    is_lower = labels.case is Case.O and core == core.lower() != core.upper()
    return flags if is_lower and takes_case(text) else flags | _CASE_FIXED


@cached_by_word(_CACHED_WORDS)
def _possible_case(core: str, case: Case) -> Case:
    """Return the case that a word can have: ALL_CAPS needs two letters, and some words cannot have capitals."""
    return case_of(apply_case(core, case))
