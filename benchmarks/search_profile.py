"""Profile of the default search: restarts that improve the best score, and the time after them.

Restart by restart, CPU seconds of one thread, on real tables with negations and on simulated ones.
For each table: which restart first came to the final score, by which kind of way (see ``ways`` of
the search), and the share of the time that was spent after it had it. For each kind over all
tables: its share of the time, how many of its restarts ended at the final score, how many bettered
the best, and how often it was the first to come to the final score.

The restarts are those of ``hunt`` itself: only its tally is replaced by one that also looks at the
clock. What passes inside a restart is for ``search_phases``.
``python -m benchmarks.search_profile`` runs it; ``--names car votes`` takes only these real tables.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple
from unittest.mock import patch

from bayesdnf import BitMatrix, Posterior, hunt, simulate

from .best_known import SAME
from .real_regret import problems
from .regret import SETTINGS
from .tree_regret import tree_problem
from .writing import arguments, show, write

SEARCH = import_module("bayesdnf.search.hunt")  # the package attribute of this name is the function
NAMES = ("mushroom", "tic-tac-toe", "car", "votes", "kr-vs-kp", "titanic", "breast_cancer")
QUICK_NAMES = ("votes", "titanic")
TREES = (0, 13, 24, 37)


class Restart(NamedTuple):
    """What one restart came to."""

    kind: str
    score: float
    seconds: float


def restarts(posterior: Posterior, seed: int) -> list[Restart]:
    """Search, and return its restarts in their order."""
    found: list[Restart] = []
    last = time.process_time()

    class Clocked(SEARCH.Tally):  # type: ignore[name-defined,misc]
        def add(self, end: Any) -> None:
            nonlocal last
            super().add(end)
            now = time.process_time()
            found.append(Restart(end.kind, end.score, now - last))
            last = now

    with patch.object(SEARCH, "Tally", Clocked):
        hunt(posterior, random_state=seed)
    return found


def tables(names: list[str] | None, quick: bool) -> Iterator[tuple[str, Posterior]]:
    """Yield real tables with negations, then simulated ones."""
    for problem in problems(names or list(QUICK_NAMES if quick else NAMES), folds=0):
        if problem.name.endswith("negations"):
            yield problem.name, problem.posterior
    for setting in (SETTINGS[2], SETTINGS[4]):
        X, y, _ = simulate(setting.n, setting.p, terms=setting.terms, random_state=0)
        name = f"{len(setting.terms)} terms, p = {setting.p:,}"
        yield name, Posterior(BitMatrix.from_table(X), y)
    for number in TREES[: 1 if quick else None]:
        tree = tree_problem(number)
        yield tree.name, tree.posterior


def profile(table: str, found: list[Restart]) -> dict[str, Any]:
    """Describe when a search first had its result."""
    best = max(restart.score for restart in found)
    first = next(i for i, restart in enumerate(found) if restart.score >= best - SAME)
    whole = sum(restart.seconds for restart in found)
    return {
        "table": table,
        "seconds": whole,
        "restarts": len(found),
        "first": first,
        "kind": found[first].kind,
        "after": sum(restart.seconds for restart in found[first + 1 :]) / whole,
        "at_best": sum(restart.score >= best - SAME for restart in found),
        "improvements": improvements(found),
        "ends": [restart._asdict() for restart in found],
    }


def improvements(found: list[Restart]) -> list[dict[str, Any]]:
    """List the restarts that bettered the best so far, and by how much."""
    better = []
    best = found[0].score
    for number, restart in enumerate(found[1:], 1):
        if restart.score > best + SAME:
            better.append({"restart": number, "kind": restart.kind, "by": restart.score - best})
            best = restart.score
    return better


def by_kind(profiles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sum over all tables, kind by kind."""
    ends = [
        {**end, "at_best": end["score"] >= max(e["score"] for e in p["ends"]) - SAME}
        for p in profiles
        for end in p["ends"]
    ]
    whole = sum(end["seconds"] for end in ends)
    rows = []
    for kind in dict.fromkeys(end["kind"] for end in ends):
        own = [end for end in ends if end["kind"] == kind]
        rows.append(
            {
                "kind": kind,
                "restarts": len(own),
                "share": sum(end["seconds"] for end in own) / whole,
                "at_best": sum(end["at_best"] for end in own) / len(own),
                "bettered": sum(x["kind"] == kind for p in profiles for x in p["improvements"]),
                "first": sum(p["kind"] == kind for p in profiles),
            }
        )
    return rows


def main() -> None:
    """Measure, print both tables, write JSON."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--names", nargs="+", help="only these real tables")
    options = parser.parse_args()
    profiles = [
        profile(name, restarts(posterior, seed=0))
        for name, posterior in tables(options.names, options.quick)
    ]
    show(
        {
            "table": "table",
            "seconds": "CPU s|.2f",
            "restarts": "restarts",
            "first": "restart that had it",
            "kind": "by",
            "after": "time after that|.0%",
            "at_best": "ended there",
        },
        profiles,
    )
    kinds = by_kind(profiles)
    print()
    show(
        {
            "kind": "kind of way",
            "restarts": "restarts",
            "share": "time|.0%",
            "at_best": "ended at the best|.0%",
            "bettered": "bettered",
            "first": "first there",
        },
        kinds,
    )
    write("search_profile", {"tables": profiles, "kinds": kinds})


if __name__ == "__main__":
    main()
