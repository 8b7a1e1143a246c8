"""Held-out rows: which rows of a table were in the fit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.bits import BitMatrix
from ..data.table_files.row_names import index_of, row_name
from ..display.wording import count, entries_for_rows, listed, percent
from ..errors import InputError
from ..estimators.held_out import NOT_HELD_OUT, Outcome, stratified_part
from ..estimators.rule_classifier import RuleClassifier
from ..estimators.saving.record import RowContent

Bools = NDArray[np.bool_]

_ALIKE = 0.5
"""Share of the sampled training rows, found again in a table, from which on it may hold them."""


class Roles(NamedTuple):
    """Roles of a table's rows: in the fit or held out."""

    fitted: Bools
    """Rows it was fitted on, or all when that cannot be told; for counts of terms."""
    held_out: Bools | None
    """Rows it never saw; None when there are none, or when that cannot be told."""
    note: str
    """The same in words."""
    of_fit: bool = True
    """Whether ``fitted`` are the rows of the fit."""

    @property
    def counted(self) -> str:
        """What terms are counted on, unless it is the rows of the fit, as parts are."""
        if self.of_fit:
            return ""
        return "Rows here" if self.held_out is None else "Held-out rows"


def roles_of(
    model: RuleClassifier,
    bits: BitMatrix,
    outcome: Outcome,
    fit_rows: int,
    held_out: Bools | None = None,
) -> Roles:
    """Find out which rows a classifier was fitted on.

    Parameters
    ----------
    model : RuleClassifier
        The classifier.
    bits : BitMatrix
        The table, by the classifier's encoder.
    outcome : ndarray
        Which rows are positive, or the numbers of their classes.
    fit_rows : int
        Rows of the fit, weighted.
    held_out : ndarray of bool, optional
        Rows that are known to have been held out; else the content of the rows decides.
    """
    n = len(outcome)
    every = np.ones(n, dtype=np.bool_)
    record = model.record_
    content = RowContent.of(bits, outcome)
    if held_out is not None:
        if content.part(held_out).digest() == record.content:
            return Roles(held_out, None, NOT_HELD_OUT)
        return _roles(held_out)
    if not record.content:
        return Roles(every, None, "The model file does not record which rows were fitted.", False)
    if content.digest() == record.content:
        note = f"All {count(n, 'row')} were in the fit."
        if n != fit_rows:
            note += " The fit weighted them; here each counts once."
        return Roles(every, None, note)
    _, of_class = np.unique(outcome, return_counts=True)
    if record.split is not None and len(of_class) > 1 and of_class.min() >= 2:
        # The split follows from share, seed and labels: made again, the rest has the hash of the
        # fit if this is the same file.
        held = stratified_part(outcome, *record.split)
        if content.part(~held).digest() == record.content:
            return _roles(held)
    share = content.share(record.sample)
    if share >= _ALIKE:
        return Roles(
            every,
            None,
            f"This is not the table of the fit, yet it holds rows equal to {percent(share)} of a "
            f"sample of that table, so its rows cannot be called held out.",
            of_fit=False,
        )
    return Roles(every, every, f"None of these {count(n, 'row')} was in the fit.", of_fit=False)


def _roles(held_out: Bools) -> Roles:
    n, held = len(held_out), int(held_out.sum())
    if held == n:
        return Roles(held_out, held_out, f"All {count(n, 'row')} were held out of the fit.", False)
    note = (
        f"{n - held:,} of {count(n, 'row')} were in the fit; {held:,} were held out and are "
        "measured here."
    )
    return Roles(~held_out, held_out, note)


def outcome_on(model: RuleClassifier, y: Any, n_rows: int) -> Outcome:
    """Return which labels are the positive class, or the numbers of more than two.

    A label that the fit had not is refused.
    """
    labels = np.asarray(y).ravel()
    if len(labels) != n_rows:
        raise InputError(entries_for_rows("y", len(labels), n_rows))
    known = model.labels_.tolist()
    is_label = np.array([np.asarray(labels == label) for label in known])
    if not is_label.any(axis=0).all():
        row = int(np.argmin(is_label.any(axis=0)))
        where = row_name(index_of(y), row)
        [label] = labels[row : row + 1].tolist()  # plain, not as numpy writes it
        raise InputError(
            f"y holds {label!r} in {where}; the rule was fitted on {listed(known, 5, str)}."
        )
    if model.positive_ is None:
        return np.asarray(np.argmax(is_label, axis=0))
    return np.asarray(labels == model.positive_, dtype=np.bool_)
