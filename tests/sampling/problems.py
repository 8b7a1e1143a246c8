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
from tests.model.literal_worlds import LiteralWorld
from tests.sampling.slow_posterior import SlowPosterior

COLUMNS = {
    "plain": [Literal("x0", "true"), Literal("x1", "true"), Literal("x2", "true")],
    "duplicated": [Literal("x2", "true"), Literal("x3", "true"), Literal("x0", "true")],
    "nested": [Literal("age", ">=", 1), Literal("age", ">=", 3), Literal("x0", "true")],
    "negated": [Literal("x0", "true"), Literal("x0", "false"), Literal("x1", "true")],
}
"""The first two are what the name says, so that two literals are enough."""
RESPELLED = [
    Literal("age", "=", 1),
    Literal("age", ">=", 1),
    Literal("age", "<", 2),
    Literal("x0", "true"),
    Literal("age", "<", 3),
]
"""The first is said by the next two; where ``x0`` holds and no age is 2, by two pairs."""

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
    "strata": [None],
    "layers": [1],
}
"""The same of the data and of the parts; rates are ordered where there are two, if told nothing."""

LISTS = {
    **DATA,
    "effect": [Effect(), Effect(2, 3, 1.5, 0.5, 2, 1)],
    "strata": [None, 2, 3],
    "layers": [3, 2, 1],
}
"""Data for lists of layers, with strata and without."""


class Problem:
    """One choice of all settings: the posterior of the library, and the slow one.

    ``strata`` is their number; rows take turns. With more than two classes the outcome is the
    number of a class.
    """

    def __init__(self, seed=0, n_rows=24, n_literals=3, classes=2, **settings):
        chosen = {name: values[0] for name, values in {**PRIOR, **DATA}.items()}
        chosen.update(settings)
        self.seed = seed
        self.settings = {"n_literals": n_literals, "classes": classes, **chosen}
        data = {name: chosen.pop(name) for name in DATA}
        self.effect, self.layers = data["effect"], data["layers"]
        columns = {**COLUMNS, "respelled": RESPELLED}
        literals = columns[data["columns"]][:n_literals]
        self.world = LiteralWorld(seed, n_rows, literals, data["missing"], data["weighted"])
        if data["follows"]:  # the first two columns matter, now and then
            rng = np.random.default_rng(seed)
            truth = [self.world.columns[x] for x in literals]
            self.world.y = (truth[0] & truth[1]) ^ (rng.random(n_rows) < 0.25)
            self.world.y[:2] = True, False
        self.positive = True
        if classes > 2:
            self.positive = None
            rng = np.random.default_rng(seed)
            drawn = rng.integers(0, classes, n_rows)
            self.world.y = np.where(self.world.y & (rng.random(n_rows) < 0.7), 0, drawn)
            self.world.y[:classes] = np.arange(classes)
            if self.world.weights is not None:
                self.world.weights[:classes] = 1
        self.strata = None
        if data["strata"] is not None:
            self.strata = np.array(["a", "b", "c"])[np.arange(n_rows) % data["strata"]]
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
            positive=self.positive,
            sample_weight=self.world.weights,
            layers=self.layers,
            strata=self.strata,
        )

    def slow(self):
        return SlowPosterior(self.world, self.prior, self.effect, self.layers, self.strata)

    def __str__(self):
        """Only what differs from the default."""
        usual = {name: values[0] for name, values in {**PRIOR, **DATA}.items()}
        usual |= {"n_literals": 3, "classes": 2}
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


def small_enough(layers, antichain, restriction, size, **others):
    """How many literals to take for the lists to be no more than some 130."""
    few_terms = restriction.get("max_terms") == 2 or size == Tabulated([0, 0, 2, 1])
    few_lists = layers == 1 or (layers == 2 and antichain)
    return 3 if few_terms or few_lists else 2


def varied_problems():
    """Every pair of settings of prior, support and data, of functions and then of lists."""
    covers = [pairwise_cover({**PRIOR, **data}) for data in (DATA, LISTS)]
    return [
        Problem(seed=seed, n_literals=small_enough(**settings), **settings)
        for seed, settings in enumerate(itertools.chain(*covers))
    ]


def all_problems():
    """Every combination of settings of the prior and the support, with data by turns."""
    data = itertools.cycle([*pairwise_cover(DATA), *pairwise_cover(LISTS)])
    product = itertools.product(*PRIOR.values())
    chosen = [{**dict(zip(PRIOR, values, strict=True)), **next(data)} for values in product]
    return [
        Problem(seed=seed, n_literals=small_enough(**settings), **settings)
        for seed, settings in enumerate(chosen)
    ]
