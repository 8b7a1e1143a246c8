"""What every benchmark does with its results: an aligned table on the screen, and a JSON file."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bayesdnf.versions import versions

RESULTS = Path(__file__).parent / "results"
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


def stamp(page: Path, command: str) -> None:
    """Write after ``Measured by `command` `` of a page at which commit that was."""
    text = page.read_text(encoding="utf-8")
    said = re.compile(
        rf"((?:M|m)easured by `{re.escape(command)}`)(?: at commit [0-9a-f]+(?:-dirty)?)?"
    )
    if not said.search(text):
        raise SystemExit(f"{page} does not say: Measured by `{command}`")
    page.write_text(said.sub(rf"\1 at commit {_commit()}", text, count=1), encoding="utf-8")


def _commit() -> str:
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
