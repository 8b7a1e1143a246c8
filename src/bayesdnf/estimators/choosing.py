"""Comparison of priors by cross-validation, as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import cross_validate
from sklearn.utils import _safe_indexing

from ..errors import InputError, ParameterError
from ..model.prior import Prior
from .classifier import DNFClassifier

if TYPE_CHECKING:
    import pandas as pd


class _OfRows(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that takes row numbers as X, so that folds split strata along with the table."""

    def __init__(self, model: Any, X: Any, strata: NDArray[Any]) -> None:
        self.model, self.X, self.strata = model, X, strata

    def fit(self, rows: NDArray[np.intp], y: Any) -> _OfRows:
        numbers = rows[:, 0]
        own = _safe_indexing(self.X, numbers)
        self.fitted_ = clone(self.model).fit(own, y, strata=self.strata[numbers])
        self.classes_ = self.fitted_.classes_
        return self

    def predict(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        numbers = rows[:, 0]
        own = _safe_indexing(self.X, numbers)
        return np.asarray(self.fitted_.predict(own, strata=self.strata[numbers]))

    def predict_proba(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        numbers = rows[:, 0]
        own = _safe_indexing(self.X, numbers)
        return np.asarray(self.fitted_.predict_proba(own, strata=self.strata[numbers]))


def cross_validate_priors(
    X: Any,
    y: Any,
    priors: Mapping[str, Prior],
    *,
    estimator: Any = None,
    cv: Any = 5,
    strata: Any = None,
    progress: Callable[[str], None] | None = None,
) -> pd.DataFrame:
    """Compare priors by cross-validation: log loss, AUC and accuracy on held-out rows.

    Parameters
    ----------
    X, y
        The table and the outcome.
    priors : mapping of names to Prior
        What to compare.
    estimator : classifier, optional
        A :class:`~bayesdnf.DNFClassifier` or :class:`~bayesdnf.PosteriorDNFClassifier` whose prior
        to set; ``DNFClassifier(random_state=0)`` by default.
    cv : int or splitter, default=5
        As in scikit-learn.
    strata : array-like, optional
        The stratum of each row, as ``fit`` takes it; rows held out are judged by their stratum's
        risks.
    progress : callable, optional
        Called with the name of each prior before it is tried.

    Returns
    -------
    DataFrame
        By name, the lowest log loss first: means over the folds of ``log_loss``, ``auc`` and
        ``accuracy``, and the standard error ``se`` of the log loss.

    Examples
    --------
    >>> from bayesdnf import Poisson, Prior, cross_validate_priors, simulate
    >>> X, y, truth = simulate(200, 10, random_state=0)
    >>> priors = {"short": Prior(size=Poisson(1)), "long": Prior(size=Poisson(40))}
    >>> cross_validate_priors(X, y, priors).round(2)["auc"].idxmax()
    'short'
    """
    import pandas as pd

    if not isinstance(priors, Mapping) or not priors:
        raise ParameterError.of(
            "priors", "cross_validate_priors", "a mapping of names to priors", priors
        )
    model = DNFClassifier(random_state=0) if estimator is None else estimator
    labels = None if strata is None else np.asarray(strata)
    if labels is not None and labels.shape != (len(y),):
        raise InputError(f"strata has shape {labels.shape} for {len(y):,} rows of X.")
    rows = {}
    for name, prior in priors.items():
        if progress is not None:
            progress(name)
        own = clone(model).set_params(prior=prior)
        scores = cross_validate(
            own if labels is None else _OfRows(own, X, labels),
            # scikit-learn splits X only: row numbers let the estimator take its rows of the table
            # and of the strata.
            X if labels is None else np.arange(len(y))[:, None],
            y,
            cv=cv,
            scoring={"log_loss": "neg_log_loss", "auc": "roc_auc", "accuracy": "accuracy"},
            error_score="raise",
        )
        losses = -scores["test_log_loss"]
        se = losses.std(ddof=1) / np.sqrt(len(losses)) if len(losses) > 1 else np.nan
        rows[name] = (
            losses.mean(), se, scores["test_auc"].mean(), scores["test_accuracy"].mean()
        )  # fmt: skip
    table = pd.DataFrame.from_dict(
        rows, orient="index", columns=["log_loss", "se", "auc", "accuracy"]
    )
    return table.sort_values("log_loss", kind="stable")
