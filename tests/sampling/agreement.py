"""Do native scores, steps and draws agree with what they should be?

The tests of the samplers, and what deliberate faults must not pass.
"""

from __future__ import annotations

import itertools
import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bayesdnf import _native
from bayesdnf.model.enumerate import flatten, function_words
from bayesdnf.sampling.kernel import Snapshot
from tests.sampling.slow_moves import joint_transition

LEVEL = 0.01 / 10_000
"""Bonferroni: fewer rows than that are compared, all of them together at a level of .01."""

STEPS = 100_000 if os.environ.get("BAYESDNF_EXHAUSTIVE") else 40_000
"""Enough to notice every fault of tests/sampling/test_faults.py."""

# Scores ------------------------------------------------------------------------------------------


def score_error(posterior, model):
    """Largest error of a native score; infinite where the supports or the cells differ."""
    lists = list(model.all_lists())
    verdict, log_prior, log_likelihood, cells = posterior.native.score(*flattened(lists), 1)
    inside = np.flatnonzero((verdict == 0) & np.isfinite(log_prior)).tolist()
    if {lists[i] for i in inside} != set(model.scores):
        return np.inf
    if any(cells[i].tolist() != model.cells(lists[i]) for i in inside):
        return np.inf
    slow = np.array([model.scores[lists[i]] for i in inside])
    fast = np.column_stack([log_prior, log_likelihood])[inside]
    return float(np.abs(fast - slow).max())


def flattened(lists):
    """Lists in flat arrays, as the native core takes them; its layers are numbered from 1."""
    term_starts, literal_starts, literals, layers = [0], [0], [], []
    for rules in lists:
        for number, layer in enumerate(rules, start=1):
            for term in sorted(layer, key=sorted):
                literals += sorted(term)
                literal_starts.append(len(literals))
                layers.append(number)
        term_starts.append(len(layers))
    return (
        np.array(term_starts, dtype=np.int64),
        np.array(literal_starts, dtype=np.int64),
        np.array(literals, dtype=np.int32),
        np.array(layers, dtype=np.int32),
    )


# One step ----------------------------------------------------------------------------------------


def step_p_value(kernel, model, starts, key, step=0, n=STEPS):
    """P-value of native steps from a list at each temperature, if the twin is right."""
    known = model.known if "jump" in kernel.mix else []
    counted = single_steps(kernel, starts, n, key, step, known)
    return chi_square(counted, joint_transition(model, kernel, starts, step))


def single_steps(kernel, lists, n, key, step=0, known=()):
    """How often one step of a native kernel leads where, from a list at each temperature."""
    terms, layers = zip(*map(placed, lists), strict=True)
    (k0, k1), counter, used = _native.Philox(key).state
    jumps = tuple(map(placed, known))
    chain = kernel.chain(Snapshot(terms, layers, (k0, k1), tuple(counter), used, step, jumps))
    flat, numbers = chain.single_steps(n)
    reached = spelled(flat)
    shape = (len(reached),) * len(lists)
    codes, times = np.unique(np.ravel_multi_index(numbers.T, shape), return_counts=True)
    where = np.stack(np.unravel_index(codes, shape), axis=1)
    return {
        tuple(reached[number] for number in row): int(count)
        for row, count in zip(where.tolist(), times, strict=True)
    }


def placed(rules):
    """The terms of a list, and the layer of each."""
    both = [
        (tuple(sorted(term)), number) for number, layer in enumerate(rules, 1) for term in layer
    ]
    return tuple(term for term, _ in both), tuple(number for _, number in both)


def spelled(flat):
    """Lists in flat arrays as tuples of frozensets of frozensets, layer 1 first."""
    term_starts, literal_starts, literals, layers = flat
    terms = [
        frozenset(literals[first:last].tolist())
        for first, last in itertools.pairwise(literal_starts)
    ]
    lists = []
    for first, last in itertools.pairwise(term_starts):
        numbers = layers[first:last].tolist()
        assert set(numbers) == set(range(1, max(numbers, default=0) + 1))
        placed = list(zip(terms[first:last], numbers, strict=True))
        assert len(set(terms[first:last])) == len(placed)
        lists.append(
            tuple(
                frozenset(term for term, number in placed if number == g)
                for g in range(1, max(numbers, default=0) + 1)
            )
        )
    return lists


def chi_square(counted, expected):
    """P-value of counts under the probabilities that they should have.

    Outcomes expected fewer than five times are taken together; where even those are too few for a
    chi-square, more of them than expected are judged by a binomial tail of their own.
    """
    n = sum(counted.values())
    if any(expected.get(outcome, 0.0) <= 0 for outcome in counted):
        return 0.0  # something impossible happened
    often = [x for x, probability in expected.items() if n * probability >= 5]
    observed = [counted.get(x, 0) for x in often]
    means = [n * expected[x] for x in often]
    seldom, seldom_mean = n - sum(observed), max(0.0, n - sum(means))
    p_values = []
    if seldom_mean >= 5:
        observed.append(seldom)
        means.append(seldom_mean)
    else:
        p_values.append(stats.binom.sf(seldom - 1, n, seldom_mean / n) if seldom else 1.0)
    if len(observed) > 1:
        means = np.array(means) * (sum(observed) / sum(means))
        p_values.append(stats.chisquare(observed, means).pvalue)
    return min(1.0, len(p_values) * min(p_values))


# Many draws --------------------------------------------------------------------------------------


class Exact(NamedTuple):
    """The whole posterior: functions as words, in rising order."""

    words: NDArray[np.uint64]
    probabilities: NDArray[np.float64]
    log_evidence: float
    """Under the prior renormalised to its support."""


def enumerated(posterior):
    """Every function that the posterior gives any mass."""
    p = posterior.bits.n_literals
    words = np.sort(np.concatenate(list(function_words(p, posterior.prior.antichain))))
    verdict, log_prior, log_likelihood, _ = posterior.native.score(*flatten(words, p), 1)
    inside = (verdict == 0) & np.isfinite(log_prior)
    logs = (log_prior + log_likelihood)[inside]
    log_total = np.logaddexp.reduce(logs)
    log_mass = np.logaddexp.reduce(log_prior[inside])
    return Exact(words[inside], np.exp(logs - log_total), float(log_total - log_mass))


def words_of(flat):
    """Functions in flat arrays as words, as in ``function_words``."""
    term_starts, literal_starts, literals, _ = flat
    sums = np.concatenate([[0], np.cumsum(np.uint64(1) << literals.astype(np.uint64))])
    terms = np.diff(sums[literal_starts])
    sums = np.concatenate([[0], np.cumsum(np.uint64(1) << terms.astype(np.uint64))])
    return np.diff(sums[term_starts].astype(np.uint64))


def total_variation(places, probabilities):
    """Between the shares of the functions drawn and their probabilities."""
    shares = np.bincount(places, minlength=len(probabilities)) / len(places)
    return np.abs(shares - probabilities).sum() / 2


def effective_size(chains, n_functions, n_batches=25):
    """Independent draws that would give as much variance to the shares of the functions.

    From the variance of batch means, summed over all functions. Batches vary about their own mean,
    so a chain that is off its target does not look shorter for it.
    """
    length = chains.shape[1] // n_batches
    batches = chains[:, : length * n_batches].reshape(-1, length)
    shares = np.array([np.bincount(b, minlength=n_functions) / length for b in batches])
    mean = shares.mean(axis=0)
    of_one = (mean * (1 - mean)).sum()
    return chains.size * of_one / (length * shares.var(axis=0, ddof=1).sum())


def independent_variations(probabilities, size, times=100, seed=0):
    """Total variation of as many independent draws, some times over."""
    rng = np.random.default_rng(seed)
    size = max(1, round(size))
    # Functions that are hardly ever drawn can be taken together: none is drawn twice.
    common = probabilities > 1e-3 / size
    together = probabilities[~common].sum()
    grouped = np.append(probabilities[common], together)
    shares = rng.multinomial(size, grouped / grouped.sum(), size=times) / size
    off = np.abs(shares[:, :-1] - grouped[:-1]).sum(axis=1)
    return (off + shares[:, -1] + together) / 2
