"""Output columns of ``bayesdnf predict``: by a rule, or averaged over draws."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from .. import DNFClassifier, PosteriorDNFClassifier
from ..boolean import RuleList
from ..data.encoder import FittedTable
from ..estimators.explaining.explanation import terms_holding
from ..estimators.held_out import says_yes
from ..estimators.rule_classifier import RuleClassifier
from ..estimators.rules import placed_terms
from ..estimators.strata_input import row_strata
from . import options
from .labelled import probability_columns
from .shell_words import in_shell_words


class PredictedRows(NamedTuple):
    """A line for each row, and how many are marked: for averages the expected number."""

    table: pd.DataFrame
    marked: float
    held: str
    """The same in words."""


def used_columns(model: RuleClassifier) -> list[str]:
    """Return the columns that answers depend on."""
    if isinstance(model, PosteriorDNFClassifier):
        return list(model._attributes())
    assert isinstance(model, DNFClassifier)
    return list(model.function_.attributes)


def answers_of(
    model: RuleClassifier, rows: FittedTable, strata: Any, least: float | None
) -> PredictedRows:
    """Answer each row of a table.

    Parameters
    ----------
    model : DNFClassifier or PosteriorDNFClassifier
        The classifier.
    rows : FittedTable
        The rows, as the classifier's encoder read them.
    strata : array or None
        The stratum of each row.
    least : float or None
        The probability from which on the positive class is predicted.
    """
    if least is not None and model.positive_ is None:
        raise typer.BadParameter(options.TWO_CLASSES)
    if isinstance(model, PosteriorDNFClassifier):
        return _averaged(model, rows, strata, least)
    assert isinstance(model, DNFClassifier)
    return _by_rule(model, rows, strata, least)


def _by_rule(
    rule: DNFClassifier, rows: FittedTable, strata: Any, least: float | None
) -> PredictedRows:
    about = rule._answers_for(rows, row_strata(rule.strata_, strata, rows.n_rows))
    layer = np.array([layer for layer, _ in placed_terms(rule.function_)], dtype=int)
    # Of a list the terms of the layer that decides, whatever else holds below it.
    holds = terms_holding(rule.function_, rows) & (layer == about.parts[:, None])
    table = pd.DataFrame(
        {
            "predicted": _predicted(rule, about.probabilities, least),
            **probability_columns(rule, about.probabilities),
            "marked": (about.parts > 0).astype(int),
            "terms": [" ".join(str(t + 1) for t in np.flatnonzero(row)) for row in holds],
        }
    )
    is_list = isinstance(rule.function_, RuleList)
    if is_list:
        table.insert(list(table).index("marked"), "part", about.parts)
    marked = int(table["marked"].sum())
    return PredictedRows(
        table, marked, f"{'a layer' if is_list else 'the rule'} holds on {marked:,}"
    )


def _averaged(
    model: PosteriorDNFClassifier, rows: FittedTable, strata: Any, least: float | None
) -> PredictedRows:
    if doubt := model.draws_.doubt:
        typer.echo(f"Warning: {in_shell_words(doubt)}", err=True)
    on_rows = model._averaged(rows, row_strata(model.strata_, strata, rows.n_rows))
    known, marked = model._intervals(on_rows), on_rows.marked_probability()
    ends: dict[str, NDArray[np.float64]] = {}
    if model.positive_ is None:
        labels = model.classes_.tolist()
        probabilities = np.column_stack([known[label]["mean"] for label in labels])
        for label in labels:
            for end in ("low", "high"):
                ends[f"{end}({label!s})"] = known[label][end].to_numpy()
    else:
        probabilities = model._by_class(known["mean"].to_numpy())
        ends = {end: known[end].to_numpy() for end in ("low", "high")}
    table = pd.DataFrame(
        {
            "predicted": _predicted(model, probabilities, least),
            **probability_columns(model, probabilities),
            **ends,
            "marked_probability": marked,
        }
    )
    n = float(marked.sum())
    return PredictedRows(table, n, f"drawn rules hold on {n:,.1f} on average")


def _predicted(
    model: RuleClassifier, probabilities: NDArray[np.float64], least: float | None
) -> NDArray[Any]:
    if least is None:
        answers: NDArray[Any] = model.classes_[np.argmax(probabilities, axis=1)]
        return answers
    yes = says_yes(probabilities, model._positive_index, least)
    chosen: NDArray[Any] = np.where(yes, model.positive_, model.negative_)
    return chosen
