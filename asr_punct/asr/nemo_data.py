"""NeMo's model files and transcription results, read without NeMo.

A `.nemo` file is a tar. A `Hypothesis` of NeMo has `text` and, with `timestamps=True`, a dictionary `timestamp`, whose
`word` is a list of `{"word", "start_offset", "end_offset", "start", "end"}`: offsets in output frames of the model,
`start` and `end` in seconds. Any object with these two attributes will do.
"""

import lzma
import tarfile
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from asr_punct.audio import Pathlike
from asr_punct.errors import InputError, ModelError, plural
from asr_punct.formats.entries import entry_words
from asr_punct.formats.json.nodes import Node
from asr_punct.formats.values import Object
from asr_punct.words import Word, split_words

MAX_BYTES = 16 << 30
"""Maximum size of an unpacked `.nemo` file."""


def check_archive(path: Pathlike, names: Collection[str] | None = None) -> None:
    """Check a `.nemo` file before it is unpacked. `names` are the files that it may contain, None for any.

    Raises ModelError for a missing file, one that is not a tar or has more than `MAX_BYTES` when unpacked, and a member
    that is a link or device, is outside the folder, or is not one of `names`.
    """
    if not Path(path).is_file():
        raise ModelError(path, "no such file", "a .nemo file")
    total = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = PurePosixPath(member.name)
                if not (member.isreg() or member.isdir()) or name.is_absolute() or ".." in name.parts:
                    raise ModelError(path, f"member {member.name!r}", "plain files inside its folder")
                if names is not None and member.isreg() and str(name) not in names:
                    raise ModelError(path, f"member {member.name!r}", f"some of {', '.join(names)}")
                total += member.size
                if total > MAX_BYTES:
                    raise ModelError(path, f"{total} bytes or more when unpacked", f"at most {MAX_BYTES}")
    except (tarfile.TarError, OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise ModelError(path, str(error) or type(error).__name__, "a .nemo file, which is a tar") from None


def read_hypothesis(hypothesis: Any, place: str) -> tuple[tuple[Word, ...], list[Object] | None]:
    """Return the words of a hypothesis, with times if it has any, and the entries of `timestamp["word"]`, if any.

    An entry usually has one word, but may have several or none. `place` names the hypothesis in errors. Raises
    InputError without `text`, for invalid times, or if `text` and `timestamp` differ in their number of words.
    """
    text, timestamp = getattr(hypothesis, "text", None), getattr(hypothesis, "timestamp", None)
    if not isinstance(text, str):
        found = f"{type(hypothesis).__name__} with text {text!r}"
        raise InputError(place, found, "a Hypothesis whose text is a string")
    if not isinstance(timestamp, Mapping) or "word" not in timestamp:
        return split_words(text), None
    entries = Node(timestamp, place).nodes("word")
    words = tuple(word for entry in entries for word in _words(entry))
    if len(words) != len(text.split()):
        found = f"{plural(len(words), 'word')} with times and {len(text.split())} in text"
        raise InputError(place, found, "equal numbers")
    return words, [entry.item for entry in entries]


def _words(entry: Node) -> list[Word]:
    values = {key: entry.get(key) for key in ("start", "end")}
    # Times may be scalars of numpy or torch.
    times = Node({key: value.item() if hasattr(value, "item") else value for key, value in values.items()}, entry.place)
    return entry_words(entry.get("word"), times.number("start"), times.number("end"), None, entry.place)
