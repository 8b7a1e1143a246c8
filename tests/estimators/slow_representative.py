"""The slow twin of the search for a representative rule: every rule called on the rows."""

from itertools import chain

import numpy as np

from bayesdnf import BooleanFunction, RuleList
from bayesdnf.estimators.averaging.drawn_on_rows import mean_values
from bayesdnf.model.rule import layers_of


class SlowRows:
    """Rows with averaged class shares, and the cross-entropy of any rule on them.

    Of two classes the first is the positive one.
    """

    def __init__(self, draws, posterior, table, y, strata, weights):
        self.draws, self.posterior, self.table = draws, posterior, table
        self.y, self.strata, self.weights = y, strata, weights
        n = len(y)
        values = mean_values(draws, posterior.effect, pooled=False)
        if posterior.n_classes == 2:
            whole = draws.frequency[:, None, None]
            values = np.stack([values, whole - values], axis=-1)
        self.shares = np.zeros((n, posterior.n_classes))
        for f in range(draws.n_functions):
            parts = draws.function(f)(table).astype(int)
            self.shares += values[f, self.strata, parts]
        self.stands_for = self.weights.astype(float)
        if (prevalence := posterior.effect.prevalence) is not None:
            for c, share in enumerate((prevalence, 1 - prevalence)):
                rows = self.y == c
                self.stands_for[rows] *= share * self.weights.sum() / self.weights[rows].sum()

    def means(self, rule):
        """Mean averaged shares over the rows of each row's part and stratum."""
        parts = rule(self.table).astype(int)
        means = np.empty_like(self.shares)
        for part in set(parts):
            for stratum in set(self.strata):
                same = (parts == part) & (self.strata == stratum)
                if same.any():
                    means[same] = np.average(
                        self.shares[same], axis=0, weights=self.stands_for[same]
                    )
        return means

    def loss(self, rule):
        """Mean cross-entropy less that of the averaged shares themselves."""
        p, q = self.shares, self.means(rule)
        lost = (p * np.log(p / q)).sum(axis=1)
        return (self.stands_for * lost).sum() / self.weights.sum()

    def allowed(self, rule):
        return np.isfinite(self.posterior.log_score(rule))


def neighbours(rule, literals, layers):
    """Every rule that one dropped, added or exchanged literal, or a moved term, leads to."""
    own = [list(map(list, f.literal_terms)) for f in layers_of(rule)]
    for g, terms in enumerate(own):
        for t, term in enumerate(terms):
            rest = [x for i, x in enumerate(terms) if i != t]
            bases = [term, *([x for x in term if x != gone] for gone in term)]
            for base in bases:
                for more in ([], *([x] for x in literals if x not in base)):
                    yield _made(rule, [*own[:g], [*rest, [*base, *more]], *own[g + 1 :]])
            without = [x for x in [*own[:g], rest, *own[g + 1 :]] if x]
            yield _made(rule, without)
            yield from (_made(rule, x) for x in _placed(without, term, layers))
    for literal in literals:
        yield from (_made(rule, x) for x in _placed(own, [literal], layers))


def _placed(own, term, layers):
    for g in range(len(own)):
        yield [*own[:g], [*own[g], term], *own[g + 1 :]]
    if len(own) < layers:
        for g in range(len(own) + 1):
            yield [*own[:g], [term], *own[g:]]


def _made(like, own):
    own = [[term for term in terms if term] for terms in own]
    if isinstance(like, RuleList):
        return RuleList(BooleanFunction(terms) for terms in reversed(own) if terms)
    return BooleanFunction(chain(*own))
