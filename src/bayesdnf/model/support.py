"""Support: which literals may join a term, and whether a function is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..boolean import BooleanFunction, Literal
from ..data.bits import BitMatrix
from ..display.wording import count
from .flat_functions import as_flat
from .rule import Rule, layers_of

if TYPE_CHECKING:
    from .prior import Prior

Verdict = _native.Verdict


class Support:
    """The functions a prior allows on a table.

    Parameters
    ----------
    bits : BitMatrix
        The table; equal columns count as one.
    prior : Prior
        The prior whose constraints apply.
    layers : int, default=1
        Maximum number of layers of a list; a function has one.

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

    def __init__(self, bits: BitMatrix, prior: Prior, layers: int = 1) -> None:
        self.bits = bits
        self.prior = prior
        self.layers = layers
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
            layers,
            **prior.knowledge(table),
        )

    def ids(self, function: Rule) -> list[list[int]]:
        """Return the literal numbers of each term, from the lowest layer up."""
        return [term for _, term in self.layered_ids(function)]

    def layered_ids(self, function: Rule) -> list[tuple[int, list[int]]]:
        """Return the layer and literal numbers of each term, from the lowest layer up."""
        return [
            (g, sorted(self.bits.table.index_of(literal) for literal in term))
            for g, layer in enumerate(layers_of(function), start=1)
            for term in layer.literal_terms
        ]

    def addable(
        self, term: Iterable[Literal], rest: BooleanFunction | None = None
    ) -> NDArray[np.bool_]:
        """Return for each literal whether it may join ``term`` beside the terms of ``rest``."""
        held = sorted(self.bits.table.index_of(literal) for literal in term)
        others = self.ids(rest) if rest is not None else []
        return self.native.addable(held, others).view(np.bool_)

    def _parts(self, function: Rule) -> tuple[list[list[int]], list[int], list[int], int]:
        """Return terms, their layers, the rows of each that no higher layer takes, and part 0."""
        ids = self.layered_ids(function)
        layers, terms = [g for g, _ in ids], [term for _, term in ids]
        flat = as_flat([ids])
        view = self.bits.view()
        masks = view.term_masks(flat.literal_starts, flat.literals)
        # Layers are evaluated from the highest down, so a term covers rows that no higher one took.
        # An AND of no literals holds everywhere.
        left = view.term_masks(np.zeros(2, dtype=np.int64), flat.literals[:0])[0]  # every row
        covers = [0] * len(terms)
        for g in sorted(set(layers), reverse=True):
            own = [i for i, layer in enumerate(layers) if layer == g]
            for i in own:
                covers[i] = int(view.count((masks[i] & left)[None]).sum())
            left = left & ~np.bitwise_or.reduce(masks[own])
        return terms, layers, covers, int(view.count(left[None]).sum())

    def verdict(self, function: Rule) -> Verdict:
        """Return the verdict on a function or list."""
        return self.native.check(*self._parts(function))

    def allowed(self, function: Rule) -> bool:
        """Return whether the constraints allow the function; P(m) and P(k) are not checked."""
        return self.verdict(function) == Verdict.ALLOWED

    def reason(self, function: Rule) -> str | None:
        """Return why a function or list is not allowed, or None if it is."""
        verdict = self.verdict(function)
        prior = self.prior
        n_layers = len(layers_of(function))
        whole = {
            Verdict.TOO_MANY_LAYERS: f"it has {n_layers} layers and at most {self.layers} may be",
            Verdict.NOTHING_LEFT: "its layers cover every row, so the lowest layer has no effect",
            Verdict.TOO_MANY_TERMS: (
                f"it has {count(len(self.ids(function)), 'term')} and "
                f"max_terms is {prior.max_terms}"
            ),
            Verdict.TOO_MANY_LITERALS: (
                f"it has {function.n_literals} literals and max_literals is {prior.max_literals}"
            ),
            Verdict.LACKS_REQUIRED: (
                f"it does not use all of the required {', '.join(prior.required or ())}"
            ),
            Verdict.EXCLUSIVE_GROUP: "it uses two of a group of which at_most_one allows one",
            Verdict.SHARED_ATTRIBUTE: "it uses an attribute in two terms and disjoint is True",
        }
        if verdict == Verdict.ALLOWED:
            return None
        if verdict in whole:
            return whole[verdict]
        terms, layers, covers, _ = self._parts(function)
        texts = [" AND ".join(map(str, t)) for f in layers_of(function) for t in f.literal_terms]
        for i, (term, layer) in enumerate(zip(terms, layers, strict=True)):
            text = texts[i]
            # The core gives a verdict on the whole; the term that it is about gets it alone too,
            # unless it takes two terms.
            alone = self.native.check([term], [1], [covers[i]], 1)
            if alone != verdict and verdict not in (Verdict.ABSORBED_TERM, Verdict.IDLE_TERM):
                continue
            match verdict:
                case Verdict.RELATED_LITERALS:
                    return f"the term '{text}' holds literals that imply or exclude one another"
                case Verdict.KEPT_APART:
                    return f"the term '{text}' holds literals that apart keeps from meeting"
                case Verdict.TOO_FEW_ROWS:
                    above = " that no higher layer takes" if layer < n_layers else ""
                    return (
                        f"the term '{text}' holds on {covers[i]} rows{above} "
                        f"and min_cover is {prior.min_cover}"
                    )
            others = [t for j, t in enumerate(terms) if j != i and layers[j] >= layer]
            if any(self._implied(term, other) for other in others):
                where = "another term" if verdict == Verdict.ABSORBED_TERM else "a higher layer"
                return f"the term '{text}' is implied by {where}"
        return verdict.name.lower().replace("_", " ")

    def _implied(self, narrow: Sequence[int], wide: Sequence[int]) -> bool:
        # A term implies another when every literal of that one follows from one of its own.
        return all(any(self.native.implies(n, w) for n in narrow) for w in wide)
