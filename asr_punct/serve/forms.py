"""Parse a multipart form in memory."""

from __future__ import annotations

import logging

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File, create_form_parser

from asr_punct.formats.files import MemoryFile
from asr_punct.serve.errors import ServiceError

_EXPECTED = "a form with a field 'file'"
_MAX_FIELDS = 20
logging.getLogger("python_multipart").setLevel(logging.ERROR)  # it logs a warning for each malformed form


def parse_form(content_type: str, body: bytes) -> tuple[dict[str, str], MemoryFile]:
    """Return the text fields of a form, and its file.

    Raises ServiceError if the body is not a form, or has no file or several.
    """
    fields: dict[str, str] = {}
    files: list[File] = []

    def on_field(field: Field) -> None:
        """Keep a field of the form."""
        fields[_text(field.field_name)] = _text(field.value)

    config = {"MAX_MEMORY_FILE_SIZE": len(body) + 1, "MAX_FIELDS": _MAX_FIELDS}
    try:
        parser = create_form_parser({"Content-Type": content_type.encode()}, on_field, files.append, config)
        parser.write(body)
        parser.finalize()
    except (FormParserError, ValueError) as error:
        raise ServiceError(400, "body", f"no form ({error})", _EXPECTED) from None
    if len(files) != 1:
        raise ServiceError(400, "body", f"{len(files)} files", _EXPECTED)
    (file,) = files
    if file.field_name != b"file":
        raise ServiceError(422, "body", f"a file in the field {_text(file.field_name)[:80]!r}", _EXPECTED)
    file.file_object.seek(0)
    return fields, MemoryFile(_text(file.file_name) or "upload", file.file_object.read())


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", errors="replace")
