"""The posterior over every function of a few literals, slowly, and what its chains look at.

A function is a frozenset of terms, a term a frozenset of literal numbers.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
from scipy.special import betaln

import reference
from bayesdnf import Flat, Geometric, Poisson, Tabulated, Uniform


def weight_of(distribution):
    """A distribution of a whole number as a plain function, written from its definition."""
    match distribution:
        case Poisson(mean=mean):
            return reference.shifted_poisson(mean)
        case Geometric(p=p, start=start):
            return reference.geometric(p, start)
        case Uniform(high=high, low=low):
            top = math.inf if high is None else high
            width = 1 if high is None else high - low + 1  # without an end: renormalised below
            return lambda x: 1 / width if low <= x <= top else 0.0
        case Tabulated(weights=weights):
            return lambda x: weights[x] / math.fsum(weights) if x < len(weights) else 0.0
        case Flat():
            return reference.flat()
    raise TypeError(distribution)


def log(x):
    return math.log(x) if x > 0 else -math.inf


def softmax(logs):
    top = max(logs.values(), default=0.0)
    weights = {key: math.exp(value - top) for key, value in logs.items()}
    return {key: weight / sum(weights.values()) for key, weight in weights.items()}


class SlowPosterior:
    """Prior and likelihood of every allowed function of a few literals, without their sum.

    ``scores`` maps each function that has any mass to (log prior, log likelihood).
    """

    def __init__(self, world, prior, effect):
        self.world, self.prior, self.effect = world, prior, effect
        self.p = len(world.literals)
        keep = slice(None) if world.weights is None else np.flatnonzero(world.weights)
        self.columns = world.counted()
        self.truth = np.array([self.columns[x] for x in world.literals])
        self.y, self.weights = world.y[keep], world.counted_weights()
        self.rates = effect.a0, effect.b0, effect.a1, effect.b1
        self.log_order = reference.log_order_probability(*self.rates)
        self.bounds = cache(self.bounds)  # asked for again and again; slow enough as it is
        self.growth = cache(self.growth)
        self.row_q = cache(self.row_q)
        self._collapsed = cache(self._collapsed)
        self._read_prior()
        self.terms = [
            frozenset(term)
            for k in range(1, self.p + 1)
            for term in itertools.combinations(range(self.p), k)
        ]
        self.scores = {}
        for m in range(len(self.terms) + 1):
            for terms in itertools.combinations(self.terms, m):
                log_prior = self.log_prior(terms)
                if log_prior > -math.inf:
                    self.scores[frozenset(terms)] = log_prior, self.log_likelihood(terms)

    def _read_prior(self):
        prior, world = self.prior, self.world
        self.count = weight_of(prior.count)
        size = weight_of(prior.size)
        self.size = reference.truncated(size, self.p) if prior.size.truncates else size
        self.literal_weights = None
        if prior.weights is not None:
            self.literal_weights = [prior.weights.get(x.attribute, 1.0) for x in world.literals]

    def log_prior(self, terms):
        prior = self.prior
        spelled = [frozenset(self.world.literals[j] for j in term) for term in terms]
        if not reference.is_allowed(
            spelled,
            self.columns,
            self.weights,
            prior.antichain,
            prior.related,
            prior.disjoint,
            prior.min_cover,
            prior.max_terms,
            prior.max_literals,
        ):
            return -math.inf
        return reference.log_prior(
            terms,
            self.p,
            self.count,
            self.size,
            prior.literals,
            prior.orderings,
            self.literal_weights,
        )

    def marked(self, terms):
        rows = np.zeros(len(self.y), dtype=bool)
        for term in terms:
            rows |= self.truth[sorted(term)].all(axis=0)
        return rows

    def log_likelihood(self, terms):
        counts = reference.counts_of(self.marked(terms), self.y, self.weights)
        if not terms:
            return reference.log_null(*counts[:2], self.effect.a, self.effect.b)
        return self._collapsed(counts, self.effect.ordered)

    def _collapsed(self, counts, ordered):
        return reference.log_collapsed(*counts, *self.rates, ordered=ordered)

    def log_score(self, function, beta):
        """Log of prior times likelihood to the power beta; -inf outside the support."""
        log_prior, log_likelihood = self.scores.get(function, (-math.inf, 0.0))
        return log_prior + beta * log_likelihood

    def probabilities(self, beta=1.0):
        """The posterior over its functions, at an inverse temperature of the likelihood."""
        logs = np.array([self.log_score(function, beta) for function in self.scores])
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    # What informed moves look at instead of the posterior: its prior, and a likelihood that is
    # cheaper to know and never below the true one.

    def likelihood_bound(self, terms):
        n, n_pos, n_marked, n_both = reference.counts_of(self.marked(terms), self.y, self.weights)
        if not self.effect.ordered:
            return self._collapsed((n, n_pos, n_marked, n_both), False)
        # Marked negatives are taken down to where marked rows are no less risky than others, and
        # the order is taken for certain.
        negatives = min(n_marked - n_both, math.floor(n_both * ((n - n_pos) / n_pos)))
        unordered = self._collapsed((n, n_pos, n_both + negatives, n_both), False)
        return unordered - self.log_order

    def log_size(self, k):
        """Log prior of one term of k literals, its literals' weights aside."""
        value = log(self.size(k))
        if self.literal_weights is not None:
            return value - log(reference.elementary_symmetric(self.literal_weights, k))
        return value - (log(math.comb(self.p, k)) if self.prior.literals == "uniform" else 0)

    def log_literals(self, term):
        weights = self.literal_weights
        return 0.0 if weights is None else sum(log(weights[j]) for j in sorted(term))

    def may_add(self, rest, base, literal):
        """Whether a literal may join the term ``base``, whatever the antichain and the cover."""
        prior, literals = self.prior, self.world.literals
        if literal in base:
            return False
        if not prior.related and any(
            reference.are_related(literals[literal], literals[j], self.columns) for j in base
        ):
            return False
        taken = {literals[j].attribute for term in rest for j in term}
        if prior.disjoint and literals[literal].attribute in taken:
            return False
        used = len(base) + sum(map(len, rest))
        return prior.max_literals is None or used < prior.max_literals

    def bounds(self, rest, base, beta):
        """Log weight of each literal that may join ``base`` beside ``rest``; None: of base itself.

        A size that the prior rules out counts as the best of the longer ones.
        """
        m = len(rest) + 1
        others = log(self.count(m)) + (math.lgamma(m + 1) if self.prior.orderings else 0)
        others += sum(self.log_size(len(term)) + self.log_literals(term) for term in rest)
        found = {}
        for literal in range(self.p):
            if not self.may_add(rest, base, literal):
                continue
            longer = base | {literal}
            size = self.log_size(len(longer))
            if size == -math.inf:
                size = max(self.log_size(k) for k in range(len(longer), self.p + 1))
            prior = others + size + self.log_literals(longer)
            found[literal] = prior + beta * self.likelihood_bound([*rest, longer])
        if base:
            found[None] = others + self.term_bound(rest, base, beta)
        return {key: value for key, value in found.items() if value > -math.inf}

    def growth(self, rest, base, beta, power):
        """Probability that a growing term is finished, and of each literal to come otherwise.

        Literals are ranked as the beam ranks partial terms: two Beta integrals over the rows that
        the rest leaves open. Stopping is decided by bounds, of the term as it is and with the
        literal that ranks first.
        """
        ranks = {j: self.rank(rest, base, j, beta) for j in range(self.p)}
        ranks = {j: rank for j, rank in ranks.items() if self.may_add(rest, base, j)}
        nexts = softmax({j: power * rank for j, rank in ranks.items()})
        if not base:
            return 0.0, nexts
        if not nexts:
            return 1.0, nexts
        now = self.term_bound(rest, base, beta)
        if now == -math.inf:
            return 0.0, nexts
        longer = self.term_bound(rest, base | {max(ranks, key=ranks.get)}, beta)
        stop = 1 / (1 + math.exp(min(700.0, longer - now)))
        return min(0.95, max(0.05, stop)), nexts

    def rank(self, rest, base, literal, beta):
        left = ~self.marked(rest)
        held = left & self.marked([base | {literal}])
        _, _, n_left, left_pos = reference.counts_of(left, self.y, self.weights)
        _, _, n_held, held_pos = reference.counts_of(held, self.y, self.weights)
        left_neg, held_neg = n_left - left_pos, n_held - held_pos
        parted = betaln(1 + held_pos, 1 + held_neg)
        parted += betaln(1 + left_pos - held_pos, 1 + left_neg - held_neg)
        return beta * parted + self.log_literals({literal})

    def term_bound(self, rest, term, beta):
        """What a term adds to the log of the prior, and a bound on the likelihood with it."""
        prior = self.log_size(len(term)) + self.log_literals(term)
        return prior + beta * self.likelihood_bound([*rest, term])

    # Terms that births draw.

    def plain_q(self, term):
        """A size k with probability 2^-k, then any k of the literals."""
        return 2.0 ** -len(term) / math.comb(self.p, len(term))

    def row_q(self, term):
        """A positive individual, a size k with probability 2^-k, k of what is true of it."""
        k = len(term)
        total = n_pos = 0.0
        for i in np.flatnonzero(self.y):
            times = 1 if self.weights is None else int(self.weights[i])
            n_pos += times
            held = set(np.flatnonzero(self.truth[:, i]).tolist())
            if term <= held:
                total += times * 2.0**-k / math.comb(len(held), k)
        return total / n_pos
