"""Bytes of text files, decoded: UTF-8, UTF-16 or UTF-32 with a byte order mark, or an encoding that the user names.

Without either, a file that is plainly UTF-16 or Windows-1252 (of which Latin-1 is a part) is read as that, unless all
must be UTF-8. Other bytes that are not UTF-8, such as half a character of a recogniser's output, become lone surrogates
(PEP 383), so that they can be written again. Everywhere else they are shown as U+FFFD.
"""

import codecs
import json
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import BinaryIO, Literal

from asr_punct.errors import ArgumentError, InputError, Setting

Undecoded = Literal["refuse", "keep", "replace"]
"""What happens to lone surrogates on output: an error, the bytes that they stand for, or U+FFFD."""
Lacking = Literal["json", "xml", "quoted", "marks"]
_SETTING = Setting("encoding")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # begins with the mark of UTF-16
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
"""The encodings by their byte order mark."""
_SAMPLE, _SAMPLES = 2**16, 2**10
"""Size of the blocks by which the encoding of a file is known, in bytes, and the number of those that are looked at."""
_WESTERN = "cp1252"
_NOT_WESTERN = re.compile(rb"[\x81-\x84\x86-\x90\x95\x98-\x9f\xd0\xdd\xde\xf0\xfd\xfe]|[\xc0-\xff]{3}")
"""Bytes that no text of western Europe has in Windows-1252, but other encodings have."""
_WESTERN_LETTER = re.compile(rb"[\xc0-\xd6\xd8-\xf6\xf8-\xff][A-Za-z]|[A-Za-z]\x92[A-Za-z]")
"""A letter or apostrophe of Windows-1252 inside a word. In half of a UTF-8 character no letter follows."""
_WESTERN_EDGE = re.compile(
    rb"[A-Za-z][\xe0\xe1\xe3-\xef\xf1-\xf6\xf8-\xff](?![\x80-\xff])|(?<![\w\x80-\xff])[\xa1\xbf][A-Za-z]"
)
_HALF = re.compile(rb"[\xc2-\xc5\xe2\xf0](?![A-Za-z])")
"""The letter at the end of a word, or ¿ or ¡ at its start; and the first half of a UTF-8 character."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_ASCII = str.maketrans({"…": "...", "“": '"', "”": '"', "–": "-", "—": "-"})
_PLAINLY = 0.8
"""The share of NULs in every second byte from which text is UTF-16."""


def visible(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def encoded(text: str, undecoded: Undecoded = "refuse") -> bytes:
    """Return the text in UTF-8. Raises UnicodeEncodeError for lone surrogates that are refused."""
    if undecoded == "replace":
        text = visible(text)
    return text.encode("utf-8", "surrogateescape" if undecoded == "keep" else "strict")


def encodable(text: str, form: "TextForm") -> str:
    """Return the text with the characters that the form's encoding lacks written as `form.lacking` says.

    Those that have no other form, and bytes that could not be decoded, stay.
    """
    return _NOT_ASCII.sub(partial(_encodable_character, form), text)


def _encodable_character(form: "TextForm", match: re.Match[str]) -> str:
    character = match[0]
    with suppress(UnicodeEncodeError):
        character.encode(form.encoding, "surrogateescape")
        return character
    if form.lacking == "json":
        return json.dumps(character)[1:-1]
    if form.lacking == "xml":
        return f"&#{ord(character)};"
    ascii_mark = character.translate(_ASCII)
    return ascii_mark.replace('"', "'") if form.lacking == "quoted" else ascii_mark


def rejoined(text: str) -> str:
    """Return a text that was joined from parts: bytes that are a character together become that character."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a text is written as bytes.

    Attributes:
        encoding: name of the encoding.
        has_mark: whether it begins with a byte order mark.
        line_end: what ends a line: a line feed, or CRLF.
        is_guessed: whether only its bytes tell the encoding.
        lacking: how characters are written that the encoding lacks: escapes of JSON, references of XML, or ASCII
            marks, without `"` where texts are between those.
    """

    encoding: str = "utf-8"
    has_mark: bool = False
    line_end: Literal["\n", "\r\n"] = "\n"
    is_guessed: bool = False
    lacking: Lacking = "marks"

    @property
    def guess(self) -> str:
        """A line about the encoding that was guessed."""
        return f"read as {self.encoding.upper()}, not UTF-8"


UTF8 = TextForm()


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the bytes of a file are decoded.

    Attributes:
        name: name of the encoding; None: that of the byte order mark, else UTF-8.
        keeps_bytes: whether bytes that are not UTF-8 tell the encoding, or are kept as lone surrogates; else they are
            an error.
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
"""UTF-8, UTF-16 or UTF-32; whether other bytes are an error or kept."""


def form_of(first: bytes, other: bytes, encoding: Encoding) -> TextForm:
    """Return the form of a text, by its first bytes, and by those from the first block that has `other` than ASCII.

    Nothing is guessed unless bytes are kept and no encoding is named.
    """
    mark, marked = next(((mark, name) for mark, name in _MARKS.items() if first.startswith(mark)), (b"", ""))
    name = codecs.lookup(encoding.name).name if encoding.name else ""
    if mark and marked.startswith(name.removesuffix("-sig")):
        return TextForm(marked, has_mark=True, line_end=_line_end(first, marked))
    if encoding.name:
        named = (_plain_utf16(first) if name == "utf-16" else "") or encoding.name
        return TextForm(named, line_end=_line_end(first, named))
    guessed = (_plain_utf16(first) or _western(other)) if encoding.keeps_bytes else ""
    return TextForm(guessed or "utf-8", line_end=_line_end(first, guessed or "utf-8"), is_guessed=bool(guessed))


def first_blocks(file: BinaryIO) -> tuple[bytes, bytes]:
    """Return the first bytes of an open file, and those from its first block that is not ASCII; nothing is read.

    Of a stream, and of a long file that begins in ASCII, only the first bytes are known.
    """
    first: bytes = getattr(file, "peek", lambda _: b"")(_SAMPLE)[:_SAMPLE]
    if not file.seekable():
        return first, first
    start = file.tell()
    blocks = iter(partial(file.read, _SAMPLE), b"")
    first = next(blocks, b"")
    other = next((block for block in chain([first], islice(blocks, _SAMPLES)) if not block.isascii()), b"")
    file.seek(start)
    return first, other


def _line_end(raw: bytes, encoding: str) -> Literal["\n", "\r\n"]:
    """Return CRLF if all of the first lines end so."""
    try:
        text = codecs.getincrementaldecoder(encoding)("replace").decode(raw)
    except UnicodeError:  # UTF-16 and UTF-32 without a byte order mark are an error when the text is read
        return "\n"
    return "\r\n" if 0 < text.count("\n") == text.count("\r\n") else "\n"


def _plain_utf16(raw: bytes) -> str:
    """Return the name of UTF-16 if every second byte is NUL, as in text in Latin letters, else ""."""
    for name, zeros, others in (("utf-16-le", raw[1::2], raw[::2]), ("utf-16-be", raw[::2], raw[1::2])):
        if zeros.count(0) > _PLAINLY * len(zeros) and not others.count(0):
            return name
    return ""


def _western(raw: bytes) -> str:
    """Return the name of Windows-1252 if bytes that are not UTF-8 are plainly letters of it, else ""."""
    if raw.isascii() or _NOT_WESTERN.search(raw) or not _is_without_utf8(raw):
        return ""
    is_plain = _WESTERN_LETTER.search(raw) or (_WESTERN_EDGE.search(raw) and not _HALF.search(raw))
    return _WESTERN if is_plain else ""


def _is_without_utf8(raw: bytes) -> bool:
    return raw.decode("utf-8", "ignore").isascii()


class ByteDecoder:
    """Decodes one file, part by part.

    Attributes:
        form: the form of the text. If its first bytes are ASCII, others may show that it is Windows-1252.
        count: the number of bytes so far that are not UTF-8 and were kept.
        first: the place of the first one (`line 3, column 12`), or "".
    """

    def __init__(self, form: TextForm, name: str, *, keeps_bytes: bool) -> None:
        self.form, self.count, self.first = form, 0, ""
        self._name, self._keeps_bytes = name, keeps_bytes
        self._other = None if form.encoding == "utf-8" else self._incremental(form.encoding)
        self._has_started = self._has_utf8 = False

    def _incremental(self, name: str) -> codecs.IncrementalDecoder:
        return codecs.getincrementaldecoder(name)("surrogateescape" if name == _WESTERN else "strict")

    def decode(self, raw: bytes, line: int, *, is_last: bool = False) -> str:
        """Return the text of the next bytes, which begin at this line, without the byte order mark.

        A part of UTF-8 must not end inside a character, but for bytes that are kept. Raises InputError at the line for
        bytes that cannot be decoded.
        """
        is_first, self._has_started = not self._has_started, True
        text = self._utf8(raw, line) if self._other is None else self._by_other(self._other, raw, line, is_last)
        return text.removeprefix("\ufeff") if is_first else text

    def _by_other(self, decoder: codecs.IncrementalDecoder, raw: bytes, line: int, is_last: bool) -> str:
        try:
            return decoder.decode(raw, is_last)
        except UnicodeDecodeError as error:
            found = f"byte 0x{error.object[error.start]:02x}"
        except UnicodeError as error:  # of codecs such as UTF-16 without a byte order mark
            found = str(error)
        raise InputError(f"{self._name}:{line}", found, f"{self.form.encoding.upper()} text", _SETTING)

    def _utf8(self, raw: bytes, line: int) -> str:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            has_only_ascii = not (self._has_utf8 or self.count)
            if self._keeps_bytes and has_only_ascii and _western(raw):
                self.form = replace(self.form, encoding=_WESTERN, is_guessed=True)
                self._other = self._incremental(_WESTERN)
                return self._other.decode(raw)
            before = raw[: error.start]
            line, column = line + before.count(b"\n"), error.start - before.rfind(b"\n")
            has_only_ascii = not self._has_utf8 and _is_without_utf8(raw)
            if not self._keeps_bytes or (has_only_ascii and _WESTERN_LETTER.search(raw)):
                found = f"byte 0x{raw[error.start]:02x} at column {column}"
                raise InputError(f"{self._name}:{line}", found, "UTF-8 text", _SETTING) from None
            text = raw.decode("utf-8", "surrogateescape")
            self.count += len(_SURROGATE.findall(text))
            self.first = self.first or f"line {line}, column {column}"
        self._has_utf8 |= not text.isascii()
        return text
