"""The command `serve`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated

import typer

from asr_punct.asr import check_installed, open_recogniser
from asr_punct.cli import options
from asr_punct.cli.base import NAME, Section, command
from asr_punct.cli.recognition import Recogniser
from asr_punct.errors import AsrPunctError
from asr_punct.serve.limits import DEFAULTS, ServiceLimits


@command(
    Section.RESTORING,
    {
        "On this machine": "asr-punct serve",
        "In front of a Vosk server": "asr-punct serve --port 2701 --vosk ws://localhost:2700",
        "In front of a recogniser with OpenAI's API": "asr-punct serve --openai http://localhost:8000",
        "With a recogniser for audio": "asr-punct serve --asr whisper:small --max-body 200",
        "For other machines, with a token": "ASR_PUNCT_TOKEN=… asr-punct serve --host 0.0.0.0 --port 80",
    },
)
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0: all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8080,
    model: options.Model = None,
    language: options.TextLanguage = None,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="ASR_PUNCT_TOKEN",
            help="Token that clients must send. The variable is safer, because ps shows options.",
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            help="Site, such as https://example.org, whose pages may use the service; behind a proxy also its own site."
        ),
    ] = None,
    max_streams: Annotated[
        int, typer.Option(min=1, help="Maximum number of streams at the same time; further ones get status 503.")
    ] = DEFAULTS.streams,
    max_body: Annotated[int, typer.Option(min=1, help="Maximum size of the body of a request in MiB.")] = 8,
    vosk: Annotated[
        str | None,
        typer.Option(help="Vosk server to forward audio to, such as ws://localhost:2700; its results are punctuated."),
    ] = None,
    openai: Annotated[
        str | None,
        typer.Option(
            help="Recogniser with OpenAI's API to forward audio to, such as http://localhost:8000; "
            "its transcriptions are punctuated."
        ),
    ] = None,
    asr: Recogniser = None,
    marks: options.MarkNames = None,
    no_case: options.NoCase = False,
    casing: options.CasingList = None,
    sensitivity: options.Sensitivity = 0.0,
    int8: options.Int8 = False,
    threads: Annotated[
        int,
        typer.Option(
            min=0,
            help="Threads for streams, and as many for long documents; 0: OMP_NUM_THREADS, else one for each core.",
        ),
    ] = 0,
    quiet: options.Quiet = False,
) -> None:
    """Serve marks and capitals over HTTP and WebSocket.

    Needs the extra "serve". POST /v1/punctuate accepts a text, words with times, or a file in any format that
    punctuate reads; the WebSocket /v1/stream accepts words as they arrive; / is a page to read, edit and export a file.
    With --vosk, clients of Vosk connect to / as to the Vosk server and get its results with marks and capitals; with
    --openai, POST /v1/audio/transcriptions is that of OpenAI. With --asr, audio is transcribed, one file at a time.

    Without --token everybody who reaches the address by a permitted host name may use the service. SIGTERM and SIGINT
    end it: it finishes its requests and sends the remaining words of its streams.
    """
    from asr_punct.inference.backend import thread_count
    from asr_punct.inference.punctuator import Punctuator
    from asr_punct.serve.app import Service
    from asr_punct.serve.models import Models
    from asr_punct.serve.server import Server, bind
    from asr_punct.serve.transcription import Transcriber

    _check_addresses(token, vosk, openai)
    if asr is not None:
        check_installed(asr)
    listener = bind(host, port)

    chosen = options.model_options(
        language=language, int8=int8, marks=marks, no_case=no_case, casing=casing, sensitivity=sensitivity
    )

    def open_model(name: str | None) -> Punctuator:
        return Punctuator.open(replace(chosen, name=name))

    models = Models(open_model, model)
    workers = thread_count(threads)
    # As in the default limits, all bodies in memory together may be as large as 16 bodies of the maximum size.
    limits = ServiceLimits(streams=max_streams, body_bytes=max_body * 2**20, buffered_bytes=16 * max_body * 2**20)
    service = Service(models, limits, token or "", allow_origin or (), host, workers, vosk or "", openai or "")
    if asr is not None:
        service.transcriber = Transcriber(open_recogniser(asr, language=language))
    server = Server(service)
    if not quiet:
        shown = f"[{host}]" if ":" in host else host
        typer.echo(f"{NAME}: http://{shown}:{port} (Ctrl-C ends it)", err=True)
    server.run([listener])


def _check_addresses(token: str | None, vosk: str | None, openai: str | None) -> None:
    """Raise AsrPunctError for a token or an address of a recogniser that cannot be one."""
    if token is not None and not re.fullmatch(r"[!-~]+", token):
        raise AsrPunctError("--token", "an invalid token", "printable ASCII characters without spaces")
    if vosk is not None and not vosk.startswith(("ws://", "wss://")):
        raise AsrPunctError("--vosk", repr(vosk), "an address such as ws://localhost:2700")
    if openai is not None and not openai.startswith(("http://", "https://")):
        raise AsrPunctError("--openai", repr(openai), "an address such as http://localhost:8000")
