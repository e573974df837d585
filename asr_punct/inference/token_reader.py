"""`TokenReader`: the tokens of words, with the marks that a word and its neighbours have for each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, repeat
from operator import attrgetter
from typing import cast

from asr_punct.caching import LONGEST_CACHED, cached_by_word
from asr_punct.decode.inputs import WordFlag
from asr_punct.decode.openings import LANGUAGE_WORDS
from asr_punct.identifier import MIN_WORDS
from asr_punct.inference.evidence import CLOSED, STOPPED, in_word, opening_flag, without_end
from asr_punct.inference.speaker_labels import names_speaker
from asr_punct.inference.tokens import NO_LABELS, Token, mark_and_case_flags
from asr_punct.languages import facts_of
from asr_punct.marks import Labels
from asr_punct.pauses import UNKNOWN_PAUSE, Pause, add_pauses, buckets, word_duration
from asr_punct.subwords import SubwordTokenizer
from asr_punct.text import clean, glued_marks, split_sound, split_token
from asr_punct.text.entities import unescape
from asr_punct.text.pieces import barred_before, barred_between, is_clitic, is_ending, spoken_whole
from asr_punct.text.roles import Role, RoleReader, is_special, roles_of
from asr_punct.text.sounds import LONGEST_SOUND, marks_beside_sound
from asr_punct.words import Word

_CACHED_TOKENS, _CACHED_WORDS = 100_000, 1 << 16
_CORE, _NEEDS_NEIGHBOURS = attrgetter("core"), attrgetter("needs_neighbours")
_Key = tuple[str, int]
"""Text of a word and bucket of the pause after it."""
_Split = Callable[[str, str], tuple[str, str, str]]
# integers, because they are faster than flags
_ENDED, _CASE_FIXED, _OPENING = map(
    int, (WordFlag.ENDED, WordFlag.CASE_FIXED, WordFlag.MUST_OPEN | WordFlag.NEVER_OPEN)
)
_NEVER_NAME, _LONG_WORD, _NO_LETTER = map(int, (WordFlag.NEVER_NAME, WordFlag.LONG_WORD, WordFlag.NO_CAPITAL))
_LETTER, _CONJUNCTION, _HESITATION = map(int, (WordFlag.LETTER, WordFlag.CONJUNCTION, WordFlag.HESITATION))
_RIGHT_TAKEN = int(WordFlag.RIGHT_TAKEN)
_CONJUNCTIONS = frozenset("yeou")
_LONG_WORD_LETTERS = 7
_DRAWN_OUT = re.compile(r"\w([fhmrsz])\1\1$")
"""A sound that is drawn out: `pfff`, `brrr`. It is no abbreviation either."""
_APOSTROPHES = "'’"
_SINGLES = tuple(_APOSTROPHES)
_AS_IS = Labels(as_is=True)


def _cores(tokens: Iterable[Token]) -> list[str]:
    return list(map(_CORE, tokens))


def _up_to_period(tokens: Sequence[Token]) -> list[str]:
    """Return the cores of tokens, the last one with its period."""
    cores = _cores(tokens)
    return [*cores[:-1], cores[-1] + "." * tokens[-1].right.startswith(".")] if cores else cores


def _any_known(values: Sequence[object]) -> bool:
    return values.count(None) < len(values)


class TokenReader:
    """Makes tokens of words, and caches those of words without labels."""

    def __init__(self, tokenizer: SubwordTokenizer, language: str) -> None:
        self._tokenizer, self._language = tokenizer, language
        rules = facts_of(language)
        self._never_names, self._hesitations = rules.never_names, rules.hesitations | rules.likely_hesitations
        self._cache: dict[_Key, Token] = {}

    def roles(self) -> RoleReader:
        """Return a reader of the roles of the words of a document that arrive one by one."""
        return RoleReader(self._language, LONGEST_SOUND)

    def names_speaker(self, word: str, is_first: bool) -> bool:
        """Whether a word of a stream, the first one or another, may name its speaker (`Ana:`)."""
        return names_speaker(word, self._language, is_first)

    def read(self, words: Sequence[Word], named: int = 0) -> list[Token]:
        """Return the tokens of all words of an utterance, of which the first `named` ones name its speaker."""
        texts = [word.text for word in words]
        if named:
            roles = [*[Role.SOUND] * named, *roles_of(texts[named:], self._language)]
            tokens = self._attach_pieces(self._read(words, roles))
            first = next((i for i in range(named, len(tokens)) if tokens[i].core), None)
            if first is not None:
                tokens[first] = tokens[first].beginning_turn()
            return self._join(tokens)
        if any(is_special(text, self._language) for text in texts):
            return self._join(self._attach_pieces(self._read(words, roles_of(texts, self._language))))
        tokens = self._read(words)
        return self._join(tokens) if any(map(_NEEDS_NEIGHBOURS, tokens)) else tokens

    def share_marks(self, before: Token, after: Token, context: Sequence[Token]) -> tuple[Token, Token]:
        """Return two neighbours with the marks that the other one has for it.

        A token of marks has them for both, and a mark glued to the next word (`,cómo`) is the word's before. `context`
        has the tokens before them. A word that ends with an apostrophe ends the quotation that a single quotation mark
        opened there (`'who is it'`).
        """
        if after.core.endswith(_SINGLES) and _in_single_quotes([*context, before]):
            after = self._without_apostrophe(after)
        if before.core and after.begins_turn:
            return before.ending(after), after
        if before.core and not after.core:
            return self.settle(before.with_marks(right=after.left + after.right), context), after
        if after.core and not before.core:
            after = after.with_marks(left=before.left + before.right)
            return before, after.beginning_turn() if before.begins_turn else after
        if after.core and (glued := glued_marks(after.left)):
            before = self.settle(before.with_marks(right=glued), context, [after])
            after = replace(after, left=after.left[len(glued) :])
        if (
            after.core
            and before.flags & STOPPED
            and in_word(before.core, after.core, _up_to_period(context), self._language)
        ):
            before = replace(before, flags=without_end(before.flags))
        if after.left.startswith("(") and ")" in after.right:  # a remark of one word is part of the sentence
            before = replace(before, flags=before.flags | _RIGHT_TAKEN)
        if barred := barred_between(before.core, after.core, self._language) or barred_before(after.left):
            before = replace(before, barred=barred)
        return before, after

    def _without_apostrophe(self, token: Token) -> Token:
        """Return the token of a word that ends with an apostrophe, read as a quotation mark."""
        core, spoken = token.core[:-1], token.spoken[:-1]
        (subwords,) = self._tokenizer.encode([spoken])
        return replace(token, core=core, right=token.core[-1] + token.right).read_as(spoken, subwords)

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
        return replace(token, flags=token.flags & ~_OPENING | opening_flag(words, self._language))

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
        return word.read_as(spoken, subwords)

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
            if role is Role.REMARK:
                (tokens[i],) = self._make_tokens([(words[i].text, pause_buckets[i])], split_token)
            elif role is not Role.WORD:
                tokens[i] = _with_role(tokens[i], role)
        labels = [word.labels for word in words]
        if not _any_known(labels):
            return tokens
        return [
            token if given is None else token.with_labels(given) for token, given in zip(tokens, labels, strict=True)
        ]

    def _pause(self, word: Word, role: Role) -> Pause:
        """Return the pause after a word, with the time of the word itself if the model does not see it."""
        is_seen = role in (Role.PIECE, Role.REMARK) or (role is not Role.SOUND and _split(word.text, self._language)[1])
        return word.pause if is_seen else add_pauses(word_duration(word), word.pause)

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

    def _make_tokens(self, keys: Sequence[_Key], split: _Split | None = None) -> Iterator[Token]:
        parts = [(split or _split)(text, self._language) for text, _ in keys]
        spoken = [clean(unescape(core)).lower() for _, core, _ in parts]
        subwords = self._tokenizer.encode(spoken)
        for (text, pause), (left, core, right), read, ids in zip(keys, parts, spoken, subwords, strict=True):
            flags = mark_and_case_flags(text, left, core, right, NO_LABELS) | self._letter_flags(core)
            flags |= _CASE_FIXED if is_clitic(text, self._language) or is_ending(core, self._language) else 0
            yield Token(ids, pause, text=text, core=core, left=left, right=right, flags=flags, spoken=read)

    def _letter_flags(self, core: str) -> int:
        single = _LETTER if len(core) == 1 and core.isalpha() else 0
        if core.lower() in self._hesitations:
            return _HESITATION
        if core.lower() in self._never_names:
            return _NEVER_NAME | single | (_CONJUNCTION if single and core.lower() in _CONJUNCTIONS else 0)
        if single:
            return single
        begins = 0 if core.lstrip(_APOSTROPHES)[:1].isalpha() else _NO_LETTER
        is_long = sum(map(str.isalpha, core)) >= _LONG_WORD_LETTERS or _DRAWN_OUT.search(core.lower())
        return begins | (_LONG_WORD if is_long else 0)


@cached_by_word(_CACHED_WORDS)
def _split(text: str, language: str) -> tuple[str, str, str]:
    """Return the marks before a word, its core, and the marks after it (see `Token`)."""
    parts = split_token(text, language)
    if sound := split_sound(text):
        return sound[0], "", sound[2]
    return ("", parts[0] + parts[1], parts[2]) if is_clitic(text, language) else parts


def _in_single_quotes(tokens: Sequence[Token]) -> bool:
    """Whether a single quotation mark before one of these words opens a quotation that does not end in them."""
    for token in reversed(tokens):
        if token.right.endswith(_SINGLES):
            return False
        if token.opens_single:
            return True
    return False


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
