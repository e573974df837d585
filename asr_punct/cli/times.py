"""The commands `align` and `pauses`: word times from audio, pauses from word times."""

from pathlib import Path
from typing import Annotated

import typer

from asr_punct.asr import METHODS, open_aligner
from asr_punct.cli import options
from asr_punct.cli.base import Section, command, print_summary, set_log_level
from asr_punct.cli.outputs import TABLES, audio_files, check_outputs
from asr_punct.errors import AsrPunctError
from asr_punct.files import read_text_file, uncompressed_name, write_file
from asr_punct.formats.registry import BY_SUFFIX, FORMATS, format_by_name
from asr_punct.languages import DEFAULT_LANGUAGE
from asr_punct.progress import progress_bar


@command(
    Section.TIMES,
    {
        "Times of a recording's words": "asr-punct align --lang es talk.wav talk.txt -o talk.ctm",
        "Times of all utterances of a data directory": "asr-punct align --lang eu --data-dir data -o data/ctm",
        "With a CTC model of NeMo": "asr-punct align --method ctc --acoustic-model asr.nemo talk.wav talk.txt",
    },
)
def align(
    audio: Annotated[Path | None, typer.Argument(metavar="AUDIO", help="Audio file.")] = None,
    text: Annotated[Path | None, typer.Argument(metavar="TEXT", help="Its transcript.")] = None,
    encoding: options.Encoding = None,
    output: options.Output = "-",
    language: options.TextLanguage = None,
    method: Annotated[
        str,
        options.completed_option("dtw: against synthetic speech of espeak-ng; ctc: with --acoustic-model.", METHODS),
    ] = "dtw",
    acoustic_model: Annotated[
        str | None, typer.Option(help="CTC model: directory or org/name of transformers, a .nemo file, or nemo:NAME.")
    ] = None,
    device: options.Device = None,
    data_dir: options.DataDir = None,
    fit: Annotated[
        Path | None, typer.Option("--fit", help="TSV file for how well each utterance fits its words.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Align audio with its transcript.

    Reads a recording (.wav, .flac, .m4a, .mp3 …) and its written text, or with --data-dir the utterances of a Kaldi
    data directory, whose wav.scp may have commands. The language is --lang, else identified from the words. Needs the
    extra "audio", and for ctc "train" or "nemo".

    Writes the words in lower case, without marks, in the format of the output's name, else as CTM: recording, channel,
    start and duration in seconds, word; one word per line.

    Each utterance gets a fit: by what share its words are nearer to the audio than the same sounds in another order. A
    fit under 0.058 is reported, words that cannot be those of the audio are an error. --fit writes all: utterance, fit.
    """
    from asr_punct import formats
    from asr_punct.align.methods import Fits, align_data_dir, align_file, identify_language, texts_of_data_dir
    from asr_punct.glyphs import glyphs

    set_log_level(quiet)
    tables = [data_dir / name for name in TABLES] if data_dir else []  # not its `ctm`, which align often writes
    check_outputs({"-o": output, "--fit": fit}, [audio, text, *tables, *audio_files(data_dir and data_dir / "wav.scp")])
    format_name = _alignment_format(output)
    if (data_dir is None) == (audio is None) or (audio is None) != (text is None):
        raise AsrPunctError("align", "other arguments", "AUDIO and TEXT, or --data-dir")
    transcript = options.input_file(text, encoding) if text else ""
    aligner = open_aligner(method, language or "", acoustic_model, device)  # refuses bad options before files are read
    if not language:
        language = identify_language(texts_of_data_dir(data_dir) if data_dir else read_text_file(transcript).split())
        aligner = aligner if method == "ctc" else open_aligner(method, language)
    fits = Fits(language)
    if data_dir:
        utterances = align_data_dir(data_dir, language, aligner, fits)
    else:
        utterances = align_file(str(audio), transcript, language, aligner, fits)
    with progress_bar(quiet, output=output):
        formats.write(utterances, output, glyphs(language), format_name)
    if fit:
        with write_file(fit) as out:
            out.writelines(f"{name}\t{'-' if value is None else value}\n" for name, value in fits.rows)


def _alignment_format(output: str) -> str:
    """Return the format of an output's name, or `ctm` for `ctm.1` and names without suffix.

    Raises AsrPunctError for an unknown suffix, and for a format without times.
    """
    name = uncompressed_name(output)
    format_name, suffix = format_by_name(name), Path(name).suffix
    is_wrong = not FORMATS[format_name].has_times if format_name else suffix and not suffix[1:].isdecimal()
    if is_wrong:
        timed = [suffix for suffix, each in BY_SUFFIX.items() if FORMATS[each].has_times]
        raise AsrPunctError("-o", repr(output), f"one of the suffixes {' '.join(timed)}")
    return format_name or "ctm"


@command(
    Section.TIMES,
    {
        "Training data: aligned words with the labels of their data directory's text": (
            "asr-punct pauses data/ctm --data-dir data --times aligner -o train.tsv"
        ),
        "A recogniser's words and their recording": "asr-punct pauses talk.ctm --audio talk.wav -o talk.tsv",
    },
)
def pauses(
    source: Annotated[str, typer.Argument(metavar="IN", help="Words with times: CTM, TextGrid, NeMo manifest, JSON.")],
    output: options.OutputFile,
    source_format: options.From = None,
    encoding: options.Encoding = None,
    audio: options.Audio = None,
    data_dir: options.DataDir = None,
    language: options.Language = DEFAULT_LANGUAGE,
    times: options.Times = None,
    strict: options.Strict = False,
    tiers: options.Tiers = None,
    quiet: options.Quiet = False,
) -> None:
    """Compute pauses from word times, for training or for punctuate.

    Reads words with times in any format that punctuate reads. With --data-dir, the utterances of IN must have the ids
    of that data directory; they are labelled with its file text.

    Writes TSV, one word per line: word, marks, pause after it in seconds with three decimals (- if unknown), case. An
    empty line ends an utterance. Reports how many pauses are unknown, and how many marks of unrecognised words are
    lost.
    """
    from asr_punct import formats
    from asr_punct.corpora.timed import TimedCorpus
    from asr_punct.glyphs import glyphs

    if output.suffix not in ("", ".tsv"):
        raise AsrPunctError("-o", repr(str(output)), "a .tsv file")
    check_outputs({"-o": output}, [source, audio, data_dir, *audio_files(data_dir and data_dir / "wav.scp")])
    corpus = TimedCorpus(language, times, audio, data_dir, strict=strict)
    with progress_bar(quiet, source=source):
        formats.write(
            corpus.read(options.input_file(source, encoding, strict=strict), source_format, tiers or ()),
            output,
            glyphs(language),
            "tsv",
        )
    print_summary(corpus.summary(), quiet)
