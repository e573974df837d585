"""Errors of the service as JSON: `{"error": {"place", "found", "expected"}}`."""

from __future__ import annotations

import re
from typing import Any

from fastapi.responses import JSONResponse
from pydantic import ValidationError

from asr_punct.errors import AsrPunctError, InputError
from asr_punct.formats.values import short_repr

_PARTS = re.compile(r"(?:(?P<place>.*?):? ?)found (?P<found>.*?), expected (?P<expected>.*)", re.DOTALL)
"""The message of an AsrPunctError that has no attributes for its parts."""
_EXPECTED = {
    "bool_parsing": "true or false",
}
"""What was expected, by pydantic's type of the error; for other types pydantic's message is used."""


class ServiceError(Exception):
    """An error that is answered with an HTTP status; the request may succeed after `retry_after_s` seconds."""

    def __init__(self, status: int, place: str, found: str, expected: str, retry_after_s: int | None = None) -> None:
        self.status, self.retry_after_s = status, retry_after_s
        self.content = error_content(place, found, expected)
        super().__init__(f"{place}: found {found}, expected {expected}")

    def response(self) -> JSONResponse:
        """Return the answer. After 408 and 413 the connection is closed, because the rest of the body is not read."""
        headers = {"Connection": "close"} if self.status in (408, 413) else {}
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if self.retry_after_s is not None:
            headers["Retry-After"] = str(self.retry_after_s)
        return JSONResponse(self.content, self.status, headers)


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
    503: {"description": "Too many requests wait; the header Retry-After gives the seconds to wait."},
}
"""Error responses by status, for the OpenAPI page."""
