"""What the corpus says of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from asr_punct.marks import MARKS
from asr_punct.text import parse
from asr_punct.words import Seconds
from mini_corpus.delivery import VARIANTS
from mini_corpus.speeches import Recording

_TEXT = """\
# A synthetic corpus

Nothing here was said or written by a person: the sentences come from grammars of parliamentary Spanish and Basque,
the speech from espeak-ng. Names and figures are drawn at random and mean no one. A figure measured on this corpus
tells that the tools work together, and nothing about real speech.

It has the layout of mintzai-ST: `es-eu` is Spanish speech, `eu-es` Basque speech; a recording is one speaker, its
segments follow each other, and a segment's end is not always a sentence's. `truth/LANGUAGE/PART.ctm` holds the true
times of the words. The voices of dev and test are not heard in train, and some of their family names do not occur in
it.
"""


def describe(
    parameters: Mapping[str, object], recordings: Sequence[Recording], seconds: Mapping[tuple[str, str], Seconds]
) -> Iterator[str]:
    """Lines of the README: what it is, how it was made, sizes, marks."""
    yield from _TEXT.splitlines()
    yield ""
    yield "Generator: " + ", ".join(f"{name} {value}" for name, value in parameters.items()) + "."
    yield "Voices: " + "; ".join(f"{split} {' '.join(variants)}" for split, variants in VARIANTS.items()) + "."
    yield ""
    yield "| language | part | recordings | segments | words | minutes | " + " | ".join(MARKS) + " |"
    yield "| --- | --- |" + " ---: |" * (len(MARKS) + 4)
    for (language, split), length in seconds.items():
        own = [recording for recording in recordings if (recording.language, recording.split) == (language, split)]
        parsed = [parse(segment.text, language) for recording in own for segment in recording.segments]
        marks = Counter(mark for text in parsed for labels in text.labels for mark in labels.marks)
        words = sum(len(text.words) for text in parsed)
        cells = [language, split, len(own), len(parsed), words, f"{length / 60:.1f}", *(marks[mark] for mark in MARKS)]
        yield "| " + " | ".join(map(str, cells)) + " |"
