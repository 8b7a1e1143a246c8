"""Every kind of move as a list of where it leads, and how probably: the twin of the native moves.

Rule lists are tuples of layers, as in ``slow_lists``. Each move below lists its proposals: with
which probability it proposes which rules, and the ratio of the probability of proposing the way
back to that of the way out. What is missing from a probability of 1 does nothing. ``transition``
adds the posterior's part and accepts. Settings are those of the kernel.
"""

from __future__ import annotations

import itertools
import math
from functools import reduce

import numpy as np

from tests import reference
from tests.sampling.slow_lists import places, replaced, take_out, terms_of, with_term
from tests.sampling.slow_posterior import softmax

# Moves: lists of (probability, proposed list, way back over way out) ------------------------------


def flip(model, kernel, rules, beta):
    terms = terms_of(rules)
    for term in terms:
        for literal in range(model.p):
            changed = term ^ {literal}
            yield 1 / (len(terms) * model.p), replaced(rules, [term], [changed]), 1.0


def swap(model, kernel, rules, beta):
    terms = terms_of(rules)
    for term in terms:
        lacks = set(range(model.p)) - term
        for out, into in itertools.product(term, lacks):
            changed = term - {out} | {into}
            chance = 1 / (len(terms) * len(term) * len(lacks))
            yield chance, replaced(rules, [term], [changed]), 1.0


def births_and_deaths(model, rules, q):
    """Half the time a term from q, at any of the places; else one of the terms is dropped."""
    terms, heights = terms_of(rules), places(rules, model.layers)
    m = len(terms)
    for term, height in itertools.product(model.terms, heights):
        if q(term) > 0:
            chance = q(term) / len(heights)
            yield chance / 2, with_term(rules, term, height), 1 / ((m + 1) * chance)
    for term in terms:
        rest, _ = take_out(rules, term)
        yield 1 / (2 * m), rest, m * q(term) / len(places(rest, model.layers))


def birth(model, kernel, rules, beta):
    return births_and_deaths(model, rules, model.plain_q)


def row_birth(model, kernel, rules, beta):
    return births_and_deaths(model, rules, model.row_q)


def grown_birth(model, kernel, rules, beta):
    """As births and deaths, but of a term that grows for its place; in any order, backwards."""
    terms, heights = terms_of(rules), places(rules, model.layers)
    m, powers = len(terms), kernel.growth
    for power in powers:
        for height in heights:
            for order, chance in grown(model, rules, height, frozenset(), beta, power):
                proposed = with_term(rules, frozenset(order), height)
                drawn = chance / len(heights)
                back = 1 / ((m + 1) * math.factorial(len(order)))
                yield drawn / (2 * len(powers)), proposed, back / drawn
        for term in terms:
            rest, height = take_out(rules, term)
            chances = dict(grown(model, rest, height, frozenset(), beta, power))
            for order in itertools.permutations(term):
                drawn = 1 / (m * math.factorial(len(order)))
                back = chances[order] / len(places(rest, model.layers))
                yield drawn / (2 * len(powers)), rest, back / drawn


def grown(model, rest, height, base, beta, power):
    """Every order in which a term can grow out of ``base``, with its probability."""
    stop, nexts = model.growth(rest, height, base, beta, power)
    if stop > 0:
        yield (), stop
    if stop < 1:
        for literal, chance in nexts.items():
            for order, later in grown(model, rest, height, base | {literal}, beta, power):
                yield (literal, *order), (1 - stop) * chance * later


def listed_birth(model, kernel, rules, beta):
    """A third of the time a listed term, a third a death, a third one listed term for another."""
    terms = terms_of(rules)
    total = sum(kernel.listed.values())
    q = {frozenset(term): weight / total for term, weight in kernel.listed.items()}
    for chance, proposed, ratio in births_and_deaths(model, rules, lambda t: q.get(t, 0)):
        yield chance * 2 / 3, proposed, ratio
    for term, new in itertools.product(terms, q):
        proposed = replaced(rules, [term], [new])
        yield q[new] / (3 * len(terms)), proposed, q.get(term, 0) / q[new]


def split(model, kernel, rules, beta):
    """Half the time u makes way for {w, u Δ w}; else a pair for its symmetric difference.

    Both halves stand in the layer of u; a pair of two layers stays as it is.
    """
    terms = terms_of(rules)
    m = len(terms)
    q = model.plain_q

    def back_over_out(few, one, other):
        """Of a split that leads from ``few`` terms to one more."""
        return (1 / math.comb(few + 1, 2)) / ((q(one) + q(other)) / few)

    for term, w in itertools.product(terms, model.terms):
        if w != term:
            halves = w, w ^ term
            ratio = back_over_out(m, *halves)
            yield q(w) / (2 * m), replaced(rules, [term], halves), ratio
    for one, other in itertools.combinations(terms, 2):
        ratio = 1 / back_over_out(m - 1, one, other)
        yield 1 / (2 * math.comb(m, 2)), replaced(rules, [one, other], [one ^ other]), ratio


def redraw(model, kernel, rules, beta):
    """Draw a base and its place, then one of all lists that could have led to them."""
    terms, heights = terms_of(rules), places(rules, model.layers)
    m = len(terms)
    empty_base, whole_base = kernel.empty_base, kernel.whole_base
    # Each with what makes the list of the base: one more literal, or None.
    bases = [(empty_base / len(heights), rules, height, frozenset(), None) for height in heights]
    for term in terms:
        rest, height = take_out(rules, term)
        bases.append(((1 - empty_base) * whole_base / m, rest, height, term, None))
        for literal in term:
            chance = (1 - empty_base) * (1 - whole_base) / (m * len(term))
            bases.append((chance, rest, height, term - {literal}, literal))
    for chance, rest, height, base, now in bases:
        bounds = dict(model.bounds(rest, height, base, beta))
        if not base and model.log_score(rest, beta) > -math.inf:
            bounds[None] = model.log_score(rest, beta)
        n_terms = len(terms_of(rest)) + 1
        logs = {}
        for key, bound in bounds.items():
            # the probability of this base and place where this candidate is the list
            if key is not None:
                led = (1 - empty_base) * (1 - whole_base) / (n_terms * (len(base) + 1))
            elif base:
                led = (1 - empty_base) * whole_base / n_terms
            else:
                led = empty_base / len(places(rest, model.layers))
            logs[key] = bound + math.log(led)
        for key, drawn in softmax(logs).items():
            if key == now:
                continue
            added = base if key is None else base | {key}
            proposed = with_term(rest, added, height) if added else rest
            yield chance * drawn, proposed, math.exp(bounds[now] - bounds[key])


def layer(model, kernel, rules, beta):
    """A third each: a term finds another place, layers are split or merged, two are swapped."""
    for way in (relocated, layers_split_or_merged, layers_swapped):
        for chance, proposed, ratio in way(model, rules, beta):
            yield chance / 3, proposed, ratio


def relocated(model, rules, beta):
    """Any of the terms goes to a place drawn in proportion to the posterior with it there."""
    terms = terms_of(rules)
    for term in terms:
        rest, _ = take_out(rules, term)
        lists = [with_term(rest, term, height) for height in places(rest, model.layers)]
        logs = {to: model.log_score(to, beta) for to in lists}
        logs = {to: score for to, score in logs.items() if score > -math.inf}
        for to, chance in softmax(logs).items():
            yield chance / len(terms), to, math.exp(logs[rules] - logs[to])


def layers_split_or_merged(model, rules, beta):
    """Half the time one layer makes way for two; else two neighbours for one.

    A split takes any of the ordered ways to part a layer's terms in two; layers of one term stay as
    they are, and all of them where there are as many as may be.
    """
    for g, old in enumerate(rules):
        if len(rules) == model.layers:
            continue
        ways = 2 ** len(old) - 2
        for n_upper in range(1, len(old)):
            for upper in map(frozenset, itertools.combinations(old, n_upper)):
                proposed = (*rules[:g], old - upper, upper, *rules[g + 1 :])
                yield 1 / (2 * len(rules) * ways), proposed, ways
    for g in range(len(rules) - 1):
        merged = rules[g] | rules[g + 1]
        proposed = (*rules[:g], merged, *rules[g + 2 :])
        yield 1 / (2 * (len(rules) - 1)), proposed, 1 / (2 ** len(merged) - 2)


def layers_swapped(model, rules, beta):
    """Any two neighbours change places."""
    for g in range(len(rules) - 1):
        proposed = (*rules[:g], rules[g + 1], rules[g], *rules[g + 2 :])
        yield 1 / (len(rules) - 1), proposed, 1.0


def jump(model, kernel, rules, beta):
    """From a known list to any that is known, as probably as it is among them."""
    if rules in model.known:
        weights = softmax({known: model.log_score(known, beta) for known in model.known})
        for known, weight in weights.items():
            if weight > 0:
                yield weight, known, weights[rules] / weight


def respell(model, kernel, rules, beta):
    """A term says the same of open rows with two literals of an attribute for one, or one for two.

    Rows that other terms of its layer or a higher one hold are not open to it.
    """
    terms = terms_of(rules)
    for term in terms:
        rest, height = take_out(rules, term)
        open_rows = 2 * model.parts(rest) - 1 < height
        others = respelled(model, term, open_rows)
        for other in others:
            back = 1 / len(respelled(model, other, open_rows))
            chance = 1 / (len(terms) * len(others))
            yield chance, replaced(rules, [term], [other]), back * len(others)


def respelled(model, term, open_rows):
    """All terms that it can make way for: neither of the two literals would do alone."""

    def rows(any_term):
        return (model.marked([any_term]) & open_rows).tolist()

    attributes = [literal.attribute for literal in model.world.literals]
    found = []
    for other in model.terms:
        short, long = sorted((term, other), key=len)
        one, two = short - long, long - short
        if len(one) != 1 or len(two) != 2 or len({attributes[j] for j in one | two}) != 1:
            continue
        if rows(term) != rows(other) or any(rows(long - {j}) == rows(long) for j in two):
            continue
        if model.prior.related or not reference.are_related(
            *(model.world.literals[j] for j in two), model.columns
        ):
            found.append(other)
    return found


MOVES = {
    "flip": flip,
    "swap": swap,
    "birth": birth,
    "row birth": row_birth,
    "grown birth": grown_birth,
    "listed birth": listed_birth,
    "split": split,
    "redraw": redraw,
    "layer": layer,
    "jump": jump,
    "respell": respell,
}


# Steps of a chain --------------------------------------------------------------------------------


def transition(model, kernel, rules, beta=1.0):
    """Where one step of a kernel's moves leads from a list: {list: probability}."""
    row = {}
    left = 1.0
    here = model.log_score(rules, beta)
    for name, weight in kernel.mix.items():
        share = weight / sum(kernel.mix.values())
        for chance, proposed, ratio in MOVES[name](model, kernel, rules, beta):
            there = model.log_score(proposed, beta)
            if there > -math.inf and ratio > 0:
                moved = share * chance * math.exp(min(0.0, there - here + math.log(ratio)))
                row[proposed] = row.get(proposed, 0.0) + moved
                left -= moved
    assert left > -1e-12
    row[rules] = row.get(rules, 0.0) + left
    return row


def matrix(model, kernel, beta=1.0):
    """All rows, in the order of the model's lists."""
    place = {rules: i for i, rules in enumerate(model.scores)}
    steps = np.zeros((len(place), len(place)))
    for rules, i in place.items():
        for reached, chance in transition(model, kernel, rules, beta).items():
            steps[i, place[reached]] += chance
    return steps


def exchange(model, joint, betas, pair):
    """Let two neighbouring temperatures offer each other their lists.

    ``joint`` has one axis per temperature; its entries are probabilities of lists there.
    """
    likelihoods = np.array([log_likelihood for _, log_likelihood in model.scores.values()])
    gain = likelihoods[None, :] - likelihoods[:, None]  # at the colder one
    accepted = np.exp(np.minimum(0, (betas[pair] - betas[pair + 1]) * gain))
    before = np.moveaxis(joint, (pair, pair + 1), (-2, -1))
    moved = before * accepted
    after = before - moved + moved.swapaxes(-2, -1)
    return np.moveaxis(after, (-2, -1), (pair, pair + 1))


def joint_transition(model, kernel, starts, step):
    """Where the step after ``step`` leads a kernel's temperatures: {lists: probability}.

    Every so many steps the pairs (0, 1), (2, 3), … and (1, 2), (3, 4), … exchange in turn.
    """
    lists = list(model.scores)
    place = {rules: i for i, rules in enumerate(lists)}
    rows = np.zeros((len(starts), len(lists)))
    for row, start, beta in zip(rows, starts, kernel.betas, strict=True):
        for reached, chance in transition(model, kernel, start, beta).items():
            row[place[reached]] = chance
    joint = reduce(np.multiply.outer, rows)
    rounds, left = divmod(step + 1, kernel.exchange_every)
    if left == 0:
        for pair in range(rounds % 2, len(starts) - 1, 2):
            joint = exchange(model, joint, kernel.betas, pair)
    return {
        tuple(lists[i] for i in where): float(joint[where])
        for where in zip(*np.nonzero(joint), strict=True)
    }
