"""The posterior over every rule list of a few literals, slowly, and what its chains look at.

Lists are tuples of layers, layer 1 first, as in ``slow_lists``; a list of one layer is a function.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np

from bayesdnf import Flat, Geometric, Poisson, Tabulated, Uniform
from tests import reference
from tests.model import slow_order
from tests.sampling.slow_lists import all_lists, put, terms_of


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


def first_of_highest(ranks, rounding=1e-9):
    """The first literal that none outranks; a term that takes all of a part ties with others."""
    best = None
    for literal, rank in ranks.items():
        if best is None or rank > ranks[best] + rounding:
            best = literal
    return best


class SlowPosterior:
    """Prior and likelihood of every allowed list of a few literals, without their sum.

    ``scores`` maps each list that has any mass to (log prior, log likelihood). ``strata`` has a
    label for each row of the world.
    """

    def __init__(self, world, prior, effect, layers=1, strata=None):
        self.world, self.prior, self.effect, self.layers = world, prior, effect, layers
        self.p = len(world.literals)
        keep = slice(None) if world.weights is None else np.flatnonzero(world.weights)
        self.columns = world.counted()
        self.truth = np.array([self.columns[x] for x in world.literals])
        self.y, self.weights = world.y[keep], world.counted_weights()
        self.strata = None if strata is None else np.asarray(strata)[keep]
        self.rates = effect.a0, effect.b0, effect.a1, effect.b1
        self._read_order()
        self.likelihood_bound = cache(self.likelihood_bound)  # all asked for again and again
        self.separation = cache(self.separation)
        self.bounds = cache(self.bounds)
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
        for rules in self.all_lists():
            log_prior = self.log_prior(rules)
            if log_prior > -math.inf:
                self.scores[rules] = log_prior, self.log_likelihood(rules)
        self.known = list(self.scores)[::3]  # what jumps lead between

    def _read_order(self):
        """Where there are two rates they are ordered by default; more of them never are."""
        self.n_classes = 2 if self.y.dtype == bool else int(self.world.y.max()) + 1
        self.two_rates = (
            self.layers == 1
            and self.n_classes == 2
            and (self.strata is None or len(np.unique(self.strata)) == 1)
        )
        ordered = self.effect.ordered
        self.ordered = self.two_rates if ordered is None else ordered
        assert self.two_rates or not self.ordered
        self.log_order = slow_order.log_order_probability(*self.rates)

    def all_lists(self):
        """Every list of distinct terms, allowed or not; with one term too many at most."""
        most = len(self.terms) if self.prior.max_terms is None else self.prior.max_terms + 1
        for m in range(min(most, len(self.terms)) + 1):
            for terms in itertools.combinations(self.terms, m):
                yield from all_lists(terms, self.layers)

    def _read_prior(self):
        prior, world = self.prior, self.world
        self.count = cache(weight_of(prior.count))
        size = cache(weight_of(prior.size))
        self.size = cache(reference.truncated(size, self.p)) if prior.size.truncates else size
        self.literal_weights = None
        if prior.weights is not None:
            self.literal_weights = [prior.weights.get(x.attribute, 1.0) for x in world.literals]

    def log_prior(self, rules):
        prior, literals = self.prior, self.world.literals
        log_prior = self._log_prior_of_terms(terms_of(rules))
        if log_prior == -math.inf or not reference.is_allowed_list(
            [[frozenset(literals[j] for j in term) for term in layer] for layer in rules],
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
        return log_prior + self.log_layers(len(terms_of(rules)), len(rules))

    def _log_prior_of_terms(self, terms):
        return reference.log_prior(
            terms,
            self.p,
            self.count,
            self.size,
            self.prior.literals,
            self.prior.orderings,
            self.literal_weights,
        )

    def log_layers(self, m, n_layers):
        return reference.log_layers_prior(m, n_layers, self.layers)

    def marked(self, terms):
        return reference.function_truth(terms, self.truth, len(self.y))

    def parts(self, rules):
        """The number of the highest layer that holds on each row, 0 where none does."""
        return reference.parts_of(rules, self.truth, len(self.y))

    def cells(self, rules):
        """Positives and negatives of each stratum in each part, as many parts as there can be."""
        parts = self.parts(rules)
        return reference.cells_of(parts, self.y, self.layers + 1, self.strata, self.weights)

    def log_likelihood(self, rules):
        if not rules:
            null = self.effect.a, self.effect.b
            totals = [parts[0] for parts in self.cells(rules)]
            if self.n_classes > 2:
                return sum(map(reference.log_dirichlet, totals))
            return sum(reference.log_null(pos + neg, pos, *null) for pos, neg in totals)
        if not self.two_rates:
            return reference.log_collapsed_cells(self.cells(rules), *self.rates)
        counts = reference.counts_of(self.marked(*rules), self.y, self.weights)
        return self._collapsed(counts, self.ordered)

    def _collapsed(self, counts, ordered):
        return reference.log_collapsed(*counts, *self.rates, ordered=ordered)

    def log_score(self, rules, beta):
        """Log of prior times likelihood to the power beta; -inf outside the support."""
        log_prior, log_likelihood = self.scores.get(rules, (-math.inf, 0.0))
        return log_prior + beta * log_likelihood

    def probabilities(self, beta=1.0):
        """The posterior over its lists, at an inverse temperature of the likelihood."""
        logs = np.array([self.log_score(rules, beta) for rules in self.scores])
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    # What informed moves look at instead of the posterior: its prior, and a likelihood that is
    # cheaper to know and never below the true one. They look at a term at a height beside the rest
    # of a list.

    def likelihood_bound(self, rest, height, term):
        rules = put(rest, term, height)
        if not self.ordered:
            return self.log_likelihood(rules)
        counts = reference.counts_of(self.marked(*rules), self.y, self.weights)
        n, n_pos, n_marked, n_both = counts
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
        terms = terms_of(rest)
        if prior.disjoint and any(
            reference.attributes([literals[literal]], self.columns)
            & reference.attributes([literals[j] for j in term], self.columns)
            for term in terms
        ):
            return False
        used = len(base) + sum(map(len, terms))
        return prior.max_literals is None or used < prior.max_literals

    def bounds(self, rest, height, base, beta):
        """Log weight of each literal that may join ``base`` beside ``rest``; None: of base itself.

        A size that the prior rules out counts as the best of the longer ones.
        """
        terms = terms_of(rest)
        m = len(terms) + 1
        others = log(self.count(m)) + (math.lgamma(m + 1) if self.prior.orderings else 0)
        others += sum(self.log_size(len(term)) + self.log_literals(term) for term in terms)
        others += self.log_layers(m, len(put(rest, base, height)))
        found = {}
        for literal in range(self.p):
            if not self.may_add(rest, base, literal):
                continue
            longer = base | {literal}
            size = self.log_size(len(longer))
            if size == -math.inf:
                size = max(self.log_size(k) for k in range(len(longer), self.p + 1))
            prior = others + size + self.log_literals(longer)
            found[literal] = prior + beta * self.likelihood_bound(rest, height, longer)
        if base:
            found[None] = others + self.term_bound(rest, height, base, beta)
        return {key: value for key, value in found.items() if value > -math.inf}

    def growth(self, rest, height, base, beta, power):
        """Probability that a growing term is finished, and of each literal to come otherwise.

        Literals are ranked as the beam ranks partial terms: integrals of shares over the rows that
        the rest leaves open at this height. Stopping is decided by bounds, of the term as it is
        and with the literal that ranks first.
        """
        ranks = {j: self.rank(rest, height, base, j, beta) for j in range(self.p)}
        ranks = {j: rank for j, rank in ranks.items() if self.may_add(rest, base, j)}
        nexts = softmax({j: power * rank for j, rank in ranks.items()})
        if not base:
            return 0.0, nexts
        if not nexts:
            return 1.0, nexts
        now = self.term_bound(rest, height, base, beta)
        if now == -math.inf:
            return 0.0, nexts
        longer = self.term_bound(rest, height, base | {first_of_highest(ranks)}, beta)
        stop = 1 / (1 + math.exp(min(700.0, longer - now)))
        return min(0.95, max(0.05, stop)), nexts

    def rank(self, rest, height, base, literal, beta):
        parted = self.separation(rest, height, base | {literal})
        return beta * parted + self.log_literals({literal})

    def separation(self, rest, height, term):
        """Log probability of the outcomes in the parts below a height, up to a constant.

        In each stratum, what the term would take out of all these parts has one rate, and what it
        would leave of each part another.
        """
        parts, held = self.parts(rest), self.marked([term])
        below = [h for h in range(len(rest) + 1) if 2 * h - 1 < height]
        logs = []
        for left, taken in zip(self._cells(parts, ~held), self._cells(parts, held), strict=True):
            goes = [sum(taken[h][c] for h in below) for c in range(self.n_classes)]
            logs += [reference.log_dirichlet(rows) for rows in [goes, *(left[h] for h in below)]]
        return sum(logs)

    def _cells(self, parts, where):
        """The cells of some of the rows."""
        weights = where * (1 if self.weights is None else self.weights)
        return reference.cells_of(parts, self.y, self.layers + 1, self.strata, weights)

    def term_bound(self, rest, height, term, beta):
        """What a term adds to the log of the prior, and a bound on the likelihood with it."""
        prior = self.log_size(len(term)) + self.log_literals(term)
        return prior + beta * self.likelihood_bound(rest, height, term)

    # Terms that births draw.

    def plain_q(self, term):
        """A size k with probability 2^-k, then any k of the literals."""
        return 2.0 ** -len(term) / math.comb(self.p, len(term))

    def row_q(self, term):
        """A positive individual, a size k with probability 2^-k, k of what is true of it.

        Of more than two classes any individual.
        """
        k = len(term)
        total = n_pos = 0.0
        for i in np.flatnonzero(self.y if self.n_classes == 2 else self.y >= 0):
            times = 1 if self.weights is None else int(self.weights[i])
            n_pos += times
            held = set(np.flatnonzero(self.truth[:, i]).tolist())
            if term <= held:
                total += times * 2.0**-k / math.comb(len(held), k)
        return total / n_pos
