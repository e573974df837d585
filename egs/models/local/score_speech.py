#!/usr/bin/env python3
"""Score an English model on transcribed speech: with and without word times, with and without speakers.

SPEECH are files of recordings (`training_text/speech.py`). The model reads the words in lower case: each recording as
one document (`words`), with its pauses (`times`), with the changes of speaker (`turns`), and with both. Writes
OUTPUT: for each file the scores of each run, and their differences from `words`, with intervals from a bootstrap over
the recordings.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from training_text.speech import Turn, read_recordings

from asr_punct.errors import run_script
from asr_punct.files import write_json_file
from asr_punct.inference.punctuator import Punctuator
from asr_punct.pauses import has_pauses
from asr_punct.scoring import Counts, compare_counts, pair_words, score_counts
from asr_punct.scoring.markdown import comparison
from asr_punct.text.bare import bare
from asr_punct.words import Utterance

Recordings = dict[str, list[Turn]]
_SHOWN = ("micro.f1", "marks.COMMA.f1", "marks.PERIOD.f1", "marks.QUESTION.f1", "case.micro.f1")


def inputs(recordings: Recordings, *, times: bool, turns: bool) -> list[Utterance]:
    """Return what a model reads: the words of all recordings without labels, with or without pauses and speakers."""
    spoken = (
        replace(bare(part), id="", document=name, recording=name, speaker=part.speaker if turns else "")
        for name, all_turns in recordings.items()
        for turn in all_turns
        for part in turn
    )
    return list(spoken if times else map(without_pauses, spoken))


def without_pauses(utterance: Utterance) -> Utterance:
    """Return the utterance without pauses and times."""
    words = tuple(replace(word, start=None, end=None, pause=None) for word in utterance.words)
    return replace(utterance, words=words, pause_before=None, time_source="none")


def references(recordings: Recordings) -> list[Utterance]:
    """Return each recording as one labelled utterance, the unit of resampling."""
    return [
        Utterance(tuple(word for turn in turns for part in turn for word in part.words), document=name)
        for name, turns in recordings.items()
    ]


def runs(recordings: Recordings) -> dict[str, list[Utterance]]:
    """Return the inputs of each run by its name."""
    have_times = any(map(has_pauses, (part for turns in recordings.values() for turn in turns for part in turn)))
    have_turns = any(len(turns) > 1 for turns in recordings.values())
    wanted = {"words": (False, False), "times": (True, False), "turns": (False, True), "both": (True, True)}
    return {
        name: inputs(recordings, times=times, turns=turns)
        for name, (times, turns) in wanted.items()
        if (have_times or not times) and (have_turns or not turns)
    }


def count_errors(punctuator: Punctuator, expected: Sequence[Utterance], words: Iterable[Utterance]) -> Counts:
    """Return the counts of each recording for the model's output."""
    return pair_words(expected, list(punctuator.restore(words))).count()


def score_file(punctuator: Punctuator, path: Path) -> dict[str, Any]:
    """Return the scores of all runs on a file and their differences; print the main ones."""
    recordings = dict(read_recordings(path))
    expected = references(recordings)
    counts = {name: count_errors(punctuator, expected, words) for name, words in runs(recordings).items()}
    scores = {name: score_counts(values) for name, values in counts.items()}
    result: dict[str, Any] = {name: found.as_dict() for name, found in scores.items()}
    print(f"{path.name}: {scores['words'].words} words of {len(expected)} recordings", flush=True)
    for name in list(counts)[1:]:
        differences = compare_counts(counts["words"], counts[name])
        result[f"{name} - words"] = {metric: difference.as_dict() for metric, difference in differences.items()}
        shown = {metric: differences[metric] for metric in _SHOWN if metric in differences}
        print(comparison(shown, "words", name), flush=True)
    return result


def main(model: str, output: Path, speech: list[Path]) -> None:
    punctuator = Punctuator.from_pretrained(model)
    write_json_file(output, {path.name.split(".")[0]: score_file(punctuator, path) for path in speech})


if __name__ == "__main__":
    run_script(main)
