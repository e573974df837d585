"""Labels of a live stream: each word is decided once, from the few words that are known after it."""

from __future__ import annotations

from copy import copy

import numpy as np

from asr_punct.decode.capitals import Capitals
from asr_punct.decode.decoder import limit_edges
from asr_punct.decode.earlier import Earlier
from asr_punct.decode.given import GivenPairs
from asr_punct.decode.inputs import (
    IS_LEFT,
    DecoderInput,
    FlagArray,
    FloatArray,
    WordFlag,
    allowed_logits,
    mark_logits,
)
from asr_punct.decode.limits import MAX_SENTENCE_WORDS, Sentences
from asr_punct.decode.openings import LANGUAGE_WORDS, opens_by_words
from asr_punct.decode.places import in_place, sentence_may_follow, settle
from asr_punct.decode.quotations import quotation_after
from asr_punct.decode.settings import DecodeSettings
from asr_punct.decode.spelling import spell_alike
from asr_punct.decode.states import PairSearch
from asr_punct.decode.word_marks import Pair, sentence_ends
from asr_punct.marks import Labels

SPELLED_WORDS = 8
"""Decided words that tell whether a letter is one of several that are spelled."""
UNSURE = 1.0
"""A word is unsure if the log-odds of one of its marks are closer than this to the mark's threshold: a factor of 2.7 in
the odds. Chosen on 2,000 words of each test set, by F1 and delay."""


class OnlineDecoder:
    """Decodes documents word by word by the rules of `Decoder`, given the pairs that are open in its output so far.

    Pairs may be open after the last known word, but not at the end of a document. An open ¿ or ¡ is closed within 40
    words, and before a mark of the input that ends its sentence otherwise. If that mark is a separate token, it arrives
    too late for that, and the pair is never closed.

    Whether a document begins with an OPEN_DASH is decided from the known words only. `classes` are the model's classes,
    each a set of marks; empty for a model that decides each mark on its own.
    """

    def __init__(self, settings: DecodeSettings, classes: tuple[str, ...] = ()) -> None:
        self._settings, self._classes = settings, classes
        self._search = PairSearch.from_settings(settings, classes)
        self._capitals = Capitals(settings)
        self.clear()

    def clear(self) -> None:
        """Drop the document: the next word begins another one."""
        self._capitals.end_document()
        self._open = self._open_words = 0
        self._open_given = False
        self._open_inside = False  # whether the open ¿ or ¡ is in the open quotation of the input
        self._earlier = Earlier()
        self._is_free = False  # whether its ? or ! costs nothing without ¿ or ¡

    def fork(self) -> OnlineDecoder:
        """Return a copy that continues from the same state; it shares search and settings, which never change."""
        result = copy(self)
        result._capitals = copy(self._capitals)
        return result

    def count_sure(self, labels: FloatArray, flags: FlagArray, minimum: int) -> int:
        """Return the number of words before the first one whose marks are unsure, but at least `minimum`.

        The other arguments are those of `commit`.
        """
        logits = allowed_logits(mark_logits(labels, self._settings, self._classes), flags, self._settings)
        unsure = (np.abs(logits[minimum:]) < UNSURE).any(axis=1)
        return minimum + int(unsure.argmax()) if unsure.any() else len(logits)

    def commit(
        self,
        labels: FloatArray,
        cases: FloatArray,
        flags: FlagArray,
        end: bool,
        count: int = 1,
        texts: tuple[str, ...] = (),
    ) -> tuple[list[Labels], list[Labels]]:
        """Return the labels of the next words of the document, and those that the known words after them would get now.

        Decide `count` words, but stop after a word that gets ¿ or ¡: once it is output, other marks may be best for the
        words after it. The other arguments are those of `Decoder.push`.
        """
        words = DecoderInput.from_probabilities(labels, cases, flags, self._settings, self._classes, texts)
        words = spell_alike(words, self._earlier.flags)
        if self._settings.sentence_capitals:
            words = in_place(words, self._earlier, self._settings.language)
        choices, logits = self._capitals.choices(words), words.marks
        self._capitals.subtract_cost(logits, choices)
        limit_edges(logits, words, self._settings, begins=self._earlier.begins, ends=end)
        given = GivenPairs.of(words)
        start = self._open & ~Pair.QUOTE if given is not None and given.quoted[0] else self._open
        # the known word on which the open ¿ or ¡ must close at the latest
        last = max(0, MAX_SENTENCE_WORDS - 1 - self._open_words) if self._open_words else None
        closes = np.flatnonzero(words.has(WordFlag.CLOSES))
        if self._open_inside and len(closes):
            last = min(int(closes[0]), len(words) if last is None else last)
        known = opens_by_words(texts, self._settings.language, self._earlier.texts)
        sentences = Sentences(known, self._settings.sentence_capitals)
        marks, path, free = self._search.best_path(
            logits,
            given,
            sentences,
            start,
            may_stay_open=not end,
            last=last,
            start_given=self._open_given,
            is_free=self._is_free,
        )
        opens = path.opened & Pair.SENTENCE > 0
        decided = int(opens[:count].argmax()) + 1 if opens[:count].any() else count
        self._open = int(path.open_after[decided - 1])
        if opens[decided - 1]:
            self._open_given = given is not None and bool(given.opened[decided - 1])
            here = bool(words.has(WordFlag.OPENS)[decided - 1])
            self._open_inside = here or quotation_after(decided, words, self._earlier) is not None
        open_words = 1 if opens[decided - 1] else self._open_words + decided
        self._open_words = open_words if self._open & Pair.SENTENCE else 0
        if given is not None:
            marks |= given.marks
        if self._settings.sentence_capitals:
            settle(marks, logits, words, self._earlier, self._settings.language)
        ends = sentence_ends(marks)
        earlier = self._earlier
        self._earlier = Earlier(
            begins=end and len(logits) == decided,
            starts=bool(sentence_may_follow(marks, words)[decided - 1]),
            flags=np.concatenate([earlier.flags, flags[:decided]])[-SPELLED_WORDS:],
            texts=(*earlier.texts, *texts[:decided])[-LANGUAGE_WORDS:],
            is_bare=not marks[decided - 1, ~IS_LEFT].any(),
            quotation=quotation_after(decided, words, earlier),
            is_asking=bool(self._open & Pair.SENTENCE) and not self._open_inside,
        )
        following = slice(decided, decided + int(ends[decided:].argmax()) + 1 if ends[decided:].any() else None)
        self._is_free = not ends[decided - 1] and bool(free[following].any())
        result = self._capitals.label(marks, path.open_after & Pair.SENTENCE > 0, choices, decided)
        if self._earlier.begins:
            self._capitals.end_document()
        return result[:decided], result[decided:]
