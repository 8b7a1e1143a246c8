"""Gaps that `bound` proves on the shared tables in limited time; writes the table of docs/trust.md.

Every table whole, with negations, under the default prior: a search of at most half the time, then
the proof. ``--names votes car`` takes only these tables, and leaves the others on the page as they
are; there the gap stands beside the processor seconds that the proof took.
"""

from __future__ import annotations

import resource
import time
from pathlib import Path

import numpy as np

from bayesdnf import bound, hunt

from .best_known import Problem
from .folds import GROUPS, sets
from .real_regret import problem
from .writing import arguments, show, stamp, write

PAGE = Path(__file__).parents[1] / "docs" / "trust.md"
MARK = "<!-- gaps -->\n"
COLUMNS = {
    "name": "table",
    "rows": "rows|,",
    "literals": "literals|,",
    "terms": "terms|",
    "score": "log posterior|.2f",
    "gap": "gap|.2f",
    "seconds": "CPU s|.1f",
    "megabytes": "MB|,",
}


def measured(task: Problem, seconds: float) -> dict[str, object]:
    """Search, then prove; how far it came."""
    found = hunt(task.posterior, time_limit=seconds / 2, random_state=0)
    start = time.process_time()
    proof = bound(task.posterior, found.function, time_limit=seconds)
    return {
        "name": task.name.split(",")[0],
        "rows": task.posterior.n,
        "literals": task.bits.n_literals,
        "terms": len(proof.function.terms),
        "score": proof.log_posterior,
        "better": proof.log_posterior - found.log_posterior,
        "gap": proof.gap,
        "stopped": proof.stopped,
        "seconds": time.process_time() - start,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def page_rows(before: str, rows: list[dict[str, object]]) -> str:
    """Put the rows into the table of the page."""
    lines = {line.split("|")[1].strip(): line for line in before.splitlines()}
    for row in rows:
        gap = "**proved**" if row["gap"] == 0 else f"{row['gap']:,.1f}"
        lines[str(row["name"])] = (
            f"| {row['name']} | {row['rows']:,} | {row['literals']:,} | {row['terms']} "
            f"| {gap} | {row['seconds']:.1f} |"
        )
    return "\n".join(lines.values()) + "\n"


def main() -> None:
    """Go through the tables, smallest first."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--names", nargs="+", help="only these tables")
    parser.add_argument("--seconds", type=float, default=60, help="for each proof")
    options = parser.parse_args()
    tables = [table for group in GROUPS for table in sets(group, options.names)]
    rows = []
    for table in sorted(tables, key=lambda t: t.X.size):
        task = problem(table, "whole", np.arange(len(table.y)), negations=True)
        rows.append(measured(task, options.seconds))
        show(COLUMNS, rows[-1:])
    write("gaps", {"seconds": options.seconds, "rows": rows})
    before, table, after = PAGE.read_text(encoding="utf-8").split(MARK)
    PAGE.write_text(MARK.join([before, page_rows(table, rows), after]), encoding="utf-8")
    stamp(PAGE, "python -m benchmarks.gaps")


if __name__ == "__main__":
    main()
