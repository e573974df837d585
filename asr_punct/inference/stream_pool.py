"""Many live streams whose windows are computed together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from asr_punct.errors import AsrPunctError
from asr_punct.features import WindowProbabilities
from asr_punct.inference.model_stream import Decide
from asr_punct.inference.stream import Committed, Step, Stream, one_word
from asr_punct.inference.tokens import Token
from asr_punct.inference.windows import Window
from asr_punct.words import Seconds, Word

Key = TypeVar("Key", bound=Hashable)


class StreamPool(Generic[Key]):
    """Pushes words of many streams and returns the committed words of each; made by `Punctuator.stream_pool`.

    The words of each stream are those that a `Stream` alone commits, but one run of the model decides all words of a
    call (an int8 graph rounds by batch, so close decisions may differ). A stream begins with its first word and stays
    open until `close`. Not thread-safe.

    Args:
        open_stream: makes a new stream.
    """

    def __init__(self, open_stream: Callable[[], Stream]) -> None:
        self._open = open_stream
        self._streams: dict[Key, Stream] = {}

    def __len__(self) -> int:
        """Return the number of open streams."""
        return len(self._streams)

    def push(self, words: Mapping[Key, Iterable[str | Word]]) -> dict[Key, list[Committed]]:
        """Add the next words of some streams and return the words of each that are decided now.

        Raises AsrPunctError if one of them is not one word; then no stream has changed.
        """
        if texts := [new for new in words.values() if isinstance(new, str)]:
            raise AsrPunctError(f"words: found {texts[0]!r}, expected a list of words")
        checked = {key: [one_word(word) for word in new] for key, new in words.items()}
        for key in checked.keys() - self._streams.keys():
            self._streams[key] = self._open()
        return _run({key: self._streams[key].plan_push(new) for key, new in checked.items()})

    def idle(self, seconds: Mapping[Key, Seconds]) -> dict[Key, list[Committed]]:
        """Report for some streams how long no word has begun (see `Stream.idle`)."""
        return _run({key: stream.plan_idle(seconds[key]) for key, stream in self._opened(seconds).items()})

    def flush(self, keys: Iterable[Key]) -> dict[Key, list[Committed]]:
        """End the documents of some streams and return their remaining words."""
        return _run({key: stream.plan_flush() for key, stream in self._opened(keys).items()})

    def preview(self, keys: Iterable[Key]) -> dict[Key, list[Committed]]:
        """Return the words of some streams that are not committed, as they would be written now."""
        return _run({key: stream.plan_preview() for key, stream in self._opened(keys).items()})

    def warnings(self, key: Key) -> list[str]:
        """Return the warnings about a stream so far (see `Stream.warnings`)."""
        return self._streams[key].warnings if key in self._streams else []

    def close(self, keys: Iterable[Key]) -> None:
        """Close streams, and drop their words that are not committed."""
        for key in keys:
            self._streams.pop(key, None)

    def _opened(self, keys: Iterable[Key]) -> dict[Key, Stream]:
        return {key: self._streams[key] for key in keys if key in self._streams}


def _run(steps: Mapping[Key, Step]) -> dict[Key, list[Committed]]:
    """Return the words of each stream; a model computes the windows of all its streams at once."""
    by_model = defaultdict[Decide, list[tuple[Key, Window[Token]]]](list)
    for key, step in steps.items():
        by_model[step.decide] += [(key, window) for window in step.windows]
    computed = defaultdict[Key, list[WindowProbabilities]](list)
    for decide, group in by_model.items():
        for (key, _), found in zip(group, decide([window for _, window in group]), strict=True):
            computed[key].append(found)
    return {key: step.finish(computed[key]) for key, step in steps.items()}
