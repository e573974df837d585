"""HTML as strings that are escaped where they are made."""

from __future__ import annotations

import re
from html import escape

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Html(str):
    """A string that is HTML already."""

    __slots__ = ()


def text(value: object) -> Html:
    """The value as HTML: what is no HTML yet is escaped, control characters that HTML does not allow are U+FFFD."""
    return value if isinstance(value, Html) else Html(escape(_CONTROLS.sub("\ufffd", str(value))))


def tag(name: str, *children: object, **attributes: object) -> Html:
    """An element and its children.

    Args:
        name: of the element, one with an end tag.
        children: HTML, or text to escape.
        attributes: `class_` is class, `data_x` data-x; one of None is left out, one of True has no value.
    """
    return Html(f"<{name}{''.join(map(_attribute, attributes.items()))}>{''.join(map(text, children))}</{name}>")


def _attribute(item: tuple[str, object]) -> str:
    name, value = item[0].rstrip("_").replace("_", "-"), item[1]
    if value is None:
        return ""
    return f" {name}" if value is True else f' {name}="{text(value)}"'


def table(caption: str, header: tuple[object, ...], rows: list[Html]) -> Html:
    """A table that scrolls where it is wider than the page; the rows are `<tr>` elements."""
    head = tag("tr", *(tag("th", cell, scope="col") for cell in header))
    whole = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *rows))
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)
