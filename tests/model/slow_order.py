"""The order of two Beta variables, X <= Y: the slow twin of the factor for π0 <= π1.

Whole parameters give fractions, in two ways that share nothing; others are integrated on a grid.
"""

import math
from fractions import Fraction

import numpy as np
from scipy.special import betaln


def log_order_probability(alpha0, beta0, alpha1, beta1):
    """Log P(X <= Y), X ~ Beta(alpha0, beta0) and Y ~ Beta(alpha1, beta1) independent."""
    if all(v == int(v) for v in (alpha0, beta0, alpha1, beta1)):
        return log_of(order_probability(int(alpha0), int(beta0), int(alpha1), int(beta1)))
    return OrderedGrid(alpha0, beta0, alpha1, beta1).log_probability


def order_probability(alpha0, beta0, alpha1, beta1):
    """P(X <= Y) for whole parameters, exactly: a hypergeometric distribution function."""
    population = alpha0 + beta0 + alpha1 + beta1 - 2
    special = alpha1 + beta1 - 1
    draws = alpha0 + alpha1 - 1
    least = max(0, draws - (population - special))
    ways = math.comb(special, least) * math.comb(population - special, draws - least)
    total = 0
    for x in range(least, min(alpha1 - 1, special, draws) + 1):
        total += ways
        ways = ways * (special - x) * (draws - x)
        ways //= (x + 1) * (population - special - draws + x + 1)
    return Fraction(total, math.comb(population, draws))


def order_probability_double_sum(alpha0, beta0, alpha1, beta1):
    """The same by another road: sum over Y's count of uniforms of a Beta integral."""
    total = Fraction(0)
    n = alpha1 + beta1 - 1
    for i in range(alpha1):  # i of the n uniforms lie below X
        total += math.comb(n, i) * _beta(alpha0 + i, beta0 + n - i)
    return total / _beta(alpha0, beta0)


def _beta(a, b):
    return Fraction(math.factorial(a - 1) * math.factorial(b - 1), math.factorial(a + b - 1))


def log_of(probability):
    """Logarithm of a fraction, to rounding also next to 1 and far below the range of floats."""
    if probability > Fraction(1, 2):
        return math.log1p(-float(1 - probability))
    return math.log(probability.numerator) - math.log(probability.denominator)


class OrderedGrid:
    """X and Y on a fine grid in logit x: their order, and each given that X <= Y.

    Everything is a sum in logs over equal steps; a running sum is corrected by its first
    Euler-Maclaurin term, which leaves an error of the fourth order in the step.
    """

    def __init__(self, alpha0, beta0, alpha1, beta1):
        parameters = alpha0, beta0, alpha1, beta1
        reach = 50 / min(*parameters, 1) + max(abs(math.log(v)) for v in parameters)
        self._place(parameters, np.linspace(-reach, reach, 200_001))
        # A rough look says where the mass is; steps there are short beside the slopes.
        peak = self.t[np.argmax(self.log_second)]
        first, second = self._matters(self.log_first), self._matters(self.log_second)
        if self.t[np.argmax(self.log_f0)] <= peak:
            first |= self._matters(self.log_f0)
        if self.t[np.argmax(self.log_f1)] >= peak:
            second |= self._matters(self.log_f1)
        places = np.flatnonzero(first | second)
        ends = self.t[max(places[0] - 1, 0)], self.t[min(places[-1] + 1, len(self.t) - 1)]
        steepest = max(np.abs(self.slope0[first]).max(), np.abs(self.slope1[second]).max())
        n_steps = math.ceil((ends[1] - ends[0]) / min(0.02, 0.02 / steepest))
        self._place(parameters, np.linspace(*ends, n_steps + 1))
        self.log_probability = self._total(self.log_second)

    @staticmethod
    def _matters(logs):
        return logs > logs.max() - 60

    def _place(self, parameters, t):
        alpha0, beta0, alpha1, beta1 = parameters
        self.t, self.step = t, t[1] - t[0]
        self.log_f0, self.slope0 = self._density(alpha0, beta0)
        self.log_f1, self.slope1 = self._density(alpha1, beta1)
        # X's mass to the left of each point, and Y's to the right of it (mirrored).
        self.log_second = self.log_f1 + self._running(self.log_f0, self.slope0)
        mirrored = self._running(self.log_f1[::-1], -self.slope1[::-1])
        self.log_first = self.log_f0 + mirrored[::-1]

    def _density(self, alpha, beta):
        log_x, log_rest = -np.logaddexp(0, -self.t), -np.logaddexp(0, self.t)
        slope = alpha * np.exp(log_rest) - beta * np.exp(log_x)
        return alpha * log_x + beta * log_rest - betaln(alpha, beta), slope

    def _running(self, log_f, slope):
        """Log of the integral from the left end of the line to each point."""
        sums = np.logaddexp.accumulate(log_f) + math.log(self.step)
        here, left = np.exp(log_f - sums), np.exp(log_f[0] - sums)
        correction = (
            -self.step / 2 * (here + left)
            - self.step**2 / 12 * (slope * here - slope[0] * left)
            + left / max(slope[0], 1e-300)  # the exponential tail beyond the grid
        )
        return sums + np.log1p(np.maximum(correction, -0.9))  # the rough look may be too rough

    def _total(self, logs):
        return float(np.logaddexp.reduce(logs) + math.log(self.step))

    def mean(self, which):
        logs = (self.log_first, self.log_second)[which]
        log_x = -np.logaddexp(0, -self.t)
        return math.exp(self._total(logs + log_x) - self._total(logs))

    def cdf(self, which, x):
        """P(X <= x | X <= Y), or the same of Y."""
        logs = (self.log_first, self.log_second)[which]
        mass = np.exp(logs - logs.max())
        middles = np.cumsum(mass) - mass / 2
        return np.interp(np.log(x) - np.log1p(-np.asarray(x)), self.t, middles / mass.sum())
