"""One page of all that a score tells, with its style and script inside."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from asr_punct.errors import counted_as
from asr_punct.formats.files import Pathlike, write_file
from asr_punct.marks import Glyphs
from asr_punct.scoring.confusion import confusion
from asr_punct.scoring.evaluate import Paired
from asr_punct.scoring.html import figures
from asr_punct.scoring.html.audio import player
from asr_punct.scoring.html.diagnostics import reliability, score_by_errors
from asr_punct.scoring.html.markup import Html, tag, text
from asr_punct.scoring.html.transcript import legend, transcript
from asr_punct.scoring.scores import Scores
from asr_punct.scoring.tables import intervals_line


def write_page(
    path: Pathlike,
    scores: Scores,
    paired: Paired,
    glyphs: Glyphs,
    *,
    reference: str,
    hypothesis: str,
    audio: Path | None = None,
) -> None:
    """Write the page: one file, which loads nothing from elsewhere but long audio.

    Args:
        path: the file.
        scores: of `paired`.
        paired: what was scored.
        glyphs: how its language writes marks.
        reference: name of the reference.
        hypothesis: name of the hypothesis.
        audio: recording of the words, to be played from any of them.

    Raises:
        InputError: the audio cannot be read, or is of no type that browsers play.
    """
    sound = player(audio, path) if audio else Html()
    sections = {
        "figures": ("Main figures", figures.headline(scores)),
        "marks": ("Marks", figures.mark_table(scores)),
        "capitals": ("Capitals", figures.case_table(scores)),
        "counts": ("Right and wrong", figures.edit_table(scores)),
        "confusion": ("Which mark for which", figures.confusion_table(confusion(paired.pairs, paired.classes))),
        "reliability": ("Reliability", reliability(paired)),
        "errors": ("Score by word errors", score_by_errors(paired, paired.count())),
        "transcript": ("Transcript", _transcript(paired, glyphs, sound)),
    }
    with write_file(path) as out:
        out.write(_document(hypothesis, _introduction(scores, paired, reference, hypothesis), sections))


def _introduction(scores: Scores, paired: Paired, reference: str, hypothesis: str) -> Html:
    units = len(paired.references)
    size = f"{counted_as(scores.words, 'word')} of the reference in {counted_as(units, 'utterance')}"
    told = [
        f"{hypothesis} against {reference}: {size}.",
        f"Marks: {paired.classes.describe()}.",
        intervals_line(scores),
    ]
    return Html("".join(tag("p", sentence) for sentence in told))


def _transcript(paired: Paired, glyphs: Glyphs, sound: Html) -> Html:
    hint = tag("p", _HINT) if sound else Html()
    steps = [tag("button", f"{way} error", type="button", id=f"{way}-error") for way in ("previous", "next")]
    controls = tag("div", sound, *steps, tag("output", id="which-error"), class_="controls")
    words = transcript(paired, glyphs, playable=bool(sound))
    return tag("div", legend(), hint, controls, words)


_HINT = "A click on a word plays from it; the arrow keys go from word to word, Enter plays."


def _document(title: str, introduction: Html, sections: Mapping[str, tuple[str, Html]]) -> str:
    links = (tag("a", heading, href=f"#{name}") for name, (heading, _) in sections.items())
    head = tag("h1", "Scores of ", tag("bdi", title)) + introduction + tag("nav", *links, aria_label="Sections")
    bodies = (tag("section", tag("h2", heading), content, id=name) for name, (heading, content) in sections.items())
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>Scores of {text(title)}</title>\n<style>\n{_resource('page.css')}</style>\n</head>\n<body>\n"
        f"<header>{head}</header>\n"
        f"<main>\n{chr(10).join(bodies)}\n</main>\n<script>\n{_resource('page.js')}</script>\n</body>\n</html>\n"
    )


def _resource(name: str) -> str:
    return files("asr_punct.scoring.html").joinpath(name).read_text(encoding="utf-8")
