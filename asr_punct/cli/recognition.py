"""The command that starts from audio."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from asr_punct.asr import FORMS, NAMES, open_recogniser
from asr_punct.cli.base import Part, command, log_progress
from asr_punct.cli.completion import models, one_of
from asr_punct.cli.options import Output, Quiet, Subtitles, To
from asr_punct.cli.overwriting import check_outputs
from asr_punct.errors import AsrPunctError
from asr_punct.progress import on_terminal

_OF_ONE = ("srt", "vtt", "textgrid", "whisper", "vosk")
"""Formats of which a file holds one recording."""


@command(
    Part.RESTORING,
    {
        "English text by PocketSphinx, which needs no download": "asr-punct transcribe talk.wav --asr pocketsphinx",
        "Subtitles": "asr-punct transcribe talk.m4a --asr pocketsphinx --subtitles bbc -o talk.srt",
        "A model of NeMo's, whose name tells the language": (
            "asr-punct transcribe talk.wav --asr nemo:stt_es_conformer_ctc_large"
        ),
        "Whisper, which hears many languages": "asr-punct transcribe a.mp3 b.mp3 --asr whisper:small --model es-eu",
    },
)
def transcribe(
    audio: Annotated[list[Path], typer.Argument(metavar="AUDIO", help="Recordings: .wav, .flac, .m4a, .mp3 …")],
    asr: Annotated[
        str | None,
        typer.Option(
            help=f"The recogniser: {NAMES}, where NAME is a model's file or directory, or what it is called there.",
            autocompletion=one_of(form.removesuffix("NAME") for form in FORMS),
        ),
    ] = None,
    output: Output = "-",
    model: Annotated[
        str | None,
        typer.Option(
            help="Directory, shipped name, or org/name of the hub; without it the shipped one of the recogniser's "
            "language.",
            autocompletion=models,
        ),
    ] = None,
    to: To = None,
    subtitles: Subtitles = None,
    device: Annotated[
        str | None,
        typer.Option(
            help="Where the recogniser runs: cpu (by default), cuda, cuda:1 …", autocompletion=one_of(["cpu", "cuda"])
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Recognise the words of recordings, and add marks and capitals to them.

    Reads recordings of any rate and length. Each is heard in pieces of half a minute at most, cut where nobody speaks.
    Needs the extra of the recogniser: "pocketsphinx" (English), "whisper", "nemo", or for transformers, which runs CTC
    models and Whisper, "audio" and "train".

    Writes the words with the recogniser's times, in the format of --to, else by the output's name, else as text; a file
    of subtitles, a TextGrid and the JSON of Whisper and Vosk hold one recording. The pauses that the model goes by are
    refined on the audio. Of a recording in which nobody speaks nothing is written, and that is told.

    The language is that of PocketSphinx, or what the name of a model says (stt_eu_…, small.en); else --model is needed.
    """
    from asr_punct import formats
    from asr_punct.asr.transcribe import check_recordings
    from asr_punct.asr.transcribe import transcribe as recognise
    from asr_punct.find import find_model, model_of_language
    from asr_punct.formats.subtitle_output import chosen_limits
    from asr_punct.inference.punctuator import Punctuator

    log_progress(quiet)
    if asr is None:
        raise AsrPunctError(f"found no --asr, expected one of {NAMES}")
    target = formats.output_format(output, to)
    limits = chosen_limits(subtitles, target)
    check_outputs({"-o": output}, audio)
    check_recordings(audio, one=target in _OF_ONE)
    directory = find_model(model) if model else None
    recogniser = open_recogniser(asr, device)
    punctuator = Punctuator.from_pretrained(directory or model_of_language(recogniser.language))
    with on_terminal(quiet, output=output):
        words = chain.from_iterable(recognise(path, recogniser) for path in audio)
        formats.write_utterances(punctuator.restore(words), output, punctuator.glyphs, target, limits)
