"""Character references of HTML and XML inside a token, such as `&amp;` or `&#39;`: they are read as what they name."""

import html
from collections.abc import Sequence

from asr_punct.letter_case import CHARACTER_REFERENCE


def unescape(token: str) -> str:
    """Return a token with the characters that its references name."""
    return CHARACTER_REFERENCE.sub(lambda match: html.unescape(match[0]), token) if "&" in token else token


def unescape_with_places(token: str) -> tuple[str, Sequence[int]]:
    """Return a token as `unescape` does, and the place in the token of each of its characters and of its end."""
    text, places, end = "", list[int](), 0
    for match in CHARACTER_REFERENCE.finditer(token):
        named = html.unescape(match[0])
        text += token[end : match.start()] + named
        places += [*range(end, match.start()), *[match.start()] * len(named)]
        end = match.end()
    return text + token[end:], [*places, *range(end, len(token) + 1)]
