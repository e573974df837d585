"""Bytes of text files, decoded: UTF-8, UTF-16 with a byte order mark, or an encoding that the user names.

Bytes that are not UTF-8, such as half a character of a recogniser's output, become lone surrogates (PEP 383), so that
they can be written again. Everywhere else they are shown as U+FFFD.
"""

import codecs
import re
from dataclasses import dataclass
from typing import Literal

from asr_punct.errors import ArgumentError, InputError, Setting

Undecoded = Literal["refuse", "keep", "replace"]
"""What happens to lone surrogates on output: an error, the bytes that they stand for, or U+FFFD."""
_SETTING = Setting("encoding")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_OTHER_LETTER = re.compile(rb"[\xc0-\xd6\xd8-\xf6\xf8-\xfd][A-Za-z]")
"""A letter of Latin-1 and similar encodings inside a word. In half of a UTF-8 character no letter follows."""


def visible(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def encoded(text: str, undecoded: Undecoded = "refuse") -> bytes:
    """Return the text in UTF-8. Raises UnicodeEncodeError for lone surrogates that are refused."""
    if undecoded == "replace":
        text = visible(text)
    return text.encode("utf-8", "surrogateescape" if undecoded == "keep" else "strict")


def rejoined(text: str) -> str:
    """Return a text that was joined from parts: bytes that are a character together become that character."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the bytes of a file are decoded.

    Attributes:
        name: name of the encoding; None: UTF-8, or UTF-16 if the file begins with its byte order mark.
        keeps_bytes: whether bytes that are not UTF-8 are kept as lone surrogates; else they are an error.
    """

    name: str | None = None
    keeps_bytes: bool = False

    def __post_init__(self) -> None:
        """Raise ArgumentError for the name of no encoding of text."""
        try:
            codecs.getincrementaldecoder(self.name or "utf-8")
            bytes(4).decode(self.name or "utf-8", "replace")
        except (LookupError, ValueError):
            expected = "an encoding of text, such as latin-1 or utf-16"
            raise ArgumentError("encoding", repr(self.name), expected) from None


STRICT, TOLERANT = Encoding(), Encoding(keeps_bytes=True)
"""UTF-8, or UTF-16 with a byte order mark; whether other bytes are an error or kept."""


class ByteDecoder:
    """Decodes one file, part by part.

    Attributes:
        count: the number of bytes so far that are not UTF-8 and were kept.
        first: the place of the first one (`line 3, column 12`), or "".
    """

    def __init__(self, encoding: Encoding, name: str) -> None:
        self.count, self.first = 0, ""
        self._encoding, self._name = encoding, name
        self._other = self._incremental(encoding.name) if encoding.name else None
        self._has_started = self._has_utf8 = False

    @staticmethod
    def _incremental(name: str) -> codecs.IncrementalDecoder:
        return codecs.getincrementaldecoder(name)()

    def decode(self, raw: bytes, line: int, *, is_last: bool = False) -> str:
        """Return the text of the next bytes, which begin at this line, without the byte order mark.

        A part of UTF-8 must not end inside a character, but for bytes that are kept. Raises InputError at the line for
        bytes that cannot be decoded.
        """
        is_first, self._has_started = not self._has_started, True
        if is_first and self._other is None and raw.startswith(_UTF16_MARKS):
            self._other = self._incremental("utf-16")
        text = self._utf8(raw, line) if self._other is None else self._by_other(self._other, raw, line, is_last)
        return text.removeprefix("\ufeff") if is_first else text

    def _by_other(self, decoder: codecs.IncrementalDecoder, raw: bytes, line: int, is_last: bool) -> str:
        try:
            return decoder.decode(raw, is_last)
        except UnicodeDecodeError as error:
            found = f"byte 0x{error.object[error.start]:02x}"
        except UnicodeError as error:  # of codecs such as UTF-16 without a byte order mark
            found = str(error)
        raise InputError(f"{self._name}:{line}", found, f"{self._encoding.name or 'UTF-16'} text", _SETTING)

    def _utf8(self, raw: bytes, line: int) -> str:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            before = raw[: error.start]
            line, column = line + before.count(b"\n"), error.start - before.rfind(b"\n")
            if not self._encoding.keeps_bytes or self._is_other_encoding(raw):
                found = f"byte 0x{raw[error.start]:02x} at column {column}"
                raise InputError(f"{self._name}:{line}", found, "UTF-8 text", _SETTING) from None
            text = raw.decode("utf-8", "surrogateescape")
            self.count += len(_SURROGATE.findall(text))
            self.first = self.first or f"line {line}, column {column}"
        self._has_utf8 |= not text.isascii()
        return text

    def _is_other_encoding(self, raw: bytes) -> bool:
        """Whether a file is in another encoding: it has letters of one inside words, and so far none of UTF-8."""
        has_utf8 = self._has_utf8 or not raw.decode("utf-8", "ignore").isascii()
        return not has_utf8 and _OTHER_LETTER.search(raw) is not None
