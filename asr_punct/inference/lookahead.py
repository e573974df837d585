"""The look-ahead buffer of a stream, which returns each word with its window once enough words follow it."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from asr_punct.decode.openings import LANGUAGE_WORDS
from asr_punct.features import DOCUMENT_END, DOCUMENT_START, NO_BOUNDARY, TURN_END, TURN_START
from asr_punct.inference.options import StreamSettings
from asr_punct.inference.token_reader import TokenReader
from asr_punct.inference.tokens import Token
from asr_punct.inference.windows import Window
from asr_punct.pauses import UNKNOWN_PAUSE, Pause, add_pauses, buckets, pause_after, word_duration
from asr_punct.text.roles import Role
from asr_punct.words import Seconds, Word, changes_speaker


@dataclass(frozen=True)
class Decision:
    """Consecutive words that can be decided now.

    Attributes:
        words: the words with their tokens, and those beside them that the model does not see, in order.
        window: a window that keeps these words and the undecided ones after them; None if the model sees none.
        end: whether the document ends after these words, of which there may be none.
        must_decide: number of these words that must be decided; those after them may wait (see `Lookahead.put_back`).
    """

    words: tuple[tuple[Word, Token], ...]
    window: Window[Token] | None
    end: bool
    must_decide: int


class Lookahead:
    """Returns a decision for `hop` words or more as soon as `right` words follow them, in bounded memory.

    Words that arrive together are decided together. A word that is unsure can be put back, to be decided with the next
    ones; once `right + patience` words follow it, it must be decided. A window with more than `max_words` or
    `max_subwords` is cut at its longer side.
    """

    def __init__(self, reader: TokenReader, settings: StreamSettings, max_words: int, max_subwords: int) -> None:
        self._reader, self._settings = reader, settings
        self._max_words, self._max_subwords = max_words, max_subwords
        self.clear()

    def clear(self) -> None:
        """Drop the current document."""
        self._pending: deque[tuple[Word, Token]] = deque()  # undecided words, also those that the model does not see
        self._words: list[Token] = []  # decided words that are still context, then undecided words
        self._undecided = self._seen = 0  # the first `_seen` undecided words were in the last decision's window
        self._begins = True  # the next word is the first one that the model sees of the document
        self._last: Word | None = None
        self._since_last: Pause = 0.0  # time between the ends of the last word that the model sees and of the last word
        self._roles = self._reader.roles()
        self._speaker = ""  # of the last word of which it is known
        self._has_names = False  # the document begins with the name of a speaker
        self._after_name = False  # the last word is such a name
        self._held: deque[Word] = deque()  # words whose roles depend on the next ones

    def plan_words(self, words: Iterable[Word]) -> Iterator[Decision]:
        """Add the next words of the document; unknown pauses are computed from their times."""
        for word in words:
            self._held.append(word)
            for role in self._roles.push(word.text):
                yield from self._plan_word(self._held.popleft(), role)
        # words that were put back wait for new ones
        if self._undecided >= max(self._settings.right, self._seen) + self._settings.hop:
            yield from self._decide_until(self._settings.right, patience=self._settings.patience)

    def _plan_word(self, word: Word, role: Role) -> Iterator[Decision]:
        since_last = add_pauses(self._since_last, pause_after(self._last, word) if self._last else None)
        self._last = word
        token = self._append(word, role, since_last)
        self._since_last = 0.0 if token.core or token.is_piece else add_pauses(since_last, word_duration(word))
        if since_last is not None and since_last >= self._settings.flush_after:
            yield from self._decide_until(1 if token.core else 0)

    def _plan_held(self) -> Iterator[Decision]:
        """Add the words that waited for others."""
        for role in self._roles.end():
            yield from self._plan_word(self._held.popleft(), role)

    def _append(self, word: Word, role: Role, pause: Pause) -> Token:
        """Add a word, given the pause since the last one that the model sees."""
        if (self._begins or self._has_names) and self._reader.names_speaker(word.text, not self._has_names):
            role, self._has_names, self._after_name = Role.SOUND, True, True
        first = self._find_last(attrgetter("core")) if role is Role.PIECE else None
        read = self._reader.read_one(word, Role.WORD if role is Role.PIECE and first is None else role)
        token = replace(read, pause=UNKNOWN_PAUSE, boundary=DOCUMENT_START if self._begins else NO_BOUNDARY)
        self._set_last_pause(pause)
        if token.core and self._after_name:
            token, self._after_name = token.beginning_turn(), False
        if first is not None:
            self._update(first, self._reader.attach(self._pending[first][1], token))
        beside = None if token.is_bare_sound else self._find_last(lambda other: not other.is_bare_sound)
        if beside is not None:
            last, token = self._reader.share_marks(
                self._pending[beside][1], token, self._words[-LANGUAGE_WORDS - 1 : -1]
            )
            self._update(beside, last)
        token = self._reader.settle(token, self._words[-LANGUAGE_WORDS:])
        if token.core:
            if (token.begins_turn or changes_speaker(self._speaker, word.speaker)) and self._words:
                last = self._words[-1].ending(token) if token.begins_turn else self._words[-1]
                self._set_last(last.at(TURN_END))
                token = token.at(TURN_START)
            self._speaker = word.speaker or self._speaker
        self._pending.append((word, token))
        if token.core:
            self._words.append(token)
            self._undecided += 1
            self._begins = False
        return token

    def plan_silence(self, seconds: Seconds) -> Iterator[Decision]:
        """Report that no word has begun for `seconds`; if this is at least `flush_after`, all words are decided.

        It is a pause of the speaker only if the words have times.
        """
        if seconds >= self._settings.flush_after:
            yield from self._plan_held()
            has_times = self._last is not None and self._last.end is not None
            self._set_last_pause(add_pauses(self._since_last, seconds) if has_times else None)
            yield from self._decide_until(0)
            if self._pending and all(token.is_bare_sound for _, token in self._pending):
                yield self._take_rest()

    def plan_end(self) -> Iterator[Decision]:
        """End the document and decide all its remaining words; the next word begins another document."""
        yield from self._plan_held()
        if self._undecided:
            last = self._words[-1]
            self._words[-1] = replace(last, boundary=last.boundary | DOCUMENT_END)
            yield from self._decide_until(0, end=True)
        elif self._pending or not self._begins:  # a pause has decided all words that the model sees
            yield self._take_rest(end=True)
        self.clear()

    def undecided(self) -> Iterator[tuple[Word, Token]]:
        """Yield the undecided words that the model sees, with their pieces, and those that wait for the next ones."""
        yield from ((word, token) for word, token in self._pending if token.core or token.is_piece)
        yield from ((word, self._reader.read_one(word, Role.SOUND)) for word in self._held)

    def preview_window(self) -> Window[Token] | None:
        """Return a window for a preview if some undecided words were in no window and too few follow for a decision.

        This is so at the beginning of a document and after a pause. Else return None.
        """
        return self._undecided_window() if self._seen < self._undecided <= self._settings.right else None

    def _set_last_pause(self, pause: Pause) -> None:
        """Set the pause after the last word that the model sees."""
        if not self._words:
            return
        self._set_last(replace(self._words[-1], pause=int(buckets([pause])[0])))

    def _set_last(self, last: Token) -> None:
        """Replace the last word that the model sees."""
        place = self._find_last(attrgetter("core"))
        if place is None:
            self._words[-1] = last
        else:
            self._update(place, last)

    def _find_last(self, chosen: Callable[[Token], object]) -> int | None:
        """Return the index of the last pending token that is chosen."""
        return next((i for i in reversed(range(len(self._pending))) if chosen(self._pending[i][1])), None)

    def _update(self, place: int, token: Token) -> None:
        """Replace a pending token; if the model sees it, it is the last such word."""
        self._pending[place] = self._pending[place][0], token
        if token.core:
            self._words[-1] = token

    def put_back(self, words: Sequence[tuple[Word, Token]]) -> None:
        """Take back the last words of the last decision: they are still undecided."""
        self._pending.extendleft(reversed(words))
        count = sum(bool(token.core) for _, token in words)
        self._undecided += count
        self._seen += count

    def _decide_until(self, remaining: int, *, patience: int = 0, end: bool = False) -> Iterator[Decision]:
        """Yield decisions until only `remaining` words are undecided; the last `patience` decided ones may wait."""
        while self._undecided > remaining:
            del self._words[: max(0, len(self._words) - self._undecided - self._settings.left)]
            window = self._undecided_window()
            has_all = window.words[-1] is self._words[-1]
            with_lookahead = len(window.kept) - (0 if has_all else self._settings.right)
            decided = min(self._undecided - remaining, max(1, with_lookahead))
            words = tuple(item for _ in range(decided) for item in self._take_pending())
            at_end = end and has_all
            self._undecided -= decided
            self._seen = self._undecided
            may_wait = patience if self._undecided == remaining else 0
            yield Decision(words, window, at_end, max(0, decided - may_wait))

    def _undecided_window(self) -> Window[Token]:
        """Return a window that keeps the undecided words, as many as fit."""
        index = len(self._words) - self._undecided
        first, end = self._fit_window(max(0, index - self._settings.left), index)
        return Window(tuple(self._words[first:end]), (index - first, end - first))

    def _take_rest(self, *, end: bool = False) -> Decision:
        """Remove and return the pending words, none of which the model sees."""
        rest = tuple(self._pending)
        self._pending.clear()
        return Decision(rest, None, end, 0)

    def _take_pending(self) -> Iterator[tuple[Word, Token]]:
        """Remove and yield the first pending word that the model sees, and the other words beside it."""
        has_word = False
        while self._pending and not (has_word and self._pending[0][1].core):
            word, token = self._pending.popleft()
            has_word = has_word or bool(token.core)
            yield word, token

    def _fit_window(self, first: int, index: int) -> tuple[int, int]:
        """Return the bounds of the largest window within the limits that begins at `first` or later, around `index`."""
        # `index` is in the window, so it cannot end later; a message may have many words
        end = min(len(self._words), index + max(self._max_words, index - first + 1))
        subwords = sum(len(word.subwords) for word in self._words[first:end])
        while end - first > 1 and (end - first > self._max_words or subwords > self._max_subwords):
            if index - first >= end - 1 - index:
                subwords -= len(self._words[first].subwords)
                first += 1
            else:
                end -= 1
                subwords -= len(self._words[end].subwords)
        return first, end
