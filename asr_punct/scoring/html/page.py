"""Write the score page, with its style, its script and the recording that it plays inside."""

import os
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, PackageLoader

from asr_punct.audio import check_file, duration
from asr_punct.errors import EXPECTED_TIMES, ArgumentError, InputError, MissingExtraError, plural
from asr_punct.files import Pathlike, write_file
from asr_punct.glyphs import Glyphs
from asr_punct.recordings import check_ends
from asr_punct.scoring import markdown
from asr_punct.scoring.html.charts import confusion_rows, reliability, score_vs_wer
from asr_punct.scoring.html.transcript import make_transcript
from asr_punct.scoring.paired_texts import PairedTexts
from asr_punct.scoring.scores import Scores
from asr_punct.scoring.significance import Difference
from asr_punct.words import Utterance

EMBEDDED_BYTES = 8 << 20
"""Largest audio file that is embedded in the page; larger files are linked."""
_TYPES = {
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
    ".webm": "audio/webm",
}
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Comparison:
    """Another hypothesis to compare with, paired with the same reference.

    `differences` are this hypothesis minus the page's, by the metric's path in a scores file.
    """

    name: str
    paired: PairedTexts
    differences: Mapping[str, Difference]


def write_page(
    path: Pathlike,
    scores: Scores,
    paired: PairedTexts,
    glyphs: Glyphs,
    *,
    reference: str,
    hypothesis: str,
    audio: Path | None = None,
    compare: Comparison | None = None,
) -> None:
    """Write the score page: one file, which loads nothing from elsewhere except long audio.

    `scores` are those of `paired`. A click on a word plays `audio`. The transcript and the differences of `compare` are
    shown too. Raises InputError if the audio cannot be read, or browsers do not play its type.
    """
    loader = PackageLoader("asr_punct.scoring", "html")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_without_controls
    )
    environment.filters.update(percent=markdown.percent, interval=markdown.interval)
    marks = markdown.class_names(paired.classes, glyphs)
    texts = [paired] if compare is None else [paired, compare.paired]
    words = f"{plural(scores.words, 'word')} of the reference"
    rates = {"micro.f1": ("F1 of marks", scores.micro.f1), "case.micro.f1": ("F1 of capitals", scores.case.micro.f1)}
    context = {
        "hypothesis": hypothesis,
        "introduction": [
            f"{hypothesis} against {reference}: {words} in {plural(len(paired.references), 'utterance')}.",
            f"Marks: {markdown.describe_classes(paired.classes, glyphs)}.",
            markdown.intervals_line(scores),
        ],
        "compare": compare,
        "metric_names": markdown.metric_names(paired.classes, glyphs),
        "scores": scores,
        "headline": rates | markdown.error_rates(scores),
        "mark_rates": markdown.mark_rates(scores, glyphs),
        "case_rates": markdown.case_rates(scores),
        "confusion": {marks.get(name, name): row for name, row in confusion_rows(paired).items()},
        "reliability": reliability(paired),
        "by_wer": score_vs_wer(paired, paired.count()) if paired.is_aligned else None,
        "transcript": make_transcript(texts, glyphs),
        "language": glyphs.name,
        "audio_source": _audio_source(audio, path) if audio else None,
        "css": loader.get_source(environment, "page.css")[0],
        "script": loader.get_source(environment, "page.js")[0],
    }
    with write_file(path) as out:
        out.writelines(environment.get_template("page.html.j2").generate(context))


def _without_controls(value: object) -> object:
    """Replace control characters, which HTML does not allow."""
    is_text = isinstance(value, str) and not hasattr(value, "__html__")
    return _CONTROLS.sub("\ufffd", str(value)) if is_text else value


def _audio_source(audio: Path, page: Pathlike) -> str:
    """Return the address of the recording: a data URL, or a path from the page for a large file."""
    check_file(audio)
    media_type = _TYPES.get(audio.suffix.lower())
    if media_type is None:
        raise InputError(audio, f"a {audio.suffix or 'nameless'} file", f"audio that browsers play: {' '.join(_TYPES)}")
    try:
        if audio.stat().st_size > EMBEDDED_BYTES:
            return quote(Path(os.path.relpath(audio, Path(page).parent)).as_posix())
        return f"data:{media_type};base64,{b64encode(audio.read_bytes()).decode('ascii')}"
    except OSError as error:
        raise InputError(audio, error.strerror or "an error", "an audio file that can be read") from None


def check_audio(hypotheses: Sequence[Utterance], name: str, audio: Path) -> None:
    """Raise ArgumentError unless the words, called `name`, have times of one recording, and InputError past its end.

    The length is not checked without the extra "audio".
    """
    recordings = {utterance.recording for utterance in hypotheses if utterance.words}
    if len(recordings) > 1:
        raise ArgumentError("audio", f"{len(recordings)} recordings in {name}", "one")
    if all(word.start is None for utterance in hypotheses for word in utterance.words):
        raise ArgumentError("audio", f"no times in {name}", EXPECTED_TIMES)
    with suppress(MissingExtraError):
        check_ends(hypotheses, audio, duration(audio))
