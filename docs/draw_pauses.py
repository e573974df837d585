"""Draw docs/pauses.svg (what the model does with pauses) and docs/pauses_audio.svg (how audio refines them).

    python docs/draw_pauses.py [--check]

The texts and probabilities are those of the shipped model es-eu, the pauses and silences those of `asr_punct.pauses`.
--check fails if a picture is not up to date. Numbers may differ by 10 pixels, because int8 products differ between
processors: on one with AVX2 alone by 6 pixels.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from asr_punct import Punctuator
from asr_punct.audio import FRAMES_A_SECOND
from asr_punct.marks import Mark
from asr_punct.pauses import move_to_silences, silences, with_pauses
from asr_punct.words import Seconds, Utterance, Word

DOCS = Path(__file__).resolve().parent
WIDTH = 840
TOLERANCE_PX = 10
SENTENCE = ["no", "sé", "si", "vendrá", "el", "jueves", "hay", "una", "reunión"]
COLOURS = {"vendrá": "#1565c0", "jueves": "#c2410c"}
LONG: Seconds = 0.85
CURVE: Sequence[Seconds] = np.arange(0, 2.01, 0.1).round(1).tolist()
HEARD = [("vengo", 0.3, 0.72), ("mañana", 0.72, 2.0), ("tengo", 2.0, 2.4), ("tiempo", 2.4, 2.9)]
"""A recogniser that extends a word over the pause after it, as Whisper does."""
LOUD = [(0.3, 0.7), (0.72, 1.25), (2.02, 2.38), (2.4, 2.86)]
"""Where there is speech in the recording."""


def text(x: float, y: float, content: str, style: str = "") -> str:
    """Return a line of text."""
    return f'<text x="{x:.0f}" y="{y:.0f}" {style}>{content}</text>'


def line(points: Sequence[tuple[float, float]], style: str) -> str:
    """Return a line through points."""
    return f'<polyline points="{" ".join(f"{x:.0f},{y:.0f}" for x, y in points)}" fill="none" {style}/>'


def rectangle(x: float, y: float, width: float, height: float, style: str) -> str:
    """Return a rectangle."""
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" {style}/>'


def picture(height: int, parts: Sequence[str]) -> str:
    """Return the parts as an SVG file on white."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
    return "\n".join([f'{head}font-size="14">', rectangle(0, 0, WIDTH, height, 'fill="#fff"'), *parts, "</svg>\n"])


def speak(pause_after: str, pause: Seconds) -> Utterance:
    """Return the sentence with word times: 0.05 s of silence after each word, `pause` after one of them."""
    words, time = [], 0.0
    for word in SENTENCE:
        end = time + 0.1 + 0.06 * len(word)
        words.append(Word(word, round(time, 2), round(end, 2)))
        time = end + (pause if word == pause_after else 0.05)
    return Utterance(tuple(words))


def draw_words(words: Sequence[Word], x: float, y: float, scale: float, style: str) -> list[str]:
    """Return boxes from the start to the end of each word; `scale` is in pixels a second."""
    parts = []
    for word in words:
        start, end = word.start or 0.0, word.end or 0.0
        parts.append(rectangle(x + start * scale, y, (end - start) * scale, 26, f'rx="3" {style}'))
        middle = x + (start + end) / 2 * scale
        parts.append(text(middle, y + 17, word.text, 'text-anchor="middle" font-size="12"'))
    return parts


def draw_sentence(punctuator: Punctuator, pause_after: str, y: float) -> list[str]:
    """Return the words of the sentence on a time line, one long pause, and the restored text."""
    (spoken,) = with_pauses([speak(pause_after, LONG)])
    (restored,) = punctuator.restore([spoken])
    colour, scale, x = COLOURS[pause_after], 130.0, 20.0
    parts = draw_words(spoken.words, x, y, scale, 'fill="#eef3f8" stroke="#567"')
    word = spoken.words[SENTENCE.index(pause_after)]
    end, pause = word.end or 0.0, word.pause or 0.0
    left, right = x + end * scale, x + (end + pause) * scale
    parts.append(line([(left + 3, y + 13), (right - 3, y + 13)], f'stroke="{colour}" stroke-width="3"'))
    style = f'text-anchor="middle" font-size="12" fill="{colour}"'
    parts.append(text((left + right) / 2, y + 6, f"{pause:.2f} s", style))
    return [*parts, text(x, y + 54, punctuator.write(restored), f'font-size="17" fill="{colour}"')]


def draw_curves(punctuator: Punctuator, x: float, y: float, width: float, height: float) -> list[str]:
    """Return the probability of a period after a word, by the pause after it."""

    def place(pause: Seconds, probability: float) -> tuple[float, float]:
        return x + pause / CURVE[-1] * width, y + (1 - probability) * height

    parts = [line([(x, y), (x, y + height), (x + width, y + height)], 'stroke="#567"')]
    for tick in (0.0, 0.5, 1.0):
        parts.append(text(x - 8, place(0, tick)[1] + 4, f"{tick:g}", 'text-anchor="end" font-size="12"'))
    for tick in (0.0, 1.0, 2.0):
        parts.append(text(place(tick, 0)[0], y + height + 16, f"{tick:g} s", 'text-anchor="middle" font-size="12"'))
    index = Mark.PERIOD
    for (word, colour), label_at in zip(COLOURS.items(), (0.26, 0.1), strict=True):
        utterances = [replace(speak(word, pause), document=str(pause)) for pause in CURVE]
        labelled = punctuator.restore(utterances, probabilities=True)
        probable = [(u.words[SENTENCE.index(word)].probabilities or {}).get(index, 0.0) for u in labelled]
        points = [place(pause, value) for pause, value in zip(CURVE, probable, strict=True)]
        parts.append(line(points, f'stroke="{colour}" stroke-width="2.5"'))
        parts.append(text(*place(CURVE[-1], label_at), f"after “{word}”", f'text-anchor="end" fill="{colour}"'))
    title = "probability of a period, by the pause"
    return [*parts, text(x + width, y - 12, title, 'text-anchor="end"')]


def draw_pauses() -> str:
    """Return the picture of what pauses change."""
    punctuator = Punctuator.from_pretrained("es-eu", threads=1)
    rows = [part for row, word in enumerate(COLOURS) for part in draw_sentence(punctuator, word, 24 + 96 * row)]
    return picture(210, [*rows, *draw_curves(punctuator, 615, 36, 205, 140)])


def draw_audio() -> str:
    """Return the picture of how audio refines word times."""
    frames = np.arange(round(3.2 * FRAMES_A_SECOND)) / FRAMES_A_SECOND
    energy = -62 + 2 * np.sin(37 * frames)
    for start, end in LOUD:
        inside = (frames >= start) & (frames < end)
        energy[inside] = -28 + 8 * np.sin(np.pi * (frames[inside] - start) / (end - start))
    spoken = Utterance(tuple(Word(*word) for word in HEARD), time_source="whisper")
    x, scale, levels = 120.0, 220.0, 40.0
    parts = []
    for start, end in silences(energy):
        parts.append(rectangle(x + start * scale, 20, (end - start) * scale, 190, 'fill="#f3f4f6"'))
    points = [(x + time * scale, 110 - (level + 65) * 80 / levels) for time, level in zip(frames, energy, strict=True)]
    parts += [line(points, 'stroke="#567" stroke-width="1.5"'), text(20, 80, "level (dB)")]
    for y, title, colour, utterance in (
        (130, "recogniser", "#c2410c", spoken),
        (178, "with --audio", "#1565c0", move_to_silences([spoken], energy)[0]),
    ):
        (timed,) = with_pauses([utterance])
        parts += [text(20, y + 17, title), *draw_words(timed.words, x, y, scale, f'fill="#fff" stroke="{colour}"')]
        end, pause = timed.words[1].end or 0.0, timed.words[1].pause or 0.0
        style = f'font-size="12" fill="{colour}" text-anchor="middle"'
        parts.append(text(x + (end + pause / 2) * scale, y - 4, f"{pause:.2f} s", style))
    return picture(220, parts)


def same(first: str, second: str) -> bool:
    """Whether two pictures are the same, but for differences of a few pixels."""
    number = re.compile(r"(?<=[\", ])\d+(?=[\", ])")
    one, two = ([int(found) for found in number.findall(drawn)] for drawn in (first, second))
    close = len(one) == len(two) and all(abs(a - b) <= TOLERANCE_PX for a, b in zip(one, two, strict=True))
    return close and number.sub("", first) == number.sub("", second)


def main() -> None:
    """Entry point."""
    for name, draw in (("pauses.svg", draw_pauses), ("pauses_audio.svg", draw_audio)):
        drawn = draw()
        if "--check" not in sys.argv:
            (DOCS / name).write_text(drawn, encoding="utf-8")
        elif not same(drawn, (DOCS / name).read_text(encoding="utf-8")):
            sys.exit(f"docs/{name} is not up to date: run python docs/draw_pauses.py")


if __name__ == "__main__":
    main()
