"""Commands that add marks and capitals to words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from asr_punct.cli.base import Part, command
from asr_punct.cli.options import (
    Audio,
    CasingList,
    Choices,
    ClassWeights,
    Device,
    From,
    Int8,
    MarkNames,
    Model,
    NoCase,
    Output,
    Quiet,
    Subtitles,
    Threads,
    Times,
    To,
)
from asr_punct.cli.overwriting import check_outputs, is_same_file, recordings
from asr_punct.config import LEFT_WORDS, RIGHT_WORDS
from asr_punct.errors import AsrPunctError
from asr_punct.formats.files import Pathlike
from asr_punct.progress import counted, on_terminal
from asr_punct.words import word_count


@command(
    Part.RESTORING,
    {
        "A line of text": 'echo "buenos días qué tal están" | asr-punct punctuate',
        "A recogniser's words as text, their pauses refined on the audio": (
            "asr-punct punctuate --audio talk.wav talk.ctm -o talk.txt"
        ),
        "Subtitles with limits of your own": "asr-punct punctuate talk.ctm --subtitles bbc,characters=32 -o talk.srt",
        "Whisper's output, its segments and times as they were": "asr-punct punctuate whisper.json -o better.json",
        "Scores of a recording, with a diagram of how reliable the probabilities are": (
            "asr-punct punctuate talk.ctm --to json --probabilities -o hyp.json"
        ),
        "English, no marks but these, no capitals": (
            "asr-punct punctuate --model en --marks COMMA,PERIOD --no-case talk.txt"
        ),
    },
)
def punctuate(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="File to read; - is standard input (text, or what --from says).")
    ] = "-",
    output: Output = "-",
    model: Model = None,
    from_: From = None,
    to: To = None,
    subtitles: Subtitles = None,
    audio: Audio = None,
    wav_scp: Annotated[Path | None, typer.Option(help="Audio of each recording: name and path, a line each.")] = None,
    times: Times = None,
    marks: MarkNames = None,
    no_case: NoCase = False,
    casing: CasingList = None,
    device: Device = None,
    threads: Threads = 0,
    int8: Int8 = False,
    class_weights: ClassWeights = None,
    aggregate: Annotated[
        int | None, typer.Option(help="Average the results of so many windows for each word; slower by that factor.")
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="With --to json: give how likely each word's marks and capitals are."),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Add marks and capitals to recognised words.

    Reads words with or without times. The format is that of --from, else guessed from the file's name, for .json and
    .jsonl from its content; a file named .xz or .gz is decompressed, and compressed as output. In text a line need not
    be a sentence: lines run on, and an empty line ends a document.

    Writes the same words in the same order, with the same times and all else that stood in the file, in the format of
    --to, else by the output's name, else as text; .json and .jsonl stay in the format that they had. Marks and capitals
    of the input stay, and none is added beside them. A file appears when it is complete.

    Pauses are measured from the words' times, in seconds; --audio or --wav-scp refine them on the recording (extra
    "audio"), which must then hold all the words. Where the times are an aligner's (--times aligner, for a CTM cannot
    tell) pauses stay as they are. Without times the model goes by the words alone.
    """
    from asr_punct import formats
    from asr_punct.audio import recording_table, single_recording
    from asr_punct.formats.formats import format_of_file
    from asr_punct.formats.kaldi import read_wav_scp
    from asr_punct.formats.subtitle_output import chosen_limits
    from asr_punct.pauses import refined

    target = formats.output_format(output, to, None if probabilities else source, from_)
    limits = chosen_limits(subtitles, target)
    _one_of({"--audio": audio, "--wav-scp": wav_scp})
    if probabilities and target != "json":
        raise AsrPunctError(f"--probabilities: found the output {target}, expected --to json")
    in_place = is_same_file(source, output) and target == (from_ or format_of_file(source) or "text")
    read: list[Pathlike] = [] if in_place else [source, Path(source) / "ctm"]
    check_outputs({"-o": output}, [*read, audio, wav_scp, *recordings(wav_scp), casing])
    choices = Choices(model, marks, no_case, casing, device, threads, int8, class_weights)
    punctuator = choices.open(aggregate=aggregate)
    with on_terminal(quiet, source=source, output=output):
        utterances = formats.read_utterances(source, from_, silence=True, times=times)
        if audio:
            utterances = refined(utterances, single_recording(audio))
        elif wav_scp:
            utterances = refined(utterances, recording_table(read_wav_scp(wav_scp), wav_scp))
        restored = punctuator.restore(utterances, probabilities=probabilities)
        told = counted(restored, "words", size=word_count, source=source)
        formats.write_utterances(told, output, punctuator.glyphs, target, limits)


def _one_of(options: Mapping[str, object]) -> None:
    """Raises AsrPunctError where both of two options are given."""
    if all(value is not None for value in options.values()):
        raise AsrPunctError(f"found {' and '.join(options)}, expected one of them")


@command(
    Part.RESTORING,
    {
        "Words as a recogniser writes them, each decided when three more are there": (
            "recogniser | asr-punct stream --right 3"
        ),
        "Words with times": """echo '{"word": "hola", "start": 0.5, "end": 0.9}' | asr-punct stream""",
    },
)
def stream(
    model: Model = None,
    left: Annotated[int, typer.Option(min=0, help="Words before each word that it is decided by.")] = LEFT_WORDS,
    right: Annotated[int, typer.Option(min=1, help="Words after it that are waited for.")] = RIGHT_WORDS,
    marks: MarkNames = None,
    no_case: NoCase = False,
    casing: CasingList = None,
    device: Device = None,
    threads: Threads = 1,
    int8: Int8 = False,
    class_weights: ClassWeights = None,
) -> None:
    """Add marks and capitals to words as they come.

    Reads standard input: lines of words, or of one word as JSON ({"word": "hola", "start": 0.5, "end": 0.9}, in
    seconds), whose times give the pauses. An empty line ends the document: all its words are written.

    Writes to standard output a word a line, in the form that it came in, as soon as the --right words after it are
    there; it never changes. Where the model's windows are shorter than --left and --right, as much of both is read as
    they hold.
    """
    from asr_punct.cli.lines import punctuate_standard_input

    punctuator = Choices(model, marks, no_case, casing, device, threads, int8, class_weights).open()
    with punctuator.stream(left, right) as words:
        punctuate_standard_input(words, punctuator.glyphs)
