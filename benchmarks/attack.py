"""Attack the library: malformed files, forged ones, hostile names, writers that fail, kills.

An input is handled when it ends in a result or in one sentence of the library's own; a traceback,
a second line, another exception or a crash is not. Run by ``make attack``, outside the gate.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayesdnf import (
    DNFClassifier,
    Draws,
    PosteriorDNFClassifier,
    simulate,
)
from bayesdnf.cli import main as command_line
from bayesdnf.data.reading import read_file
from bayesdnf.errors import BayesDNFError
from bayesdnf.files.seals import opened, seal
from bayesdnf.genomics import Genotypes, Scan, merge, scan

from .attack_states import checkpoints, full_disks, kills
from .mutations import flipped, mutated, written
from .writing import between_marks, stamp

PAGE = Path("docs/trust.md")
MARK = "<!-- attack -->\n"  # around the table
NAMES = [
    "", " ", "=1+1", "+cmd|' /C calc'!A0", "-1", "@SUM(A1)", "a\tb", "a\nb", "a\r\nb", 'a"b', "a'b",
    "a,b", "a;b", "\x1b[31mred", "\x07", "\u202eevil", "\u2028", "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "{{7*7}}", "{% raw %}", "${jndi}", "'; DROP TABLE t; --",
    '"; DROP TABLE t; --', "__import__('os').system('x')", "\\textbf{x}", "\\input{/etc/passwd}",
    "%s%n", "../../etc/passwd", "a" * 3000, "AND", "OR", "NOT", "TRUE", "x = y", "x >= 3", "(", ")",
    "\\", "\\u0000", "é", "é", "😀", "‮", "nan", "None", "0", "1e5", "row", "holds", "]]>", "&amp;",
]  # fmt: skip

Attempt = Callable[[], object]


def outcome(attempt: Attempt) -> str:
    """Return what came of an attempt: "handled", or what went wrong."""
    try:
        attempt()
    except BayesDNFError as error:
        return "handled" if "\n" not in str(error) else f"two lines: {error}"
    except Exception as error:  # noqa: BLE001  what is looked for
        return f"{type(error).__name__}: {error}"
    return "handled"


def command(*arguments: object) -> str:
    """Run the command line in this process and return what came of it."""
    told, shown = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["bayesdnf", *map(str, arguments)]
    status: Any = 0
    try:
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(shown):
            command_line()
    except SystemExit as end:
        status = end.code or 0
    except BaseException as error:  # noqa: BLE001  what is looked for
        return f"{type(error).__name__}: {error}"
    finally:
        sys.argv = before
    lines = told.getvalue().splitlines()
    if "Internal error" in told.getvalue():
        return lines[-1]
    if any("\x1b" in text for text in (told.getvalue(), shown.getvalue())):
        return "a terminal would be steered"
    return "handled" if status in (0, 2) or len(lines) == 1 else f"status {status}: {lines}"


def tables(folder: Path, rng: random.Random, n: int) -> Iterator[Attempt]:
    """CSV, gzip and Parquet files with wrong bytes."""
    X, y, _ = simulate(60, 6, random_state=0)
    frame = X.assign(text=["a", "é", "c"] * 20, y=y)
    frame.to_csv(folder / "good.csv", index=False)
    frame.to_parquet(folder / "good.parquet")
    csv = (folder / "good.csv").read_bytes()
    sources = [csv, gzip.compress(csv), (folder / "good.parquet").read_bytes()]
    for source in sources:
        for content in flipped(source, rng, n // 3):
            yield lambda content=content: read_file(written(folder / "table", content))


def models(folder: Path, rng: random.Random, n: int) -> Iterator[Attempt]:
    """Model files with wrong fields."""
    X, y, _ = simulate(100, 6, random_state=1)
    for layers in (1, 3):
        model = DNFClassifier(random_state=0, layers=layers).fit(X, y)
        model.save(folder / "model.json")
        document = json.loads((folder / "model.json").read_text())
        for wrong in mutated(document, rng, n // 2):
            content = json.dumps(wrong).encode()
            yield lambda content=content: used(
                DNFClassifier.load(written(folder / "m.json", content)), X
            )


def used(model: DNFClassifier, X: pd.DataFrame) -> None:
    """Ask a model that was accepted for all it can answer."""
    model.predict_proba(X)
    model.summary()


def drawn_files(folder: Path, rng: random.Random, n: int) -> Iterator[Attempt]:
    """Files of draws with wrong bytes, half of them sealed again."""
    X, y, _ = simulate(100, 6, random_state=1)
    model = PosteriorDNFClassifier(draws=30, warmup=5, thin=5, chains=2, random_state=0).fit(X, y)
    model.save(folder / "draws.nc")
    content = (folder / "draws.nc").read_bytes()
    for wrong in flipped(content, rng, n // 2):
        yield lambda wrong=wrong: Draws.load(written(folder / "d.nc", wrong))
    held = opened(content, "bayesdnf.draws")
    assert held is not None
    at = bytes(held.content).index(b'{\n  "format"')  # the JSON document, stored as bytes in HDF5
    document = json.loads(model_document(bytes(held.content), at))
    for wrong in mutated(document, rng, n - n // 2):
        text = json.dumps(wrong).encode()
        changed = resealed(bytes(held.content), at, text)
        yield lambda changed=changed: PosteriorDNFClassifier.load(written(folder / "d.nc", changed))


def scans(folder: Path, rng: random.Random, n: int) -> Iterator[Attempt]:
    """Files of a scan with wrong bytes, or wrong settings in their first line."""
    draw = np.random.default_rng(0)
    calls = Genotypes.from_copies(draw.binomial(2, 0.3, (20, 200)))
    scan(calls, draw.random(200) < 0.4, top=20).save(folder / "scan.tsv")
    content = (folder / "scan.tsv").read_bytes()
    first, rows = content.split(b"\n", 1)
    start = first.index(b"{")
    settings = json.loads(first[start:])
    forged = (
        first[:start] + json.dumps(wrong).encode() + b"\n" + rows
        for wrong in mutated(settings, rng, n // 2)
    )

    def asked(wrong: bytes) -> object:
        found = Scan.load(written(folder / "s.tsv", wrong))
        return merge([found]), found.functions

    for wrong in (*flipped(content, rng, n - n // 2), *forged):
        yield lambda wrong=wrong: asked(wrong)


def model_document(content: bytes, at: int) -> str:
    """Cut the JSON document out of a file of draws."""
    text = content[at:].decode("utf-8", errors="ignore")
    _, end = json.JSONDecoder().raw_decode(text)
    return text[:end]


def resealed(content: bytes, at: int, text: bytes) -> bytes:
    """Put another document, padded by blanks or cut, in its place and seal the file again."""
    length = len(model_document(content, at).encode())
    changed = content[:at] + text[:length].ljust(length) + content[at + length :]
    return seal(changed, "bayesdnf.draws", 2)


def options(folder: Path) -> Iterator[Callable[[], str]]:
    """Every option of fit and sample with values that it cannot have."""
    X, y, _ = simulate(60, 6, random_state=0)
    X.assign(y=y).to_csv(folder / "t.csv", index=False)
    wrong = [2**70, -1, "nan", "inf", "1e400", "x", ""]
    own = ["--target", "y", "--time-limit", "0.2", "--out", folder / "o"]
    named = {
        "fit": ["thresholds", "layers", "seed", "jobs", "size-mean", "count-p", "time-limit", "cv",
                "test-share", "sep", "kind", "strata", "positive", "ignore", "test", "target"],
        "sample": ["draws", "warmup", "chains", "thin", "kernel", "checkpoint", "checkpoint-every"],
    }  # fmt: skip
    for name, listed in named.items():
        for option in listed:
            for value in wrong:
                yield lambda n=name, o=option, v=value: command_in(
                    folder, n, folder / "t.csv", *own, f"--{o}", v
                )


def command_in(folder: Path, *arguments: object) -> str:
    """Run a command in a folder: what is no path may be one there."""
    with contextlib.chdir(folder):
        return command(*arguments)


def names(folder: Path) -> Iterator[Callable[[], str]]:
    """Columns, cells and labels with hostile names, through every command."""
    for name in NAMES:
        for place in ("column", "cell", "label"):
            yield lambda name=name, place=place: journey(folder, name, place)


def journey(folder: Path, name: str, place: str) -> str:
    """Fit, show, predict, export and report a table with a hostile name in it."""
    table = pd.DataFrame({"a": ["u", "v"] * 20, "b": range(40), "y": ["n", "p"] * 20})
    if place == "column":
        table = table.rename(columns={"a": name})
    else:
        column, old = ("a", "v") if place == "cell" else ("y", "p")
        table[column] = table[column].replace(old, name)
    table.to_csv(folder / "n.csv", index=False)
    own, model = ["--target", "y", "--time-limit", "0.2"], folder / "n.json"
    model.unlink(missing_ok=True)
    found = [command("fit", folder / "n.csv", *own, "--out", model)]
    if model.exists():
        page = folder / "n.html"
        found += [
            command("show", model),
            command("predict", model, folder / "n.csv", "--out", folder / "n.out.csv"),
            *(command("export", model, "--to", to) for to in ("sql", "python", "latex", "json")),
            command("report", model, "--data", folder / "n.csv", "--out", page),
        ]
        if page.exists() and (
            "<script>alert" in (text := page.read_text()) or "<img src=x" in text
        ):
            found.append("markup in the report")
    return next((problem for problem in found if problem != "handled"), "handled")


def writers(folder: Path) -> Iterator[Callable[[], str]]:
    """Every writer under limits on the size of files, and on paths that cannot be written."""
    X, y, _ = simulate(60, 6, random_state=0)
    X.assign(y=y).to_csv(folder / "t.csv", index=False)
    model, table = folder / "w.json", folder / "t.csv"
    command("fit", table, "--target", "y", "--out", model)
    quick = ["--draws", 20, "--warmup", 5, "--thin", 5, "--chains", 2]
    commands = {
        "a.json": ["fit", table, "--target", "y"],
        "a.nc": ["sample", table, "--target", "y", *quick],
        "a.csv": ["predict", model, table],
        "a.csv.gz": ["predict", model, table],
        "a.py": ["export", model, "--to", "python"],
        "a.html": ["report", model, "--data", table],
        "s.csv": ["simulate"],
    }
    (folder / "is_a_folder").mkdir()
    for name, given in commands.items():
        for most in (0, 10, 40, 100):
            yield lambda n=name, g=given, m=most: limited(folder / n, g, m)
        for out in ("no/such/folder", "is_a_folder", "/dev/full", "x" * 300, "a\0b"):
            yield lambda g=given, o=out: command(*g, "--out", folder / o)


def limited(out: Path, given: list[object], most: int) -> str:
    """Run a command while no file may grow beyond a size; nothing may be left behind."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    there = set(out.parent.iterdir())
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        found = command(*given, "--out", out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    left = set(out.parent.iterdir()) - there
    return found if not left else f"left behind: {left}"


def main() -> None:
    """Attack, print what came of it, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the inputs")
    share = 10 if parser.parse_args().quick else 1
    rng = random.Random(1)
    rows, problems = [], []
    with tempfile.TemporaryDirectory() as name:

        def room(kind: str) -> Path:
            (Path(name) / kind).mkdir()
            return Path(name) / kind

        attacks: dict[str, Iterator[Callable[[], Any]]] = {
            "tables: CSV, gzip, Parquet with wrong bytes": tables(room("t"), rng, 600 // share),
            "model files with wrong fields": models(room("m"), rng, 400 // share),
            "files of draws with wrong bytes or fields": drawn_files(room("d"), rng, 300 // share),
            "files of a scan with wrong bytes or settings": scans(room("s"), rng, 200 // share),
            "checkpoints: forged, damaged, of other runs": checkpoints(
                room("c"), rng, 400 // share
            ),
            "options with impossible values": options(room("o")),
            "hostile names through every command": names(room("n")),
            "writers: limits on sizes, impossible paths": writers(room("w")),
            "checkpoints that do not fit on the disk": full_disks(room("f")),
            "kills of runs with a checkpoint": kills(room("k"), rng, 200 // share),
        }
        for kind, attempts in attacks.items():
            tried = handled = 0
            for attempt in attempts:
                asked = kind.startswith(("checkpoints", "options", "hostile", "writers", "kills"))
                found = attempt() if asked else outcome(attempt)
                tried, handled = tried + 1, handled + (found == "handled")
                if found != "handled":
                    problems.append(f"{kind}: {found:.300}")
            rows.append(f"| {kind} | {tried:,} | {handled:,} |")
            print(rows[-1], flush=True)
    print("\n".join(problems[:40]))
    if share == 1:
        between_marks(PAGE, MARK, ["| input | tried | handled |", "|---|---|---|", *rows])
        stamp(PAGE, "make attack")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
