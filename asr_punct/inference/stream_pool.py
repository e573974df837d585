"""Many live streams whose windows are computed together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from asr_punct.errors import ArgumentError
from asr_punct.features import WindowProbabilities
from asr_punct.inference.restorer import Restorer
from asr_punct.inference.stream import Stream
from asr_punct.inference.stream_words import Committed, one_word
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
            raise ArgumentError("words", repr(texts[0]), "a list of words")
        checked = {key: [one_word(word) for word in new] for key, new in words.items()}
        for key in checked.keys() - self._streams.keys():
            self._streams[key] = self._open()
        streams = self._opened(checked)
        for key, stream in streams.items():
            stream.add_words(checked[key])
        return _commit(streams)

    def idle(self, seconds: Mapping[Key, Seconds]) -> dict[Key, list[Committed]]:
        """Report for some streams how long no word has begun (see `Stream.idle`)."""
        streams = self._opened(seconds)
        for key, stream in streams.items():
            stream.add_silence(seconds[key])
        return _commit(streams)

    def flush(self, keys: Iterable[Key]) -> dict[Key, list[Committed]]:
        """End the documents of some streams and return their remaining words."""
        streams = self._opened(keys)
        for stream in streams.values():
            stream.end_document()
        return _commit(streams)

    def preview(self, keys: Iterable[Key]) -> dict[Key, list[Committed]]:
        """Return the words of some streams that are not committed, as they would be written now."""
        streams = self._opened(keys)
        computed = _compute(streams, {key: stream.preview_windows for key, stream in streams.items()})
        return {key: stream.show(computed[key]) for key, stream in streams.items()}

    def warnings(self, key: Key) -> list[str]:
        """Return the warnings about a stream so far (see `Stream.warnings`)."""
        return self._streams[key].warnings if key in self._streams else []

    def close(self, keys: Iterable[Key]) -> None:
        """Close streams, and drop their words that are not committed."""
        for key in keys:
            self._streams.pop(key, None)

    def _opened(self, keys: Iterable[Key]) -> dict[Key, Stream]:
        return {key: self._streams[key] for key in keys if key in self._streams}


def _commit(streams: Mapping[Key, Stream]) -> dict[Key, list[Committed]]:
    """Return the words that each stream decides."""
    computed = _compute(streams, {key: stream.windows for key, stream in streams.items()})
    return {key: stream.commit(computed[key]) for key, stream in streams.items()}


def _compute(
    streams: Mapping[Key, Stream], windows: Mapping[Key, Sequence[Window[Token]]]
) -> dict[Key, list[WindowProbabilities]]:
    """Return the probabilities of the windows of each stream; a model computes those of all its streams at once."""
    by_model = defaultdict[Restorer, list[tuple[Key, Window[Token]]]](list)
    for key, stream in streams.items():
        by_model[stream.model] += [(key, window) for window in windows[key]]
    computed: dict[Key, list[WindowProbabilities]] = {key: [] for key in streams}
    for model, group in by_model.items():
        for (key, _), found in zip(group, model.predictor.decide([window for _, window in group]), strict=True):
            computed[key].append(found)
    return computed
