"""JSON of the Montreal Forced Aligner: `{"start", "end", "tiers": {"words": {"type": "interval", "entries": [[start,
end, "hola"]]}, "phones": …}}`, with a tier `ana - words` for each of several speakers.

Tiers are read and written as those of a TextGrid: words with marks are a new tier `punctuated`.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TextIO

from asr_punct.errors import InputError, Setting
from asr_punct.files import Pathlike, display_name, recording_name
from asr_punct.formats.json.nodes import Node, find
from asr_punct.formats.origins import JsonOrigin, json_origin
from asr_punct.formats.tiers.grid import INTERVALS, POINTS, Grid, GridTier
from asr_punct.formats.tiers.textgrid import PUNCTUATED, grid_utterances, unchanged_grid, written_grid
from asr_punct.formats.values import Object, short_repr
from asr_punct.glyphs import Glyphs
from asr_punct.words import Utterance

_FORMAT = "mfa"


def is_mfa(content: Any) -> bool:
    """Whether a JSON value is an alignment of the Montreal Forced Aligner."""
    tiers = find(content, "tiers")
    return isinstance(tiers, dict) and all(isinstance(find(tier, "entries"), list) for tier in tiers.values())


def read_mfa(content: Any, path: Pathlike) -> Iterator[Utterance]:
    """Yield the words as one utterance, or with several speakers the turns of each."""
    file = Node.of(content, display_name(path))
    named = file.inner("tiers").item.items()
    tiers = tuple(_tier(Node.of(tier, f"{file.place}: tier {name!r}"), name) for name, tier in named)
    grid = Grid(str(file.get("start")), str(file.get("end")), tiers)
    for utterance in grid_utterances(grid, file.place, recording_name(path)):
        yield replace(utterance, origin=JsonOrigin(_FORMAT, utterance.origin, content))


def _tier(node: Node, name: str) -> GridTier:
    kind = POINTS if node.get("type") == "point" else INTERVALS
    rows = list[tuple[str, ...]]()
    for entry in node.values("entries"):
        if not (isinstance(entry, list) and len(entry) == (2 if kind == POINTS else 3) and isinstance(entry[-1], str)):
            raise InputError(node.place, f"the entry {short_repr(entry)}", "times and a text")
        rows.append((*map(repr, entry[:-1]), entry[-1]))
    return GridTier(kind, name, "", "", tuple(rows))


def write_mfa(utterances: Iterable[Utterance], out: TextIO, glyphs: Glyphs) -> None:
    """Write the file with its tiers `punctuated`. Raises InputError for words that are not all those of one file."""
    listed, document = list[Utterance](), None
    for utterance in utterances:
        origin = json_origin(utterance.origin, _FORMAT)
        document = origin.document if origin else None
        listed.append(replace(utterance, origin=origin.item if origin else None))
    if document is None or unchanged_grid(listed) is None:
        expected = f"those of a file of this format: {_FORMAT} is only written back"
        raise InputError("the words", "words of another file", expected, Setting("target_format", "json"))
    old, tiers = document["tiers"], dict[str, Object]()
    for tier in written_grid(listed, glyphs).tiers:
        is_new = tier.name not in old or tier.name.endswith(PUNCTUATED)
        tiers[tier.name] = _new_tier(tier) if is_new else old[tier.name]
    out.write(json.dumps({**document, "tiers": tiers}, ensure_ascii=False) + "\n")


def _new_tier(tier: GridTier) -> Object:
    return {"type": "interval", "entries": [[*map(json.loads, row[:-1]), row[-1]] for row in tier.rows]}
