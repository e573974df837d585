"""Leave hesitations (`um`, `eh`) and repeats (`the the`, `I uh I`) out of a transcript that people read.

This is the last step: the model has read every word, and the marks beside a word that goes are mended. Only words that
are nothing else are in the lists: Spanish `este`, Basque `e` and English `like` stay. A word is a repeat only if it is
one that nobody says twice on purpose: `no no`, `muy muy`, `that that`, `came in in May` stay. So do names, which have a
capital inside a sentence (`Umm Qasr`, `de A a B`), and phrases that are listed (`vitamin a a day`, `uh huh`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from asr_punct.glyphs import Glyphs
from asr_punct.languages import facts_of
from asr_punct.marks import LEFT, OPENER, RIGHT, SENTENCE_ENDS, Case, Kind, Labels, Mark
from asr_punct.text import read_marks, split_token
from asr_punct.text.sentence_ends import all_marks
from asr_punct.words import Seconds, Utterance, Word

_NO_LABELS = Labels()
_UNFINISHED = frozenset(mark for mark in RIGHT if mark.kind in (Kind.COMMA, Kind.ELLIPSIS, Kind.DASH))
"""Marks that may stand between a word and its repeat."""


def without_fillers(utterances: Iterable[Utterance], glyphs: Glyphs) -> Iterator[Utterance]:
    """Yield the utterances without fillers and repeats; one that has no other words is left out.

    Utterances that lose words have no `origin`: they cannot be written into the file that they were read from.
    """
    left = dict[tuple[tuple[str, str], str], _Dropped]()  # by the last utterance of each speaker
    for utterance in utterances:
        speaker = utterance.side, utterance.speaker
        words, left[speaker] = _kept(
            utterance.words, glyphs.of(utterance.language).name, left.get(speaker) or _Dropped()
        )
        if len(words) == len(utterance.words):
            yield utterance if words == utterance.words else replace(utterance, words=words)
        elif words:
            yield replace(utterance, words=words, origin=None)


def with_flags(utterances: Iterable[Utterance], glyphs: Glyphs) -> Iterator[Utterance]:
    """Yield the utterances with all words, and a flag on those that `without_fillers` would leave out."""
    for utterance in utterances:
        words, language = utterance.words, glyphs.of(utterance.language).name
        flagged = zip(words, _dropped(words, _begin_sentences(words, language), language), strict=True)
        yield replace(utterance, words=tuple(replace(word, filler=is_dropped) for word, is_dropped in flagged))


@dataclass
class _Dropped:
    """What words that were dropped leave to the next word: marks on its left, a capital, a start."""

    marks: frozenset[Mark] = frozenset()
    has_capital: bool = False
    start: Seconds | None = None

    def give_to(self, word: Word) -> Word:
        """Return the next word with the marks, the capital and the start of the words left out before it."""
        labels = word.labels or _NO_LABELS
        case = Case.FIRST_CAP if self.has_capital and labels.case is Case.O else labels.case
        start = self.start if word.start is None else word.start
        changed = Labels(labels.marks | self.marks, case)
        return replace(word, labels=changed if changed != _NO_LABELS else word.labels, start=start)


def _kept(words: tuple[Word, ...], language: str, dropped: _Dropped) -> tuple[tuple[Word, ...], _Dropped]:
    """Return the words that stay, after words of the speaker that were dropped, and what the last ones leave."""
    kept = list[Word]()
    begins = _begin_sentences(words, language)
    for word, begins_one, is_dropped in zip(words, begins, _dropped(words, begins, language), strict=True):
        if not is_dropped:
            kept.append(dropped.give_to(word))
            dropped = _Dropped()
            continue
        marks = all_marks(word, language)
        dropped.marks |= marks & set(LEFT)
        dropped.has_capital |= begins_one and _has_capital(word)
        dropped.start = word.start if dropped.start is None else dropped.start
        closed = {mark for mark in marks if OPENER.get(mark) in dropped.marks}  # nothing is left in `«eh»`, `¡eh!`
        if closed:
            dropped.marks -= {OPENER[mark] for mark in closed}
            dropped.has_capital &= not kept or bool(all_marks(kept[-1], language) & SENTENCE_ENDS)
            marks = (marks - closed) | ({Mark.PERIOD} if closed & SENTENCE_ENDS else set())
        if kept:
            kept[-1] = _mended(kept[-1], word, marks - set(LEFT), language)
    return tuple(kept), replace(dropped, start=None)


def _begin_sentences(words: Sequence[Word], language: str) -> list[bool]:
    """Return whether a sentence begins at each word, or at hesitations or the same words before it."""
    found, rules = list[bool](), facts_of(language)
    begins, before = True, ""
    for word in words:
        marks, core = all_marks(word, language), _core(word, language)
        goes_on = before in ("", core) or before in rules.hesitations
        found.append((begins and goes_on) or bool(marks & set(LEFT)))
        ends = bool(marks & (SENTENCE_ENDS | {Mark.COLON}))
        begins, before = ends or found[-1], "" if ends else core
    return found


def _dropped(words: Sequence[Word], begins: Sequence[bool], language: str) -> list[bool]:
    """Return whether each word goes: a hesitation, or one that is said again, also after hesitations (`the uh the`).

    `begins` are the results of `_begin_sentences`.
    """
    rules, cores = facts_of(language), [*(_core(word, language) for word in words), ""]
    all_capitals = all(map(_is_in_capitals, words))

    def has_phrase(i: int, following: int) -> bool:
        pairs = f"{cores[i - 1]} {cores[i]}", f"{cores[i]} {cores[min(following, len(words))]}"
        return not rules.phrases.isdisjoint(pairs)

    def is_name(i: int) -> bool:
        is_pronoun = cores[i].split("'")[0] in rules.pronouns
        return not (begins[i] or all_capitals or is_pronoun) and _has_capital(words[i])

    found, after = list[bool](), len(words)  # from the end; `after` is the next word that stays in the sentence
    for i, word in reversed(list(enumerate(words))):
        marks = all_marks(word, language) - set(LEFT)
        if cores[i] in rules.hesitations:
            is_alone = begins[i] and bool(marks)  # `HMM, I see.`
            is_written_name = (_is_in_capitals(word) and not (all_capitals or is_alone)) or (  # `EH Bildu`, `Umm Qasr`
                word.text != word.text.lower() and is_name(i)
            )
            # `¿eh?` asks for agreement
            drops = Mark.QUESTION not in marks and not is_written_name and not has_phrase(i, i + 1)
        else:
            is_repeat = cores[i] == cores[after] and cores[i] in rules.said_once and marks <= _UNFINISHED
            drops = is_repeat and not (is_name(i) or is_name(after) or has_phrase(i, after + 1))
        found.append(drops)
        if not drops:
            after = i
        elif not marks <= _UNFINISHED:
            after = len(words)
    return found[::-1]


def _mended(before: Word, word: Word, marks: frozenset[Mark], language: str) -> Word:
    """Return the word `before`, when the next one, `word`, is left out with its `marks`.

    It takes over the mark that ends a sentence, unless it has one. Of `bai, eh, joan` both commas go, which stood
    around the word that is left out; other marks than those of `_UNFINISHED` stay. Where only segments have times, it
    takes over the end of the segment.
    """
    labels = before.labels or _NO_LABELS
    own = all_marks(before, language)
    end = before.end if before.end is not None else word.end if word.start is None else None
    removed, added = frozenset[Mark](), frozenset[Mark]()
    if own & SENTENCE_ENDS:
        pass
    elif marks & SENTENCE_ENDS:
        removed, added = _UNFINISHED, marks
    elif Mark.COMMA in marks:
        removed = frozenset({Mark.COMMA})
    else:
        added = marks - _UNFINISHED
    changed = (labels.marks - removed) | added
    return replace(
        before,
        text=_without_marks(before.text, removed, language),
        labels=replace(labels, marks=changed) if changed != labels.marks else before.labels,
        end=end,
    )


def _without_marks(text: str, marks: frozenset[Mark], language: str) -> str:
    """Return a word without these marks of the input after it, if it has no others there."""
    _, core, right = split_token(text, language)
    found = read_marks("", right)
    return text.removesuffix(right) if core and found and found <= marks else text


def _core(word: Word, language: str) -> str:
    return split_token(word.text, language)[1].lower()


def _is_in_capitals(word: Word) -> bool:
    is_labelled = word.labels is not None and word.labels.case is Case.ALL_CAPS
    return is_labelled or (word.text.isupper() and len(word.text) > 1)


def _has_capital(word: Word) -> bool:
    return word.text != word.text.lower() or (word.labels is not None and word.labels.case is not Case.O)
