"""The command `batch`: many files, each to a separate file."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from asr_punct.cli import groups, options
from asr_punct.cli.base import NAME, Section, command, print_summary
from asr_punct.cli.messages import error_line, print_about, print_hint
from asr_punct.errors import AsrPunctError, ExitStatus, plural
from asr_punct.hints import Hint
from asr_punct.inference.options import Computing, OutputOptions
from asr_punct.progress import progress_bar, track
from asr_punct.restoring import Preparing, Reading, Writing

if TYPE_CHECKING:
    from asr_punct.batch.names import Inputs
    from asr_punct.batch.work import BatchWork, Result


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
    *,
    choice: groups.ModelChoice,
    reading: Reading,
    preparing: Preparing,
    labelling: OutputOptions,
    computing: Computing,
    writing: Writing,
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
    from asr_punct.batch.work import BatchWork
    from asr_punct.formats.registry import FORMATS, DirectoryFormat
    from asr_punct.inference.punctuator import Punctuator
    from asr_punct.subtitles import parse_limits

    if not (sources or list_file):
        raise AsrPunctError("IN", "none", "files, folders, globs or --list")
    if writing.target_format is not None and isinstance(FORMATS[writing.target_format], DirectoryFormat):
        raise AsrPunctError("--to", f"{writing.target_format}, which is a folder", "a format of files")
    if probabilities and writing.target_format != "json":
        raise AsrPunctError("--probabilities", "no --to json", "it")
    if writing.subtitles is not None:
        parse_limits(writing.subtitles)
    if ray and computing.device not in (None, "cpu"):
        raise AsrPunctError("--device", repr(computing.device), "cpu, where --ray runs models")
    inputs = Inputs(sources or [], output, list_file, any_format=reading.source_format is not None)
    open_punctuator = partial(Punctuator.open, groups.model_options(choice, labelling, computing))
    work = BatchWork(
        open_punctuator, groups.pipeline_options(reading, preparing, writing, probabilities=probabilities), overwrite
    )
    _restore(inputs, output, work, jobs, ray, _Report(quiet, not labelling.case))


def _restore(inputs: Inputs, output: str, work: BatchWork, jobs: int, ray: str | None, report: _Report) -> None:
    """Restore the files whose outputs are not complete, and print a summary. Raises Exit if some failed."""
    from asr_punct.batch.cluster import restore_on_cluster
    from asr_punct.batch.names import complete_outputs
    from asr_punct.batch.workers import restore_files
    from asr_punct.inference.backend import core_count
    from asr_punct.partial import new_folders, remove_abandoned

    items = inputs.items(work.options.target_format)
    complete = set() if work.overwrite else complete_outputs(items, output)
    todo = [item for item in items if item.output not in complete]
    remove_abandoned(item.output for item in todo)
    restored = restore_on_cluster(todo, ray, jobs, work) if ray else restore_files(todo, jobs or core_count(), work)
    counts = len(items) - len(todo), len(todo), inputs.ignored
    try:
        with new_folders(item.output for item in todo), progress_bar(report.quiet), closing(restored):
            report.collect(restored, len(todo))
    except (KeyboardInterrupt, SystemExit):
        report.print(*counts)
        raise
    report.print(*counts)
    if report.errors:
        raise typer.Exit(ExitStatus.FAILED)


class _Report:
    """Counts and shows the results."""

    def __init__(self, quiet: bool, no_case: bool) -> None:
        self.quiet, self._no_case = quiet, no_case
        self._begin = time.monotonic()
        self._files = self._words = 0
        self._warnings = set[str | Hint]()
        self.errors: list[str] = []

    def collect(self, results: Iterable[Result], total: int) -> None:
        """Count the results, and show a progress bar."""
        for result in track(results, "files", total=total, detail=lambda: f", {self._words:,} words"):
            self._words += result.words
            if result.error:
                self.errors.append(_line(result.item.source, result.error))
            else:
                self._files += 1
            for warning in result.warnings:
                if warning not in self._warnings:  # printed for the first file that has it
                    self._warnings.add(warning)
                    if isinstance(warning, str):
                        print_about(result.item.source, warning.removeprefix(f"{result.item.source}: "))
                    else:
                        print_hint(result.item.source, warning, self.quiet, self._no_case)

    def print(self, complete: int, todo: int, ignored: int) -> None:
        """Print the numbers of files, and the errors."""
        left = todo - self._files - len(self.errors)
        counts = [f"{plural(self._files, 'file')} of {plural(self._words, 'word')} restored"]
        for number, text in (
            (complete, f"{complete} complete before"),
            (len(self.errors), f"{len(self.errors)} failed"),
            (left, f"{left} left (the same command continues)"),
            (ignored, f"{plural(ignored, 'file')} of other formats in the folders"),
        ):
            if number:
                counts.append(text)
        took = time.monotonic() - self._begin
        print_summary([f"{NAME}: {', '.join(counts)}; {took:.1f} s"], self.quiet)
        for error in sorted(self.errors):
            typer.echo(f"{NAME}: {error}", err=True)


def _line(source: str, error: AsrPunctError) -> str:
    """Return an error in one line that begins with the file; the place of most errors does."""
    line = error_line(error)
    return line if error.place.startswith(source) else f"{source}: {line}"
