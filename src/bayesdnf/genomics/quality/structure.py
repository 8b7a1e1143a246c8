"""Structure: principal components and close relatives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...checks import whole
from ...data.memory import require_memory
from ...display.wording import listed
from ...errors import InputError, ParameterError
from ..chromosomes import place_order
from ..genotypes import Genotypes
from .linkage import prune
from .long_range import outlying, outside_known
from .ploidy import autosomal

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_EXACT = 5000
"""Samples up to which the relationship matrix itself is decomposed."""

_BLOCK_BYTES = 64 << 20  # bytes per block of standardised calls
_LOOKS = 5  # maximum number of decompositions, each without outlying regions of the earlier ones
_KRYLOV_STEPS = 12  # powers of the relationship matrix in the Krylov space

DEGREES = {"twins or duplicates": 0.354, "first degree": 0.177, "second degree": 0.0884}
"""Smallest kinship of each degree (Manichaikul et al. 2010)."""

_FEWEST = 500
"""Variants below which kinship is too uncertain: strangers then stray by .05 and more."""


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """Principal components of ancestry.

    Parameters
    ----------
    scores : DataFrame
        One row per sample, in their order; ``PC1``, ``PC2``, …, each of length one.
    explained : ndarray of float
        Share of the variance of the standardised calls that each explains.
    sentence : str
        How they were made, for the history.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, principal_components
    >>> copies = np.random.default_rng(0).binomial(2, 0.4, (200, 30))
    >>> components = principal_components(Genotypes.from_copies(copies), 2)
    >>> list(components.scores), components.scores.shape
    (['PC1', 'PC2'], (30, 2))
    >>> components.sentence
    '2 principal components from ... variants, which explain ...% of the variance.'
    """

    scores: pd.DataFrame
    explained: Floats
    sentence: str


@dataclass(frozen=True, eq=False)
class Relatives:
    """Pairs of closely related samples.

    Parameters
    ----------
    pairs : DataFrame
        ``IID1``, ``IID2``, ``kinship`` and ``degree``, closest first.
    sentence : str
        What was found, for the history.
    members : ndarray of int, shape (n_pairs, 2)
        Numbers of the samples of each pair.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, close_relatives
    >>> copies = np.random.default_rng(0).binomial(2, 0.4, (1000, 20))
    >>> close_relatives(Genotypes.from_copies(copies), variants=np.arange(1000)).sentence
    'No close relatives (kinship of 0.177 or more, from 1,000 variants).'
    """

    pairs: pd.DataFrame
    sentence: str
    members: NDArray[np.int64]

    def families(self, n_samples: int) -> NDArray[np.intp]:
        """Return the family of each sample (connected components of relatedness); 0: none."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        first, second = self.members.T
        links = coo_matrix((np.ones(len(first)), (first, second)), shape=(n_samples, n_samples))
        _, group = connected_components(links, directed=False)
        alone = np.bincount(group)[group] == 1
        _, number = np.unique(np.where(alone, -1, group), return_inverse=True)
        return np.asarray(number if alone.any() else number + 1, dtype=np.intp)

    def unrelated(self, n_samples: int) -> NDArray[np.bool_]:
        """Choose samples no two of which are a pair, leaving out those with the most relatives.

        As PLINK 2's ``--king-cutoff`` does; of samples with as many the later one goes.
        """
        kept = np.ones(n_samples, dtype=np.bool_)
        left = self.members
        while len(left):
            times = np.bincount(left.ravel(), minlength=n_samples)
            # Greedy vertex cover; of samples with equally many relatives the last one is removed.
            gone = n_samples - 1 - int(np.argmax(times[::-1]))
            kept[gone] = False
            left = left[(left != gone).all(axis=1)]
        return kept


def independent_variants(
    genotypes: Genotypes,
    *,
    maf: float = 0.05,
    r_squared: float = 0.2,
    window: int = 500_000,
    at_most: int = 50_000,
) -> NDArray[np.intp]:
    """Choose common autosomal variants that are not linked, spread evenly, in order of place.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    maf : float, default=0.05
        Smallest frequency of the minor allele.
    r_squared, window
        As for :func:`prune`.
    at_most : int, default=50_000
        Number of variants to thin to.

    Examples
    --------
    >>> from bayesdnf.genomics import Genotypes, independent_variants
    >>> calls = Genotypes.from_copies([[0, 1, 2, 1], [0, 1, 2, 1], [0, 0, 0, 0]])
    >>> independent_variants(calls)
    array([0])
    """
    at_most = whole("at_most", "independent_variants", at_most, 0)
    frequency = genotypes.frequency
    with np.errstate(invalid="ignore"):
        common = np.minimum(frequency, 1 - frequency) >= maf
    usable = common & autosomal(genotypes) & (genotypes.call_rate >= 0.9)
    kept = prune(genotypes, r_squared, window, among=usable)
    order, _, _ = place_order(genotypes.variants)
    chosen = order[kept[order]]
    if len(chosen) > at_most:
        chosen = chosen[np.linspace(0, len(chosen) - 1, at_most).round().astype(np.intp)]
    return chosen


def principal_components(
    genotypes: Genotypes,
    k: int = 10,
    *,
    variants: NDArray[np.intp] | None = None,
    among: NDArray[np.intp] | None = None,
    build: str | None = None,
) -> PrincipalComponents:
    """Compute principal components of the samples (Price et al. 2006).

    Copies g of each variant are standardised to (g - 2f) / √(2f(1 - f)), f the frequency; a
    missing call is 0. Up to 5,000 samples the relationship matrix is added up in blocks and
    decomposed; beyond that a block Krylov method with a fixed seed stands in for it. The largest
    entry of each component is positive.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    k : int, default=10
        Number of components.
    variants : ndarray of int, optional
        Variants to use, all of them. By default those of ``among`` outside stretches of long-range
        linkage: known ones of the human genome where ``build`` names one, and otherwise those
        where a component's loadings stand out, which are looked for up to four times.
    among : ndarray of int, optional
        Variants to choose from; by default :func:`independent_variants`.
    build : {"GRCh37", "GRCh38"}, optional
        Genome build of the positions.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, principal_components
    >>> rng = np.random.default_rng(0)
    >>> here, there = rng.uniform(0.1, 0.9, (2, 300, 1))
    >>> copies = rng.binomial(2, np.repeat([here, there], 10, axis=2)[:, :, :10])
    >>> calls = Genotypes.from_copies(np.hstack(list(copies)))
    >>> components = principal_components(calls, 2, variants=np.arange(300))
    >>> side = components.scores["PC1"] > 0
    >>> side.nunique(), side[:10].nunique(), side[10:].nunique()
    (2, 1, 1)
    """
    import pandas as pd

    n = genotypes.n_samples
    given = among if variants is None else variants
    chosen = independent_variants(genotypes) if given is None else np.asarray(given)
    frequency = genotypes.frequency[chosen]
    with np.errstate(invalid="ignore"):
        chosen = chosen[(frequency > 0) & (frequency < 1)]
    before = len(chosen)
    if variants is None and build is not None:
        chosen = outside_known(genotypes, chosen, build)
    most = min(n - 1, len(chosen))
    if not len(chosen):
        raise InputError(
            "Principal components need autosomal variants (chromosomes 1 to 22) with a minor "
            f"allele frequency of at least 0.05. None of the {genotypes.n_variants:,} is one."
        )
    k = whole("k", "principal_components", k, 1, most)
    for _ in range(_LOOKS):
        source = _Standardised(genotypes, chosen)
        values, vectors, total = _exactly(source, k) if n <= _EXACT else _krylov(source, k)
        if variants is not None or build is not None:
            break
        # Long-range linkage makes components of a region rather than of ancestry. Without the
        # region another one may dominate, so repeat.
        stretch = outlying(genotypes, chosen, source.loadings(vectors))
        # More than half of the variants cannot be outliers: keep the components.
        if not stretch.any() or len(chosen) - stretch.sum() < max(k, len(chosen) // 2):
            break
        chosen = chosen[~stretch]
    # The sign of an eigenvector is arbitrary, and differs between linear algebra libraries.
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(k)]
    vectors = vectors * np.where(largest < 0, -1, 1)
    names = [f"PC{i + 1}" for i in range(k)]
    explained = values / total
    sentence = (
        f"{k} principal component{'' if k == 1 else 's'} from {len(chosen):,} variants, "
        f"which explain {explained.sum():.1%} of the variance"
    )
    if left := before - len(chosen):
        where = f"of {build}" if build else "where their loadings stand out"
        sentence += f"; {left:,} in stretches of long-range linkage {where} left out"
    sentence += "."
    return PrincipalComponents(pd.DataFrame(vectors, columns=names), explained, sentence)


def close_relatives(
    genotypes: Genotypes,
    kinship: float = 0.177,
    *,
    variants: NDArray[np.intp] | None = None,
    n_threads: int = 1,
) -> Relatives:
    """Find pairs of samples that are close relatives, or the same person twice.

    KING-robust kinship (Manichaikul et al. 2010), which does not mistake shared ancestry for
    kinship, from at most 10,000 unlinked common autosomal variants.

    Parameters
    ----------
    genotypes : Genotypes
        The calls.
    kinship : float, default=0.177
        Smallest kinship to report; .177 is the border between first and second degree.
    variants : ndarray of int, optional
        Variants to use; by default :func:`independent_variants`.
    n_threads : int, default=1
        Threads to use.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, close_relatives
    >>> copies = np.random.default_rng(0).binomial(2, 0.4, (1000, 20))
    >>> copies[:, 7] = copies[:, 3]
    >>> calls = Genotypes.from_copies(copies)
    >>> close_relatives(calls, variants=np.arange(1000)).pairs
      IID1 IID2  kinship               degree
    0   s4   s8      0.5  twins or duplicates
    """
    import pandas as pd

    if not 0 < kinship <= 0.5:
        raise ParameterError.of("kinship", "close_relatives", "above 0 and at most 0.5", kinship)
    n_threads = whole("n_threads", "close_relatives", n_threads, 1)
    if variants is None:
        variants = independent_variants(genotypes, at_most=10_000)
    empty = pd.DataFrame({"IID1": [], "IID2": [], "kinship": [], "degree": []})
    if len(variants) < _FEWEST:
        return Relatives(
            empty,
            f"Close relatives were not identified: {len(variants):,} unlinked common autosomal "
            f"variants are too few ({_FEWEST} are needed).",
            np.empty((0, 2), dtype=np.int64),
        )
    found, value = _native.relatives(
        genotypes.planes[variants], genotypes.n_samples, kinship, n_threads
    )
    order = np.lexsort((found[:, 1], found[:, 0], -value))
    found, value = found[order], value[order]
    iid = genotypes.samples["IID"].to_numpy()
    degree = np.select(
        [value >= least for least in DEGREES.values()], list(DEGREES), "third degree or less"
    )
    pairs = pd.DataFrame(
        {"IID1": iid[found[:, 0]], "IID2": iid[found[:, 1]], "kinship": value, "degree": degree}
    )
    return Relatives(pairs, _warning(pairs, kinship, len(variants)), found.astype(np.int64))


def _warning(pairs: pd.DataFrame, kinship: float, n_variants: int) -> str:
    basis = f"kinship of {kinship:g} or more, from {n_variants:,} variants"
    if pairs.empty:
        return f"No close relatives ({basis})."
    counts = pairs["degree"].value_counts()
    kinds = ", ".join(f"{counts[name]:,} {name}" for name in counts.index)
    first = listed(pairs.itertuples(), 3, show=lambda pair: f"{pair.IID1} and {pair.IID2}")
    return (
        f"{len(pairs):,} pair{'' if len(pairs) == 1 else 's'} of close relatives ({basis}): "
        f"{kinds} ({first}); the model assumes independent samples, and strata do not correct "
        "for relatedness: leave out one of each pair (--king-cutoff)."
    )


class _Standardised:
    """Blocks of standardised calls, variants by samples, never all at once."""

    def __init__(self, genotypes: Genotypes, variants: NDArray[np.intp]) -> None:
        self.genotypes, self.variants = genotypes, variants
        self.n = genotypes.n_samples
        f = genotypes.frequency[variants]
        self.mean = (2 * f).astype(np.float32)[:, None]
        # Standardised by the binomial standard deviation (Patterson et al. 2006), so that rare
        # variants do not count less; missing calls become the mean.
        self.scale = (1 / np.sqrt(2 * f * (1 - f))).astype(np.float32)[:, None]

    def __iter__(self) -> Iterator[NDArray[np.float32]]:
        step = max(1, _BLOCK_BYTES // (4 * self.n))
        for start in range(0, len(self.variants), step):
            some = slice(start, start + step)
            copies = self.genotypes.copies(self.variants[some])
            block = copies.astype(np.float32)
            block -= self.mean[some]
            block *= self.scale[some]
            block[copies < 0] = 0
            yield block

    def loadings(self, vectors: Floats) -> Floats:
        """Return how much each variant weighs in each component."""
        return np.vstack([block @ vectors.astype(np.float32) for block in self]).astype(np.float64)

    def times(self, vectors: Floats) -> Floats:
        """Multiply by the relationship matrix without making it."""
        narrow = vectors.astype(np.float32)
        product = np.zeros(vectors.shape)
        for block in self:
            product += block.T @ (block @ narrow)
        return product


def _exactly(source: _Standardised, k: int) -> tuple[Floats, Floats, float]:
    from scipy.linalg import eigh
    from scipy.sparse.linalg import eigsh

    n = source.n
    require_memory(2 * 8 * n * n, f"The relationship matrix of {n:,} samples")
    matrix = np.zeros((n, n))
    for block in source:
        matrix += block.T @ block
    if 20 * k < n:  # Lanczos is several times faster for a few eigenvectors
        # A fixed start: ARPACK's own is random, and the last digits would differ from run to run.
        start = np.random.default_rng(0).standard_normal(n)
        values, vectors = eigsh(matrix, k, v0=start)
    else:
        values, vectors = eigh(matrix, subset_by_index=[n - k, n - 1])
    order = np.argsort(-values)
    return values[order], vectors[:, order], float(np.trace(matrix))


def _krylov(source: _Standardised, k: int) -> tuple[Floats, Floats, float]:
    """Rayleigh-Ritz on the block Krylov space of a random start (Musco and Musco 2015)."""
    from scipy.linalg import eigh

    width = min(2 * k, source.n)
    block = np.random.default_rng(0).standard_normal((source.n, width))
    basis = np.empty((source.n, 0))
    # The Krylov space needs fewer passes over the calls than subspace iteration, and passes over
    # the calls dominate the time.
    for _ in range(min(_KRYLOV_STEPS, source.n // width)):
        block = source.times(block)
        for _ in range(2):  # twice: reorthogonalisation
            block = np.linalg.qr(block - basis @ (basis.T @ block)).Q
        basis = np.hstack([basis, block])
    small = basis.T @ source.times(basis)
    last = len(small) - 1
    values, vectors = eigh((small + small.T) / 2, subset_by_index=[last - k + 1, last])
    # trace(Z'Z) is the sum of squares of Z, so the share explained needs no matrix.
    total = math.fsum(float(np.square(part, dtype=np.float64).sum()) for part in source)
    return values[::-1], basis @ vectors[:, ::-1], total
