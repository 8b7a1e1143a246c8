"""Weights for chains that have not mixed: log loss of averages of lists.

Alike: all chains. Counted: all but those stuck where there is no mass, as averages are. Mass: by
the exact scores of all that a chain drew. Stacked: by the weights that predict left-out training
rows best (Yao, Vehtari and Gelman 2022, J. Mach. Learn. Res. 23), P(y | the others) by importance.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesdnf import PosteriorDNFClassifier, _native
from bayesdnf.estimators.averaging.drawn_on_rows import DrawnOnRows, stored_places
from bayesdnf.estimators.averaging.nearness import AveragedRows
from bayesdnf.sampling.draws import Draws

from .folds import Set
from .peers import every_set, training_rows
from .writing import arguments, show, stamp, write

QUICK = ("tic-tac-toe", "monks-2", "kr-vs-kp", "breast_cancer")
WAYS = ("alike", "counted", "mass", "stacked")
COLUMNS = {"set": "set", "left_out": "left out|d", **{way: f"{way}|.4f" for way in WAYS}}
PAGE = Path(__file__).parents[1] / "docs" / "trust.md"
MARK = "<!-- weights -->\n"

Floats = NDArray[np.float64]


def left_out_rows(draws: Draws, rows: AveragedRows) -> Floats:
    """P(outcome | all others), by chain and training row: the harmonic mean over its lists."""
    cells = draws.cells[:, 0].astype(float)  # without strata: [list, part, class]
    # Leave-one-out posterior mean under Beta(1, 1), from the other rows of the part. A class
    # without rows in a part is never looked up there.
    given = np.where(cells > 0, cells, 1) / (cells.sum(axis=-1, keepdims=True) + 1)
    inverse = 1 / given.transpose(0, 2, 1)  # one segment for each class
    bits = rows.bits
    found = []
    for counts in draws.counts:
        shares = (counts / draws.n_draws)[:, None, None]
        sums = _native.part_sums(
            bits.view(), *draws.functions, np.ascontiguousarray(inverse * shares)
        )
        found.append(1 / sums[stored_places(bits)])
    return np.array(found)


def stacked(densities: Floats, times: NDArray[np.int64]) -> Floats:
    """Weights of the highest likelihood of rows, with one row more for each chain (by EM)."""
    n = len(densities)
    weights = np.full(n, 1 / n)
    for _ in range(2000):
        shares = weights[:, None] * densities
        weights = (1 + (shares / shares.sum(axis=0)) @ times) / (n + times.sum())
    return weights


def measured(data: Set) -> dict[str, Any]:
    """Fit once, and weigh the chains in all ways."""
    train, test = data.folds[0]
    train = training_rows(train)
    X_train, X_test = (data.X.iloc[rows].reset_index(drop=True) for rows in (train, test))
    model = PosteriorDNFClassifier(layers=4, random_state=0).fit(X_train, data.y[train])
    draws = model.draws_
    assert model._posterior is not None
    table, rows = model.encoder_.as_table(X_test), AveragedRows(draws, model._posterior, 0)
    alone = [replace(draws, index=draws.index[[c]], rates=draws.rates[[c]]) for c in range(4)]
    risks = np.array([DrawnOnRows(chain, table, model.effect_).risk() for chain in alone])
    mass = np.array([np.logaddexp.reduce(draws.log_mass[own > 0]) for own in draws.counts])
    weights = {
        "alike": np.ones(4),
        "counted": np.isin(np.arange(4), draws.counted).astype(float),
        "mass": np.exp(mass - mass.max()),
        "stacked": stacked(left_out_rows(draws, rows), rows._weight),
    }
    found = {"set": data.name, "left_out": 4 - len(draws.counted)}
    for way, own in weights.items():
        risk = own / own.sum() @ risks
        given = np.where(data.y[test] == 1, risk, 1 - risk)
        found[way] = float(-np.log(np.clip(given, 1e-6, 1)).mean())
    return found


def main() -> None:
    """Measure, print, and write the table of the page."""
    options = arguments(__doc__, sets=False).parse_args()
    rows = []
    for data in every_set():
        if not options.quick or data.name in QUICK:
            rows.append(measured(data))
            show(COLUMNS, rows[-1:])
    means = {way: float(np.mean([row[way] for row in rows])) for way in WAYS}
    show(COLUMNS, [{"set": "mean", **means}])
    write("chain_weights", {"rows": rows})
    lines = [
        f"| set | chains left out | {' | '.join(WAYS)} |",
        f"|---|---:|{'---:|' * len(WAYS)}",
        *(
            f"| {row['set']} | {row['left_out']} | {' | '.join(f'{row[w]:.4f}' for w in WAYS)} |"
            for row in rows
        ),
        f"| *mean* |  | {' | '.join(f'{means[w]:.4f}' for w in WAYS)} |",
    ]
    before, _, after = PAGE.read_text(encoding="utf-8").split(MARK)
    PAGE.write_text(MARK.join([before, "\n".join(lines) + "\n", after]), encoding="utf-8")
    stamp(PAGE, f"python -m benchmarks.chain_weights{' --quick' * options.quick}")


if __name__ == "__main__":
    main()
