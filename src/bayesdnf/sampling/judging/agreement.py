"""Agreement of chains with each other, and of draws with exact scores.

Draws of one chain are autocorrelated, so chains are compared in blocks: if all chains had the same
distribution, their blocks would be exchangeable. The distances between chains are compared with
those of the same blocks assigned to chains at random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

    from ..draws import Draws

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# docs/verdicts.md has the error rates of these limits, for chains that mix and chains that do not.
TOLERATED = 0.05
"""Difference between chains that is always accepted."""
_BATCHES = 20
_LONGEST_LAG = 500
_DRAWS_A_BLOCK = 5  # effective draws per block, so that blocks are nearly independent
_MOST_BLOCKS = 250  # for each chain
_FEWEST_BLOCKS = 10
_DEALS = 999
_VARIATION_DEALS = 199
_LEVEL = 0.006  # significance level of the comparison of chains
_SLACK_OF_SHORT = 1.3
_SLACK = 1.1  # factor on total variation, which varies little by chance over many functions
_MOST_FUNCTIONS = 100  # maximum number of functions compared one by one
_LEAST_SHARE = 0.005
_EXPECTED = 5.0  # expected effective draws, by exact scores, of a function that is tested
_STANDARD_ERRORS = 4.5
_CHAIN_LEVEL = 0.001  # significance level of the test of a chain against exact scores
_TOLERATED_SHARE = 0.01


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of chains on the probabilities of functions, literals and terms.

    Lists with the same partition of the rows count as one: chains need not agree on their layers.

    Parameters
    ----------
    n_functions : int
        Number of functions that were drawn and compared.
    variation : DataFrame
        Total variation between every two chains: 0 where their shares of the functions are equal,
        1 where they have no function in common.
    largest : float
        The largest of them.
    effective_size : float
        Independent draws that would give each chain's shares as much variance: of functions, or of
        the slower ones of literals and frequent functions.
    expected, limit : float
        What the largest is when the chains' draws are dealt out to them at random, in blocks that
        are as good as independent: on average, and 99 times in 100 at most.
    inclusion : float
        Largest difference between two chains in the inclusion of any literal.
    literal : str
        That literal; empty when no function holds any.
    by_chance : float
        How often, of such deals, some chain's share of a frequent function or of a literal differs
        from the other chains' as much as here.
    chain : int
        The chain that differs most, counted from 1.
    share : float
        Its share of what it differs in, ``what``; ``others`` is that of the other chains.
    what : str
        A literal, or a function.
    compared : {"functions", "partitions"}
        What was compared: functions, or partitions of rows by lists.
    """

    n_functions: int
    variation: pd.DataFrame
    largest: float
    effective_size: float
    expected: float
    limit: float
    inclusion: float
    literal: str
    by_chance: float
    chain: int
    what: str
    share: float
    others: float
    compared: str = "functions"

    @property
    def alike(self) -> bool:
        """Whether no chain differs significantly in a literal or a frequent function."""
        # Dependent blocks make p-values too small. Then only the smallest possible p-value of this
        # number of permutations counts.
        level = _LEVEL if self._long else 1 / (1 + _DEALS)
        return self.by_chance > level or abs(self.share - self.others) <= TOLERATED

    @property
    def _long(self) -> bool:
        """Whether the permuted blocks are long enough to be independent."""
        return self.effective_size >= _FEWEST_BLOCKS * _DRAWS_A_BLOCK

    @property
    def far(self) -> bool:
        """Whether the largest total variation exceeds what chance explains."""
        slack = _SLACK if self._long else _SLACK_OF_SHORT
        return self.largest > max(TOLERATED, slack * self.limit)

    @property
    def ok(self) -> bool:
        """Whether the differences between chains are small, or explained by chance."""
        return self.alike and not self.far


def compare(draws: Draws, literals: Ints) -> Agreement:
    """Compare the chains of a run by their functions and by the inclusion of some literals."""
    import pandas as pd

    answers = draws.answers
    places = answers.of[draws.index]
    included = draws.inclusion_by_chain("literal")
    # Rarer functions cannot be tested one by one; the total variation includes all of them.
    frequent = np.flatnonzero(answers.counts.sum(axis=0) >= _LEAST_SHARE * draws.index.size)
    frequent = frequent[np.argsort(-answers.counts.sum(axis=0)[frequent], kind="stable")]
    frequent = frequent[:_MOST_FUNCTIONS]
    held = draws.holding(literals)[:, draws.index].transpose(1, 2, 0)
    items = np.concatenate([held, places[:, :, None] == frequent], axis=2)
    size = _slowest(items, effective_size(places))
    n_blocks = _n_blocks(draws.n_draws, size)
    deals = _deals(draws.n_chains, n_blocks, _DEALS)
    by_chance, chain, item, share, others = _stands_out(_in_blocks(items, n_blocks), deals)
    variation = _variation(answers.counts / draws.n_draws)
    dealt = _dealt_variation(places, n_blocks, deals[:_VARIATION_DEALS], len(answers))
    apart = np.ptp(included.frequency, axis=0)
    chains = pd.RangeIndex(1, draws.n_chains + 1, name="chain")
    what = ""
    if item >= 0:
        what = (
            included.names[int(literals[item])]
            if item < len(literals)
            else draws.text(int(answers.number[frequent[item - len(literals)]]))
        )
    return Agreement(
        n_functions=len(answers),
        variation=pd.DataFrame(variation, index=chains, columns=chains),
        largest=float(variation.max()),
        effective_size=size,
        expected=float(dealt.mean()),
        limit=float(np.quantile(dealt, 0.99)),
        inclusion=float(apart.max(initial=0.0)),
        literal=included.names[int(apart.argmax())] if len(apart) else "",
        by_chance=by_chance,
        chain=chain + 1,
        what=what,
        share=share,
        others=others,
        compared="functions" if draws.layers == 1 else "partitions",
    )


# Blocks -------------------------------------------------------------------------------------------


def effective_size(places: Ints) -> float:
    """Estimate the effective sample size of a chain for the shares of functions.

    The autocorrelation is estimated from how often two draws of one chain at a given lag are the
    same function. Only draws of the same chain are compared: disagreement of the chains must not
    lower the effective size, because a low effective size would excuse it.
    """
    n_chains, n_draws = places.shape
    kinds = int(places.max()) + 1
    _, times = np.unique(np.arange(n_chains)[:, None] * kinds + places, return_counts=True)
    # P(two draws of a chain are equal) at lag infinity is Σ share²; 1 minus it is the variance of
    # the indicator vector. The excess at a lag over the former, relative to the latter, is its
    # autocorrelation.
    by_chance = float((times.astype(np.float64) ** 2).sum()) / n_draws**2  # summed over chains
    spread = n_chains - by_chance
    if spread <= 0:
        return float(n_draws)  # every chain is constant
    same = [
        (places[:, :-lag] == places[:, lag:]).mean() * n_chains
        # At lags beyond half of the draws there are few pairs, which are mostly noise.
        for lag in range(1, min(n_draws // 2, _LONGEST_LAG))
    ]
    correlation = np.array([1.0, *((np.array(same) - by_chance) / spread)])
    return float(n_draws / _integrated(correlation[:, None])[0])


def _sizes(items: NDArray[np.bool_]) -> Floats:
    """Estimate the effective size of each item: (chains, draws, items) to (items,)."""
    n_draws = items.shape[1]
    # Each chain is centred by its own mean, so that disagreement does not lower the effective size.
    centred = items - items.mean(axis=1, keepdims=True)
    # Padding to twice the length makes the circular convolution of the FFT a linear one
    # (Wiener-Khinchin).
    length = 2 ** math.ceil(math.log2(2 * n_draws))
    spectrum = (np.abs(np.fft.rfft(centred, length, axis=1)) ** 2).sum(axis=0)
    covariance = np.fft.irfft(spectrum, length, axis=0)[: max(2, n_draws // 2)]
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = covariance / covariance[0]
    return np.asarray(n_draws / _integrated(correlation))


def _integrated(correlation: Floats) -> Floats:
    """Sum correlations (lag, item) to autocorrelation times, by Geyer's monotone sequence."""
    # Geyer (1992): sums of two neighbouring autocorrelations of a reversible chain are positive
    # and falling. Cut at the first that is not positive, and flatten rises, which are noise.
    even = len(correlation) // 2 * 2
    pairs = correlation[:even].reshape(-1, 2, correlation.shape[1]).sum(axis=1)
    positive = np.cumprod(pairs > 0, axis=0).astype(bool)
    falling = np.minimum.accumulate(np.where(positive, pairs, 0), axis=0)
    # The pairs begin with lag 0, which is 1: twice their sum less 1 is 1 + 2 (ρ1 + ρ2 + …).
    return np.asarray(np.maximum(1.0, 2 * falling.sum(axis=0) - 1))


def _slowest(items: NDArray[np.bool_], size: float) -> float:
    """Return the effective size of slow items, or of functions if that is smaller.

    The 10 % quantile over items is used, because a few of many items look slow by chance.
    """
    sizes = _sizes(items)
    sizes = sizes[np.isfinite(sizes)]
    return min(size, float(np.quantile(sizes, 0.1))) if len(sizes) else size


def _n_blocks(n_draws: int, size: float) -> int:
    """Return the number of blocks of each chain for which blocks are nearly independent."""
    blocks = min(n_draws / 2, _MOST_BLOCKS, max(_FEWEST_BLOCKS, size / _DRAWS_A_BLOCK))
    return max(1, int(blocks))


def _in_blocks(items: NDArray[Any], n_blocks: int) -> Floats:
    """Average items over blocks: (chains, draws, items) to (chains, blocks, items)."""
    n_chains, n_draws, n_items = items.shape
    length = n_draws // n_blocks
    cut = items[:, : n_blocks * length].reshape(n_chains, n_blocks, length, n_items)
    return np.asarray(cut.mean(axis=2, dtype=np.float64))


def _deals(n_chains: int, n_blocks: int, times: int) -> Ints:
    """Assign blocks to chains at random; return the chain of each block, by permutation."""
    # A fixed seed: the same draws always get the same verdict.
    rng = np.random.default_rng(0)
    chains = np.repeat(np.arange(n_chains), n_blocks)
    return rng.permuted(np.tile(chains, (times, 1)), axis=1)


def _stands_out(shares: Floats, deals: Ints) -> tuple[float, int, int, float, float]:
    """Find the chain and item that differ most from the other chains, and how often by chance."""
    n_chains, n_blocks, n_items = shares.shape
    if n_items == 0:
        return 1.0, 0, -1, 0.0, 0.0
    flat = shares.reshape(-1, n_items)
    total = flat.sum(axis=0)

    def differences(of_chains: Floats) -> Floats:
        own = of_chains / n_blocks
        rest = (total - of_chains) / (n_blocks * (n_chains - 1))
        return _root_of_likelihood_ratio(own, rest, n_blocks, n_chains - 1)

    here = differences(shares.sum(axis=1))
    chain, item = np.unravel_index(int(here.argmax()), here.shape)
    # All permutations at once: a 0/1 matrix (permutation and chain, block) times the matrix (block,
    # item) of shares.
    own = (deals[:, None] == np.arange(n_chains)[:, None]).astype(np.float64)
    dealt = own.reshape(-1, n_chains * n_blocks) @ flat
    by_deal = differences(dealt).reshape(len(deals), -1).max(axis=1)
    # The maximum over chains and items in each permutation adjusts the p-value for multiple testing
    # (Westfall and Young 1993). The observed assignment counts as one permutation. The tolerance is
    # for permutations equal to the observed one, which rounding may put below it.
    by_chance = (1 + np.count_nonzero(by_deal >= here.max() - 1e-9)) / (1 + len(deals))
    of_chain = shares[chain, :, item].mean()
    of_rest = (total[item] / n_blocks - of_chain) / (n_chains - 1)
    return float(by_chance), int(chain), int(item), float(of_chain), float(of_rest)


def _root_of_likelihood_ratio(own: Floats, rest: Floats, n: int, times: int) -> Floats:
    """Return the root of the likelihood ratio statistic of two shares against a common one."""
    pooled = (own + times * rest) / (1 + times)

    def gain(share: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            yes = np.where(share > 0, share * np.log(share / pooled), 0)
            no = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - pooled)), 0)
        return np.asarray(yes + no)

    # Roots of likelihood ratios are comparable between rare and frequent items, where plain
    # differences of shares are not.
    ratio = 2 * n * (gain(own) + times * gain(rest))
    return np.sqrt(np.maximum(0.0, np.nan_to_num(ratio)))


def _variation(shares: Floats) -> Floats:
    """Return the total variation between every two rows."""
    return np.stack([np.abs(shares - row).sum(axis=1) / 2 for row in shares])


def _dealt_variation(places: Ints, n_blocks: int, deals: Ints, kinds: int) -> Floats:
    """Return the largest total variation between chains for each random assignment."""
    n_chains, n_draws = places.shape
    length = n_draws // n_blocks
    blocks = places[:, : n_blocks * length].reshape(n_chains * n_blocks, length)
    largest = np.empty(len(deals))
    for deal, chain in enumerate(deals):
        # One number for each pair (chain, function), so that one bincount gives all shares.
        numbers = (chain[:, None] * kinds + blocks).ravel()
        shares = np.bincount(numbers, minlength=n_chains * kinds) / (n_blocks * length)
        largest[deal] = _variation(shares.reshape(n_chains, kinds)).max()
    return largest


# Exact scores -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Odds:
    """Frequency of a function, compared with its probability by exact scores."""

    function: str
    drawn: float
    """Its share of the draws of all functions that are compared."""
    exact: float
    chain: int | None
    """The chain that drew it so often, counted from 1; None: all of them together."""


class _Compared(NamedTuple):
    """Functions with their relative shares by exact scores."""

    texts: list[str]
    share: Floats
    places: Ints  # by chain and draw: its position among them; their number if it is none of them


def against_scores(draws: Draws) -> Odds | None:
    """Find the function whose share of the draws contradicts exact scores most; None if none does.

    The test covers functions that should have some draws by their scores, whether they were drawn,
    found by a search, used as a start, or are the null function. All chains together are tested
    function by function, with standard errors from batches of their draws. Each chain is tested by
    all functions at once, against independent draws of its effective size.
    """
    # Of functions and not of answers, because exact scores are those of functions.
    size = effective_size(draws.index)
    compared = _by_scores(draws, size * draws.n_chains)
    if compared is None:
        return None
    texts, share, places = compared
    together = _together(compared, size)
    if together is not None:
        drawn = float((places == together).sum() / (places < len(share)).sum())
        return Odds(texts[together], drawn, float(share[together]), None)
    for chain, row in enumerate(places):
        inside = row[row < len(share)]
        # Effective draws of the chain that are among the functions compared.
        n = round(size * len(inside) / len(row))
        shares = np.bincount(inside, minlength=len(share)) / max(1, len(inside))
        if n and _by_chance(shares, share, n) <= _CHAIN_LEVEL:
            worst = int(np.abs(shares - share).argmax())
            return Odds(texts[worst], float(shares[worst]), float(share[worst]), chain + 1)
    return None


def _by_scores(draws: Draws, size: float) -> _Compared | None:
    """Choose the functions that should have some of ``size`` independent draws."""
    others = [*draws.undrawn]
    if not (draws.n_terms == 0).any() and math.isfinite(draws.log_null):
        others.append(("no rule", draws.log_null))
    log_mass = np.concatenate([draws.log_mass, [mass for _, mass in others]])
    if np.isnan(log_mass).any():
        return None
    order = np.argsort(-log_mass, kind="stable")[:_MOST_FUNCTIONS]
    # Scores are exact up to one constant, so shares among the compared functions need no estimate
    # of the evidence.
    share = np.exp(log_mass[order] - log_mass[order[0]])
    order = order[share / share.sum() * size >= _EXPECTED]
    # Shares fall, so that the functions kept are the first ones.
    share = share[: len(order)] / share[: len(order)].sum()
    n = draws.n_functions
    drawn = order < n
    place = np.full(n, len(order), dtype=np.int64)
    place[order[drawn]] = np.flatnonzero(drawn)
    places = place[draws.index]
    if len(order) < 2 or (places == len(order)).all():
        return None
    texts = [draws.text(i) if i < n else others[i - n][0] for i in order.tolist()]
    return _Compared(texts, share, places)


def _together(compared: _Compared, size: float) -> int | None:
    """Find the function that all chains together drew too often or too rarely; None if none.

    The deviation of a draw from the exact share has mean 0 if the chains have converged.
    """
    _, share, places = compared
    n_chains, n_draws = places.shape
    inside = places < len(share)
    items = places[:, :, None] == np.arange(len(share))
    off = items - inside[:, :, None] * share
    batches = _in_blocks(off, min(_BATCHES, max(1, n_draws // 2))).reshape(-1, len(share))
    # The variance of the mean comes from batch means around the known value 0, and is at least that
    # of independent draws: a few batches can be similar by chance.
    by_batches = (batches**2).sum(axis=0) / len(batches) ** 2
    independent = inside.mean() * share * (1 - share) / (size * n_chains)
    errors = np.abs(off.mean(axis=(0, 1))) / np.sqrt(np.maximum(by_batches, independent))
    drawn = items.sum(axis=(0, 1)) / inside.sum()
    # With many draws a difference can be significant and too small to matter.
    errors[np.abs(drawn - share) <= _TOLERATED_SHARE] = 0
    return int(errors.argmax()) if errors.max() > _STANDARD_ERRORS else None


def _by_chance(drawn: Floats, share: Floats, n: int) -> float:
    """Return the p-value of a multinomial likelihood ratio test with n independent draws."""

    def gain(shares: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            gains = np.where(shares > 0, shares * np.log(shares / share), 0)
        return np.asarray(gains.sum(axis=-1))

    # A Monte Carlo test with a fixed seed: the same draws always get the same verdict.
    dealt = np.random.default_rng(0).multinomial(n, share, size=_DEALS) / n
    return float((1 + np.count_nonzero(gain(dealt) >= gain(drawn) - 1e-12)) / (1 + _DEALS))
