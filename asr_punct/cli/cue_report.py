"""The option `--report`: the problems of the subtitles that a command writes."""

from pathlib import Path

import typer

from asr_punct.cli.base import NAME
from asr_punct.formats.files import write_file
from asr_punct.formats.subtitle_writers import OnCue, check_subtitles
from asr_punct.subtitles import NETFLIX, Cue, Limits, check_cues, report_lines, summarise


class CueReport:
    """Collects the cues that are written.

    Without a path there is no report; without limits they are `NETFLIX`. Raises AsrPunctError if there is a path, and
    the output is not a subtitle format.
    """

    def __init__(self, path: Path | None, format_name: str, limits: Limits | None) -> None:
        if path is not None:
            check_subtitles(format_name, "--report")
        self._path, self._limits = path, limits or NETFLIX
        self._cues: list[Cue] = []

    @property
    def on_cue(self) -> OnCue | None:
        """Function that the writer calls with each cue; None without a report."""
        return self._cues.append if self._path is not None else None

    def write(self, language: str, *, quiet: bool) -> None:
        """Write the report, and unless `quiet` a line on standard error; nothing without a path."""
        if self._path is None:
            return
        problems = check_cues(self._cues, self._limits, language)
        with write_file(self._path) as out:
            out.writelines(report_lines(problems, self._limits, language))
        if not quiet:
            summary = summarise(problems, len(self._cues), self._limits, language)
            typer.echo(f"{NAME}: {self._path}: {summary}", err=True)
