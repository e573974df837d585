"""The transcript of a page: what was recognised, with its errors, its pauses, and its times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from asr_punct.marks import LEFT, Glyphs, Labels, Mark
from asr_punct.scoring.evaluate import Paired
from asr_punct.scoring.html.markup import Html, tag, text
from asr_punct.scoring.pairing import SideBySide
from asr_punct.words import Seconds, Word

SHOWN_WORDS = 10_000
"""So many places of the alignment are shown, about 2 MB."""
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.15, 3.0
_SHORTEST_NUMBERED = 0.5
"""Pauses from here on are wide enough for their seconds to stand in them."""


@dataclass(frozen=True)
class Place:
    """One pair of the alignment.

    Attributes:
        unit: utterance of the reference.
        reference: its word; None: an inserted one.
        hypothesis: the recognised word; None: a deleted one.
        wanted: form that the recognised word should have.
        written: form that it has.
        expected: labels of the reference; empty where a word was deleted.
        found: labels of the hypothesis.
        lost: marks of the reference that have no place on the recognised words.
        equal: whether the words are the same.
        pause: silence after the word, in the hypothesis where any of its pauses is known, else in the reference.
    """

    unit: int
    reference: Word | None
    hypothesis: Word | None
    wanted: str
    written: str
    expected: Labels
    found: Labels
    lost: frozenset[Mark]
    equal: bool
    pause: Seconds | None

    @property
    def start(self) -> Seconds | None:
        """Beginning, in the hypothesis where it has times, else in the reference."""
        return next((word.start for word in (self.hypothesis, self.reference) if word and word.start is not None), None)


def places(pair: SideBySide, heard: bool) -> Iterator[Place]:
    """The pairs of an alignment, with all that stands on them; the pauses are the hypothesis' where it was heard."""
    lost = defaultdict[int, set[Mark]](set)
    for i, mark in pair.lost:
        lost[i].add(mark)
    alignment = pair.alignment
    rows = zip(
        pair.pair_units,
        alignment.reference.tolist(),
        alignment.hypothesis.tolist(),
        alignment.equal.tolist(),
        strict=True,
    )
    for unit, i, j, equal in rows:
        pauses, place = (pair.hypothesis_pauses, j) if heard else (pair.reference_pauses, i)
        yield Place(
            unit,
            pair.reference_words[i] if i >= 0 else None,
            pair.hypothesis_words[j] if j >= 0 else None,
            pair.reference_forms[j] if j >= 0 else "",
            pair.hypothesis_forms[j] if j >= 0 else "",
            pair.reference[j] if j >= 0 else Labels(),
            pair.hypothesis[j] if j >= 0 else Labels(),
            frozenset(lost.get(i, ())) if i >= 0 else frozenset(),
            equal,
            pauses[place] if place >= 0 else None,
        )


def transcript(paired: Paired, glyphs: Glyphs, playable: bool) -> Html:
    """The first places of the transcript, a paragraph an utterance, and how many they are.

    Args:
        paired: what was scored.
        glyphs: of its language.
        playable: whether a word plays from its start.
    """
    total = sum(len(pair.alignment.equal) for pair in paired.pairs)
    heard = any(pause is not None for pair in paired.pairs for pause in pair.hypothesis_pauses)
    paragraphs: list[Html] = []
    shown = 0
    for pair in paired.pairs:
        chosen = [place for place, _ in zip(places(pair, heard), range(SHOWN_WORDS - shown), strict=False)]
        shown += len(chosen)
        paragraphs += _paragraphs(chosen, paired, glyphs, playable)
        if shown == SHOWN_WORDS:
            break
    part = f"All {total}" if shown == total else f"The first {shown} of {total}"
    told = f"{part} words, spoken or recognised, are shown; the figures above count all of them."
    note = tag("p", told, data_shown=shown, data_words=total)
    return tag("div", note, tag("div", *paragraphs, id="words", lang=glyphs.name))


def _paragraphs(chosen: Sequence[Place], paired: Paired, glyphs: Glyphs, playable: bool) -> Iterator[Html]:
    for unit, group in groupby(chosen, key=lambda place: place.unit):
        name = tag("span", paired.references[unit].id or unit + 1, class_="name")
        parts = [part for place in group for part in (_written(place, glyphs, playable), _pause(place.pause)) if part]
        yield tag("p", name, *(Html(f" {part}") for part in parts))


def _pause(seconds: Seconds | None) -> Html:
    """A bar as long as the silence; nothing where it is short or not known."""
    if seconds is None or seconds < _SHORTEST_PAUSE:
        return Html()
    return tag(
        "i",
        f"{seconds:.1f}" if seconds >= _SHORTEST_NUMBERED else "",
        class_="pause long" if seconds > _LONGEST_PAUSE else "pause",
        style=f"--seconds:{min(seconds, _LONGEST_PAUSE):.2f}",
        title=f"pause of {seconds:.2f} s",
    )


def _written(place: Place, glyphs: Glyphs, playable: bool) -> Html:
    """A word with the marks on both sides of it."""
    left, right = (_marks(place, glyphs, on_left) for on_left in (True, False))
    start = place.start if playable else None
    timed = {"data_t": f"{start:.3f}", "role": "button", "tabindex": "-1"} if start is not None else {}
    return tag("bdi", left, *_words(place), right, class_="w", **timed)


def _words(place: Place) -> Iterator[Html]:
    """The word of the hypothesis, and that of the reference where it is another."""
    spoken = place.reference.text if place.reference else ""
    if place.hypothesis is None:
        yield tag("del", spoken, class_="word", title="missing word")
        return
    if place.reference is None:
        yield tag("ins", place.written, class_="word", title="extra word")
        return
    if not place.equal:
        yield tag("del", spoken, class_="word wrong", title="spoken word")
    written = text(place.written)
    if place.wanted != place.written:
        written = tag("span", written, class_="case", title=f"should be written {place.wanted}")
    yield written if place.equal else tag("ins", written, class_="word wrong", title="recognised word")


def _marks(place: Place, glyphs: Glyphs, on_left: bool) -> Html:
    """The marks on one side: right ones as they are, missing ones in boxes, then extra ones in others."""
    order = LEFT if on_left else glyphs.right
    wanted, found = place.expected.marks | place.lost, place.found.marks
    extra = [mark for mark in order if mark in found - wanted]
    missing = any(mark in wanted - found for mark in order)
    parts = []
    for mark in (mark for mark in order if mark in wanted):
        kind = "wrong" if extra else "missing"
        parts.append(text(glyphs.glyph[mark]) if mark in found else _mark("del", kind, mark, glyphs))
    parts += [_mark("ins", "wrong" if missing else "extra", mark, glyphs) for mark in extra]
    return Html("".join(parts))


def _mark(element: str, kind: str, mark: Mark, glyphs: Glyphs) -> Html:
    return tag(element, glyphs.glyph[mark], class_=f"mark {kind}", title=f"{kind} {mark}")


def legend() -> Html:
    """What the colours and lines mean."""
    entries = {
        "missing word": tag("del", "word", class_="word"),
        "extra word": tag("ins", "word", class_="word"),
        "another word: spoken, recognised": Html(
            tag("del", "spoken", class_="word wrong") + tag("ins", "heard", class_="word wrong")
        ),
        "missing mark": tag("del", ",", class_="mark missing"),
        "extra mark": tag("ins", ",", class_="mark extra"),
        "another mark: right, written": Html(
            tag("del", ".", class_="mark wrong") + tag("ins", ",", class_="mark wrong")
        ),
        "wrong capitals": tag("span", "word", class_="case"),
        "pause, in seconds": _pause(1.0),
    }
    items = (tag("li", tag("span", sample, class_="w"), Html(" "), name) for name, sample in entries.items())
    return tag("ul", *items, class_="legend")
