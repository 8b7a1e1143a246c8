"""The slow twin of the paper's annealing: rows in Python loops, the draws that anneal.hpp lists.

Everything is worked out anew at each step: no masks, no counts are carried along. Sums are taken
in the core's order, so that a tie is a tie in both.
"""

import math

from tests import reference
from tests.native import slow_stream


class SlowAnnealing:
    """One chain, on the rows as the posterior stores them."""

    def __init__(
        self, posterior, key, start_terms=1, draw_rates=False,
        probabilities=(0.05, 0.05, 0.4, 0.4, 0.05, 0.04, 0.01), log_lambda=1000.0, cooling=0.9,
        learning_steps=0,
    ):  # fmt: skip
        self.stream = slow_stream.Stream(key)
        self.effect = posterior.effect
        self.prior = posterior.prior
        self.tables = posterior.prior.tables(posterior.bits.table, posterior.n)
        self.literals = list(posterior.bits.table)
        self.columns = stored_columns(posterior.bits)
        self.p = len(self.literals)
        bits = posterior.bits
        n_rows = sum(bits.segments)
        self.positive = [row < bits.segments[0] for row in range(n_rows)]
        self.counts = [1] * n_rows if bits.counts is None else [int(c) for c in bits.counts]
        self.individuals = [row for row in range(n_rows) for _ in range(self.counts[row])]
        self.draws = [0] * n_rows
        self.draw_rates = draw_rates
        self.probabilities = list(probabilities)
        self.learning_steps, self.history = learning_steps, []  # (move, whether it raised it)
        self.log_lambda, self.cooling = log_lambda, cooling
        self.free = (
            not self.prior.antichain and self.prior.related and not self.prior.disjoint
            and self.prior.min_cover == 0
            and self.prior.max_terms is None and self.prior.max_literals is None
        )  # fmt: skip

        if self.effect.known:
            self.pi0, self.pi1 = self.effect.pi0, self.effect.pi1
        else:
            self.pi0, self.pi1 = self.stream.uniform(), self.stream.uniform()
        self.terms = []
        taken = set()
        n = len(self.individuals)
        for j in range(n - start_terms, n):
            t = self.stream.below(j + 1)
            chosen = j if t in taken else t
            taken.add(chosen)
            term = self.row_term(self.individuals[chosen])
            if term:
                self.terms.append(term)

    # What a list of terms is worth -----------------------------------------------------------

    def marked(self, terms):
        """Weighted positives and negatives on which some term holds."""
        counts = [0, 0]
        for row, times in enumerate(self.counts):
            if any(all(self.columns[j][row] for j in term) for term in terms):
                counts[not self.positive[row]] += times
        return counts

    def log_prior(self, terms):
        if not self.free and not self.is_allowed(terms):
            return -math.inf
        by_count, by_size, by_literal = self.tables
        sum_ = float(by_count[len(terms)]) if len(terms) < len(by_count) else -math.inf
        for k in sorted({len(term) for term in terms}):
            n_terms = sum(len(term) == k for term in terms)
            sum_ += n_terms * (float(by_size[k]) if k < len(by_size) else -math.inf)
        if len(by_literal):
            sum_ += sum(int(by_literal[j]) for term in terms for j in term) / 2**32
        return sum_

    def is_allowed(self, terms):
        names = [[self.literals[j] for j in term] for term in terms]
        if len({tuple(term) for term in terms}) < len(terms):
            return False
        return reference.is_allowed(
            names, dict(zip(self.literals, self.columns, strict=True)), self.counts,
            antichain=self.prior.antichain, related=self.prior.related,
            disjoint=self.prior.disjoint, min_cover=self.prior.min_cover,
            max_terms=self.prior.max_terms, max_literals=self.prior.max_literals,
        )  # fmt: skip

    def log_likelihood(self, terms):
        """Log P(y | terms, rates), with the author's clips unless the rates are known."""
        low, high = self.pi0, self.pi1
        if not self.effect.known:
            low, high = max(low, 1e-10), min(high, 1 - 1e-10)
        a, b = self.marked(terms)
        n_positive, n_negative = self.marked_at_most()
        sum_ = 0.0
        for times, rate in (
            (a, high), (b, 1 - high), (n_positive - a, low), (n_negative - b, 1 - low),
        ):  # fmt: skip
            if times:
                sum_ += times * math.log(rate) if rate > 0 else -math.inf
        return sum_

    def marked_at_most(self):
        n_positive = sum(c for c, y in zip(self.counts, self.positive, strict=True) if y)
        return n_positive, sum(self.counts) - n_positive

    @property
    def objective(self):
        e = self.effect
        if e.known:
            return self.log_prior(self.terms) + self.log_likelihood(self.terms)
        return (
            self.log_prior(self.terms) + self.log_likelihood(self.terms)
            + log_beta_density(self.pi0, e.a0, e.b0) + log_beta_density(self.pi1, e.a1, e.b1)
        )  # fmt: skip

    # Moves -----------------------------------------------------------------------------------

    def step(self):
        u = self.stream.uniform()
        moves = [
            self.set_rate0, self.set_rate1, self.drop, self.add, self.birth, self.merge, self.death,
        ]  # fmt: skip
        passed = 0.0
        last = max(i for i, p in enumerate(self.probabilities) if p > 0)
        for i, p in enumerate(self.probabilities):
            passed += p
            if u < passed or i == last:
                self.raised = False
                moves[i]()
                self.history.append((i, self.raised))
                break
        if len(self.history) == self.learning_steps:
            self.probabilities = self.learned()

    def learned(self):
        """Rates as given; of the rest a fifth as given, four by how often they raised it too."""
        given, useful = self.probabilities, [0.0] * 7
        for i in range(2, 7):
            raised = [r for move, r in self.history if move == i]
            useful[i] = given[i] * ((1 + sum(raised)) / (2 + len(raised)))
        share, total = added(given[2:]), added(useful)
        if total == 0:
            return given
        return given[:2] + [
            0.2 * given[i] + (1 - 0.2) * share * useful[i] / total for i in range(2, 7)
        ]

    def rate(self, a, b):
        return self.stream.beta(a, b) if self.draw_rates else a / (a + b)

    def set_rate0(self):
        if self.effect.known:
            return
        a, b = self.marked(self.terms)
        n_positive, n_negative = self.marked_at_most()
        self.pi0 = self.rate(self.effect.a0 + n_positive - a, self.effect.b0 + n_negative - b)

    def set_rate1(self):
        if self.effect.known:
            return
        a, b = self.marked(self.terms)
        self.pi1 = self.rate(self.effect.a1 + a, self.effect.b1 + b)

    def drop(self):
        slots = [(i, j) for i, term in enumerate(self.terms) for j in term]
        if not slots:
            return
        i, literal = slots[self.stream.below(len(slots))]
        shorter = [j for j in self.terms[i] if j != literal]
        if shorter:
            self.consider([*self.terms[:i], shorter, *self.terms[i + 1 :]], shrinks=True)

    def add(self):
        if not self.terms:
            return
        target = self.stream.uniform() * added(1 / len(term) for term in self.terms)
        passed = 0.0
        for i, term in enumerate(self.terms):  # noqa: B007 - the last one is meant when none breaks
            passed += 1 / len(term)
            if passed > target:
                break
        absent = [j for j in range(self.p) if j not in term]
        if absent:
            longer = sorted([*term, absent[self.stream.below(len(absent))]])
            self.consider([*self.terms[:i], longer, *self.terms[i + 1 :]], shrinks=False)

    def birth(self):
        row = self.draw_positive_row()
        term = self.row_term(row)
        if term:
            self.consider([*self.terms, term], shrinks=False, log_factor=self.log_lambda)
        self.log_lambda *= self.cooling

    def draw_positive_row(self):
        """Weight 1 / (1 + times drawn), a row's draws spread evenly over its individuals."""
        n_positive = self.marked_at_most()[0]
        times, place = [], {}
        for row in self.individuals[:n_positive]:
            j = place[row] = place.get(row, -1) + 1
            full, ahead = divmod(self.draws[row], self.counts[row])
            times.append(full + (j < ahead))
        fewest = min(times)
        while True:
            i = self.stream.below(n_positive)
            if times[i] == fewest or self.stream.below(1 + times[i]) <= fewest:
                row = self.individuals[i]
                self.draws[row] += 1
                return row

    def row_term(self, row):
        held = [j for j in range(self.p) if self.columns[j][row]]
        if self.prior.related:
            return held
        columns = dict(zip(self.literals, self.columns, strict=True))

        def says(a, b):
            return reference.implies(self.literals[a], self.literals[b], columns)

        def is_implied(j):
            return any(i != j and says(i, j) and (i < j or not says(j, i)) for i in held)

        return [j for j in held if not is_implied(j)]

    def merge(self):
        m = len(self.terms)
        if m < 2:
            return
        i, j = self.stream.below(m), self.stream.below(m - 1)
        i, j = sorted((i, j + (j >= i)))
        shared = [x for x in self.terms[i] if x in self.terms[j]]
        if shared:
            rest = [*self.terms[:i], shared, *self.terms[i + 1 : j], *self.terms[j + 1 :]]
            self.consider(rest, shrinks=True)
        self.log_lambda *= self.cooling

    def death(self):
        m = len(self.terms)
        if m > 1:
            i = self.stream.below(m)
            self.consider([*self.terms[:i], *self.terms[i + 1 :]], shrinks=True)
        self.log_lambda *= self.cooling

    def consider(self, terms, shrinks, log_factor=0.0):
        if sum(self.marked(terms)) in (0, sum(self.counts)):
            return
        now = self.log_prior(self.terms) + self.log_likelihood(self.terms)
        then = self.log_prior(terms) + self.log_likelihood(terms)
        if then == -math.inf:
            accept = now == -math.inf and shrinks
        elif now == -math.inf:
            accept = True
        else:
            gain = then - now + log_factor
            accept = gain >= 0 or math.log(self.stream.uniform_positive()) < gain
        if accept:
            self.terms = terms
            self.raised = then > now


def added(numbers):
    """Sum from left to right, as the core adds: since Python 3.12, sum() makes up for rounding."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def log_beta_density(x, a, b):
    powers = added(
        (k - 1) * (math.log(v) if v > 0 else -math.inf) for k, v in ((a, x), (b, 1 - x)) if k != 1
    )
    return powers - (math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))


def stored_columns(bits):
    """Truth of each literal on each stored row, as lists of bools."""

    def plane(index):
        flags = []
        for first, rows in zip(bits.offsets, bits.segments, strict=False):
            flags.extend(reference.unpack(bits.planes[index][first:], rows))
        return flags

    columns = []
    for index, valid, complement in zip(
        bits.table.plane, bits.table.valid, bits.table.complement, strict=True
    ):
        values = plane(index)
        known = [True] * len(values) if valid < 0 else plane(valid)
        columns.append(
            [bool(k) and bool(v) != bool(complement) for v, k in zip(values, known, strict=True)]
        )
    return columns
