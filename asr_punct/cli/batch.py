"""The command `batch`: many files, each to a separate file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from asr_punct.cli import options
from asr_punct.cli.base import NAME, Section, command, print_summary
from asr_punct.errors import AsrPunctError, plural
from asr_punct.progress import progress_bar, track

if TYPE_CHECKING:
    from asr_punct.batch.names import Inputs
    from asr_punct.batch.restoring import FileOptions, Result
    from asr_punct.inference.punctuator import Punctuator


@command(
    Section.RESTORING,
    {
        "All files of a folder and its subfolders": "asr-punct batch talks -o restored",
        "Subtitles of some files, in four processes": 'asr-punct batch "talks/**/*.ctm" --to srt --jobs 4 -o subtitles',
        "Files that a list names": "asr-punct batch --list files.txt -o restored",
    },
)
def batch(
    output: Annotated[str, typer.Option("-o", "--output", help="Folder to write into, or its URL.")],
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="IN…", help="Files, folders and globs, or their URLs.")
    ] = None,
    list_file: Annotated[
        str | None, typer.Option("--list", help="File with the path of an input on each line; - is standard input.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Number of processes of one thread each; 0: one for each core.")] = 0,
    ray: Annotated[
        str | None,
        typer.Option("--ray", help="Address of a Ray cluster: HOST:PORT or auto. --jobs then sets its processes."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing outputs.")] = False,
    model: options.Model = None,
    lang: options.TextLanguage = None,
    from_: options.From = None,
    to: options.To = None,
    subtitles: options.Subtitles = None,
    wav_scp: options.WavScp = None,
    times: options.Times = None,
    ignore_labels: options.IgnoreLabels = False,
    lowercase: options.Lowercase = False,
    marks: options.MarkNames = None,
    no_case: options.NoCase = False,
    casing: options.CasingList = None,
    device: options.Device = None,
    int8: options.Int8 = False,
    class_weights: options.ClassWeights = None,
    probabilities: options.Probabilities = False,
    quiet: options.Quiet = False,
) -> None:
    """Add marks and capitals to many files, each to a separate file.

    Reads files, all files of folders and their subfolders, files that match a glob, and files that --list names. In
    folders, only files of known formats are read; with --from, all files. Options and formats are those of punctuate.

    Writes each input to a file in the folder of -o, under the same name and in the same format, or with --to in
    another format and with its suffix. A file of a folder keeps its path in that folder; a line of --list keeps its
    whole path. Inputs that would have the same output are refused before anything is written.

    With --ray the files are restored by the processes of a Ray cluster (extra "ray"). Its nodes need asr_punct, and
    find the files and the model at the same paths. Inputs and outputs can be URLs, such as s3://bucket/folder.

    An output appears when it is complete, and existing outputs are skipped: repeat an interrupted command to continue
    it. Files that cannot be restored are listed at the end with the reason; then the exit status is 1.
    """
    from asr_punct.batch.names import Inputs
    from asr_punct.batch.restoring import FileOptions
    from asr_punct.formats.registry import FORMATS
    from asr_punct.subtitles import parse_limits

    if not (sources or list_file):
        raise AsrPunctError("IN: found none, expected files, folders, globs or --list")
    if to is not None and FORMATS[to].write is None:
        raise AsrPunctError(f"--to: found {to}, which is a folder, expected a format of files")
    if probabilities and to != "json":
        raise AsrPunctError("--probabilities: found no --to json, expected it")
    if subtitles is not None:
        parse_limits(subtitles)
    if ray and device not in (None, "cpu"):
        raise AsrPunctError(f"--device: found {device!r}, expected cpu, where --ray runs models")
    inputs = Inputs(sources or [], output, list_file, any_format=from_ is not None)
    file_options = FileOptions(
        from_,
        to,
        subtitles,
        times,
        wav_scp,
        ignore_labels,
        lowercase,
        probabilities,
        hint_labels=not quiet,
        hint_capitals=not (no_case or quiet),
        overwrite=overwrite,
    )
    opener = options.punctuator_opener(model, marks, no_case, casing, device, 1, int8, class_weights, lang=lang)
    _restore(inputs, output, file_options, opener, jobs, ray, quiet)


def _restore(
    inputs: Inputs,
    output: str,
    file_options: FileOptions,
    opener: Callable[[], Punctuator],
    jobs: int,
    ray: str | None,
    quiet: bool,
) -> None:
    """Restore the files whose outputs are not complete, and print a summary. Raises Exit if some failed."""
    from asr_punct.batch.cluster import restore_on_cluster
    from asr_punct.batch.names import complete_outputs
    from asr_punct.batch.workers import restore_files
    from asr_punct.inference.backend import core_count
    from asr_punct.partial import remove_abandoned

    items = inputs.items(file_options.target_format)
    complete = set() if file_options.overwrite else complete_outputs(items, output)
    todo = [item for item in items if item.output not in complete]
    remove_abandoned(item.output for item in todo)
    report = _Report(len(items) - len(todo), len(todo))
    if ray:
        restored = restore_on_cluster(todo, ray, jobs, opener, file_options)
    else:
        restored = restore_files(todo, jobs or core_count(), opener, file_options)
    try:
        with progress_bar(quiet), closing(restored):
            report.collect(restored)
    except (KeyboardInterrupt, SystemExit):
        report.print(inputs.ignored, quiet)
        raise
    report.print(inputs.ignored, quiet)
    if report.errors:
        raise typer.Exit(1)


class _Report:
    """Counts and shows the results. `complete`: number of outputs that were complete; `todo`: of files to restore."""

    def __init__(self, complete: int, todo: int) -> None:
        self._complete, self._todo = complete, todo
        self._begin = time.monotonic()
        self._files = self._words = 0
        self._warnings = set[str]()
        self.errors: list[str] = []

    def collect(self, results: Iterable[Result]) -> None:
        """Count the results, and show a progress bar."""
        for result in track(results, "files", total=self._todo, detail=lambda: f", {self._words:,} words"):
            self._words += result.words
            if result.error:
                self.errors.append(result.error)
            else:
                self._files += 1
            for warning in result.warnings:
                if warning not in self._warnings:  # printed for the first file that has it
                    self._warnings.add(warning)
                    typer.echo(f"{NAME}: {result.item.source}: {warning}", err=True)

    def print(self, ignored: int, quiet: bool) -> None:
        left = self._todo - self._files - len(self.errors)
        counts = [f"{plural(self._files, 'file')} of {plural(self._words, 'word')} restored"]
        for number, text in (
            (self._complete, f"{self._complete} complete before"),
            (len(self.errors), f"{len(self.errors)} failed"),
            (left, f"{left} left (the same command continues)"),
            (ignored, f"{plural(ignored, 'file')} of other formats in the folders"),
        ):
            if number:
                counts.append(text)
        took = time.monotonic() - self._begin
        print_summary([f"{NAME}: {', '.join(counts)}; {took:.1f} s"], quiet)
        for error in sorted(self.errors):
            typer.echo(f"{NAME}: {error}", err=True)
