"""Tables of very many columns: processor time and memory of reading and encoding a CSV file.

Four rows, so that columns are all there is to do; each table in a process of its own. Time and
memory for a column should not grow with their number. Writes the table of docs/scale.md.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bayesdnf import LiteralEncoder
from bayesdnf.data.reading import read_file

from .writing import arguments, stamp

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
MARK = "<!-- wide -->\n"
SIZES = (10_000, 100_000, 1_000_000)
QUICK = (1_000, 10_000)
ROWS = 4


def written(path: Path, columns: int) -> Path:
    """Write a table of 0 and 1."""
    cells = np.random.default_rng(0).integers(0, 2, (ROWS, columns))
    lines = [",".join(f"c{j}" for j in range(columns)), *(",".join(map(str, row)) for row in cells)]
    path.write_text("\n".join(lines) + "\n")
    return path


def measured(path: Path) -> tuple[float, float, float]:
    """Return processor seconds of reading and of encoding a file, and megabytes beyond imports."""
    LiteralEncoder().fit_encode(read_file(written(path.with_suffix(".few.csv"), 10)))  # imports
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    table = read_file(path)
    middle = time.process_time()
    LiteralEncoder().fit_encode(table)
    end = time.process_time()
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return middle - start, end - middle, more / 1024


def main() -> None:
    """Measure, print, and write the table of the page."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--of", type=Path, help="measure this file only, in this process")
    given = parser.parse_args()
    if given.of is not None:
        print(*measured(given.of))
        return
    lines = ["| columns | reading, s | encoding, s | µs for a column | memory, MB |"]
    lines.append("|---:|---:|---:|---:|---:|")
    print("\n".join(lines))
    with tempfile.TemporaryDirectory() as folder:
        for columns in QUICK if given.quick else SIZES:
            path = written(Path(folder) / f"{columns}.csv", columns)
            command = [sys.executable, "-m", "benchmarks.wide", "--of", str(path)]
            told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            reading, encoding, megabytes = map(float, told.split())
            each = (reading + encoding) / columns * 1e6
            lines.append(
                f"| {columns:,} | {reading:.2f} | {encoding:.2f} | {each:.0f} | {megabytes:,.0f} |"
            )
            print(lines[-1], flush=True)
    if not given.quick:
        before, _, after = PAGE.read_text("utf-8").split(MARK)
        rows = "\n".join(lines)
        PAGE.write_text(f"{before}{MARK}{rows}\n{MARK}{after}", "utf-8")
        stamp(PAGE, "python -m benchmarks.wide")


if __name__ == "__main__":
    main()
