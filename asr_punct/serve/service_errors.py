"""Errors of the service as JSON: `{"error": {"place", "found", "expected"}}`."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse
from pydantic import ValidationError

from asr_punct.errors import AsrPunctError, Setting
from asr_punct.formats.values import short_repr

_KEYS = {"source_format": "from", "target_format": "to"}
"""Keys of a request that have another name than the Python parameter."""
_EXPECTED = {"bool_parsing": "true or false"}
"""What was expected, by pydantic's type of the error; for other types pydantic's message is used."""


class ServiceError(Exception):
    """An error that is answered with an HTTP status; the request may succeed after `retry_after_s` seconds."""

    def __init__(self, status: int, place: str, found: str, expected: str, retry_after_s: int | None = None) -> None:
        self.status, self.retry_after_s = status, retry_after_s
        self.place, self.found, self.expected = (" ".join(text.split()) for text in (place, found, expected))
        super().__init__(f"{self.place}: found {self.found}, expected {self.expected}")

    @property
    def content(self) -> dict[str, dict[str, str]]:
        """The JSON of the answer."""
        return {"error": {"place": self.place, "found": self.found, "expected": self.expected}}

    def response(self) -> JSONResponse:
        """Return the answer. After 408 and 413 the connection is closed, because the rest of the body is not read."""
        headers = {"Connection": "close"} if self.status in (408, 413) else {}
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if self.retry_after_s is not None:
            headers["Retry-After"] = str(self.retry_after_s)
        return JSONResponse(self.content, self.status, headers)


def internal_error() -> ServiceError:
    """Return the answer to an error of the service itself, without details."""
    return ServiceError(500, "service", "an internal error", "an answer; the log has the error")


def stopping() -> ServiceError:
    """Return the answer to a request that is not computed because the service stops."""
    return ServiceError(503, "service", "a service that stops", "another one, or this one later", retry_after_s=5)


def bad_request(error: AsrPunctError) -> ServiceError:
    """Return bad input as an error with status 422, with the keys of a request for Python parameters."""
    expected = f"{error.expected} ({_parameter(error.setting)})" if error.setting else error.expected
    return ServiceError(422, _KEYS.get(error.place, error.place) or "request", error.found, expected)


def _parameter(setting: Setting) -> str:
    """Return a setting as a parameter of the address."""
    key = _KEYS.get(setting.name, setting.name)
    any_format = "FORMAT, or for JSON the header content-type: application/json"
    return f"?{key}={setting.value or any_format}"


def validation_error(error: ValidationError, place: str = "") -> ServiceError:
    """Return pydantic's first error as an error with status 400 if the text is not JSON, else 422.

    `place` names the value, such as `body`; the path of the bad key is added.
    """
    detail = error.errors(include_url=False)[0]
    message = detail["msg"].removeprefix("Value error, ").partition("\n")[0]
    where = ": ".join(filter(None, [place, ".".join(map(str, detail["loc"]))])) or "request"
    if detail["type"] == "json_invalid":
        return ServiceError(400, where, f"text that is not JSON ({message})", "a JSON object")
    found = "nothing" if detail["type"] == "missing" else short_repr(detail["input"])
    if detail["type"] == "unknown_key":
        found = f"the key {short_repr(detail['ctx']['key'])}"
    expected = message.removeprefix("Input should be ")
    return ServiceError(422, where, found, _EXPECTED.get(detail["type"]) or expected[:1].lower() + expected[1:])


ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The body is not JSON, or not a form."},
    401: {"description": "The token is missing or wrong."},
    403: {"description": "The request is from a page of another site, or for another host."},
    408: {"description": "The body was not received in time."},
    413: {"description": "The body is too large."},
    422: {"description": "The input is malformed: place, found, expected."},
    503: {"description": "Too many requests wait, or the service stops; Retry-After gives the seconds to wait."},
    504: {"description": "The request was not computed in time: a repetition would not be either."},
}
"""Error responses by status, for the OpenAPI page."""
