"""Draw the plot of benchmarks/services.py: for each score a row a service, its own value and the model's."""

from collections.abc import Mapping

from asr_punct.scoring import Difference

_WIDTH, _LEFT, _ROW, _TOP = 840, 220, 22, 54
_OWN, _OURS = "#c2410c", "#1565c0"


def draw(results: Mapping[str, Mapping[str, Difference]], metrics: Mapping[str, str]) -> str:
    """Return an SVG file. A line joins the two values of a row; F1 goes from 0 on the left to 100 on the right."""
    shown = {metric: name for metric, name in metrics.items() if metric.endswith("f1")}
    parts, y = [_legend()], _TOP
    for metric, name in shown.items():
        parts.append(_text(10, y + 15, name, 'font-weight="bold"'))
        for service, differences in results.items():
            parts += _row(service, differences[metric], y)
            y += _ROW
        y += _ROW // 2
    axis = [_tick(value, y) for value in range(0, 101, 20)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y + 30}" font-family="sans-serif"'
    white = f'<rect width="{_WIDTH}" height="{y + 30}" fill="#fff"/>'
    return "\n".join([f'{head} font-size="13">', white, *axis, *parts, "</svg>\n"])


def _row(service: str, difference: Difference, y: float) -> list[str]:
    own, ours = (_x(100 * value) for value in (difference.first, difference.second))
    middle = y + 10
    return [
        _text(_LEFT - 10, middle + 5, service, 'text-anchor="end"'),
        f'<line x1="{own:.0f}" y1="{middle}" x2="{ours:.0f}" y2="{middle}" stroke="#888" stroke-width="2"/>',
        f'<circle cx="{own:.0f}" cy="{middle}" r="5" fill="{_OWN}"/>',
        f'<circle cx="{ours:.0f}" cy="{middle}" r="5" fill="{_OURS}"/>',
    ]


def _legend() -> str:
    return "\n".join(
        f'<circle cx="{x}" cy="24" r="5" fill="{colour}"/>{_text(x + 12, 29, name)}'
        for x, colour, name in (
            (_LEFT, _OWN, "the service’s own marks"),
            (_LEFT + 220, _OURS, "asr_punct on its words"),
        )
    )


def _tick(value: int, bottom: float) -> str:
    x = _x(value)
    line = f'<line x1="{x:.0f}" y1="{_TOP - 8}" x2="{x:.0f}" y2="{bottom}" stroke="#ddd"/>'
    return line + _text(x, bottom + 18, str(value), 'text-anchor="middle"')


def _x(value: float) -> float:
    return _LEFT + value / 100 * (_WIDTH - _LEFT - 30)


def _text(x: float, y: float, content: str, style: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" {style}>{content}</text>'
