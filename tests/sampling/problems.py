"""Small problems of every make: data, prior and support, each pair of settings at least once."""

from __future__ import annotations

import itertools

import numpy as np

from bayesdnf import (
    Effect,
    Flat,
    Geometric,
    Literal,
    Poisson,
    Posterior,
    Prior,
    Tabulated,
    Uniform,
)
from model.literal_worlds import LiteralWorld
from sampling.slow_posterior import SlowPosterior

COLUMNS = {
    "plain": [Literal("x0", "true"), Literal("x1", "true"), Literal("x2", "true")],
    "duplicated": [Literal("x0", "true"), Literal("x2", "true"), Literal("x3", "true")],
    "nested": [Literal("age", ">=", 1), Literal("age", ">=", 3), Literal("x0", "true")],
    "negated": [Literal("x0", "true"), Literal("x0", "false"), Literal("x1", "true")],
}

PRIOR = {
    "antichain": [True, False],
    "count": [
        Geometric(0.5, start=0),
        Geometric(0.3),
        Uniform(3, low=0),
        Tabulated([0, 2, 1, 2, 1]),
        Flat(),
    ],
    "size": [Poisson(2), Uniform(), Tabulated([0, 0, 2, 1]), Flat()],
    "literals": ["uniform", "size-only", "weighted"],
    "orderings": [True, False],
    "min_cover": [1, 0],
    "related": [False, True],
}
"""What is varied of the prior and the support; the first of each is what it is otherwise."""

DATA = {
    "restriction": [{}, {"disjoint": True}, {"max_terms": 2}, {"max_literals": 4}],
    "columns": list(COLUMNS),
    "weighted": [False, True],
    "missing": [0.0, 0.2],
    "effect": [Effect(), Effect(ordered=False), Effect(2, 3, 1.5, 0.5, 2, 1)],
    "follows": [True, False],
}


class Problem:
    """One choice of all settings: the posterior of the library, and the slow one."""

    def __init__(self, seed=0, n_rows=24, **settings):
        chosen = {name: values[0] for name, values in {**PRIOR, **DATA}.items()}
        chosen.update(settings)
        self.seed = seed
        self.settings = dict(chosen)
        data = {name: chosen.pop(name) for name in DATA}
        self.effect = data["effect"]
        literals = COLUMNS[data["columns"]]
        self.world = LiteralWorld(seed, n_rows, literals, data["missing"], data["weighted"])
        if data["follows"]:  # the first two columns matter, now and then
            rng = np.random.default_rng(seed)
            truth = [self.world.columns[x] for x in literals]
            self.world.y = (truth[0] & truth[1]) ^ (rng.random(n_rows) < 0.25)
            self.world.y[:2] = True, False
        if chosen["literals"] == "weighted":
            chosen["literals"] = "uniform"
            chosen["weights"] = {literals[0].attribute: 2.5}
        self.prior = Prior(**data["restriction"], **chosen)

    def posterior(self):
        return Posterior(
            self.world.bits(),
            self.world.y,
            self.prior,
            self.effect,
            positive=True,
            sample_weight=self.world.weights,
        )

    def slow(self):
        return SlowPosterior(self.world, self.prior, self.effect)

    def __str__(self):
        """Only what differs from the default."""
        usual = {name: values[0] for name, values in {**PRIOR, **DATA}.items()}
        changed = [f"{k}={v}" for k, v in self.settings.items() if v != usual[k]]
        return ", ".join(changed) or "defaults"


def pairwise_cover(factors, seed=0):
    """Choices of all factors such that every two values of two factors meet in one of them.

    Greedy: each new choice starts from a pair not met yet and takes, factor by factor, the value
    that meets most of the others.
    """
    rng = np.random.default_rng(seed)
    names = list(factors)
    waiting = {
        ((a, i), (b, j))
        for a, b in itertools.combinations(names, 2)
        for i in range(len(factors[a]))
        for j in range(len(factors[b]))
    }

    def pair(one, other):
        return tuple(sorted((one, other), key=lambda x: names.index(x[0])))

    while waiting:
        chosen = dict(sorted(waiting)[rng.integers(len(waiting))])
        for name in rng.permutation([n for n in names if n not in chosen]).tolist():
            met = [
                sum(pair((name, i), other) in waiting for other in chosen.items())
                for i in range(len(factors[name]))
            ]
            best = np.flatnonzero(np.equal(met, max(met)))
            chosen[name] = int(rng.choice(best))
        waiting -= {pair(x, y) for x, y in itertools.combinations(chosen.items(), 2)}
        yield {name: factors[name][chosen[name]] for name in names}


def varied_problems():
    """Every pair of settings of prior, support and data."""
    return [
        Problem(seed=seed, **settings)
        for seed, settings in enumerate(pairwise_cover({**PRIOR, **DATA}))
    ]


def all_problems():
    """Every combination of settings of the prior and the support, with data by turns."""
    data = itertools.cycle(pairwise_cover(DATA))
    product = itertools.product(*PRIOR.values())
    return [
        Problem(seed=seed, **dict(zip(PRIOR, values, strict=True)), **next(data))
        for seed, values in enumerate(product)
    ]
