"""Missing calls: differential missingness between cases and controls, and imputation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError
from ..genotypes import CARRIER, KNOWN, TWO, Genotypes
from .exact_tests import fisher
from .ploidy import expected_counts, groups

if TYPE_CHECKING:
    import pandas as pd

_ENOUGH = 100
"""Smallest expected count from which chi-square stands in for the exact test."""


def outcome_of(y: ArrayLike, n_samples: int) -> NDArray[np.bool_]:
    """Return the outcome of every sample: 1 case, 0 control."""
    outcome = np.asarray(y)
    if outcome.shape != (n_samples,):
        raise InputError(
            f"y must have one value per sample, {n_samples:,}. Got shape {outcome.shape}."
        )
    if not np.isin(outcome, [0, 1]).all():
        odd = outcome[~np.isin(outcome, [0, 1])][0]
        raise InputError(f"y must be 1 for cases and 0 for controls. Got {odd!r}.")
    return outcome.astype(np.bool_)


def missingness_by_outcome(genotypes: Genotypes, y: ArrayLike) -> pd.DataFrame:
    """Test, variant by variant, whether calls are missing equally often in cases and controls.

    Fisher's exact test, or chi-square where every expected count is at least 100. Only samples
    that can have a call count: males on Y, samples of known sex on X (if any sex is known).

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    y : array-like of bool or 0/1
        1 for cases, 0 for controls.

    Returns
    -------
    DataFrame
        One row per variant: ``variant``, ``missing_cases`` of ``cases``, ``missing_controls`` of
        ``controls``, and ``p``.

    Examples
    --------
    >>> from bayesdnf.genomics import Genotypes, missingness_by_outcome
    >>> calls = Genotypes.from_copies([[0, 1, 0, 2, -1, -1, -1, -1], [0, 1, 2, 1, 0, 0, -1, 1]])
    >>> missingness_by_outcome(calls, [1, 1, 1, 1, 0, 0, 0, 0]).round(3)
      variant  missing_cases  cases  missing_controls  controls      p
    0    v1_B              0      4                 4         4  0.029
    1    v2_B              0      4                 1         4  1.000
    """
    import pandas as pd

    outcome = outcome_of(y, genotypes.n_samples)
    columns: dict[str, object] = {"variant": genotypes.names}
    for name, samples in (("cases", outcome), ("controls", ~outcome)):
        counts, expected = expected_counts(genotypes, samples)
        columns |= {f"missing_{name}": expected - counts[:, KNOWN], name: expected}
    table = pd.DataFrame(columns)
    table["p"] = unequal_shares(table.iloc[:, 1:5].to_numpy())
    return table


def unequal_shares(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return p-values for a of n1 against b of n0: exact, or by chi-square if counts are large."""
    from scipy.special import chdtrc

    a, n1, b, n0 = table.T
    n, hits = n1 + n0, a + b
    # As floats: products of four counts overflow 64 bits.
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.minimum(hits, n - hits) * (np.minimum(n1, n0) / n)
        margins = hits * ((n - hits) * 1.0) * n1 * n0
        square = (a * (n0 - b * 1.0) - b * (n1 - a * 1.0)) ** 2 * n / margins
    large = expected >= _ENOUGH
    p = np.empty(len(table))
    p[large] = chdtrc(1, square[large])
    p[~large] = fisher(table[~large])
    return p


def impute_mode(genotypes: Genotypes) -> Genotypes:
    """Impute missing calls with the variant's most frequent call; ties go to the fewest copies.

    On X females and males are imputed separately, on Y males only. Calls of variants without any
    known call stay missing.

    Examples
    --------
    >>> from bayesdnf.genomics import Genotypes, impute_mode
    >>> filled = impute_mode(Genotypes.from_copies([[1, 1, 0, -1], [-1, 2, 2, 0]]))
    >>> filled.copies([0, 1])
    array([[1, 1, 0, 1],
           [2, 2, 2, 0]], dtype=int8)
    >>> filled.history
    ('2 of 8 calls were missing and imputed with the most frequent call of their variant.',)
    """
    planes = genotypes.planes.copy()
    filled = 0
    for variants, parts in groups(genotypes):
        for samples in parts:
            filled += _fill(genotypes, planes, variants, samples)
    calls = genotypes.n_samples * genotypes.n_variants
    sentence = (
        f"{filled:,} of {calls:,} calls were missing and imputed with the most frequent call of "
        "their variant."
    )
    return replace(genotypes, planes=planes, history=(*genotypes.history, sentence))


def _fill(
    genotypes: Genotypes,
    planes: NDArray[np.uint64],
    variants: NDArray[np.intp],
    samples: NDArray[np.bool_],
) -> int:
    words = genotypes.mask(samples)
    filled = 0
    for piece in genotypes.pieces():
        rows = variants[
            np.searchsorted(variants, piece.start) : np.searchsorted(variants, piece.stop)
        ]
        block = planes[rows]
        known, carrier, two = np.bitwise_count(block & words).sum(axis=2, dtype=np.int64).T
        # Nested planes: calls with 0, 1 and 2 copies are known - carrier, carrier - two and two.
        mode = np.argmax([known - carrier, carrier - two, two], axis=0)
        gaps = words & ~block[:, KNOWN]
        gaps[known == 0] = 0  # no call to go by
        block[:, KNOWN] |= gaps
        block[mode >= 1, CARRIER] |= gaps[mode >= 1]
        block[mode == 2, TWO] |= gaps[mode == 2]
        planes[rows] = block
        filled += int(np.bitwise_count(gaps).sum())
    return filled


def calls_per_sample(genotypes: Genotypes, variants: NDArray[np.intp]) -> NDArray[np.int64]:
    """Count the known calls of each sample at these variants."""
    total = np.zeros(genotypes.n_samples, dtype=np.int64)
    step = 255  # as many ones as a byte can count
    for start in range(0, len(variants), step):
        known = np.ascontiguousarray(genotypes.planes[variants[start : start + step], KNOWN])
        bits = np.unpackbits(
            known.view(np.uint8), axis=1, count=genotypes.n_samples, bitorder="little"
        )
        # Sums of at most 255 ones in bytes: eight times less memory traffic than in 64-bit
        # integers.
        total += bits.sum(axis=0, dtype=np.uint8)
    return total
