"""Tests of single variants, within strata and by ploidy, and their genomic inflation.

Males are haploid on X and Y, everyone on MT. Haploid calls are stored as zero or two copies, so
allelic tests count alleles by ploidy, and tests of copies on X are stratified by sex.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..chromosomes import canonical_chromosomes
from ..genotypes import CARRIER, KNOWN, TWO, Genotypes
from ..quality.ploidy import allele_counts, groups

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_MEDIAN = 0.45493642311957283  # median of χ² with one degree of freedom
_FEWEST = 20  # minimum number of variants for λ
_ENOUGH = 200  # minimum numbers of cases and of controls for λ scaled to 1,000 of each
_STEPS = 30  # maximum number of Newton steps
_STRETCH = 1 << 12  # variants per batch
_RUNAWAY = 10.0  # a log odds ratio beyond this diverges: there is no maximum
_COPIES = np.arange(3.0)


@dataclass(frozen=True)
class Inflation:
    """Genomic inflation λ: median χ² statistic over its null median (Devlin and Roeder 1999).

    Parameters
    ----------
    value, low, high : float
        λ and its 95 % interval, from the median of independent tests; NaN for too few tests.
    per_1000 : float
        λ scaled to 1,000 cases and 1,000 controls; NaN with fewer than 200 of either, or if the
        scaled value or a limit is negative.
    per_1000_low, per_1000_high : float
        Its interval.
    n_variants : int
        Number of variants.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Inflation
    >>> tests = np.random.default_rng(0).chisquare(1, 4000)
    >>> print(Inflation.of(2 * tests, 500, 500))
    2.04 [1.88, 2.17], for 1,000 cases and controls 3.07 [2.76, 3.34]
    """

    value: float
    low: float
    high: float
    per_1000: float
    per_1000_low: float
    per_1000_high: float
    n_variants: int

    @classmethod
    def of(cls, statistics: Floats, n_cases: int, n_controls: int) -> Inflation:
        """Estimate λ from χ² statistics of unlinked variants."""
        from scipy.stats import binom

        known = np.sort(statistics[np.isfinite(statistics)])
        n = len(known)
        if n < _FEWEST:
            nan = float("nan")
            return cls(nan, nan, nan, nan, nan, nan, n)
        # Distribution-free interval of the median: order statistics at quantiles of
        # Binomial(n, ½).
        low = int(binom.ppf(0.025, n, 0.5)) - 1
        ends = [np.median(known), known[max(low, 0)], known[min(n - 1 - low, n - 1)]]
        ratios = [float(end) / _MEDIAN for end in ends]
        # λ_1000 = 1 + (λ - 1) (1/cases + 1/controls) / (2/1000) (Freedman et al. 2004).
        scale = (1 / max(1, n_cases) + 1 / max(1, n_controls)) * 500
        scaled = [1 + (r - 1) * scale for r in ratios]
        if min(n_cases, n_controls) < _ENOUGH or min(scaled) < 0:
            scaled = [float("nan")] * 3
        return cls(ratios[0], ratios[1], ratios[2], scaled[0], scaled[1], scaled[2], n)

    @property
    def known(self) -> bool:
        """Whether there were enough variants."""
        return self.n_variants >= _FEWEST

    def __str__(self) -> str:
        if not self.known:
            return f"not known, {self.n_variants} unlinked variants being too few"
        told = f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"
        if np.isnan(self.per_1000):
            return told
        return (
            f"{told}, for 1,000 cases and controls {self.per_1000:.2f} "
            f"[{self.per_1000_low:.2f}, {self.per_1000_high:.2f}]"
        )


def trend_statistics(
    genotypes: Genotypes, y: NDArray[np.bool_], strata: Sequence[Flags] | None = None
) -> Floats:
    """Return χ² of copies and outcome within strata, with one degree of freedom.

    This is the Cochran-Mantel-Haenszel test with copies as scores; with one stratum it is the
    Cochran-Armitage trend test.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    y : ndarray of bool
        Cases.
    strata : sequence of ndarray of bool, optional
        The samples of each stratum.

    Returns
    -------
    ndarray of float
        One for each variant; NaN if calls or outcome do not vary within any stratum.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes
    >>> from bayesdnf.genomics.association.single_tests import trend_statistics
    >>> calls = Genotypes.from_copies([[0, 1, 2, 0, 1, 2], [2, 2, 1, 1, 0, 0]])
    >>> trend_statistics(calls, np.array([True] * 3 + [False] * 3)).round(3)
    array([0.   , 3.333])
    """
    return np.concatenate([_trend(_Cells.of(some, y, strata)) for _, some in _stretches(genotypes)])


def _stretches(genotypes: Genotypes) -> Iterator[tuple[slice, Genotypes]]:
    """Yield batches of variants, because counts of cells take more memory than calls."""
    for start in range(0, max(1, genotypes.n_variants), _STRETCH):
        some = slice(start, start + _STRETCH)
        yield some, genotypes.between(start, start + _STRETCH)


def _trend(cells: _Cells) -> Floats:
    total, cases = cells.total, cells.cases
    n, n_cases = total.sum(axis=2), cases.sum(axis=2)
    # Sums of copies and of their squares, from counts of 0, 1 and 2 copies.
    first, second = total @ _COPIES, total @ _COPIES**2
    with np.errstate(divide="ignore", invalid="ignore"):
        # Score test given the margins of each stratum: sum of copies in cases minus its
        # hypergeometric mean; differences and variances are summed over strata (Mantel 1963).
        difference = cases @ _COPIES - n_cases * first / n
        variance = n_cases * (n - n_cases) / (n**2 * (n - 1)) * (n * second - first**2)
        use = variance > 0
        spread = variance.sum(axis=0, where=use)
        statistic = difference.sum(axis=0, where=use) ** 2 / spread
    return np.asarray(np.where(spread > 0, statistic, np.nan))


def additive_effects(
    genotypes: Genotypes, y: NDArray[np.bool_], strata: Sequence[Flags] | None = None
) -> tuple[Floats, Floats]:
    """Return the log odds ratio per copy and its standard error, by logistic regression.

    Each stratum has its own intercept. A haploid copy, stored as two, counts as one on Y and MT,
    and as two in males on X.

    Parameters
    ----------
    genotypes, y, strata
        As for :func:`trend_statistics`.

    Returns
    -------
    beta, error : ndarray of float
        NaN if there is no maximum.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes
    >>> from bayesdnf.genomics.association.single_tests import additive_effects
    >>> calls = Genotypes.from_copies([[0] * 40 + [1] * 40])
    >>> y = np.arange(80) % 40 < np.repeat([10, 20], 40)
    >>> beta, error = additive_effects(calls, y)
    >>> beta.round(4), error.round(4)  # log 3, and √(1/10 + 1/30 + 1/20 + 1/20)
    (array([1.0986]), array([0.483]))
    """
    beta, error = (np.full(genotypes.n_variants, np.nan) for _ in range(2))
    for some, here in _stretches(genotypes):
        cells = _Cells.of(here, y, strata)
        beta[some], error[some] = _newton(cells.cases, cells.total)
    haploid = np.isin(canonical_chromosomes(genotypes.variants["CHR"]), ["Y", "MT"])
    copies = np.where(haploid, 2.0, 1.0)  # stored copies per allele
    return beta * copies, error * copies


def _newton(cases: Floats, total: Floats) -> tuple[Floats, Floats]:
    """Maximise over the intercepts and the slope of each variant; arrays of (stratum, variant, 3).

    The information matrix has entries off the diagonal only between intercepts and the slope, so
    each Newton step has a closed form.
    """
    n, n_cases = total.sum(axis=2), cases.sum(axis=2)
    # A stratum of cases only, or of controls only, has no information about the slope.
    use = (n_cases > 0) & (n_cases < n)
    share = np.where(use, n_cases / np.maximum(n, 1), 0.5)
    # The maximum where the slope is 0.
    intercept = np.log(share / (1 - share))
    beta = np.zeros(total.shape[1])
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            eta = intercept[..., None] + beta[None, :, None] * _COPIES
            rate = 0.5 * (1 + np.tanh(eta / 2))
            weight = total * rate * (1 - rate) * use[..., None]
            rest = (cases - total * rate) * use[..., None]
            # Arrow matrix: diagonal A of intercepts, and the slope's row b. The Schur complement
            # of A, c - b' A^-1 b (``bb``), gives the slope's step and standard error.
            aa, ab = np.maximum(weight.sum(axis=2), 1e-300), weight @ _COPIES
            bb = (weight @ _COPIES**2).sum(axis=0) - (ab**2 / aa).sum(axis=0)
            slope = (rest @ _COPIES).sum(axis=0) - (ab / aa * rest.sum(axis=2)).sum(axis=0)
            # Steps are clipped, because Newton's method overshoots under near separation; this
            # does not change the maximum.
            move = np.clip(np.where(bb > 1e-12, slope / bb, 0.0), -2, 2)
            intercept = intercept + np.clip((rest.sum(axis=2) - ab * move) / aa, -3, 3)
            beta = np.clip(beta + move, -2 * _RUNAWAY, 2 * _RUNAWAY)
            if np.abs(move).max(initial=0) < 1e-10:
                break
        sound = (bb > 1e-9) & (np.abs(beta) < _RUNAWAY) & (np.abs(move) < 1e-6)
        return np.where(sound, beta, np.nan), np.where(sound, 1 / np.sqrt(bb), np.nan)


def allelic_test(
    genotypes: Genotypes, y: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the allelic odds ratio and p-value of PLINK's ``--assoc``; haploid calls count once.

    Returns
    -------
    odds, p, in_cases, in_controls : ndarray of float
        The last two are frequencies of the counted allele.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes
    >>> from bayesdnf.genomics.association.single_tests import allelic_test
    >>> calls = Genotypes.from_copies([[2, 2, 1, 0, 1, 0]])
    >>> calls.variants["CHR"], calls.samples["SEX"] = "X", [1, 1, 2, 1, 2, 1]
    >>> odds, p, cases, controls = allelic_test(calls, np.arange(6) < 3)  # 3 of 4, 1 of 4
    >>> float(odds[0]), float(cases[0]), float(controls[0])
    (9.0, 0.75, 0.25)
    """
    from scipy.special import chdtrc

    (a, cases), (c, controls) = (
        (x.astype(np.float64) for x in allele_counts(genotypes, some)) for some in (y, ~y)
    )
    b, d = cases - a, controls - c
    with np.errstate(divide="ignore", invalid="ignore"):
        n = cases + controls
        # Pearson's χ² of alleles by outcome, without continuity correction.
        statistic = n * (a * d - b * c) ** 2 / (cases * controls * (a + c) * (b + d))
        return (a * d) / (b * c), chdtrc(1, statistic), a / cases, c / controls


@dataclass(frozen=True)
class _Cells:
    """Counts of samples by stratum, variant and copies; strata are split by sex on X."""

    cases: Floats
    total: Floats

    @classmethod
    def of(
        cls, genotypes: Genotypes, y: NDArray[np.bool_], strata: Sequence[Flags] | None
    ) -> _Cells:
        parts = [np.ones(len(y), dtype=np.bool_)] if strata is None else list(strata)
        split = groups(genotypes)
        width = max((len(sexes) for _, sexes in split), default=1) * len(parts)
        found = np.zeros((2, width, genotypes.n_variants, 3))
        for variants, sexes in split:
            here = genotypes if len(split) == 1 else genotypes.take(variants=variants)
            some = [stratum & sex for stratum in parts for sex in sexes]
            # Masks of cases first, then of all samples. With fewer groups than on other
            # chromosomes the remaining cells are 0 and add nothing.
            counts = here.counts_in([here.mask(s) for s in [*(s & y for s in some), *some]])
            copies = np.stack(
                [
                    counts[..., KNOWN] - counts[..., CARRIER],
                    counts[..., CARRIER] - counts[..., TWO],
                    counts[..., TWO],
                ],
                axis=-1,
            )
            found[:, : len(some), variants] = copies.reshape(2, len(some), len(variants), 3)
        return cls(found[0], found[1])
