"""Every kind of move as a list of where it leads, and how probably: the twin of the native moves.

A function is a frozenset of terms, a term a frozenset of literal numbers. Each move below lists its
proposals: with which probability it proposes which function, and the ratio of the probability of
proposing the way back to that of the way out. What is missing from a probability of 1 does nothing.
``transition`` adds the posterior's part and accepts. Settings are those of the kernel.
"""

from __future__ import annotations

import itertools
import math
from functools import reduce

import numpy as np

from sampling.slow_posterior import softmax


def replaced(function, out, added):
    """A function with some terms in the place of others; None where a term would stand twice."""
    rest = function - set(out)
    together = rest | set(added)
    return together if len(together) == len(rest) + len(added) else None


# Moves: lists of (probability, proposed function, way back over way out) --------------------------


def flip(model, kernel, function, beta):
    for term in function:
        for literal in range(model.p):
            changed = term ^ {literal}
            yield 1 / (len(function) * model.p), replaced(function, [term], [changed]), 1.0


def swap(model, kernel, function, beta):
    for term in function:
        lacks = set(range(model.p)) - term
        for out, put in itertools.product(term, lacks):
            changed = term - {out} | {put}
            chance = 1 / (len(function) * len(term) * len(lacks))
            yield chance, replaced(function, [term], [changed]), 1.0


def births_and_deaths(model, function, q):
    """Half the time a term from q; else one of the terms, each alike, is dropped."""
    m = len(function)
    for term in model.terms:
        if q(term) > 0:
            yield q(term) / 2, replaced(function, [], [term]), 1 / ((m + 1) * q(term))
    for term in function:
        yield 1 / (2 * m), function - {term}, m * q(term)


def birth(model, kernel, function, beta):
    return births_and_deaths(model, function, model.plain_q)


def row_birth(model, kernel, function, beta):
    return births_and_deaths(model, function, model.row_q)


def grown_birth(model, kernel, function, beta):
    """As births and deaths, but of a term that grows, in a random order on the way back."""
    m, powers = len(function), kernel.growth
    for power in powers:
        for order, chance in grown(model, function, frozenset(), beta, power):
            ways = math.factorial(len(order)) * chance
            proposed = replaced(function, [], [frozenset(order)])
            yield chance / (2 * len(powers)), proposed, 1 / ((m + 1) * ways)
        for term in function:
            rest = function - {term}
            chances = dict(grown(model, rest, frozenset(), beta, power))
            for order in itertools.permutations(term):
                orders = math.factorial(len(order))
                yield 1 / (2 * len(powers) * m * orders), rest, m * orders * chances[order]


def grown(model, rest, base, beta, power):
    """Every order in which a term can grow out of ``base``, with its probability."""
    stop, nexts = model.growth(rest, base, beta, power)
    if stop > 0:
        yield (), stop
    if stop < 1:
        for literal, chance in nexts.items():
            for order, later in grown(model, rest, base | {literal}, beta, power):
                yield (literal, *order), (1 - stop) * chance * later


def listed_birth(model, kernel, function, beta):
    """A third of the time a listed term, a third a death, a third one listed term for another."""
    total = sum(kernel.listed.values())
    q = {frozenset(term): weight / total for term, weight in kernel.listed.items()}
    for chance, proposed, ratio in births_and_deaths(model, function, lambda t: q.get(t, 0)):
        yield chance * 2 / 3, proposed, ratio
    for term, new in itertools.product(function, q):
        proposed = replaced(function, [term], [new])
        yield q[new] / (3 * len(function)), proposed, q.get(term, 0) / q[new]


def split(model, kernel, function, beta):
    """Half the time u makes way for {w, u Δ w}; else a pair for its symmetric difference."""
    m = len(function)
    q = model.plain_q

    def back_over_out(few, one, other):
        """Of a split that leads from ``few`` terms to one more."""
        return (1 / math.comb(few + 1, 2)) / ((q(one) + q(other)) / few)

    for term, w in itertools.product(function, model.terms):
        if w != term:
            halves = w, w ^ term
            ratio = back_over_out(m, *halves)
            yield q(w) / (2 * m), replaced(function, [term], halves), ratio
    for one, other in itertools.combinations(function, 2):
        ratio = 1 / back_over_out(m - 1, one, other)
        yield 1 / (2 * math.comb(m, 2)), replaced(function, [one, other], [one ^ other]), ratio


def redraw(model, kernel, function, beta):
    """Draw a base, then one of all functions that could have led to this base."""
    m = len(function)
    empty_base, whole_base = kernel.empty_base, kernel.whole_base
    bases = [(empty_base, function, frozenset(), None)]  # and what makes the function of the base
    for term in function:
        rest = function - {term}
        bases.append(((1 - empty_base) * whole_base / m, rest, term, None))
        for literal in term:
            chance = (1 - empty_base) * (1 - whole_base) / (m * len(term))
            bases.append((chance, rest, term - {literal}, literal))
    for chance, rest, base, now in bases:
        bounds = dict(model.bounds(rest, base, beta))
        if not base and model.log_score(rest, beta) > -math.inf:
            bounds[None] = model.log_score(rest, beta)
        logs = {}
        for key, bound in bounds.items():
            # the probability of this base where this candidate is the function
            if key is not None:
                led = (1 - empty_base) * (1 - whole_base) / ((len(rest) + 1) * (len(base) + 1))
            elif base:
                led = (1 - empty_base) * whole_base / (len(rest) + 1)
            else:
                led = empty_base
            logs[key] = bound + math.log(led)
        for key, drawn in softmax(logs).items():
            if key == now:
                continue
            added = base if key is None else base | {key}
            proposed = replaced(rest, [], [added] if added else [])
            yield chance * drawn, proposed, math.exp(bounds[now] - bounds[key])


MOVES = {
    "flip": flip,
    "swap": swap,
    "birth": birth,
    "row birth": row_birth,
    "grown birth": grown_birth,
    "listed birth": listed_birth,
    "split": split,
    "redraw": redraw,
}


# Steps of a chain --------------------------------------------------------------------------------


def transition(model, kernel, function, beta=1.0):
    """Where one step of a kernel's moves leads from a function: {function: probability}."""
    row = {}
    left = 1.0
    here = model.log_score(function, beta)
    for name, weight in kernel.mix.items():
        share = weight / sum(kernel.mix.values())
        for chance, proposed, ratio in MOVES[name](model, kernel, function, beta):
            there = model.log_score(proposed, beta)
            if there > -math.inf and ratio > 0:
                moved = share * chance * math.exp(min(0.0, there - here + math.log(ratio)))
                row[proposed] = row.get(proposed, 0.0) + moved
                left -= moved
    assert left > -1e-12
    row[function] = row.get(function, 0.0) + left
    return row


def matrix(model, kernel, beta=1.0):
    """All rows, in the order of the model's functions."""
    place = {function: i for i, function in enumerate(model.scores)}
    steps = np.zeros((len(place), len(place)))
    for function, i in place.items():
        for reached, chance in transition(model, kernel, function, beta).items():
            steps[i, place[reached]] += chance
    return steps


def exchange(model, joint, betas, pair):
    """Let two neighbouring temperatures offer each other their functions.

    ``joint`` has one axis per temperature; its entries are probabilities of functions there.
    """
    likelihoods = np.array([log_likelihood for _, log_likelihood in model.scores.values()])
    gain = likelihoods[None, :] - likelihoods[:, None]  # at the colder one
    accepted = np.exp(np.minimum(0, (betas[pair] - betas[pair + 1]) * gain))
    before = np.moveaxis(joint, (pair, pair + 1), (-2, -1))
    moved = before * accepted
    after = before - moved + moved.swapaxes(-2, -1)
    return np.moveaxis(after, (-2, -1), (pair, pair + 1))


def joint_transition(model, kernel, starts, step):
    """Where the step after ``step`` leads a kernel's temperatures: {functions: probability}.

    Every so many steps the pairs (0, 1), (2, 3), … and (1, 2), (3, 4), … exchange in turn.
    """
    functions = list(model.scores)
    place = {function: i for i, function in enumerate(functions)}
    rows = np.zeros((len(starts), len(functions)))
    for row, start, beta in zip(rows, starts, kernel.betas, strict=True):
        for reached, chance in transition(model, kernel, start, beta).items():
            row[place[reached]] = chance
    joint = reduce(np.multiply.outer, rows)
    rounds, left = divmod(step + 1, kernel.exchange_every)
    if left == 0:
        for pair in range(rounds % 2, len(starts) - 1, 2):
            joint = exchange(model, joint, kernel.betas, pair)
    return {
        tuple(functions[i] for i in where): float(joint[where])
        for where in zip(*np.nonzero(joint), strict=True)
    }
