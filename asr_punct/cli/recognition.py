"""The command `transcribe`: from audio to punctuated text."""

from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from asr_punct.asr import (
    EXPECTED_RECOGNISER,
    RECOGNISER_FORMS,
    RECOGNISERS_WITH_EXTRAS,
    check_installed,
    open_recogniser,
)
from asr_punct.cli import groups, options
from asr_punct.cli.base import Section, command, set_log_level
from asr_punct.cli.messages import print_about, print_hint
from asr_punct.cli.outputs import check_outputs
from asr_punct.errors import AsrPunctError
from asr_punct.languages import DESCRIBED
from asr_punct.progress import progress_bar
from asr_punct.restoring import Writing, prepare_words, write_restored

Recogniser = Annotated[
    str | None,
    options.completed_option(
        f"Recogniser, with the extras it needs: {RECOGNISERS_WITH_EXTRAS}; NAME is a model's file, directory or name.",
        [form.removesuffix("NAME") for form in RECOGNISER_FORMS],
    ),
]
SpeechLanguage = Annotated[
    str | None,
    options.completed_option(
        "Language of the speech; default: that of the recogniser, else identified from its words.",
        DESCRIBED,
        "--lang",
        callback=options.check_language,
    ),
]
RecogniserDevice = Annotated[
    str | None, options.completed_option("Device of the recogniser: cpu (default), cuda, cuda:1 …", ["cpu", "cuda"])
]


Channel = Annotated[
    str | None,
    options.completed_option(
        "Channel to transcribe: its number, or mix; default: both of two that differ, else mix.", ["1", "2", "mix"]
    ),
]


@command(
    Section.RESTORING,
    {
        "English with PocketSphinx, which needs no download": "asr-punct transcribe talk.wav --asr pocketsphinx",
        "Subtitles": "asr-punct transcribe talk.m4a --asr pocketsphinx --subtitles bbc -o talk.srt",
        "A NeMo model; its name gives the language": (
            "asr-punct transcribe talk.wav --asr nemo:stt_es_conformer_ctc_large"
        ),
        "Whisper, several files": "asr-punct transcribe a.mp3 b.mp3 --asr whisper:small --model es-eu",
    },
)
def transcribe(
    audio: Annotated[list[Path], typer.Argument(metavar="AUDIO", help="Recordings: .wav, .flac, .m4a, .mp3 …")],
    asr: Recogniser = None,
    output: options.Output = "-",
    model: options.Model = None,
    language: SpeechLanguage = None,
    *,
    writing: Writing,
    report: options.Report = None,
    ignore_labels: options.IgnoreLabels = False,
    lowercase: options.Lowercase = False,
    channel: Channel = None,
    device: RecogniserDevice = None,
    quiet: options.Quiet = False,
) -> None:
    """Recognise recordings, and add marks and capitals.

    Reads recordings of any sample rate and length, in segments of at most 30 seconds that are cut at silences. Needs
    the recogniser's extras, which --asr lists.

    Writes the words with the recogniser's times. The format is --to, else that of the output's name, else text. A file
    of subtitles or in the format of TextGrid, ELAN, Whisper or Vosk can have only one recording. Pauses are refined on
    the audio. Recordings without speech are reported and left out. If a recording has two channels with speech of their
    own, as a call has, each is transcribed as one side, which is reported; --channel names one, or mix for their mean.

    The punctuation model is --model, else the shipped one of the language: --lang, which also sets the language of
    Whisper, else that in the recogniser's name (stt_eu_…, small.en), else identified from the words. For a language
    without a model the default model is used, with a warning.
    """
    from asr_punct.asr.transcribe import check_recordings, parse_channel, recognise
    from asr_punct.formats.registry import FORMATS
    from asr_punct.hub import find_model
    from asr_punct.inference.punctuator import Punctuator

    set_log_level(quiet)
    if asr is None:
        raise AsrPunctError("--asr", "none", f"one of {EXPECTED_RECOGNISER}")
    parse_channel(channel)
    pipeline = groups.pipeline_options(writing, report=report, ignore_labels=ignore_labels, lowercase=lowercase)
    target = pipeline.target(output)
    check_outputs({"-o": output, "--report": report}, audio)
    check_installed(asr)
    check_recordings(audio, one=FORMATS[target.format].one_recording)
    find_model(model)
    recogniser = open_recogniser(asr, device, language)
    punctuator = Punctuator.from_pretrained(model, language=language or recogniser.language)
    with progress_bar(quiet, output=output):
        recognised = chain.from_iterable(recognise(path, recogniser, channel) for path in audio)
        restored = punctuator.restore(
            prepare_words(recognised, punctuator, pipeline, partial(print_hint, asr, quiet=quiet))
        )
        written = write_restored(restored, punctuator.glyphs, target)
    if report and not quiet:
        print_about(report, written.report)
