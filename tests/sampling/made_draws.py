"""Draws made by hand: functions by chain, everything else made up to fit."""

from __future__ import annotations

from collections import Counter

import numpy as np

from bayesdnf import BooleanFunction, Draws
from bayesdnf.model.flat_functions import FlatFunctions
from bayesdnf.sampling.kernel import MOVES


def made(chains, equal=None, seed=0, **changes):
    """Draws whose chains drew these functions, given as texts or as BooleanFunction."""
    chains = [[BooleanFunction(f) if isinstance(f, str) else f for f in chain] for chain in chains]
    flat = [f for chain in chains for f in chain]
    times = Counter(flat)
    distinct = sorted(times, key=lambda f: (-times[f], str(f)))
    number = {f: i for i, f in enumerate(distinct)}
    literals = sorted({x for f in distinct for x in f.literals})
    place = {x: i for i, x in enumerate(literals)}
    term_starts, literal_starts, held = [0], [0], []
    for f in distinct:
        for term in f.literal_terms:
            held += [place[x] for x in term]
            literal_starts.append(len(held))
        term_starts.append(len(literal_starts) - 1)
    rng = np.random.default_rng(seed)
    n, shape = len(distinct), (len(chains), len(chains[0]))
    tried = rng.integers(50, 100, size=(shape[0], len(MOVES)))
    values = {
        "literals": tuple(literals),
        "equal": tuple(tuple((equal or {}).get(x, ())) for x in literals),
        "functions": FlatFunctions(
            np.array(term_starts, dtype=np.int64),
            np.array(literal_starts, dtype=np.int64),
            np.array(held, dtype=np.int32),
        ),
        "log_prior": -5.0 * rng.random(n),
        "log_likelihood": -50.0 * rng.random(n),
        "marked": rng.integers(0, 9, size=(n, 2)),
        "rows": rng.integers(0, 2**64, size=(n, 2), dtype=np.uint64),
        "index": np.array([[number[f] for f in chain] for chain in chains]).reshape(shape),
        "pi0": rng.random(shape),
        "pi1": rng.random(shape),
        "likelihoods": rng.normal(size=(*shape, 1)),
        "betas": (1.0,),
        "tried": tried,
        "changed": tried // 3,
        "exchanges_tried": np.zeros((shape[0], 0), dtype=np.int64),
        "exchanged": np.zeros((shape[0], 0), dtype=np.int64),
        "settings": {"kernel": "informed", "seed": "(0, ())", "data": "0" * 64},
    }
    return Draws(**(values | changes))


def independent(functions, weights, n_chains=4, n_draws=500, seed=0):
    """Chains of independent draws of some functions."""
    rng = np.random.default_rng(seed)
    read = [BooleanFunction(f) for f in functions]
    shares = np.array(weights) / np.sum(weights)
    drawn = rng.choice(len(read), size=(n_chains, n_draws), p=shares)
    return [[read[i] for i in row] for row in drawn]
