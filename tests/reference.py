"""The slow, obvious twin of every fast routine, written from the mathematics.

Rows are Python loops over bools, probabilities are fractions or scipy's functions. Nothing here is
clever; the tests compare the library with it. Other twins lie beside the tests that need them, in
modules whose names begin with "slow".
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import stats
from scipy.special import betaln

from bayesdnf.boolean.literal import Relation
from tests.model.slow_order import log_order_probability

# Words -------------------------------------------------------------------------------------------


def pack(flags, n_words=None):
    """Bools to 64-bit words, lowest bit first."""
    n_words = -(-len(flags) // 64) if n_words is None else n_words
    words = [0] * n_words
    for i, flag in enumerate(flags):
        if flag:
            words[i // 64] |= 1 << (i % 64)
    return np.array(words, dtype=np.uint64)


def unpack(words, n):
    """The first ``n`` bits of some words, as bools."""
    return np.array([int(words[i // 64]) >> (i % 64) & 1 for i in range(n)], dtype=bool)


def as_int(words):
    """Words as one Python integer."""
    return sum(int(word) << (64 * i) for i, word in enumerate(words))


def popcount(words):
    return as_int(words).bit_count()


def lay_out(columns, segments, offsets, n_words):
    """Bool columns (one entry per row of all segments) as planes whose segments begin at words."""
    planes = np.zeros((len(columns), n_words), dtype=np.uint64)
    starts = np.cumsum([0, *segments])
    for plane, column in zip(planes, columns, strict=True):
        for first, start, rows in zip(offsets, starts, segments, strict=False):
            words = pack(column[start : start + rows])
            plane[first : first + len(words)] = words
    return planes


# Counts ------------------------------------------------------------------------------------------


def count(mask, segments, weights=None):
    """Weighted rows of a mask in each segment."""
    counts, row = [], 0
    for rows in segments:
        counts.append(sum(_weight(weights, i) for i in range(row, row + rows) if mask[i]))
        row += rows
    return counts


def sweep(masks, columns, segments, weights=None):
    """counts[segment][mask][column]: rows in both."""
    counts = np.zeros((len(segments), len(masks), len(columns)), dtype=np.int64)
    for m, mask in enumerate(masks):
        for j, column in enumerate(columns):
            both = [a and b for a, b in zip(mask, column, strict=True)]
            counts[:, m, j] = count(both, segments, weights)
    return counts


def _weight(weights, row):
    return 1 if weights is None else int(weights[row])


def literal_truth(value, negated):
    """Truth of a literal or its negation on a value True, False or None (missing)."""
    return value is not None and bool(value) != negated


# Likelihood --------------------------------------------------------------------------------------


def log_likelihood(n, n_pos, n_marked, n_both, pi0, pi1):
    """Log P(y | function, rates), with 0 log 0 = 0."""
    pairs = [
        (n_both, pi1),
        (n_marked - n_both, 1 - pi1),
        (n_pos - n_both, pi0),
        (n - n_marked - n_pos + n_both, 1 - pi0),
    ]
    return sum((k * math.log(rate) if rate > 0 else -math.inf) for k, rate in pairs if k > 0)


def log_collapsed(n, n_pos, n_marked, n_both, a0=1, b0=1, a1=1, b1=1, ordered=False):
    """Both rates integrated out; ordered: given that the first is not above the second."""
    posterior = posterior_parameters(n, n_pos, n_marked, n_both, a0, b0, a1, b1)
    alpha0, beta0, alpha1, beta1 = posterior
    value = betaln(alpha1, beta1) - betaln(a1, b1) + betaln(alpha0, beta0) - betaln(a0, b0)
    if ordered:
        value += log_order_probability(*posterior) - log_order_probability(a0, b0, a1, b1)
    return value


def posterior_parameters(n, n_pos, n_marked, n_both, a0=1, b0=1, a1=1, b1=1):
    """(alpha0, beta0, alpha1, beta1) of the two rates given the counts."""
    return (
        a0 + n_pos - n_both,
        b0 + n - n_marked - n_pos + n_both,
        a1 + n_both,
        b1 + n_marked - n_both,
    )


def log_null(n, n_pos, a=1, b=1):
    return betaln(a + n_pos, b + n - n_pos) - betaln(a, b)


def log_collapsed_cells(cells, a0=1, b0=1, a1=1, b1=1):
    """All rates integrated out, one for each part of a list in each stratum.

    ``cells[stratum][part]`` holds (positives, negatives), or the rows of every class where there
    are more; part 0 is where no layer holds.
    """
    value = 0.0
    for parts in cells:
        for part, rows in enumerate(parts):
            if len(rows) > 2:
                value += log_dirichlet(rows)
                continue
            positives, negatives = rows
            alpha, beta = (a1, b1) if part else (a0, b0)
            value += betaln(alpha + positives, beta + negatives) - betaln(alpha, beta)
    return value


def log_dirichlet(rows):
    """Class shares integrated out, uniform a priori: log of n_1! ... n_C! (C-1)! / (n+C-1)!."""
    n_classes = len(rows)
    return (
        math.fsum(math.lgamma(1 + n) for n in rows)
        + math.lgamma(n_classes)
        - math.lgamma(n_classes + sum(rows))
    )


# Prior on functions ------------------------------------------------------------------------------


def shifted_poisson(mean):
    return lambda k: stats.poisson.pmf(k - 1, mean) if k >= 1 else 0.0


def geometric(p, start=1):
    return lambda m: stats.geom.pmf(m + 1 - start, p) if m >= start else 0.0


def flat():
    return lambda m: 1.0 if m >= 1 else 0.0


def truncated(size, p):
    """A distribution of sizes cut to 1..p and divided by what is left."""
    total = math.fsum(size(k) for k in range(1, p + 1))
    return lambda k: size(k) / total if 1 <= k <= p else 0.0


def elementary_symmetric(weights, k):
    """Sum over all sets of k weights of their product."""
    return math.fsum(math.prod(chosen) for chosen in itertools.combinations(weights, k))


def log_prior(terms, p, count, size, literals="uniform", orderings=True, weights=None):
    """P(m) · m! · Π P(k_i) P(S_i | k_i), for terms given as collections of literal numbers."""
    probability = Fraction(count(len(terms)))
    if orderings:
        probability *= math.factorial(len(terms))
    for term in terms:
        k = len(term)
        probability *= Fraction(size(k))
        if weights is not None:
            probability *= Fraction(math.prod(weights[j] for j in term))
            probability /= Fraction(elementary_symmetric(weights, k))
        elif literals == "uniform":
            probability /= math.comb(p, k)
    if probability == 0:
        return -math.inf
    return math.log(probability.numerator) - math.log(probability.denominator)


def surjections(m, n_layers):
    """Ways to put m terms into so many layers, none of them empty."""
    return sum(
        (-1) ** empty * math.comb(n_layers, empty) * (n_layers - empty) ** m
        for empty in range(n_layers + 1)
    )


def log_layers_prior(m, n_layers, layers):
    """Log probability of one way to put m terms into so many of at most ``layers`` layers.

    The number of layers has a weight of 2^-number among those possible, and the ways to fill them
    are alike.
    """
    if m == 0:
        return 0.0 if n_layers == 0 else -math.inf
    weights = {g: Fraction(1, 2**g) for g in range(1, min(m, layers) + 1)}
    if n_layers not in weights:
        return -math.inf
    probability = weights[n_layers] / sum(weights.values()) / surjections(m, n_layers)
    return math.log(probability.numerator) - math.log(probability.denominator)


# Support -----------------------------------------------------------------------------------------


def equals(literal, columns):
    """The literals whose columns are equal to that of one, itself among them."""
    return [x for x in columns if np.array_equal(columns[x], columns[literal])]


def attributes(term, columns):
    """The attributes of a term's literals, and of those with equal columns."""
    return {x.attribute for literal in term for x in equals(literal, columns)}


def relations(a, b, columns):
    """How literals stand to each other by meaning, each in the place of all with equal columns."""
    return {x.relation(y) for x in equals(a, columns) for y in equals(b, columns)}


def implies(a, b, columns):
    """Whether literal a says at least what b says: by meaning, or by equal columns."""
    if np.array_equal(columns[a], columns[b]):
        return True
    return not relations(a, b, columns).isdisjoint({Relation.IMPLIES, Relation.EQUAL})


def excludes(a, b, columns):
    return Relation.EXCLUDES in relations(a, b, columns)


def are_related(a, b, columns):
    return implies(a, b, columns) or implies(b, a, columns) or excludes(a, b, columns)


def term_absorbs(wide, narrow, columns):
    """Whether ``wide`` holds wherever ``narrow`` does, literal by literal."""
    return all(any(implies(n, w, columns) for n in narrow) for w in wide)


def term_truth(term, columns):
    return np.logical_and.reduce([columns[literal] for literal in term])


def function_truth(terms, columns, n_rows):
    marked = np.zeros(n_rows, dtype=bool)
    for term in terms:
        marked |= term_truth(term, columns)
    return marked


def is_allowed(terms, columns, weights=None, **rules):
    """Whether a set of terms keeps every restriction: a list of one layer, or of none."""
    return is_allowed_list([terms] if terms else [], columns, weights, **rules)


def is_allowed_list(
    layers,
    columns,
    weights=None,
    antichain=True,
    related=False,
    disjoint=False,
    min_cover=1,
    max_terms=None,
    max_literals=None,
):
    """Whether layers of terms, layer 1 first, keep every restriction.

    ``columns`` maps literals to their truth. A term may stand once, in one of the layers.
    """
    placed = [(g, term) for g, layer in enumerate(layers, start=1) for term in layer]
    terms = [term for _, term in placed]
    if len(set(map(frozenset, terms))) < len(terms):
        return False
    if max_terms is not None and len(terms) > max_terms:
        return False
    if max_literals is not None and sum(map(len, terms)) > max_literals:
        return False
    for (g, one), (h, other) in itertools.permutations(placed, 2):
        # A term decides nothing where one that is asked no later always holds with it.
        if antichain and g >= h and term_absorbs(one, other, columns):
            return False
        if disjoint and attributes(one, columns) & attributes(other, columns):
            return False
    for term in terms:
        pairs = itertools.combinations(term, 2)
        if not related and any(are_related(a, b, columns) for a, b in pairs):
            return False
    return is_allowed_by_rows(layers, columns, weights, min_cover)


def is_allowed_by_rows(layers, columns, weights=None, min_cover=1):
    """Whether each term decides enough rows, and several layers leave a row to part 0."""
    if not layers:
        return True
    n_rows = len(next(iter(columns.values())))
    left = np.ones(n_rows, dtype=bool)
    for layer in reversed(layers):
        for term in layer:
            rows = np.flatnonzero(left & term_truth(term, columns))
            if sum(_weight(weights, i) for i in rows) < min_cover:
                return False
        left &= ~function_truth(layer, columns, n_rows)
    return len(layers) == 1 or sum(_weight(weights, i) for i in np.flatnonzero(left)) > 0


# Scores ------------------------------------------------------------------------------------------


def counts_of(marked, y, weights=None):
    """(n, n_pos, n_marked, n_both), one row after the other."""
    n = n_pos = n_marked = n_both = 0
    for i, (is_marked, is_positive) in enumerate(zip(marked, y, strict=True)):
        times = _weight(weights, i)
        n += times
        n_pos += times * bool(is_positive)
        n_marked += times * bool(is_marked)
        n_both += times * bool(is_marked and is_positive)
    return n, n_pos, n_marked, n_both


def parts_of(layers, columns, n_rows):
    """The number of the highest layer that holds on each row, 0 where none does; layer 1 first."""
    parts = np.zeros(n_rows, dtype=int)
    for number, layer in enumerate(layers, start=1):
        parts[function_truth(layer, columns, n_rows)] = number
    return parts


def cells_of(parts, y, n_parts, strata=None, weights=None):
    """cells[stratum][part] = [positives, negatives], one row after the other; strata sorted.

    Where y holds numbers of classes, the rows of each.
    """
    number = np.where(y, 0, 1) if y.dtype == bool else y
    n_classes = max(2, max(number) + 1)
    labels = [0] * len(y) if strata is None else list(strata)
    places = {label: place for place, label in enumerate(sorted(set(labels)))}
    cells = [[[0] * n_classes for _ in range(n_parts)] for _ in places]
    for i, (label, part, own) in enumerate(zip(labels, parts, number, strict=True)):
        cells[places[label]][part][own] += _weight(weights, i)
    return cells
