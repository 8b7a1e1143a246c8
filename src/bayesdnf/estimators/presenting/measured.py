"""The accuracy of a rule on the rows of the fit, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..held_out import Measures, class_measures, measures_of

if TYPE_CHECKING:
    from ..classifier import DNFClassifier


def fitted_lines(model: DNFClassifier, threshold: float | None = None) -> list[str]:
    """Describe how answers compare with the rows of the fit."""
    if model.function_.is_null:
        return []
    if model.shares_ is not None:
        answered = model._answered_classes()[:-1]
        return ["On the rows of the fit", *measured_lines(_classes(answered, model.cells_), None)]
    yes = model._says_yes(threshold)[:-1, :, None]  # the last row is pooled over the strata
    predict = _compared(np.broadcast_to(yes, model.cells_.shape), model.cells_)
    marked = None
    if not model._is_list:
        holds = np.arange(model.cells_.shape[1])[None, :, None] > 0
        marked = _compared(np.broadcast_to(holds, model.cells_.shape), model.cells_)
    return ["On the rows of the fit", *measured_lines(predict, marked, threshold)]


def _compared(yes: NDArray[np.bool_], cells: NDArray[np.int64]) -> Measures:
    """Compare answers for the parts of each stratum with the rows there."""
    hits, alarms = (int(cells[..., k][yes[..., k]].sum()) for k in (0, 1))
    misses, passes = (int(cells[..., k].sum()) - said for k, said in ((0, hits), (1, alarms)))
    return measures_of(hits, alarms, misses, passes)


def _classes(answered: NDArray[np.intp], cells: NDArray[np.int64]) -> Measures:
    """Compare the classes answered for the parts of each stratum with the rows there."""
    n_classes = cells.shape[-1]
    table = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(table, answered.ravel(), cells.reshape(-1, n_classes))
    return class_measures(table)


def measured_lines(
    predict: Measures, marked: Measures | None, threshold: float | None = None
) -> list[str]:
    """Write measures a line each: of ``predict``, and of the rows on which the rule holds.

    Examples
    --------
    >>> from bayesdnf.estimators.held_out import measures_of
    >>> from bayesdnf.estimators.presenting.measured import measured_lines
    >>> for line in measured_lines(measures_of(0, 0, 1, 99), measures_of(1, 4, 0, 95)):
    ...     print(line)
      predict: accuracy 0.9900 (balanced 0.5000), precision –, recall 0.0000
      marked:  accuracy 0.9600 (balanced 0.9798), precision 0.2000, recall 1.0000
    """
    name = "predict" if threshold is None else f"predict from P = {threshold:.4g} on"
    if marked == predict:
        return [f"  {name} and marked: {_measures(predict)}"]
    named = [(f"{name}:", predict), *([] if marked is None else [("marked:", marked)])]
    wide = max(len(name) for name, _ in named)
    return [f"  {name:{wide}} {_measures(own)}" for name, own in named]


def _measures(own: Measures) -> str:
    accuracy, balanced, precision, recall = (
        "–" if math.isnan(value) else f"{value:.4f}" for value in own
    )
    said = f"accuracy {accuracy} (balanced {balanced})"
    if math.isnan(own.precision) and math.isnan(own.recall):  # of more than two classes
        return said
    return f"{said}, precision {precision}, recall {recall}"
