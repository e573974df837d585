"""Labels of whole documents, decoded in blocks so that memory does not grow with their length."""

import numpy as np

from asr_punct.decode.capitals import Capitals
from asr_punct.decode.earlier import Earlier
from asr_punct.decode.given import GivenPairs
from asr_punct.decode.inputs import (
    NO_WORDS,
    BoolArray,
    DecoderInput,
    FlagArray,
    Float64Array,
    FloatArray,
    WordFlag,
    has_flag,
)
from asr_punct.decode.limits import MAX_SENTENCE_WORDS, PairPath, Sentences
from asr_punct.decode.openings import opens_by_words
from asr_punct.decode.places import in_place, settle
from asr_punct.decode.settings import DecodeSettings
from asr_punct.decode.spelling import spell_alike
from asr_punct.decode.states import PairSearch
from asr_punct.decode.word_marks import DASH, OPEN_DASH, Pair, end_document, end_sentences, sentence_ends
from asr_punct.marks import Labels

BLOCK_WORDS = 1024
"""Words that are decoded together: the maximum length of a quotation or sentence."""
LOOKAHEAD_WORDS = 64
"""Number of words at the end of a block that are decoded again with the next block."""


class Decoder:
    """Decodes documents, pushed in parts of any size; the sizes do not change the result.

    A document is decoded in blocks of 1,024 words, each by an exact search. A block ends, and the next one begins,
    after the last of its first 960 words that ends a sentence outside all pairs; if there is none, after the last one
    where no pair is open; if there is none either, after word 960, and these 960 words are decoded again with all pairs
    closed at their end.

    The last word of a document gets no DASH, and a . ? ! or … if texts are sentences (`sentence_capitals`). The first
    one gets an OPEN_DASH only if another dash may be set within the 40 words after it. No ¿ or ¡ is added whose end is
    40 or more words away.

    The marks of the input are known labels, and the others are the best ones given these (`given_flags`): labels
    contain only marks that are added.

    `classes` are the model's classes, each a set of marks; empty for a model that decides each mark on its own.
    """

    def __init__(self, settings: DecodeSettings, classes: tuple[str, ...] = ()) -> None:
        self._settings, self._classes = settings, classes
        self._search = PairSearch.from_settings(settings, classes)
        self._capitals = Capitals(settings)
        self._undecided = NO_WORDS
        self._begins = True

    def push(
        self, labels: FloatArray, cases: FloatArray, flags: FlagArray, end: bool, texts: tuple[str, ...] = ()
    ) -> list[Labels]:
        """Add the next words of the document and return the labels of all words that are decided now.

        `labels` are probabilities of marks, (words, marks), or of classes, (words, classes), and `cases` of cases,
        (words, cases); `flags` are (words,). `texts` are the words without marks, of all parts or of none. At the `end`
        of the document all its words are decided.
        """
        part = DecoderInput.from_probabilities(labels, cases, flags, self._settings, self._classes, texts)
        self._undecided = self._undecided.followed_by(part)
        result = list[Labels]()
        while len(self._undecided) > BLOCK_WORDS or (end and len(self._undecided)):
            result += self._decide_block()
        if end:
            self._capitals.end_document(before_turn=bool(has_flag(flags[-1:], WordFlag.MUST_END).any()))
            self._begins = True
        return result

    def _decide_block(self) -> list[Labels]:
        """Return the labels of the next words, and drop these words. A block that is not full ends the document."""
        # the capital of the word after the block may cost its last period
        words = spell_alike(self._undecided[: BLOCK_WORDS + 1], NO_WORDS.flags)
        is_last = len(words) <= BLOCK_WORDS
        if self._settings.sentence_capitals:
            words = in_place(words, Earlier(self._begins), self._settings.language)
        choices, logits = self._capitals.choices(words), words.marks.copy()
        self._capitals.subtract_cost(logits, choices)
        limit_edges(logits, words, self._settings, begins=self._begins, ends=is_last)
        self._begins = False
        marks, path = self._balance(words[:BLOCK_WORDS], logits[:BLOCK_WORDS])
        decided = len(words) if is_last else _output_length(marks, path)
        if not decided:
            decided = BLOCK_WORDS - LOOKAHEAD_WORDS
            marks, path = self._balance(words[:decided], logits[:decided])
        self._undecided = self._undecided[decided:]
        sentence_open = path.open_after[:decided] & Pair.SENTENCE > 0
        return self._capitals.label(marks[:decided], sentence_open, choices)

    def _balance(self, words: DecoderInput, logits: Float64Array) -> tuple[BoolArray, PairPath]:
        """Return the best marks, with those of the input, and their pairs, given the logits of marks."""
        given = GivenPairs.of(words)
        sentences = Sentences(opens_by_words(words.words, self._settings.language), self._settings.sentence_capitals)
        marks, path = self._search.balance(logits, given, sentences)
        marks = marks if given is None else marks | words.given
        if self._settings.sentence_capitals:
            settle(marks, logits, words, Earlier(), self._settings.language)
        return marks, path


def limit_edges(
    logits: Float64Array, words: DecoderInput, settings: DecodeSettings, *, begins: bool, ends: bool
) -> None:
    """Limit the marks at the edges of a document and of the input's turns, in place.

    `logits` of marks are (words, marks); `begins` and `ends` are whether a document does with the first and last word.
    """
    if ends:
        end_document(logits, needs_mark=settings.sentence_capitals)
    if settings.sentence_capitals:
        end_sentences(logits, np.flatnonzero(words.has(WordFlag.MUST_END)))
    if begins:
        _drop_lone_dash(logits)


def _drop_lone_dash(logits: Float64Array) -> None:
    """Set the logit of OPEN_DASH on the first word to -inf, in place, if no other dash is near: it opens no dialogue.

    `logits` of marks, (words, marks), begin with the first word of a document.
    """
    if not (logits[1 : MAX_SENTENCE_WORDS + 1, [DASH, OPEN_DASH]] >= 0).any():
        logits[:1, OPEN_DASH] = -np.inf


def _output_length(marks: BoolArray, path: PairPath) -> int:
    """Return how many words of a block to output; 0 if a pair is open after each of its first 960 words."""
    closed = path.open_after[:-LOOKAHEAD_WORDS] == 0
    ends = np.flatnonzero(closed & sentence_ends(marks[:-LOOKAHEAD_WORDS]))
    candidates = ends if len(ends) else np.flatnonzero(closed)
    return int(candidates[-1]) + 1 if len(candidates) else 0
