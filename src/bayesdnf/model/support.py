"""Support: which literals may join a term, and whether a function is allowed at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..boolean import BooleanFunction, Literal
from ..data.bits import BitMatrix

if TYPE_CHECKING:
    from .prior import Prior

Verdict = _native.Verdict


class Support:
    """The functions a prior allows on a table.

    Parameters
    ----------
    bits : BitMatrix
        The table; its equal columns count as one another.
    prior : Prior
        Whose restrictions to keep.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf import BitMatrix, BooleanFunction, Prior, Support
    >>> bits = BitMatrix.from_table(np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0]]))
    >>> support = Support(bits, Prior())
    >>> support.reason(BooleanFunction("x0 AND x2 OR x0"))
    "the term 'x0 AND x2' is implied by another term"
    >>> support.reason(BooleanFunction("x0 OR x1")) is None
    True
    """

    def __init__(self, bits: BitMatrix, prior: Prior) -> None:
        self.bits = bits
        self.prior = prior
        table = bits.table
        self.native = _native.Support(
            table.attribute,
            table.rank,
            table.core_operator,
            bits.first_equal(),
            prior.antichain,
            prior.related,
            prior.disjoint,
            prior.min_cover,
            prior.max_terms,
            prior.max_literals,
            **prior.knowledge(table),
        )

    def ids(self, function: BooleanFunction) -> list[list[int]]:
        """Literal numbers of each term."""
        return [
            sorted(self.bits.table.index_of(literal) for literal in term)
            for term in function.literal_terms
        ]

    def addable(
        self, term: Iterable[Literal], rest: BooleanFunction | None = None
    ) -> NDArray[np.bool_]:
        """Say for each literal whether it may be added to ``term`` beside the terms of ``rest``."""
        held = sorted(self.bits.table.index_of(literal) for literal in term)
        others = self.ids(rest) if rest is not None else []
        return self.native.addable(held, others).view(np.bool_)

    def covers(self, terms: Sequence[Sequence[int]]) -> list[int]:
        """Rows (weighted) that each term holds on."""
        starts = np.cumsum([0, *(len(t) for t in terms)], dtype=np.int64)
        flat = np.array([i for t in terms for i in t], dtype=np.int32)
        view = self.bits.view()
        return [int(n) for n in view.count(view.term_masks(starts, flat)).sum(axis=1)]

    def verdict(self, function: BooleanFunction) -> Verdict:
        """Judge a function."""
        terms = self.ids(function)
        return self.native.check(terms, self.covers(terms))

    def allowed(self, function: BooleanFunction) -> bool:
        """Whether the prior gives the function any mass, sizes aside."""
        return self.verdict(function) == Verdict.ALLOWED

    def reason(self, function: BooleanFunction) -> str | None:
        """Say why a function is not allowed, or None when it is."""
        verdict = self.verdict(function)
        prior = self.prior
        if verdict == Verdict.ALLOWED:
            return None
        if verdict == Verdict.TOO_MANY_TERMS:
            return f"it has {len(function)} terms and max_terms is {prior.max_terms}"
        if verdict == Verdict.TOO_MANY_LITERALS:
            return f"it has {function.n_literals} literals and max_literals is {prior.max_literals}"
        if verdict == Verdict.LACKS_REQUIRED:
            return f"it does not use all of the required {', '.join(prior.required or ())}"
        if verdict == Verdict.EXCLUSIVE_GROUP:
            return "it uses two of a group of which at_most_one allows one"
        if verdict == Verdict.SHARED_ATTRIBUTE:
            return "it uses an attribute in two terms and disjoint is True"
        # The terms are judged as a whole; leaving one out shows which one is at fault.
        singles = [(term, BooleanFunction([term])) for term in function.literal_terms]
        for term, alone in singles:
            text = " AND ".join(str(literal) for literal in term)
            if verdict == Verdict.RELATED_LITERALS and self.verdict(alone) == verdict:
                return f"the term '{text}' holds literals that imply or exclude one another"
            if verdict == Verdict.KEPT_APART and self.verdict(alone) == verdict:
                return f"the term '{text}' holds literals that apart keeps from meeting"
            if verdict == Verdict.TOO_FEW_ROWS and self.verdict(alone) == verdict:
                cover = self.covers(self.ids(alone))[0]
                return f"the term '{text}' holds on {cover} rows and min_cover is {prior.min_cover}"
            others = BooleanFunction([t for t in function.literal_terms if t != term])
            if verdict == Verdict.ABSORBED_TERM and self._absorbed(alone, others):
                return f"the term '{text}' is implied by another term"
        return verdict.name.lower().replace("_", " ")

    def _absorbed(self, alone: BooleanFunction, others: BooleanFunction) -> bool:
        [narrow] = self.ids(alone)
        return any(
            all(any(self.native.implies(n, w) for n in narrow) for w in wide)
            for wide in self.ids(others)
        )
