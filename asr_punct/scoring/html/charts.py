"""Diagrams as SVG inside the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asr_punct.scoring.html.markup import Html, tag

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _EDGE = 440, 320, 52, 44, 12
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Point:
    """A point of a diagram.

    Attributes:
        x: a fraction; what lies over 1 is drawn at 1.
        y: a fraction.
        label: shown where it is pointed at.
        radius: in pixels.
    """

    x: float
    y: float
    label: str
    radius: float = 3.5


def plot(title: str, x_name: str, y_name: str, points: Sequence[Point], *, diagonal: bool = False) -> Html:
    """Points in the unit square, its axes in per cent; `diagonal`: where both are the same."""
    parts = [*_axes(x_name, y_name)]
    if diagonal:
        parts.append(tag("line", x1=_x(0), y1=_y(0), x2=_x(1), y2=_y(1), class_="diagonal"))
    parts += [
        tag("circle", tag("title", point.label), cx=_x(point.x), cy=_y(point.y), r=f"{point.radius:.1f}")
        for point in points
    ]
    return tag("svg", *parts, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img", aria_label=title, class_="plot")


def _axes(x_name: str, y_name: str) -> list[Html]:
    parts = []
    for tick in _TICKS:
        label = f"{100 * tick:.0f}"
        parts.append(tag("line", x1=_x(tick), y1=_y(0), x2=_x(tick), y2=_y(1), class_="grid"))
        parts.append(tag("line", x1=_x(0), y1=_y(tick), x2=_x(1), y2=_y(tick), class_="grid"))
        parts.append(tag("text", label, x=_x(tick), y=_HEIGHT - _BOTTOM + 18, text_anchor="middle"))
        parts.append(tag("text", label, x=_LEFT - 8, y=float(_y(tick)) + 4, text_anchor="end"))
    middle = (_HEIGHT - _BOTTOM) / 2
    parts.append(tag("text", x_name, x=_x(0.5), y=_HEIGHT - 6, text_anchor="middle"))
    parts.append(tag("text", y_name, x=14, y=middle, text_anchor="middle", transform=f"rotate(-90 14 {middle})"))
    return parts


def _x(value: float) -> str:
    return f"{_LEFT + min(value, 1.0) * (_WIDTH - _LEFT - _EDGE):.1f}"


def _y(value: float) -> str:
    return f"{_HEIGHT - _BOTTOM - value * (_HEIGHT - _BOTTOM - _EDGE):.1f}"
