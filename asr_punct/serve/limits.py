"""Limits of the service."""

from __future__ import annotations

from dataclasses import dataclass

from asr_punct.words import Seconds


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Limits that protect the service from its clients.

    Attributes:
        headers_s: a connection is closed if its client sends no whole headers of a request for so long.
        body_bytes: maximum size of the body of a request.
        buffered_bytes: maximum size of all bodies that are in memory.
        requests: maximum number of requests that wait or are computed; a further one gets status 503.
        request_s: maximum time to receive a request, and to compute it.
        audio_s: maximum time to transcribe audio.
        streams: maximum number of WebSocket connections beside those of viewers.
        viewers: maximum number of viewers of captions.
        message_bytes: maximum size of a WebSocket message.
        message_words: maximum number of words of a message of a stream.
        waiting_bytes: maximum size of the messages of a stream that are read while others are answered.
        behind_s: a stream that sends more than `waiting_bytes` is closed once its messages wait for so long.
        pong_s: a connection is closed if its client does not answer a ping for so long.
        idle_s: a stream is closed if its client sends nothing for so long; None: never.
        send_s: a stream is closed if its client reads nothing for so long while answers wait.
        stop_s: maximum time to finish requests and streams when the service stops.
    """

    headers_s: Seconds = 10.0
    body_bytes: int = 8 * 2**20
    buffered_bytes: int = 128 * 2**20
    requests: int = 64
    request_s: Seconds = 60.0
    audio_s: Seconds = 3600.0
    streams: int = 250
    viewers: int = 250
    message_bytes: int = 256 * 2**10
    message_words: int = 500
    waiting_bytes: int = 512 * 2**10
    behind_s: Seconds = 15.0
    pong_s: Seconds = 60.0
    idle_s: Seconds | None = 300.0
    send_s: Seconds = 10.0
    stop_s: Seconds = 30.0


DEFAULTS = ServiceLimits()
