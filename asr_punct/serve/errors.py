"""Errors of the service as JSON: `{"error": {"place", "found", "expected"}}`."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from asr_punct.errors import AsrPunctError, InputError, first_line
from asr_punct.formats.json_values import short_repr

_PARTS = re.compile(r"(?:(?P<place>.*?):? ?)found (?P<found>.*?), expected (?P<expected>.*)", re.DOTALL)
"""The message of an AsrPunctError that has no attributes for its parts."""
LANGUAGE_CODES = "a code of two or three lower-case letters, or several: es, es+eu"


class ServiceError(Exception):
    """An error that is answered with an HTTP status; the request may succeed after `retry_after_s` seconds."""

    def __init__(self, status: int, place: str, found: str, expected: str, retry_after_s: int | None = None) -> None:
        self.status, self.retry_after_s = status, retry_after_s
        self.content = error_content(place, found, expected)
        super().__init__(f"{place}: found {found}, expected {expected}")

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the answer. The rest of a refused body is not read: the connection is closed."""
        closing = {"Connection": "close"} if self.status in (408, 413) else {}
        return closing if self.retry_after_s is None else {**closing, "Retry-After": str(self.retry_after_s)}


def error_content(place: str, found: str, expected: str) -> dict[str, dict[str, str]]:
    """Return the JSON body of an error: one line each of place, found and expected."""
    parts = {"place": place, "found": found, "expected": expected}
    return {"error": {name: " ".join(text.split()) for name, text in parts.items()}}


def bad_request(error: AsrPunctError) -> ServiceError:
    """Return bad input as an error with status 422."""
    if isinstance(error, InputError):
        return ServiceError(422, error.place, error.found, _with_parameters(error.expected))
    match = _PARTS.fullmatch(str(error))
    parts = match.groupdict() if match else {"place": "", "found": str(error), "expected": "valid input"}
    return ServiceError(422, parts["place"].removeprefix("--") or "request", parts["found"], parts["expected"])


def _with_parameters(expected: str) -> str:
    """Replace options of the command line by HTTP parameters."""
    alternatives = "the header content-type: application/json, or ?from=FORMAT"
    return expected.replace("--from and its format", alternatives).replace("--from ", "?from=")


def validation_error(error: ValidationError, place: str) -> ServiceError:
    """Return the first error of a JSON value: status 400 if it is not JSON, else 422."""
    detail = error.errors(include_url=False)[0]
    message = first_line(ValueError(detail["msg"].removeprefix("Value error, ")))
    if detail["type"] == "json_invalid":
        return ServiceError(400, place, f"text that is not JSON ({message})", "a JSON object")
    where = ".".join(str(part) for part in detail["loc"])
    found = "nothing" if detail["type"] == "missing" else short_repr(detail["input"])
    if detail["type"] == "unknown_key":
        found = f"the key {short_repr(detail['ctx']['key'])}"
    expected = message.removeprefix("Input should be ")
    expected = LANGUAGE_CODES if detail["type"] == "string_pattern_mismatch" else expected[:1].lower() + expected[1:]
    return ServiceError(422, f"{place}: {where}" if where else place, found, expected)


ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The body is not JSON, or not a form."},
    401: {"description": "The token is missing or wrong."},
    403: {"description": "The request is from a page of another site, or for another host."},
    408: {"description": "The body was not received in time."},
    413: {"description": "The body is too large."},
    422: {"description": "The input is malformed: place, found, expected."},
    503: {"description": "Too many requests wait; the header Retry-After gives the seconds to wait."},
}
"""Error responses by status, for the OpenAPI page."""
