"""Files that are not text, by their first bytes."""

import re

_KINDS = {
    "audio": re.compile(
        rb"(RIFF|RF64)....WAVE|ID3[\x02-\x04]\x00|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]|OggS\x00|fLaC\x00|FORM....AIF|NIST_1A\n",
        re.DOTALL,
    ),
    "audio or video": re.compile(rb"\x00\x00..ftyp|\x1a\x45\xdf\xa3|RIFF....AVI ", re.DOTALL),
    "a ZIP archive, such as .docx or .odt": re.compile(rb"PK(\x03\x04|\x05\x06)"),
    "a PDF": re.compile(rb"%PDF-\d"),
    "an old Office file, such as .doc": re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    "a compressed file": re.compile(rb"\x1f\x8b\x08|BZh[1-9]1AY|\xfd7zXZ|7z\xbc\xaf|Rar!\x1a\x07|\x28\xb5\x2f\xfd"),
    "an image": re.compile(rb"\x89PNG\r\n|\xff\xd8\xff"),
    "a program": re.compile(rb"\x7fELF|MZ\x90\x00"),
}
_MIN_LENGTH = 64
_CONTROLS = bytes({*range(32)} - {*b"\t\n\v\f\r\x1b"}) + b"\x7f"
_MIN_CONTROLS, _MIN_UNDECODABLE = 0.02, 0.1
"""Shares of control characters, and of bytes that are not UTF-8, from which bytes are no text."""


def binary_kind(raw: bytes) -> str:
    """Return what bytes look like if they are the first ones of a file that is not text, else ""."""
    for kind, pattern in _KINDS.items():
        if pattern.match(raw):
            return kind
    undecodable = len(raw) - len(raw.decode("utf-8", "ignore").encode())
    controls = len(raw) - len(raw.translate(None, _CONTROLS))
    is_binary = controls >= _MIN_CONTROLS * len(raw) and undecodable >= _MIN_UNDECODABLE * len(raw)
    return "binary data" if is_binary and len(raw) >= _MIN_LENGTH else ""
