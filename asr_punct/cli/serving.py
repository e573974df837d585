"""The command `serve`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from asr_punct.asr import check_installed, open_recogniser
from asr_punct.cli import groups, options
from asr_punct.cli.base import NAME, Section, command
from asr_punct.cli.recognition import Recogniser
from asr_punct.errors import AsrPunctError
from asr_punct.inference.options import Computing, OutputOptions
from asr_punct.serve.limits import DEFAULTS, ServiceLimits

_MIB = 2**20


@dataclass(frozen=True)
class Access:
    """The address of the service, and who may use it and how much."""

    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0: all.")] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8080
    token: Annotated[
        str | None,
        typer.Option(
            envvar="ASR_PUNCT_TOKEN",
            help="Token that clients must send. The variable is safer, because ps shows options.",
        ),
    ] = None
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            help="Site, such as https://example.org, whose pages may use the service; behind a proxy also its own site."
        ),
    ] = None
    max_streams: Annotated[
        int, typer.Option(min=1, help="Maximum number of streams at the same time; further ones get status 503.")
    ] = DEFAULTS.streams
    max_body: Annotated[int, typer.Option(min=1, help="Maximum size of the body of a request in MiB.")] = (
        DEFAULTS.body_bytes // _MIB
    )


@dataclass(frozen=True)
class Recognisers:
    """The recognisers that the service passes audio to."""

    vosk: Annotated[
        str | None,
        typer.Option(help="Vosk server to forward audio to, such as ws://localhost:2700; its results are punctuated."),
    ] = None
    openai: Annotated[
        str | None,
        typer.Option(
            help="Recogniser with OpenAI's API to forward audio to, such as http://localhost:8000; "
            "its transcriptions are punctuated."
        ),
    ] = None
    asr: Recogniser = None


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
    *,
    access: Access,
    choice: groups.ModelChoice,
    recognisers: Recognisers,
    labelling: OutputOptions,
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

    _check_addresses(access.token, recognisers)
    if recognisers.asr is not None:
        check_installed(recognisers.asr)
    listener = bind(access.host, access.port)
    chosen = groups.model_options(choice, labelling, Computing(graph="int8" if int8 else None))

    def open_model(name: str | None) -> Punctuator:
        return Punctuator.open(replace(chosen, name=name))

    service = Service(
        Models(open_model, choice.model),
        _limits(access),
        token=access.token or "",
        origins=access.allow_origin or (),
        host=access.host,
        threads=thread_count(threads),
        vosk=recognisers.vosk or "",
        openai=recognisers.openai or "",
    )
    if recognisers.asr is not None:
        service.transcriber = Transcriber(open_recogniser(recognisers.asr, language=choice.language))
    server = Server(service)
    if not quiet:
        shown = f"[{access.host}]" if ":" in access.host else access.host
        typer.echo(f"{NAME}: http://{shown}:{access.port} (Ctrl-C ends it)", err=True)
    server.run([listener])


def _limits(access: Access) -> ServiceLimits:
    """Return the limits of the service; as in the default ones, memory is for 16 bodies of the maximum size."""
    body_bytes = access.max_body * _MIB
    return ServiceLimits(streams=access.max_streams, body_bytes=body_bytes, buffered_bytes=16 * body_bytes)


def _check_addresses(token: str | None, recognisers: Recognisers) -> None:
    """Raise AsrPunctError for a token or an address of a recogniser that cannot be one."""
    vosk, openai = recognisers.vosk, recognisers.openai
    if token is not None and not re.fullmatch(r"[!-~]+", token):
        raise AsrPunctError("--token", "an invalid token", "printable ASCII characters without spaces")
    if vosk is not None and not vosk.startswith(("ws://", "wss://")):
        raise AsrPunctError("--vosk", repr(vosk), "an address such as ws://localhost:2700")
    if openai is not None and not openai.startswith(("http://", "https://")):
        raise AsrPunctError("--openai", repr(openai), "an address such as http://localhost:8000")
