"""The labels that live streams give to the words of transcripts; the windows of many words are computed together."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from asr_punct.inference.options import StreamSettings
from asr_punct.inference.restorer import Restorer
from asr_punct.inference.stream import Stream
from asr_punct.marks import Labels
from asr_punct.pauses import with_pauses
from asr_punct.words import Utterance, annotate

_BATCH_WINDOWS = 128


def restore_streaming(
    restorer: Restorer, utterances: Iterable[Utterance], settings: StreamSettings
) -> Iterator[Utterance]:
    """Yield the same utterances with the labels of a stream, lazily, document by document.

    The settings have patience 0: all windows are chosen before their words are decided.
    """
    stream = Stream(lambda _: restorer, replace(settings, patience=0))
    waiting, labels = deque[Utterance](), deque[Labels]()
    document = None

    def finished() -> Iterator[Utterance]:
        labels.extend(word.labels for word in stream.commit(restorer.predictor.decide(stream.windows)))
        while waiting and len(waiting[0].words) <= len(labels):
            utterance = waiting.popleft()
            yield annotate(utterance, labels=[labels.popleft() for _ in utterance.words])

    for utterance in with_pauses(utterances):
        if utterance.context != document:
            document = utterance.context
            stream.end_document()
        waiting.append(utterance)
        for word in utterance.words:
            stream.add_words([word])
        if len(stream.windows) >= _BATCH_WINDOWS:
            yield from finished()
    stream.end_document()
    yield from finished()
