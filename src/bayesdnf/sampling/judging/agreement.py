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

# What these limits let through and what they stop, with chains that mix and chains that do not, is
# counted in docs/verdicts.md.
TOLERATED = 0.05
"""Difference between chains that needs no explanation."""
_BATCHES = 20
_LONGEST_LAG = 500
_DRAWS_A_BLOCK = 5  # effective ones: fewer would leave neighbouring blocks alike
_MOST_BLOCKS = 250  # for each chain
_FEWEST_BLOCKS = 10
_DEALS = 999
_VARIATION_DEALS = 199
_LEVEL = 0.006  # of a comparison of chains
_SLACK_OF_SHORT = 1.3
_SLACK = 1.1  # for total variation over many functions, which hardly varies by chance
_MOST_FUNCTIONS = 100  # compared one by one
_LEAST_SHARE = 0.005
_EXPECTED = 5.0  # effective draws that exact scores must give to a function to be tested by it
_STANDARD_ERRORS = 4.5
_CHAIN_LEVEL = 0.001  # of a chain beside exact scores
_TOLERATED_SHARE = 0.01


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of chains on the probabilities of functions, literals and terms.

    Lists with the same partition of the rows count as one: chains need not agree on their layers.

    Parameters
    ----------
    n_functions : int
        How many functions were drawn and compared.
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
        What was compared: functions, or the partitions that lists make.
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
        """Whether no chain's share of a literal or of a frequent function stands out."""
        # Blocks that are not independent make p-values too small: only the smallest one that so
        # many deals can give counts then.
        level = _LEVEL if self._long else 1 / (1 + _DEALS)
        return self.by_chance > level or abs(self.share - self.others) <= TOLERATED

    @property
    def _long(self) -> bool:
        """Whether the blocks that were dealt out are long enough to be independent."""
        return self.effective_size >= _FEWEST_BLOCKS * _DRAWS_A_BLOCK

    @property
    def far(self) -> bool:
        """Whether the largest total variation is more than chance explains."""
        slack = _SLACK if self._long else _SLACK_OF_SHORT
        return self.largest > max(TOLERATED, slack * self.limit)

    @property
    def ok(self) -> bool:
        """Whether chance explains how the chains differ, or it is not much."""
        return self.alike and not self.far


def compare(draws: Draws, literals: Ints) -> Agreement:
    """Compare the chains of a run, on their functions and on whether these hold some literals."""
    import pandas as pd

    answers = draws.answers
    places = answers.of[draws.index]
    included = draws.inclusion_by_chain("literal")
    # Rarer functions cannot be judged one by one; the total variation has all of them.
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
    """Independent draws of a chain that would give its shares of functions as much variance.

    By how often two draws of a chain, so many draws apart, are of one function; chains that
    disagree do not look shorter for it, so what they differ by cannot explain itself.
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
        return float(n_draws)  # no chain ever moved
    same = [
        (places[:, :-lag] == places[:, lag:]).mean() * n_chains
        # Beyond half of the draws few pairs are left, and more noise than correlation.
        for lag in range(1, min(n_draws // 2, _LONGEST_LAG))
    ]
    correlation = np.array([1.0, *((np.array(same) - by_chance) / spread)])
    return float(n_draws / _integrated(correlation[:, None])[0])


def _sizes(items: NDArray[np.bool_]) -> Floats:
    """Return the same of the share of each item: (chains, draws, items) to (items,)."""
    n_draws = items.shape[1]
    # Each chain by its own mean: chains that disagree do not look shorter for it.
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
    """Autocorrelation times by Geyer's initial monotone sequence; correlations by lag and item."""
    # Geyer (1992): sums of two neighbouring autocorrelations of a reversible chain are positive
    # and falling. Cut at the first that is not positive, and flatten rises, which are noise.
    even = len(correlation) // 2 * 2
    pairs = correlation[:even].reshape(-1, 2, correlation.shape[1]).sum(axis=1)
    positive = np.cumprod(pairs > 0, axis=0).astype(bool)
    falling = np.minimum.accumulate(np.where(positive, pairs, 0), axis=0)
    # The pairs begin with lag 0, which is 1: twice their sum less 1 is 1 + 2 (ρ1 + ρ2 + …).
    return np.asarray(np.maximum(1.0, 2 * falling.sum(axis=0) - 1))


def _slowest(items: NDArray[np.bool_], size: float) -> float:
    """Return the effective size of the slower items, or of functions where that is smaller.

    A few of many items look slow by chance: the tenth part may.
    """
    sizes = _sizes(items)
    sizes = sizes[np.isfinite(sizes)]
    return min(size, float(np.quantile(sizes, 0.1))) if len(sizes) else size


def _n_blocks(n_draws: int, size: float) -> int:
    """Blocks into which to cut each chain so that they are as good as independent."""
    blocks = min(n_draws / 2, _MOST_BLOCKS, max(_FEWEST_BLOCKS, size / _DRAWS_A_BLOCK))
    return max(1, int(blocks))


def _in_blocks(items: NDArray[Any], n_blocks: int) -> Floats:
    """Share of each item in each block: (chains, draws, items) to (chains, blocks, items)."""
    n_chains, n_draws, n_items = items.shape
    length = n_draws // n_blocks
    cut = items[:, : n_blocks * length].reshape(n_chains, n_blocks, length, n_items)
    return np.asarray(cut.mean(axis=2, dtype=np.float64))


def _deals(n_chains: int, n_blocks: int, times: int) -> Ints:
    """Deal all blocks out to chains: for each deal the chain of each block."""
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
    # All deals at once: a 0/1 matrix of (deal and chain) by block times the shares of items by
    # block.
    own = (deals[:, None] == np.arange(n_chains)[:, None]).astype(np.float64)
    dealt = own.reshape(-1, n_chains * n_blocks) @ flat
    by_deal = differences(dealt).reshape(len(deals), -1).max(axis=1)
    # The largest difference over chains and items in each deal: this p-value is adjusted for
    # having looked at all of them, and counts the deal that happened.
    # A deal that repeats the real one may come out lower by rounding alone.
    by_chance = (1 + np.count_nonzero(by_deal >= here.max() - 1e-9)) / (1 + len(deals))
    of_chain = shares[chain, :, item].mean()
    of_rest = (total[item] / n_blocks - of_chain) / (n_chains - 1)
    return float(by_chance), int(chain), int(item), float(of_chain), float(of_rest)


def _root_of_likelihood_ratio(own: Floats, rest: Floats, n: int, times: int) -> Floats:
    """Root of the log likelihood ratio of two shares against one, of n and ``times`` n draws."""
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
    """Total variation between every two rows."""
    return np.stack([np.abs(shares - row).sum(axis=1) / 2 for row in shares])


def _dealt_variation(places: Ints, n_blocks: int, deals: Ints, kinds: int) -> Floats:
    """Largest total variation between chains when their blocks are dealt out at random."""
    n_chains, n_draws = places.shape
    length = n_draws // n_blocks
    blocks = places[:, : n_blocks * length].reshape(n_chains * n_blocks, length)
    largest = np.empty(len(deals))
    for deal, chain in enumerate(deals):
        # One number for each pair of a chain and a function, so that one bincount gives the shares
        # of all chains.
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
    """Functions whose shares among each other exact scores tell."""

    texts: list[str]
    share: Floats
    places: Ints  # by chain and draw: which of them; as many as there are: none


def against_scores(draws: Draws) -> Odds | None:
    """Find the function whose share of the draws fits exact scores least, if any does not fit.

    Compared are those that scores give some draws to, and the null function and others that a
    search or a start came to, drawn or not. All chains together are judged function by function,
    by the batches of their draws; each chain by all functions, beside independent draws of as
    many as it is worth.
    """
    # By functions, not by answers: exact scores are compared function by function.
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
    """Choose the functions that exact scores give some of so many independent draws to."""
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
    """Find the function that all chains together drew too often or too seldom, if there is one.

    A draw's deviation from the exact share averages to 0 if the chains have settled.
    """
    _, share, places = compared
    n_chains, n_draws = places.shape
    inside = places < len(share)
    items = places[:, :, None] == np.arange(len(share))
    off = items - inside[:, :, None] * share
    batches = _in_blocks(off, min(_BATCHES, max(1, n_draws // 2))).reshape(-1, len(share))
    # Variance of the mean by batch means around the known value 0, but never less than that of as
    # many independent draws: few batches can be alike by chance.
    by_batches = (batches**2).sum(axis=0) / len(batches) ** 2
    independent = inside.mean() * share * (1 - share) / (size * n_chains)
    errors = np.abs(off.mean(axis=(0, 1))) / np.sqrt(np.maximum(by_batches, independent))
    drawn = items.sum(axis=(0, 1)) / inside.sum()
    # Among many draws a difference may be certain and too small to matter.
    errors[np.abs(drawn - share) <= _TOLERATED_SHARE] = 0
    return int(errors.argmax()) if errors.max() > _STANDARD_ERRORS else None


def _by_chance(drawn: Floats, share: Floats, n: int) -> float:
    """How often n independent draws are as far from these shares, in likelihood."""

    def gain(shares: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            gains = np.where(shares > 0, shares * np.log(shares / share), 0)
        return np.asarray(gains.sum(axis=-1))

    # A Monte Carlo test with a fixed seed: the same draws always get the same verdict.
    dealt = np.random.default_rng(0).multinomial(n, share, size=_DEALS) / n
    return float((1 + np.count_nonzero(gain(dealt) >= gain(drawn) - 1e-12)) / (1 + _DEALS))
