"""The commands `punctuate` and `stream`: add marks and capitals to words."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from asr_punct.cli import groups, options
from asr_punct.cli.base import NAME, Section, command
from asr_punct.cli.messages import print_about, print_hint
from asr_punct.cli.outputs import audio_files, check_outputs, is_same_file
from asr_punct.errors import AsrPunctError
from asr_punct.files import STANDARD_STREAM
from asr_punct.hints import Hint
from asr_punct.inference.options import Computing, OutputOptions, StreamSettings
from asr_punct.progress import progress_bar
from asr_punct.restoring import Preparing, Reading, Writing, restore_file


@command(
    Section.RESTORING,
    {
        "A line of text": 'echo "gracias señor presidente qué hora es" | asr-punct punctuate',
        "A recogniser's words as text, with pauses refined on the audio": (
            "asr-punct punctuate --audio talk.wav talk.ctm -o talk.txt"
        ),
        "Subtitles with your own limits": "asr-punct punctuate talk.ctm --subtitles bbc,characters=32 -o talk.srt",
        "Subtitles, and a list of cues that break limits": "asr-punct punctuate talk.ctm -o talk.vtt --report talk.tsv",
        "Whisper's output, with its segments and times": "asr-punct punctuate whisper.json -o better.json",
        "Probabilities of marks and capitals": "asr-punct punctuate talk.ctm --to json --probabilities -o hyp.json",
        "English, only commas and periods, no capitals": (
            "asr-punct punctuate --model en --marks COMMA,PERIOD --no-case talk.txt"
        ),
    },
    "one file (several: asr-punct batch)",
)
def punctuate(
    source: Annotated[str, typer.Argument(metavar="IN", help="File to read; - is standard input.")] = "-",
    output: options.Output = "-",
    *,
    choice: groups.ModelChoice,
    reading: Reading,
    preparing: Preparing,
    labelling: OutputOptions,
    computing: Computing,
    writing: Writing,
    audio: options.Audio = None,
    threads: options.Threads = 0,
    probabilities: options.Probabilities = False,
    report: options.Report = None,
    quiet: options.Quiet = False,
) -> None:
    """Add marks and capitals to recognised words.

    Reads words with or without times. The format is --from, else that of the file's name; JSON is detected by its
    content, and so are Kaldi's text and Whisper's log and .tsv, also on standard input. .xz and .gz files are
    decompressed, and outputs with these suffixes are compressed. In text a line need not be a sentence; an empty line
    ends the document.

    Writes the same words in the same order, with their times and everything else in the file. The format is --to, else
    that of the output's name, else text; JSON, Kaldi's text and Whisper's lines keep their format unless the output's
    name has the suffix of another one. Marks and capitals of the input stay, and no mark is added beside one of
    them. The same holds for labels, the columns of TSV or fields of JSON with a word's marks and case; they cause a
    warning. --ignore-labels removes all of them first, also the marks and capitals of Whisper or a cloud service. For
    a recogniser that writes only capitals use --lowercase. The output file appears when it is complete; it may be
    the input, which it then replaces.

    The model is --model, else the shipped one of each document's language: --lang, else the language that the file
    names, else the one identified from its words. For a language without a model the default model is used, with a
    warning. A warning is also printed if the words are clearly not in the language of the model.

    Pauses are the gaps between the words' times; --audio or --wav-scp refine them on the recording (extra "audio").
    An aligner's times are exact and not refined; a CTM does not name its source, so give --times aligner. Without
    times the model uses only the words. A time that makes no sense, such as an end before its start, is unknown, and
    stays in the file as it is; a line says how many there are. --strict refuses such files.
    """
    from asr_punct.cli.stream_lines import hint_if_idle
    from asr_punct.inference.punctuator import Punctuator

    if audio and reading.wav_scp:
        raise AsrPunctError("", "--audio and --wav-scp", "one of them")
    pipeline = groups.pipeline_options(
        reading, preparing, writing, audio=audio, probabilities=probabilities, report=report
    )
    opened = pipeline.source(source)
    # Detecting the format of a stream reads from it. That waits until after the checks and the hint, below.
    target = pipeline.target(output, None if opened.is_stream else opened)
    is_in_place = is_same_file(source, output)
    casing = labelling.casing if isinstance(labelling.casing, Path) else None
    inputs = [None if is_in_place else source, audio, reading.wav_scp, *audio_files(reading.wav_scp), casing]
    check_outputs({"-o": output, "--report": report}, inputs)
    punctuator = Punctuator.open(groups.model_options(choice, labelling, computing, threads))
    if source == STANDARD_STREAM and not quiet:
        read_as = reading.source_format or "text"
        hint_if_idle(f"reading {read_as} from the terminal; Ctrl-D ends it. A file: {NAME} punctuate FILE")
    on_hint = partial(print_hint, source, quiet=quiet, no_case=not labelling.case)
    if is_in_place and target.format != opened.format:
        on_hint(Hint(f"a file of the format {opened.format}, which -o replaces by one of the format {target.format}"))
    with progress_bar(quiet, source=source, output=output):
        written = restore_file(opened, output, punctuator, pipeline, on_hint)
    if report and not quiet:
        print_about(report, written.report)


@command(
    Section.RESTORING,
    {
        "Words of a recogniser, each written when three more have arrived": "recogniser | asr-punct stream --right 3",
        "Words with times": """echo '{"word": "hola", "start": 0.5, "end": 0.9}' | asr-punct stream""",
    },
    "words on standard input: asr-punct stream < FILE",
)
def stream(
    *,
    choice: groups.ModelChoice,
    settings: StreamSettings,
    preview: Annotated[bool, typer.Option("--preview", help="Also write the words of the look-ahead.")] = False,
    lowercase: options.Lowercase = False,
    labelling: OutputOptions,
    computing: Computing,
    threads: options.Threads = 1,
) -> None:
    """Add marks and capitals to words as they arrive.

    Reads standard input. A line has words, or one word as JSON ({"word": "hola", "start": 0.5, "end": 0.9}, in
    seconds), whose times give the pauses, or is a message of Vosk's ({"text": "hola ana"}, with times if it has
    "result"). An empty line ends the document, and its remaining words are written.

    Writes a line for each word, as text or JSON like the input, as soon as the next --right words have arrived; if
    one of its marks is unsure, up to --patience words later. After a pause of --flush-after seconds, between the times
    of two words or while no line arrives, all words are written. A written word never changes.

    --preview also writes, after each line of words, {"partial": "…"} with the words that are not yet decided, in their
    provisional form. Without --model and --lang, the model is chosen by the first words of a
    document, of which at most ten are held back, also through a pause. If the model's windows are shorter than --left
    and --right, both are shortened.
    """
    from asr_punct.cli.stream_lines import hint_if_idle, punctuate_standard_input
    from asr_punct.inference.punctuator import Punctuator

    punctuator = Punctuator.open(groups.model_options(choice, labelling, computing, threads))
    hint_if_idle("reading words from the terminal; an empty line ends the document, Ctrl-D ends the input")
    with punctuator.stream(settings=settings) as words:
        on_hint = partial(print_hint, STANDARD_STREAM, no_case=not labelling.case)
        punctuate_standard_input(words, settings.flush_after, preview, lowercase, on_hint)
