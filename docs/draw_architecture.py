"""Draw docs/architecture.svg: the packages of asr_punct and what each imports, read from the code.

    python docs/draw_architecture.py [--check]

A package is one floor above the highest one that it imports. --check compares the picture with the file.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, PICTURE = ROOT / "asr_punct", ROOT / "docs" / "architecture.svg"
WIDTH, BOX_HEIGHT, FLOOR_HEIGHT, GAP = 980, 40, 92, 14


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


def floors(graph: dict[str, set[str]]) -> dict[str, int]:
    """Return the floor of each unit. Raises RecursionError for an import circle."""
    found: dict[str, int] = {}

    def floor(unit: str) -> int:
        if unit not in found:
            found[unit] = 1 + max((floor(name) for name in graph[unit]), default=0)
        return found[unit]

    for unit in graph:
        floor(unit)
    return found


def direct(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the graph without edges that follow from others."""

    def below(unit: str) -> set[str]:
        return {name for used in graph[unit] for name in ({used} | below(used))}

    return {unit: used - {name for other in used for name in below(other)} for unit, used in graph.items()}


def draw() -> str:
    """Return the picture as SVG."""
    graph = read_graph()
    level = floors(graph)
    top = max(level.values())
    places: dict[str, tuple[float, float, float]] = {}
    for number in range(1, top + 1):
        row = sorted(unit for unit in graph if level[unit] == number)
        width = min(150.0, (WIDTH - GAP) / len(row) - GAP)
        left = (WIDTH - len(row) * (width + GAP) + GAP) / 2
        for i, unit in enumerate(row):
            places[unit] = (left + i * (width + GAP), 20 + (top - number) * FLOOR_HEIGHT, width)
    height = 20 + top * FLOOR_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
    ]
    for unit, used in direct(graph).items():
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
