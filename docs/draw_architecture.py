"""Draw docs/architecture.svg: the packages and top-level modules of asr_punct (units), and which imports which.

    python docs/draw_architecture.py [--check]

A unit is drawn one row above the highest unit that it imports. --check fails if the file is not up to date.
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, PICTURE = ROOT / "asr_punct", ROOT / "docs" / "architecture.svg"
WIDTH, BOX_HEIGHT, ROW_HEIGHT, GAP = 980, 40, 92, 14


def unit_of(path: Path) -> str:
    """Return the package or top-level module of a file."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Return the units that a file imports."""
    names = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "asr_punct":
            parts = node.module.split(".")
            names |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
    return names


def read_graph() -> dict[str, set[str]]:
    """Return the units that each unit imports."""
    graph: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        unit = unit_of(path)
        if unit != "__init__":
            graph.setdefault(unit, set()).update(imports(path) - {unit})
    return {unit: {name for name in used if name in graph} for unit, used in graph.items()}


def find_rows(graph: dict[str, set[str]]) -> dict[str, int]:
    """Return the row of each unit, counted from the bottom. Raises RecursionError for circular imports."""

    @cache
    def row(unit: str) -> int:
        return 1 + max((row(name) for name in graph[unit]), default=0)

    return {unit: row(unit) for unit in graph}


def transitive_reduction(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the graph without edges that follow from others: A → C, if there are A → B and B → C."""

    @cache
    def reachable(unit: str) -> frozenset[str]:
        return frozenset(graph[unit]).union(*map(reachable, graph[unit]))

    return {unit: used - {name for other in used for name in reachable(other)} for unit, used in graph.items()}


def draw() -> str:
    """Return the picture as SVG."""
    graph = read_graph()
    rows = find_rows(graph)
    top = max(rows.values())
    places: dict[str, tuple[float, float, float]] = {}
    for number in range(1, top + 1):
        row = sorted(unit for unit in graph if rows[unit] == number)
        width = min(150.0, (WIDTH - GAP) / len(row) - GAP)
        left = (WIDTH - len(row) * (width + GAP) + GAP) / 2
        for i, unit in enumerate(row):
            places[unit] = (left + i * (width + GAP), 20 + (top - number) * ROW_HEIGHT, width)
    height = 20 + top * ROW_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for unit, used in transitive_reduction(graph).items():
        x, y, width = places[unit]
        for name in sorted(used):
            to_x, to_y, to_width = places[name]
            start, end = x + width / 2, to_x + to_width / 2
            bend = (y + BOX_HEIGHT + to_y) / 2
            path = f"M{start:.0f} {y + BOX_HEIGHT:.0f}C{start:.0f} {bend:.0f} {end:.0f} {bend:.0f} {end:.0f} {to_y:.0f}"
            parts.append(f'<path d="{path}" fill="none" stroke="#9ab" stroke-width="1.2"/>')
    for unit, (x, y, width) in places.items():
        parts.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="5" fill="#eef3f8" '
            f'stroke="#567"/><text x="{x + width / 2:.0f}" y="{y + 25:.0f}" text-anchor="middle" font-size="14">{unit}'
            "</text>"
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> None:
    """Entry point."""
    picture = draw()
    if "--check" not in sys.argv:
        PICTURE.write_text(picture, encoding="utf-8")
    elif picture != PICTURE.read_text(encoding="utf-8"):
        sys.exit("docs/architecture.svg is not up to date: run python docs/draw_architecture.py")


if __name__ == "__main__":
    main()
