"""Output of benchmarks: an aligned table on the screen, and a JSON file."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bayesdnf.versions import versions

RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"
SHARED = Path(__file__).parents[2] / "shared" / "data"


def arguments(text: str | None, sets: bool = True) -> argparse.ArgumentParser:
    """Make the options that benchmarks share."""
    parser = argparse.ArgumentParser(description=(text or "").split("\n")[0])
    if sets:
        parser.add_argument("--sets", type=int, help="sets of each kind, instead of the full count")
    parser.add_argument("--jobs", type=int, default=1, help="threads of each search")
    parser.add_argument("--quick", action="store_true", help="few sets or small sizes")
    return parser


def show(columns: dict[str, str], rows: Sequence[dict[str, Any]]) -> None:
    """Print rows under titles; ``columns`` maps a key of theirs to "title|format"."""
    texts = [[column.partition("|")[0] for column in columns.values()]]
    for row in rows:
        texts.append(
            [
                "" if row.get(key) is None else format(row[key], column.partition("|")[2])
                for key, column in columns.items()
            ]
        )
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for line in texts:
        first, *others = (
            text.ljust(width) if i == 0 else text.rjust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join([first, *others]), flush=True)


def write(name: str, results: dict[str, Any]) -> None:
    """Write results to benchmarks/results/NAME.json, whole or not at all, with the versions."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps({"versions": versions(), **results}, indent=2)
    part = RESULTS / f"{name}.json.part"
    part.write_text(text + "\n")
    part.replace(RESULTS / f"{name}.json")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read results of a run that can go on later; a line that was cut off is left out."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def append_lines(path: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Add results to a file in one piece, after its last whole line."""
    path.parent.mkdir(exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            text = text if file.read() == b"\n" else "\n" + text
        file.write(text.encode())


def between_marks(page: Path, mark: str, lines: Sequence[str]) -> None:
    """Write lines of a page between two marks, in place of what is there."""
    before, _, after = page.read_text(encoding="utf-8").split(mark)
    text = "\n".join([*lines, ""])
    page.write_text(f"{before}{mark}{text}{mark}{after}", encoding="utf-8")


def stamp(page: Path, command: str, lines: Iterable[dict[str, Any]] = ()) -> None:
    """Write after ``Measured by `command` `` of a page at which commit that was.

    Results that were kept from older runs name their own commits, all of which are written then.
    """
    text = page.read_text(encoding="utf-8")
    name = r"[0-9a-f]{7,}(?:-dirty)?"
    said = re.compile(
        rf"((?:M|m)easured by `{re.escape(command)}`)"
        rf"(?: at commits? {name}(?:, {name})*(?: and {name})?)?"
    )
    if not said.search(text):
        raise SystemExit(f"{page} does not say: Measured by `{command}`")
    *others, last = dict.fromkeys(line["commit"] for line in lines) or [commit()]
    at = f"commits {', '.join(others)} and {last}" if others else f"commit {last}"
    page.write_text(said.sub(rf"\1 at {at}", text, count=1), encoding="utf-8")


def commit() -> str:
    """Name the commit of the code, with ``-dirty`` where code has changed since."""
    git = ("git", "-C", str(Path(__file__).parent))
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, check=True)
    code = [":/src", ":/native", ":/benchmarks/*.py"]
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", *code], check=False)
    return head.stdout.decode().strip() + ("-dirty" if changed.returncode else "")


if (
    __name__ == "__main__"
):  # python -m benchmarks.writing docs/reproduction/index.md "make reproduce"
    stamp(Path(sys.argv[1]), sys.argv[2])
