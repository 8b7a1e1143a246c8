"""Draw which package imports which, as SVG: ``make house``.

Every import counts: those inside functions, those for type checkers, and names taken from the
package itself (``from .. import Prior``), which are followed to the module that defines them. An
arrow that points up is an error unless ``UPWARD`` explains it.
"""

from __future__ import annotations

import ast
import sys
from html import escape
from pathlib import Path

import bayesdnf

SOURCE = Path(__file__).resolve().parents[1] / "src" / "bayesdnf"
# From the top layer to the bottom; packages of one layer do not import each other.
FLOORS = (
    ("cli",),
    ("experiments",),
    ("report",),
    ("plots",),
    ("genomics",),
    ("estimators",),
    ("sampling", "qca"),
    ("search",),
    ("remote",),
    ("model", "gpu"),
    ("data",),
    ("boolean",),
    ("display", "files"),
    ("checks",),
    ("errors",),
)
UPWARD = {("estimators", "report"): "clf.report(X, y, path), loaded when it is called"}
FLOOR = {package: floor for floor, packages in enumerate(FLOORS) for package in packages}

_NAMES, _WORDS, _CELL, _TOP = 106, 460, 26, 96


def imports() -> set[tuple[str, str]]:
    """Pairs (importer, imported) of different packages."""
    pairs = set()
    for file in sorted(SOURCE.rglob("*.py")):
        here = ["bayesdnf", *file.relative_to(SOURCE).with_suffix("").parts]
        if len(here) == 2 and here[1] not in FLOOR:
            continue  # bayesdnf/__init__.py itself
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                for target in _targets(node, here[:-1]):
                    if target in FLOOR and target != here[1]:
                        pairs.add((here[1], target))
    return pairs


def _targets(node: ast.ImportFrom, package: list[str]) -> list[str]:
    """Return the packages of this library that an import reaches."""
    base = package[: len(package) - node.level + 1] if node.level else []
    path = [*base, *(node.module or "").split(".")] if node.module else base
    if path[:1] != ["bayesdnf"]:
        return []
    if len(path) > 1:
        return [path[1]]
    return [bayesdnf._HOME.get(name.name, name.name).partition(".")[0] for name in node.names]


def upward(pairs: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return imports of the same layer or of a higher one that nothing explains."""
    return sorted(p for p in pairs - set(UPWARD) if FLOOR[p[0]] >= FLOOR[p[1]])


def summary(package: str) -> str:
    """First line of a package's docstring."""
    file = SOURCE / package / "__init__.py"
    file = file if file.exists() else SOURCE / f"{package}.py"
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def draw(pairs: set[tuple[str, str]]) -> str:
    """Return the picture: a row for each package, and a mark below each package that it imports."""
    packages = [package for floor in FLOORS for package in floor]
    left = _NAMES + _WORDS
    wide, high = left + _CELL * len(packages) + 12, _TOP + _CELL * len(packages) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
        'font-family="sans-serif" font-size="13" role="img">',
        "<title>Which package of bayesdnf imports which</title>",
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
    ]
    for i, package in enumerate(packages):
        x, y = left + _CELL * (i + 0.5), _TOP + _CELL * (i + 0.5)
        if i % 2 == 0:
            parts.append(
                f'<rect y="{y - _CELL / 2:g}" width="{wide}" height="{_CELL}" fill="#f1f5f8"/>'
            )
        parts += [
            f'<text x="12" y="{y + 4.5:g}" font-weight="bold" fill="#16212b">{package}</text>',
            f'<text x="{_NAMES + 8}" y="{y + 4.5:g}" font-size="11.5" fill="#425464">'
            f"{escape(_cut(summary(package)))}</text>",
            f'<text transform="translate({x + 4.5:g} {_TOP - 8}) rotate(-60)" fill="#16212b">'
            f"{package}</text>",
            f'<rect x="{x - 5:g}" y="{y - 5:g}" width="10" height="10" fill="#c9d4dd"/>',
        ]
    for importer, imported in sorted(pairs):
        x = left + _CELL * (packages.index(imported) + 0.5)
        y = _TOP + _CELL * (packages.index(importer) + 0.5)
        why = UPWARD.get((importer, imported))
        style = 'fill="#3d6b8e"' if why is None else 'fill="none" stroke="#b4531f" stroke-width="2"'
        said = f"{importer} imports {imported}" + (f": {why}" if why else "")
        parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="6" {style}><title>{said}</title></circle>')
    parts.append(
        f'<text x="12" y="{high - 14}" font-size="11.5" fill="#425464">A disc: the package of the '
        "row imports that of the column. All lie right of the diagonal, so arrows point down; the "
        f"ring is {escape('; '.join(UPWARD.values()))}.</text>"
    )
    return "\n".join([*parts, "</svg>", ""])


def _cut(words: str, most: int = 76) -> str:
    words = words.replace("``", "")
    return words if len(words) <= most else words[:most].rsplit(" ", 1)[0].rstrip(",:; ") + " …"


def main() -> None:
    """Write the picture to the file that is named, unless an arrow points up."""
    pairs = imports()
    if wrong := upward(pairs):
        sys.exit("\n".join(f"{a} must not import {b}, not in a lower layer." for a, b in wrong))
    Path(sys.argv[1]).write_text(draw(pairs), encoding="utf-8")


if __name__ == "__main__":
    main()
