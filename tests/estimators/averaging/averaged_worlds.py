"""Draws and rows that are averaged."""

import numpy as np
import pandas as pd

from bayesdnf import (
    Effect,
    Geometric,
    LiteralEncoder,
    Posterior,
    Prior,
    sample,
)
from bayesdnf.estimators.averaging.nearness import AveragedRows
from tests.estimators.slow_representative import SlowRows

SETTINGS = {
    "functions": {},
    "lists": {"layers": 3},
    "strata": {"strata": True, "weights": True},
    "both": {"layers": 2, "strata": True, "weights": True},
    "population": {"layers": 2, "strata": True, "effect": Effect(prevalence=0.05)},
    "classes": {"layers": 3, "classes": 3},
    "classes in strata": {"layers": 2, "strata": True, "weights": True, "classes": 3},
}


def world(seed, layers=1, strata=False, weights=False, n=70, effect=None, prior=None, classes=2):
    """A noisy table with missing values, its posterior, draws, and the slow twin of its rows."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "odor": rng.choice(np.array(["f", "n", None], dtype=object), n),
            "flag": rng.integers(0, 2, n),
            "other": rng.integers(0, 2, n),
        }
    )
    y = ((table["odor"] == "f") | (table["flag"] == 1)).to_numpy() ^ (rng.random(n) < 0.15)
    y[:2] = True, False
    if classes == 3:
        y = np.where(y, 0, 1 + (table["other"] == 1).to_numpy())
        y[:3] = 0, 1, 2
    stratum = rng.integers(0, 2, n) if strata else None
    weight = rng.integers(1, 4, n) if weights else None
    encoder = LiteralEncoder()
    posterior = Posterior(
        encoder.fit_encode(table),
        y,
        Prior(count=Geometric(0.3, start=0)) if prior is None else prior,
        Effect(ordered=False) if effect is None else effect,
        positive=True if classes == 2 else None,
        layers=layers,
        strata=stratum,
        sample_weight=weight,
    )
    drawn = sample(posterior, draws=60, warmup=20, chains=2, thin=20, random_state=seed)
    return drawn, posterior, slow_rows(drawn, posterior)


def slow_rows(drawn, posterior):
    """The slow twin, on the rows of the fit and those that are crossed from them."""
    bits = AveragedRows(drawn, posterior).bits
    segment = np.repeat(np.arange(len(bits.segments)), bits.segments)
    number, stratum = np.divmod(segment, posterior.n_strata)
    return SlowRows(drawn, posterior, bits, number, stratum, bits.counts)
