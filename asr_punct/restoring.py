"""The pipeline of `punctuate`, `batch` and `transcribe`: words in, the same words with marks and capitals out.

Its steps are: read, remove marks, hints, lower case, pauses from audio (these four in `prepare_words`), restore, write.
All are lazy: an utterance is written before the next ones are read, but for those that the model needs, and the 40
after a line that may begin with a speaker's name (`inference.speaker_labels`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from asr_punct import formats
from asr_punct.encoding import Encoding
from asr_punct.errors import ArgumentError, Setting
from asr_punct.files import InputFile, Pathlike, write_file
from asr_punct.fillers import with_flags, without_fillers
from asr_punct.formats.cues.cue_reader import repeats_lines
from asr_punct.formats.cues.writers import SUBTITLE_FORMATS, check_subtitle_format, parse_limits_option
from asr_punct.formats.kaldi.tables import read_wav_scp
from asr_punct.formats.registry import PARAGRAPH_FORMATS, READING_FORMATS
from asr_punct.formats.source import Source
from asr_punct.glyphs import Glyphs
from asr_punct.hints import REPEATED_LINES, Hint, OnHint, about_encoding, as_hint, with_hint, with_hints_about_marks
from asr_punct.paragraphs import ParagraphSettings, parse_paragraphs, timed_paragraphs
from asr_punct.partial import make_directory
from asr_punct.progress import track
from asr_punct.subtitles import NETFLIX, Cue, Limits, check_cues, report_lines, summarise
from asr_punct.text.bare import lowercased
from asr_punct.words import Utterance, word_count

if TYPE_CHECKING:
    from asr_punct.inference.punctuator import Punctuator
    from asr_punct.recordings import AudioOf


Fillers = Callable[[Iterable[Utterance], Glyphs], Iterator[Utterance]]


class Target(NamedTuple):
    """An output: its path and format, limits of its cues, a file for cues that break them, paragraphs, and fillers.

    `fillers` leaves them out or flags them. `alike` is the input if it has the same format: its encoding, byte order
    mark and line ends stay, and so do bytes that could not be decoded.
    """

    path: Pathlike
    format: str
    limits: Limits | None = None
    report: Path | None = None
    paragraphs: ParagraphSettings | None = None
    fillers: Fillers | None = None
    alike: InputFile | None = None


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file is read, and on which audio its pauses are refined.

    Attributes:
        source_format: format of the input; None: detected.
        encoding: encoding of the input; default: that of its byte order mark, else UTF-8, or what it plainly is.
        wav_scp: table of the recordings on which pauses are refined; None: pauses are computed from the times only.
        times: source of the words' times, one of `words.TIME_SOURCES`; None: as in the file.
        strict: refuse times that make no sense, which are else unknown, and bytes that are not UTF-8.
        tiers: names of the tiers to read of an ELAN file or a TextGrid; default: those of words or speech.
    """

    source_format: str | None = None
    encoding: str | None = None
    wav_scp: Path | None = None
    times: str | None = None
    strict: bool = False
    tiers: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Preparing:
    """What happens to words before they are restored.

    Attributes:
        ignore_labels: first remove the marks and capitals of the input, both in words and in columns of labels.
        lowercase: convert words to lower case first, for recognisers that write only capitals.
        fill: restore only stretches of 20 or more words without a mark; all other words stay as they are.
    """

    ignore_labels: bool = False
    lowercase: bool = False
    fill: bool = False


@dataclass(frozen=True, kw_only=True)
class Writing:
    """How a file is written.

    Attributes:
        target_format: format of the output; None: that of the input, or of the output's name.
        subtitles: limits of subtitles, such as bbc,lines=1, under which new cues are made; default: cues of the input.
        paragraphs: where paragraphs of text, Markdown and .docx end, as `paragraphs.parse_paragraphs` reads it.
        fillers: `keep`, or `drop` to leave fillers and repeats out of text, documents and subtitles, and flag them in
            JSON (`fillers`).
    """

    target_format: str | None = None
    subtitles: str | None = None
    paragraphs: str = "auto"
    fillers: str = "keep"


@dataclass(frozen=True, kw_only=True)
class PipelineOptions(Reading, Preparing, Writing):
    """How words are read, prepared and written.

    Attributes:
        report: file for the cues that break the limits of subtitles; None: it is not written.
        audio: the recording on which pauses are refined; None: see `wav_scp`.
        probabilities: write the probabilities of marks and capitals; only in JSON.
    """

    report: Path | None = None
    audio: Path | None = None
    probabilities: bool = False

    def source(self, path: Pathlike) -> Source:
        """Return the file to read. Raises ArgumentError for an unknown format or encoding."""
        file = InputFile(path, Encoding(self.encoding, keeps_bytes=not self.strict))
        return Source(file, self.source_format, self.tiers)

    def target(self, output: Pathlike, source: Source | None = None) -> Target:
        """Return the output with its format, which may be that of the input `source`.

        Raises AsrPunctError for an unknown format, or one to which other options do not apply.
        """
        name = formats.output_format(output, self.target_format, None if self.probabilities else source)
        limits = parse_limits_option(self.subtitles, name)
        if self.report:
            check_subtitle_format(name, "report")
        if self.probabilities and name != "json":
            raise ArgumentError("probabilities", f"the output {name}", "json", Setting("target_format", "json"))
        paragraphs = parse_paragraphs(self.paragraphs) if name in PARAGRAPH_FORMATS else None
        if self.fillers not in ("keep", "drop"):
            raise ArgumentError("fillers", repr(self.fillers), "keep or drop")
        change = {"json": with_flags, **dict.fromkeys(READING_FORMATS, without_fillers)}.get(name)
        fillers = change if self.fillers == "drop" else None
        alike = source.file if source is not None and source.is_known and source.format == name else None
        return Target(output, name, limits, self.report, paragraphs, fillers, alike)

    @cached_property
    def audio_of(self) -> AudioOf | None:
        """Function that returns an utterance's recording, if there are any. Raises InputError for a malformed table."""
        from asr_punct.recordings import recording_table, single_recording

        if self.audio:
            return single_recording(self.audio)
        return None if self.wav_scp is None else recording_table(read_wav_scp(self.wav_scp), self.wav_scp)


class Written(NamedTuple):
    """The number of words that were written, and a summary of the report on cues, "" without one."""

    words: int
    report: str = ""


def restore_file(
    source: Source,
    output: Pathlike,
    punctuator: Punctuator,
    options: PipelineOptions,
    on_hint: OnHint | None = None,
    *,
    make_folder: bool = False,
) -> Written:
    """Restore marks and capitals of a file; the output appears when it is complete.

    With `make_folder` the output's folder is made if there is none. Raises AsrPunctError if the input is missing or
    malformed, or the output cannot be written.
    """
    target = options.target(output, source)
    read = formats.read(
        source, may_be_empty=True, times=options.times, strict=options.strict, on_bad_times=as_hint(on_hint)
    )
    if on_hint and target.format in SUBTITLE_FORMATS and not target.limits:
        read = with_hint(read, repeats_lines, REPEATED_LINES, on_hint)
    first, read = _until_words(read)
    if make_folder:
        make_directory(Path(output).parent)
    if target.alike and not first and not source.is_stream:
        return _write_silence(source.file, target, punctuator.glyphs.name, on_hint)
    utterances = prepare_words(read, punctuator, options, on_hint)
    restored = punctuator.restore(utterances, probabilities=options.probabilities, fill=options.fill)
    tracked = track(restored, "words", size=word_count, position=source.file.position)
    written = write_restored(tracked, punctuator.glyphs, target)
    if on_hint:
        about_encoding(source.file, on_hint, stays=target.alike is not None)
    return written


def _until_words(utterances: Iterator[Utterance]) -> tuple[bool, Iterator[Utterance]]:
    """Return whether an utterance has words, and all utterances; read are only those up to the first one with words."""
    read = list[Utterance]()
    for utterance in utterances:
        read.append(utterance)
        if utterance.words:
            return True, chain(read, utterances)
    return False, iter(read)


def _write_silence(file: InputFile, target: Target, language: str, on_hint: OnHint | None) -> Written:
    """Write a file without words as it is, and if wanted the report on no cues."""
    text = file.read()
    with write_file(target.path, "keep", replace(file.form, line_end="\n")) as out:
        out.write(text)
    if on_hint:
        on_hint(Hint("no words, written as it is"))
        about_encoding(file, on_hint, stays=True)
    return Written(0, _write_report((), target, language))


def prepare_words(
    utterances: Iterable[Utterance], punctuator: Punctuator, options: PipelineOptions, on_hint: OnHint | None = None
) -> Iterable[Utterance]:
    """Return the utterances as the model reads them: the options that change labels, words and pauses are applied.

    `on_hint` gets hints about what stays in the output; without it nobody looks for that.
    """
    if options.ignore_labels:
        utterances = punctuator.without_marks(utterances)
    if on_hint:
        utterances = with_hints_about_marks(utterances, on_hint, about_capitals=not options.lowercase)
    if options.lowercase:
        utterances = map(lowercased, utterances)
    if options.audio_of:
        from asr_punct.recordings import with_pauses_from_audio

        utterances = with_pauses_from_audio(utterances, options.audio_of)
    return utterances


def write_restored(utterances: Iterable[Utterance], glyphs: Glyphs, target: Target) -> Written:
    """Write utterances, and if wanted the report on their cues, with the glyphs of the first one's language."""
    words, cues = 0, list[Cue]()

    def counted() -> Iterator[Utterance]:
        nonlocal words
        for utterance in utterances:
            words += len(utterance.words)
            yield utterance

    written, glyphs = formats.with_glyphs(counted(), glyphs)
    if target.fillers:
        written = target.fillers(written, glyphs)
    if target.paragraphs:
        written = timed_paragraphs(written, glyphs, target.paragraphs)
    on_cue = cues.append if target.report else None
    form = target.alike.form if target.alike else None
    formats.write(written, target.path, glyphs, target.format, target.limits, on_cue, form=form)
    return Written(words, _write_report(cues, target, glyphs.name))


def _write_report(cues: Sequence[Cue], target: Target, language: str) -> str:
    """Write the report on cues and return its summary; "" if no report is wanted."""
    if not target.report:
        return ""
    limits = target.limits or NETFLIX
    problems = check_cues(cues, limits, language)
    with write_file(target.report) as out:
        out.writelines(report_lines(problems, limits, language))
    return summarise(problems, len(cues), limits, language)
