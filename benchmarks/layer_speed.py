"""Steps a second of the default sampler with layers and strata, against one layer and none.

Strata leave the two risks without an order, and chains may then stay at the complement of what they
find with one, whose terms can be longer; so there is one layer without an order as well. Chains
start at the best rule found and make the same number of steps; the search is not counted. CPU
seconds, the median of several rounds that take the settings in turn.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from bayesdnf import Effect, LiteralEncoder, Posterior, datasets, hunt, sample

from .folds import FOLDERS, read_set
from .writing import arguments, show, write

DRAWS, THIN = 1000, 100
NONE, UNORDERED = "one layer", "one layer, unordered"
SETTINGS = {  # layers, strata, order
    NONE: (1, 1, None),
    UNORDERED: (1, 1, False),
    "four layers": (4, 1, None),
    "six strata": (1, 6, None),
}


def tables() -> dict[str, tuple[Any, Any]]:
    """Encode HIV's resistance to abacavir, and half of mushroom."""
    found = {}
    hiv = read_set("hiv_nrti_ABC", FOLDERS["hiv"])
    if hiv is not None:
        found["HIV, ABC"] = hiv.X, hiv.y
    X, y = datasets.load_mushroom()
    half, _, y_half, _ = train_test_split(X, y, test_size=0.5, stratify=y, random_state=1910)
    found["half of mushroom"] = half, (y_half == "p").to_numpy()
    return found


def main() -> None:
    """Measure, print a table, write JSON."""
    options = arguments(__doc__, sets=False).parse_args()
    results = []
    for name, (X, y) in tables().items():
        bits = LiteralEncoder().fit_encode(X)
        strata = np.random.default_rng(0).integers(0, 6, len(y))
        posteriors, starts = {}, {}
        for setting, (layers, n_strata, ordered) in SETTINGS.items():
            given = strata % n_strata if n_strata > 1 else None
            effect = Effect(ordered=ordered)
            posteriors[setting] = Posterior(bits, y, effect=effect, layers=layers, strata=given)
            starts[setting] = hunt(posteriors[setting], random_state=0).function
        rates: dict[str, list[float]] = {setting: [] for setting in SETTINGS}
        for number in range(2 if options.quick else 5):
            for setting, posterior in posteriors.items():
                start = time.process_time()
                drawn = sample(
                    posterior,
                    draws=DRAWS,
                    warmup=0,
                    thin=THIN,
                    chains=1,
                    starts=[starts[setting]],
                    random_state=number,
                )
                steps = float(drawn.tried.sum())
                rates[setting].append(steps / (time.process_time() - start))
        one, unordered = (statistics.median(rates[setting]) for setting in (NONE, UNORDERED))
        for setting, found in rates.items():
            rate = statistics.median(found)
            shares = {"share": rate / one, "of_unordered": rate / unordered}
            results.append({"table": name, "setting": setting, "rate": rate, **shares})
    columns = {
        "table": "table",
        "setting": "setting",
        "rate": "steps/s|,.0f",
        "share": "of one layer|.2f",
        "of_unordered": "of unordered|.2f",
    }
    show(columns, results)
    write("layer_speed", {"layer_speed": results})


if __name__ == "__main__":
    main()
