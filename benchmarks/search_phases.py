"""Where the time inside the restarts of the default search goes, as shares of samples.

Linux's ``perf`` stops the search a thousand times a second of CPU time and notes which functions of
the core are running. "rebuilding at known rates" is part of a restart, "rebuilding" what follows.
The tables are those of ``search_profile``.

``make profile-search`` builds the core with symbols in build/profile and runs this.
"""

from __future__ import annotations

import importlib.util
import itertools
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

MODULE = Path(__file__).parents[1] / "build" / "profile" / "native"
# A sample counts for the first phase whose functions are all on the stack.
PHASES = {
    "polishing": ("polish",),
    "rebuilding at known rates": ("restart", "rebuild"),
    "rebuilding": ("rebuild",),
    "recombining": ("recombine",),
    "annealing": ("annealed",),
    "other": ("restart",),
}


def search(number: int, quick: bool) -> None:
    """Search one table with the core that has symbols, loaded before anything loads the other."""
    name = "bayesdnf._native"
    spec: Any = importlib.util.spec_from_file_location(name, next(MODULE.glob("_native*.so")))
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])

    from bayesdnf import hunt

    from .search_profile import tables

    _, posterior = next(itertools.islice(tables(None, quick), number, None))
    hunt(posterior, random_state=0)


def sampled(number: int, quick: bool) -> Counter[str]:
    """Count the samples of each phase while one table is searched."""
    call = f"from benchmarks.search_phases import search; search({number}, {quick})"
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/perf.data"
        record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-g", "-o", file]
        subprocess.run([*record, sys.executable, "-c", call], check=True)
        told = subprocess.run(
            ["perf", "script", "-F", "ip,sym", "-i", file],
            check=True,
            capture_output=True,
            text=True,
        )
    return Counter(phase for stack in told.stdout.split("\n\n") if (phase := phase_of(stack)))


def phase_of(stack: str) -> str | None:
    """Return the phase of a stack of functions; None outside of a restart."""
    running = {line.rpartition("::")[2] for line in stack.splitlines()}
    return next((phase for phase, all_of in PHASES.items() if running.issuperset(all_of)), None)


def main() -> None:
    """Measure, print a table, write JSON."""
    from .search_profile import tables
    from .writing import arguments, show, write

    options = arguments(__doc__, sets=False).parse_args()
    rows = []
    for number, (table, _) in enumerate(tables(None, options.quick)):
        counts = sampled(number, options.quick)
        shares = {phase: counts[phase] / max(1, counts.total()) for phase in PHASES}
        rows.append({"table": table, "samples": counts.total(), **shares})
    show(
        {"table": "table", "samples": "samples|,", **{phase: f"{phase}|.0%" for phase in PHASES}},
        rows,
    )
    write("search_phases", {"search_phases": rows})


if __name__ == "__main__":
    main()
