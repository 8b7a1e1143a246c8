"""Draws for pictures, ordinary and odd, and what stands in axes."""

import numpy as np
import pandas as pd

from bayesdnf import (
    BitMatrix,
    BooleanFunction,
    Geometric,
    Posterior,
    Prior,
    plots,
    sample,
    simulate,
)


def drawn(n, p, names=None, prior=None, **settings):
    terms = settings.pop("terms", (2, 2))
    X, y, _ = simulate(n, p, terms=terms, random_state=1)
    if names is not None:
        X.columns = names
    posterior = Posterior(BitMatrix.from_table(X), y, prior or Prior())
    defaults = {"draws": 150, "warmup": 50, "thin": 20, "random_state": 1}
    return sample(posterior, **(defaults | settings))


LONG = [f"a column with a name too long for most plots, number {i:02d}" for i in range(12)]


PROBLEMS = {
    "two terms": lambda: drawn(150, 12),
    "no signal": lambda: drawn(100, 12, terms=BooleanFunction()),
    "only the null": lambda: drawn(
        20_000, 3, terms=BooleanFunction(), prior=Prior(Geometric(0.999999, start=0)), draws=20
    ),
    "one function": lambda: drawn(1500, 6, draws=20, warmup=20),
    "one chain": lambda: drawn(150, 12, chains=1),
    "one draw": lambda: drawn(150, 12, draws=1, warmup=0, chains=6),
    "one literal": lambda: drawn(150, 1, terms=(1,)),
    "long names": lambda: drawn(120, 12, names=LONG),
    "dollars": lambda: drawn(150, 4, names=["$a$", "$", "_b", "\\frac{$x$"]),
}


def drawn_lists(names=None, n=200, p=8, layers=3, labels=(), **settings):
    """Draws of lists on rows of three risks, other ones in every stratum."""
    rng = np.random.default_rng(1)
    X = rng.random((n, p)) < 0.5
    part = np.where(X[:, 0] & X[:, 1], 2, np.where(X[:, 2], 1, 0)) if p > 2 else 0 * X[:, 0]
    stratum = np.arange(n) % max(1, len(labels))
    y = rng.random(n) < np.array([0.1, 0.5, 0.9])[part] * (0.5 + 0.5 * (stratum == 0))
    table = pd.DataFrame(X, columns=names or [f"x{j}" for j in range(p)])
    strata = np.array(labels)[stratum] if len(labels) else None
    posterior = Posterior(BitMatrix.from_table(table), y, layers=layers, strata=strata)
    defaults = {"draws": 100, "warmup": 50, "thin": 20, "random_state": 1}
    return sample(posterior, **(defaults | settings))


PROBLEMS_OF_LISTS = {
    "lists": lambda: drawn_lists(),
    "lists in strata": lambda: drawn_lists(labels=["$f$", "m", "neither of these two"]),
    "many strata": lambda: drawn_lists(labels=[f"stratum {i:02d}" for i in range(14)], layers=2),
    "lists of long names": lambda: drawn_lists(names=LONG[:8], layers=4),
    "only the null list": lambda: drawn_lists(n=4000, p=2, layers=2, draws=5, warmup=5),
    "functions in strata": lambda: drawn_lists(layers=1, labels=["f", "m"]),
}


def y_labels(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def x_labels(ax):
    return [text.get_text() for text in ax.get_xticklabels()]


def bars(ax):
    """Lengths of horizontal bars, in the order they were drawn."""
    return np.array([bar.get_width() for container in ax.containers[:1] for bar in container])


def all_text(ax):
    return "\n".join(text.get_text() for text in ax.texts)


OF_DRAWS = {
    "rates": (plots.rates, (2, 2)),
    "trace": (plots.trace, (3, 2)),
    "function_posterior": (plots.function_posterior, None),
    "inclusion": (plots.inclusion, None),
    "inclusion of terms": (lambda draws, **k: plots.inclusion(draws, "term", **k), None),
    "coinclusion": (plots.coinclusion, None),
    "functions": (plots.functions, (2,)),
    "part_rates": (plots.part_rates, None),
}
