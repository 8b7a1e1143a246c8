"""Predictions of a classifier with one rule: parts, risks, labels, explanations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..boolean import RuleList
from ..data.encoder import FittedTable
from ..errors import InputError
from ..model.part_rates import mean_rates, mean_shares
from ..model.rule import Rule
from .class_shares import Shares, pooled_means
from .explaining.changes import nearest_change
from .explaining.explanation import (
    ClassExplanation,
    Explanation,
    ListExplanation,
    fired_terms,
    one_row,
)
from .explaining.of_lists import explain_classes, explain_list
from .held_out import says_yes
from .rule_classifier import RuleClassifier
from .strata_input import row_strata


class RowAnswers(NamedTuple):
    """Predictions of a rule for rows."""

    parts: NDArray[np.intp]
    """The layer that decides; 0 where none holds. A function has one layer."""
    probabilities: NDArray[np.float64]
    """Of each class, as columns."""
    predicted: NDArray[Any]
    """The most probable class."""


class RuleAnswers(RuleClassifier):
    """Predictions of one function or list."""

    function_: Rule
    cells_: NDArray[np.int64]
    shares_: Shares | None

    @property
    def _is_list(self) -> bool:
        return isinstance(self.function_, RuleList)

    @property
    def _two_rates(self) -> bool:
        """Whether rates may be ordered: a function of two classes, and no strata."""
        return not self._is_list and self.cells_.shape[::2] == (1, 2)

    def marked(self, X: Any) -> NDArray[np.bool_]:
        """Return for each row whether the rule holds; of a list, whether any layer does.

        The risk of a layer may be lower than that of the rows where none holds: see ``layers_``.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows. Columns of a DataFrame are found by name and extra ones ignored; with
            ``allow_missing_columns=True`` only those of the rule are needed.
        """
        return self.parts(X) > 0

    def parts(self, X: Any) -> NDArray[np.intp]:
        """Return the part of each row: the layer that decides, or 0 if none holds.

        A function has one layer, so that its parts are 1 where it holds and 0 elsewhere.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.

        Examples
        --------
        >>> from bayesdnf import DNFClassifier
        >>> table = {"odor": list("fna") * 60}
        >>> ill = [1, 0, 0] * 30 + [1, 0, 1] * 30
        >>> clf = DNFClassifier(layers=2, random_state=0).fit(table, ill)
        >>> int(clf.parts(table).max()), bool((clf.parts(table) == clf.function_(table)).all())
        (2, True)
        """
        return self._parts_of(self._rule_rows(X))

    def predict_proba(self, X: Any, strata: Any = None) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``.

        They are posterior means of the risk of the row's part; on the population's scale when the
        effect gives a prevalence.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        strata : array-like, optional
            The stratum of each row, by its label in fitting: risks are then the stratum's own,
            and else those pooled over the strata.
        """
        rows = self._rule_rows(X)
        return self._answers_for(rows, row_strata(self.strata_, strata, rows.n_rows)).probabilities

    def explain(
        self, row: Any, stratum: Any = None
    ) -> Explanation | ListExplanation | ClassExplanation:
        """Return which terms hold on a row, and the nearest change that would give another answer.

        Parameters
        ----------
        row : dict, pandas Series, DataFrame of one row, or 1-D array
            The row; a 1-D array has the columns of ``fit`` in their order.
        stratum : label, optional
            Its stratum, where the fit had strata; without it risks are pooled over the strata.

        Returns
        -------
        Explanation, ListExplanation or ClassExplanation
            Of a list it says which layer decides, and the nearest changes to a lower and to a
            higher risk; of a function the nearest change that flips whether it holds; with more
            than two classes the nearest change to another class.

        Examples
        --------
        >>> from bayesdnf import DNFClassifier
        >>> table = {"odor": list("fnnaf") * 20, "size": list("bbcbc") * 20}
        >>> clf = DNFClassifier(random_state=0).fit(table, [1, 0, 0, 0, 1] * 20)
        >>> print(clf.explain({"odor": "n", "size": "b"}))
        The rule does not hold on this row: P(1) = 0.01613, predicted 0.
        Terms that hold: none.
        Nearest change that would make it hold: odor, now n, to odor = f.
        >>> clf = DNFClassifier(layers=2, random_state=0).fit(table, [1, 0, 0, 0, 1] * 20)
        >>> print(clf.explain({"odor": "n", "size": "b"}))
        No layer holds on this row: P(1) = 0.01613, predicted 0.
        Nearest change to a lower risk: no part has a lower one.
        Nearest change to a higher risk, 0.9762 by layer 1: odor, now n, to odor = f.
        """
        check_is_fitted(self)
        table = self._as_rows(one_row(row, self.encoder_.columns_), self.function_.attributes)
        if table.n_rows != 1:
            raise InputError(f"explain takes one row. Got {table.n_rows:,} instead.")
        strata = row_strata(self.strata_, None if stratum is None else [stratum], 1)
        answers = self._answers_for(table, strata)
        prediction = answers.predicted[0]
        if self.shares_ is not None:
            means = self._share_means()[-1 if strata is None else int(strata[0])]
            return explain_classes(self.function_, self.encoder_, table, means, self.classes_)
        probability = float(answers.probabilities[0, self._positive_index])
        if isinstance(self.function_, RuleList):
            risks = self._risk_means()[-1 if strata is None else int(strata[0])]
            return explain_list(
                self.function_, self.encoder_, table, risks, prediction, self.positive_
            )
        return Explanation(
            marked=bool(answers.parts[0]),
            fired=fired_terms(self.function_, table),
            prediction=prediction,
            positive=self.positive_,
            probability=probability,
            change=nearest_change(self.function_, self.encoder_, table),
        )

    def _rule_rows(self, X: Any) -> FittedTable:
        """Check and read rows, of which the rule's columns are needed."""
        check_is_fitted(self)
        return self._read_rows(X, self.function_.attributes)

    def _holds_on(self, X: Any) -> NDArray[np.bool_] | None:
        return None if self._is_list or self.function_.is_null else self.marked(X)

    def _parts_of(self, rows: FittedTable) -> NDArray[np.intp]:
        return self.function_(rows).astype(np.intp)

    def _answers_for(self, rows: FittedTable, strata: NDArray[np.intp] | None = None) -> RowAnswers:
        """Return all predictions for rows, reading the rows once."""
        parts = self._parts_of(rows)
        # The last row of the tables below is the pooled one.
        stratum = -1 if strata is None else strata
        if self.shares_ is not None:
            probabilities = self._share_means()[stratum, parts]
        else:
            probabilities = self._by_class(self._risk_means()[stratum, parts])
        return RowAnswers(parts, probabilities, self.classes_[np.argmax(probabilities, axis=1)])

    def _probabilities_of(self, rows: FittedTable) -> NDArray[np.float64]:
        return self._answers_for(rows).probabilities

    def _risk_means(self) -> NDArray[np.float64]:
        """Return the risk of each part (columns) in each stratum, and in the last row pooled."""
        pooled = np.array([[risk.mean for risk in self.risks_[: self.cells_.shape[1]]]])
        if self._two_rates:
            return np.concatenate([pooled, pooled])
        layers = np.array([self.cells_.shape[1] - 1])
        return np.concatenate([mean_rates(self.effect_, self.cells_[None], layers)[0], pooled])

    def _says_yes(self, threshold: float | None = None) -> NDArray[np.bool_]:
        """Return for each part (columns) in each stratum, and pooled, whether the answer is yes."""
        risks = self._risk_means()
        probabilities = self._by_class(risks.ravel())
        return says_yes(probabilities, self._positive_index, threshold).reshape(risks.shape)

    def _share_means(self) -> NDArray[np.float64]:
        """Return class shares by stratum, in the last place pooled, by part and class."""
        return np.concatenate([mean_shares(self.cells_), pooled_means(self.cells_)[None]])

    def _answered_classes(self) -> NDArray[np.intp]:
        """Return the class that ``predict`` returns, by stratum (the last: pooled) and part."""
        return np.asarray(np.argmax(self._share_means(), axis=2))
