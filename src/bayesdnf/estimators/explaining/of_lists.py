"""Explanation of a list's prediction: the layer that decides, and the nearest changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...boolean import RuleList
from ...data.encoder import FittedTable, LiteralEncoder
from ...model.rule import Rule, layers_of
from .changes import RowChanges
from .explanation import ClassChange, ClassExplanation, ListExplanation, RiskChange, fired_terms

Floats = NDArray[np.float64]


def explain_list(
    rules: RuleList,
    encoder: LiteralEncoder,
    row: FittedTable,
    risks: Floats,
    prediction: Any,
    positive: Any,
) -> ListExplanation:
    """Return which layer decides, and the nearest changes to a lower and to a higher risk.

    Parameters
    ----------
    rules : RuleList
        The list.
    encoder : LiteralEncoder
        The fitted encoder.
    row : FittedTable
        A table of one row.
    risks : ndarray
        Risk of each part, part 0 first.
    prediction, positive : label
        The predicted class, and the positive class.
    """
    changes = RowChanges(rules, encoder, row)
    part, now = changes.part, risks[changes.part]

    def nearest(parts: NDArray[np.intp]) -> RiskChange | None:
        found = changes.nearest(parts.tolist())
        return None if found is None else RiskChange(found[0], float(risks[found[0]]), found[1])

    # Ties between smallest changes go to the first part: lowest risk, or highest risk.
    rising = np.argsort(risks, kind="stable")
    return ListExplanation(
        part=part,
        fired=_fired(rules, part, row),
        prediction=prediction,
        positive=positive,
        probability=float(now),
        risks=tuple(map(float, risks)),
        lower=nearest(rising[risks[rising] < now]),
        higher=nearest(rising[::-1][risks[rising[::-1]] > now]),
    )


def explain_classes(
    rule: Rule, encoder: LiteralEncoder, row: FittedTable, shares: Floats, classes: NDArray[Any]
) -> ClassExplanation:
    """Return which layer decides, and the nearest change to another class.

    Parameters
    ----------
    rule : BooleanFunction or RuleList
        The rule; a function is a list of one layer.
    encoder : LiteralEncoder
        The fitted encoder.
    row : FittedTable
        A table of one row.
    shares : ndarray of shape (n_parts, n_classes)
        Share of each class in each part, part 0 first.
    classes : ndarray
        The labels.
    """
    labels, best = classes.tolist(), np.argmax(shares, axis=1)
    changes = RowChanges(RuleList(layers_of(rule)[::-1]), encoder, row)
    part = changes.part
    others = np.flatnonzero(best != best[part])
    found = changes.nearest(others.tolist())
    change = None
    if found is not None:
        to = found[0]
        change = ClassChange(to, labels[best[to]], float(shares[to].max()), found[1])
    return ClassExplanation(
        part=part,
        fired=_fired(rule, part, row),
        prediction=labels[best[part]],
        probabilities=dict(zip(labels, map(float, shares[part]), strict=True)),
        change=change,
        other_classes=len(others) > 0,
    )


def _fired(rule: Rule, part: int, row: FittedTable) -> tuple[str, ...]:
    """Return the terms that hold, of the layer that decides."""
    return fired_terms(layers_of(rule)[part - 1], row) if part else ()
