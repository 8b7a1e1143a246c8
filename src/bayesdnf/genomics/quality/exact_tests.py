"""Exact tests of counts, vectorised: probability of outcomes no more probable than observed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

_CELLS = 1 << 20  # probabilities held at a time
_TIE = 1e-7
"""Outcomes this close to as likely, relatively, count as equally likely."""


def hardy_weinberg(counts: ArrayLike) -> Floats:
    """Return exact p-values of Hardy-Weinberg proportions (Wigginton, Cutler and Abecasis 2005).

    Parameters
    ----------
    counts : array-like of int, shape (n_variants, 3)
        Counts of ``Genotypes.counts``: known calls, carriers, two copies.

    Returns
    -------
    ndarray of float, shape (n_variants,)
        1 where there is no call or one allele only.

    Examples
    --------
    >>> from bayesdnf.genomics import hardy_weinberg
    >>> hardy_weinberg([[100, 75, 25], [100, 60, 40]])
    array([1.00000000e+00, 7.90133777e-10])
    """
    return _HardyWeinberg(counts).p_values()


def hardy_weinberg_below(counts: ArrayLike, level: float) -> NDArray[np.bool_]:
    """Return whether exact p-values of Hardy-Weinberg proportions are below a level."""
    test = _HardyWeinberg(counts)
    below = np.asarray(test.observed < np.log(level))
    # A p-value is at least the probability of the observed outcome, so the sum is needed only for
    # variants whose own probability is below the level.
    below[below] = _HardyWeinberg(np.asarray(counts)[below]).p_values() < level
    return below


def fisher(table: ArrayLike) -> Floats:
    """Return two-sided p-values of Fisher's exact test.

    Parameters
    ----------
    table : array-like of int, shape (n, 4)
        a and n1, b and n0: a of n1 in the first group, b of n0 in the second.

    Examples
    --------
    >>> from bayesdnf.genomics.quality.exact_tests import fisher
    >>> fisher([[3, 4, 1, 4], [1, 110, 0, 47]])
    array([0.48571429, 1.        ])
    """
    a, n1, b, n0 = np.asarray(table, dtype=np.int64).reshape(-1, 4).T
    lf = log_factorials(int((n1 + n0).max(initial=0)))
    m, n = a + b, n1 + n0
    lowest = np.maximum(0, m - n0)
    # Given the margins, P(x) = n1! n0! m! (n - m)! / (n! x! (n1 - x)! (m - x)! (n0 - m + x)!).
    constant = lf[n1] + lf[n0] + lf[m] + lf[n - m] - lf[n]

    def log_probability(rows: Any, x: Counts) -> Floats:
        first, second, hits = n1[rows], n0[rows], m[rows]
        total = lf[x] + lf[first - x] + lf[hits - x] + lf[second - hits + x]
        return np.asarray(constant[rows] - total)

    return _no_likelier(
        lambda rows, step: log_probability(rows, lowest[rows] + step),
        np.minimum(m, n1) - lowest + 1,
        log_probability(slice(None), a),
    )


class _HardyWeinberg:
    """Numbers of heterozygotes given the alleles: every second one up to the rarer allele's."""

    def __init__(self, counts: ArrayLike) -> None:
        known, carrier, two = np.asarray(counts, dtype=np.int64).reshape(-1, 3).T
        self.n = known
        self.rare = np.minimum(carrier + two, 2 * known - carrier - two)
        self.lf = lf = log_factorials(2 * int(known.max(initial=0)))
        n, r = self.n, self.rare
        self.constant = lf[n] + lf[r] + lf[2 * n - r] - lf[2 * n]
        self.observed = self._log_probability(slice(None), carrier - two)

    def _log_probability(self, rows: Any, hets: Counts) -> Floats:
        n, r, lf = self.n[rows], self.rare[rows], self.lf
        # P(hets | alleles) = n! r! (2n - r)! 2^hets / ((2n)! hets! ((r - hets)/2)! (n - (r +
        # hets)/2)!)
        homs = lf[(r - hets) // 2] + lf[n - (r + hets) // 2]
        return np.asarray(self.constant[rows] + hets * np.log(2) - lf[hets] - homs)

    def p_values(self) -> Floats:
        # Heterozygotes have the parity of the rarer allele's count: its other copies are in
        # homozygotes, two each.
        odd = self.rare % 2
        return _no_likelier(
            lambda rows, step: self._log_probability(rows, odd[rows] + 2 * step),
            self.rare // 2 + 1,
            self.observed,
        )


def _no_likelier(
    log_probability: Callable[[Any, Counts], Floats], width: Counts, observed: Floats
) -> Floats:
    """Sum, for each test, the probabilities of its outcomes that are at most the observed one.

    Test i has outcomes 0 to width[i] - 1. Tests are worked on in blocks, widest first, so that a
    block is little wider than its tests.
    """
    # Tests of similar width share a block, so that little of the padded rectangle is wasted.
    order = np.argsort(-width, kind="stable")
    total = np.empty(len(width))
    start = 0
    while start < len(order):
        widest = int(width[order[start]])
        rows = order[start : start + max(1, _CELLS // widest)]
        start += len(rows)
        column = rows[:, None]
        last = width[column] - 1
        steps = np.arange(widest)
        # Padding beyond a test's last outcome repeats that outcome and is masked.
        logs = log_probability(column, np.minimum(steps, last))
        # Compare with a tolerance: equal probabilities in the two tails may differ by rounding.
        counted = (steps <= last) & (logs <= observed[column] + _TIE)
        total[rows] = np.where(counted, np.exp(logs), 0).sum(axis=1)
    return np.minimum(total, 1)


def log_factorials(largest: int) -> Floats:
    """Return the logarithms of 0! to largest!."""
    from scipy.special import gammaln

    return np.asarray(gammaln(np.arange(1, largest + 2)))


def genotypic_test(cases: Counts, controls: Counts) -> Floats:
    """Return p-values of the genotypic χ² test of genotypes by outcome, which is not exact.

    Parameters
    ----------
    cases, controls : ndarray of shape (n_variants, 3)
        Calls known, with a copy, and with two, as ``Genotypes.counts`` has them.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics.quality.exact_tests import genotypic_test
    >>> genotypic_test(np.array([[30, 20, 10]]), np.array([[30, 20, 0]])).round(4)
    array([0.0013])
    """
    from scipy.special import chdtrc

    cells = np.stack(
        [
            np.stack([n[:, 0] - n[:, 1], n[:, 1] - n[:, 2], n[:, 2]], axis=1)
            for n in (cases, controls)
        ],
        axis=1,
    ).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        rows, columns = cells.sum(axis=2, keepdims=True), cells.sum(axis=1, keepdims=True)
        expected = rows * columns / cells.sum(axis=(1, 2), keepdims=True)
        statistic = np.where(expected > 0, (cells - expected) ** 2 / expected, 0.0)
    # Degrees of freedom: (2 - 1) x (number of genotypes observed - 1).
    freedom = np.maximum((columns > 0).sum(axis=(1, 2)) - 1, 1)
    return np.asarray(chdtrc(freedom, statistic.sum(axis=(1, 2))))
