"""Draws made by hand: functions or lists by chain, everything else made up to fit."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import strategies as st

from bayesdnf import BooleanFunction, Draws, RuleList
from bayesdnf.model.flat_functions import as_flat
from bayesdnf.model.rule import as_rule, layers_of, one_line
from bayesdnf.sampling.kernel import MOVES

LITERALS = ["odor = f", "odor != n", "age >= 45", "age < 7", "x1", "NOT x1", '"a b" = "1"']
FUNCTIONS = st.lists(st.lists(st.sampled_from(LITERALS), min_size=1, max_size=4), max_size=3).map(
    BooleanFunction
)
LISTS = st.lists(FUNCTIONS.filter(lambda f: not f.is_null), max_size=3).map(RuleList)


def chains_of(drawn):
    return st.integers(1, 3).flatmap(
        lambda n: st.lists(st.lists(drawn, min_size=n, max_size=n), min_size=1, max_size=6).map(
            lambda rows: [list(chain) for chain in zip(*rows, strict=True)]
        )
    )


CHAINS = chains_of(FUNCTIONS)


def made(chains, equal=None, seed=0, layers=1, strata=(), **changes):
    """Draws whose chains drew these functions or lists, given as they are or as texts."""
    chains = [list(map(as_rule, chain)) for chain in chains]
    times = Counter(rule for chain in chains for rule in chain)
    distinct = sorted(times, key=lambda rule: (-times[rule], one_line(rule)))
    number = {rule: i for i, rule in enumerate(distinct)}
    literals = sorted({x for rule in distinct for x in rule.literals})
    place = {x: i for i, x in enumerate(literals)}
    functions = as_flat(
        [
            (g, [place[x] for x in term])
            for g, layer in enumerate(layers_of(rule), start=1)
            for term in layer.literal_terms
        ]
        for rule in distinct
    )
    rng = np.random.default_rng(seed)
    n, shape = len(distinct), (len(chains), len(chains[0]))
    parts = max(1, len(strata)), layers + 1
    index = np.array([[number[rule] for rule in chain] for chain in chains]).reshape(shape)
    others = np.random.default_rng([seed, 1])  # so that new ones leave the rest alone
    log_prior = -5.0 * rng.random(n)
    often = np.log([times[rule] for rule in distinct])
    log_likelihood = often - log_prior - 60.0  # exact scores fit how often each was drawn
    cells = others.integers(0, 9, size=(n, *parts, 2))
    cells[:, 0, 1] = rng.integers(0, 9, size=(n, 2))
    rows = rng.integers(0, 2**64, size=(n, 2), dtype=np.uint64)
    rates = others.random((*shape, *parts))
    rates[:, :, 0, 0], rates[:, :, 0, 1] = rng.random(shape), rng.random(shape)
    if layers > 1 or len(strata) > 1:  # without either the null function has both of its rates
        there = np.arange(layers + 1) <= functions.n_layers[index][:, :, None, None]
        rates = np.where(there, rates, np.nan)
    tried = others.integers(50, 100, size=(shape[0], len(MOVES)))
    values = {
        "literals": tuple(literals),
        "equal": tuple(tuple((equal or {}).get(x, ())) for x in literals),
        "functions": functions,
        "log_prior": log_prior,
        "log_likelihood": log_likelihood,
        "cells": cells,
        "rows": rows,
        "index": index,
        "rates": rates,
        "likelihoods": rng.normal(size=(*shape, 1)),
        "betas": (1.0,),
        "tried": tried,
        "changed": tried // 3,
        "exchanges_tried": np.zeros((shape[0], 0), dtype=np.int64),
        "exchanged": np.zeros((shape[0], 0), dtype=np.int64),
        "log_copies": np.full(n, np.nan),  # no exact scores: probabilities are shares of draws
        "settings": {"kernel": "informed", "seed": "(0, ())", "data": "0" * 64},
        "strata": tuple(strata),
    }
    return Draws(**(values | changes))


def independent(functions, weights, n_chains=4, n_draws=500, seed=0):
    """Chains of independent draws of some functions or lists."""
    rng = np.random.default_rng(seed)
    read = [as_rule(f) for f in functions]
    shares = np.array(weights) / np.sum(weights)
    drawn = rng.choice(len(read), size=(n_chains, n_draws), p=shares)
    return [[read[i] for i in row] for row in drawn]
