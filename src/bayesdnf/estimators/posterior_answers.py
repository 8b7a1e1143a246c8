"""What a posterior classifier answers about rows: risks, their intervals, labels, why."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..checks import whole
from ..data.encoder import FittedTable
from ..data.memory import require_memory
from ..errors import InputError, ParameterError
from ..model.part_rates import mean_rates
from ..model.rates import Counts, Interval
from ..sampling.draws import Draws
from .averaging.attribute_risks import AttributesOnRows, Stretch
from .averaging.drawn_on_rows import DrawnOnRows
from .averaging.representative import Representative
from .explaining.averaged import AveragedExplanation, deciding_terms
from .explaining.explanation import one_row
from .rule_classifier import RuleClassifier
from .settings import seed_of
from .strata_input import row_strata

if TYPE_CHECKING:
    import pandas as pd


class PosteriorAnswers(RuleClassifier):
    """Answers averaged over draws."""

    draws_: Draws
    counts_: Counts | None

    def _on_rows(self, X: Any, strata: Any = None) -> DrawnOnRows:
        check_is_fitted(self)
        rows = self._read_rows(X, self._attributes())
        return self._averaged(rows, row_strata(self.strata_, strata, rows.n_rows))

    def _attributes(self) -> Iterable[str]:
        """Return the columns that the drawn rules use."""
        return dict.fromkeys(literal.attribute for literal in self.draws_.literals)

    def _averaged(self, rows: FittedTable, strata: NDArray[np.intp] | None = None) -> DrawnOnRows:
        return DrawnOnRows(self.draws_, rows, self.effect_, strata)

    def marked_probability(self, X: Any) -> NDArray[np.float64]:
        """Return for each row how probable it is that the rule holds on it.

        A list holds where any of its layers does.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows. Columns of a DataFrame are found by name and extra ones ignored; with
            ``allow_missing_columns=True`` only those that the drawn rules use are needed.
        """
        return self._on_rows(X).marked_probability()

    def predict_proba(self, X: Any, strata: Any = None) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``.

        They are means over all draws of rules and rates; on the population's scale when the effect
        gives a prevalence.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        strata : array-like, optional
            The stratum of each row, by its label in fitting: risks are then the stratum's own, and
            else those pooled over the strata.
        """
        return self._class_probabilities(self._on_rows(X, strata))

    def _probabilities_of(self, rows: FittedTable) -> NDArray[np.float64]:
        return self._class_probabilities(self._averaged(rows))

    def _class_probabilities(self, rows: DrawnOnRows) -> NDArray[np.float64]:
        return rows.shares() if self.positive_ is None else self._by_class(rows.risk())

    def _require_positive(self, what: str) -> None:
        """Refuse what needs a positive class where there are more than two classes."""
        if self.positive_ is None:
            raise InputError(
                f"{what} needs one class against the others, and here {len(self.classes_)} "
                f"classes are told apart; fit with positive=."
            )

    @abstractmethod
    def representative(self, max_literals: int | None = None) -> Representative:
        """Find the short rule whose risks are nearest to the averaged ones."""

    def representative_proba(
        self, X: Any, strata: Any = None, max_literals: int | None = None
    ) -> NDArray[np.float64]:
        """Return the probability of each class by the representative rule alone.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        strata : array-like, optional
            The stratum of each row, as in :meth:`predict_proba`.
        max_literals : int, optional
            Literals that the rule may have; by default as many as the parameter says.

        Examples
        --------
        >>> from bayesdnf import PosteriorDNFClassifier, simulate
        >>> X, y, truth = simulate(300, 10, random_state=1)
        >>> clf = PosteriorDNFClassifier(draws=500, warmup=200, random_state=0).fit(X, y)
        >>> len(set(clf.representative_proba(X)[:, 1].tolist()))  # a function has two risks
        2
        """
        check_is_fitted(self)
        shown = self.representative(max_literals)
        rows = self._read_rows(X, self._attributes())
        numbers = row_strata(self.strata_, strata, rows.n_rows)
        parts = shown.rule(rows).astype(np.intp)
        own = np.broadcast_to(self._own_risks(shown, numbers), (rows.n_rows, len(shown.risks)))
        return self._by_class(own[np.arange(rows.n_rows), parts])

    def explain(self, row: Any, stratum: Any = None) -> AveragedExplanation:
        """Say how the averaged risk of a row compares with that of all rows, and why.

        Parameters
        ----------
        row : dict, pandas Series, DataFrame of one row, or 1-D array
            The row; a 1-D array has the columns of ``fit`` in their order.
        stratum : label, optional
            Its stratum, where the fit had strata; without it risks are pooled over the strata.

        Returns
        -------
        AveragedExplanation
            The averaged risk with its interval, and what the representative rule says of the row.

        Examples
        --------
        >>> from bayesdnf import PosteriorDNFClassifier
        >>> table = {"odor": ["f", "n", "a", "n", "f"] * 20, "size": ["b"] * 50 + ["n"] * 50}
        >>> clf = PosteriorDNFClassifier(layers=1, draws=200, warmup=100, random_state=0)
        >>> clf = clf.fit(table, [1, 0, 0, 0, 1] * 20)
        >>> print(clf.explain({"odor": "n", "size": "b"}))
        Averaged over 800 draws: P(1) = 0.016 [0.00034, 0.057], predicted 0.
        Beside 0.4 of all rows: lowered.
        By the representative rule: it does not hold, risk 0.01613.
        """
        check_is_fitted(self)
        self._require_positive("explain")
        table = self._as_rows(one_row(row, self.encoder_.columns_), self._attributes())
        if table.n_rows != 1:
            raise InputError(f"explain takes one row. Got {table.n_rows:,} instead.")
        strata = row_strata(self.strata_, None if stratum is None else [stratum], 1)
        average, shown = self._averaged(table, strata), self.representative()
        ends = average.quantiles(np.array([0.025, 0.975]))[:, 0].tolist()
        risk = Interval(float(average.risk()[0]), *ends)
        part, fired = deciding_terms(shown.rule, table)
        return AveragedExplanation(
            risk=risk,
            base=self._base_risk(),
            prediction=self.positive_ if risk.mean > 0.5 else self.negative_,
            positive=self.positive_,
            n_draws=self.draws_.index.size,
            rule=shown.rule,
            part=part,
            fired=fired,
            rule_risk=float(self._own_risks(shown, strata)[0, part]),
        )

    def _base_risk(self) -> float:
        """Return the risk of all rows together."""
        prevalence, counts = self.effect_.prevalence, self.counts_
        assert counts is not None  # of two classes
        return counts.n_pos / counts.n if prevalence is None else float(prevalence)

    def _own_risks(
        self, shown: Representative, strata: NDArray[np.intp] | None
    ) -> NDArray[np.float64]:
        """Return the risks of a rule's parts (columns): by row, or without strata one for all."""
        if strata is None:
            return np.array([[risk.mean for risk in shown.risks]])
        layers = np.array([len(shown.risks) - 1])
        own: NDArray[np.float64] = mean_rates(self.effect_, shown.cells[None], layers)[0, strata]
        return own

    def importance(self, X: Any, y: Any) -> pd.DataFrame:
        """Return what each attribute is worth: how probable it is in the rule, and what it tells.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows, best those that were held out.
        y : array-like
            Their labels.

        Returns
        -------
        DataFrame
            ``attribute``, ``inclusion``, the probability that the rule uses it, and ``log_loss``,
            by how much the log loss of the averaged risks rises, in nats a row, when the attribute
            is not known: its risk is then the mean over the values that it has on all rows. The
            highest ``log_loss`` comes first.

        Examples
        --------
        >>> from bayesdnf import PosteriorDNFClassifier, simulate
        >>> X, y, truth = simulate(300, 10, random_state=1)
        >>> clf = PosteriorDNFClassifier(draws=500, warmup=200, random_state=0).fit(X, y)
        >>> sorted(clf.importance(X, y)["attribute"][:4])
        ['x0', 'x1', 'x2', 'x3']
        """
        import pandas as pd

        on_rows = self._attributes_on(X)
        is_positive = np.asarray(y) == self.positive_
        if len(is_positive) != len(on_rows.risk()):
            rows = len(on_rows.risk())
            raise InputError(f"y has {len(is_positive):,} entries for {rows:,} rows of X.")
        shares = self.draws_.inclusion_by_chain("attribute")
        included = dict(zip(shares.names, shares.probability.tolist(), strict=True))
        loss = _log_loss(on_rows.risk(), is_positive)
        table = pd.DataFrame(
            {
                "attribute": on_rows.names,
                "inclusion": [included[name] for name in on_rows.names],
                "log_loss": [
                    _log_loss(on_rows.without(name), is_positive) - loss for name in on_rows.names
                ],
            }
        )
        return table.sort_values("log_loss", ascending=False, kind="stable", ignore_index=True)

    def risk_along(self, X: Any, attribute: str) -> pd.DataFrame:
        """Return the averaged risk at each value of one attribute, all else as it is on the rows.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows over which to take means.
        attribute : str
            The column.

        Returns
        -------
        DataFrame
            A row for values that no drawn rule tells apart: ``values``, ``first`` and ``last`` of
            numbers, ``rows`` that have them, the mean ``risk`` of all rows if they had them, and
            the ends ``low`` and ``high`` of its 95 % interval over draws.

        Examples
        --------
        >>> from bayesdnf import PosteriorDNFClassifier
        >>> table = {"odor": ["f", "n", "a", "n", "f"] * 20, "size": ["b"] * 50 + ["n"] * 50}
        >>> clf = PosteriorDNFClassifier(layers=1, draws=200, warmup=100, random_state=0)
        >>> clf = clf.fit(table, [1, 0, 0, 0, 1] * 20)
        >>> clf.risk_along(table, "odor")[["values", "rows", "risk"]].round(1)
          values  rows  risk
        0      a    20   0.0
        1      f    40   1.0
        2      n    40   0.0
        """
        import pandas as pd

        stretches = self._attributes_on(X).along(str(attribute))
        return pd.DataFrame(stretches, columns=list(Stretch._fields))

    def _attributes_on(self, X: Any) -> AttributesOnRows:
        rows = self._read_rows(X, self._attributes())
        return AttributesOnRows(self.draws_, rows, self.effect_)

    def predict_interval(self, X: Any, level: float = 0.95, strata: Any = None) -> pd.DataFrame:
        """Return how well the probability of the positive class is known, row by row.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        level : float, default=0.95
            Probability of the interval.
        strata : array-like, optional
            The stratum of each row, as in :meth:`predict_proba`.

        Returns
        -------
        DataFrame
            ``mean``, as in ``predict_proba``, and the ends ``low`` and ``high`` of the central
            credible interval, over rules and rates. With the index of X, if it has one.

        Examples
        --------
        >>> from bayesdnf import PosteriorDNFClassifier
        >>> clf = PosteriorDNFClassifier(draws=500, warmup=100, random_state=0)
        >>> clf = clf.fit({"odor": ["f", "n"] * 50}, ["ill", "well"] * 50)
        >>> print(clf.positive_)
        well
        >>> clf.predict_interval({"odor": ["n", "f"]}).round(1)
           mean  low  high
        0   1.0  0.9   1.0
        1   0.0  0.0   0.1
        """
        import pandas as pd

        if not 0 < level < 1:
            raise ParameterError.of(
                "level", f"{type(self).__name__}.predict_interval", "between 0 and 1", level
            )
        rows = self._on_rows(X, strata)
        self._require_positive("predict_interval")
        low, high = rows.quantiles(np.array([(1 - level) / 2, (1 + level) / 2]))
        return pd.DataFrame(
            {"mean": rows.risk(), "low": low, "high": high},
            index=X.index if isinstance(X, pd.DataFrame) else None,
        )

    def posterior_predictive(
        self, X: Any, size: int | None = None, random_state: Any = None, strata: Any = None
    ) -> NDArray[Any]:
        """Draw labels for rows: first a rule and rates, then a label for every row.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        size : int, optional
            How often; by default once.
        random_state : int, RandomState, Generator or None
            Where randomness comes from.
        strata : array-like, optional
            The stratum of each row, as in :meth:`predict_proba`.

        Returns
        -------
        ndarray
            Labels, of shape (n_rows,), or (size, n_rows) when a size is given.
        """
        owner = f"{type(self).__name__}.posterior_predictive"
        times = 1 if size is None else whole("size", owner, size, 0, besides="or None")
        rows = self._on_rows(X, strata)
        require_memory(
            times * rows.n_rows * (10 + self.classes_.itemsize), f"{times:,} labels for each row"
        )
        rng = np.random.default_rng(seed_of(random_state, owner))
        # Outcomes are 1 for the positive class of two, and the number of the class of more.
        turned = self.positive_ is not None and self.positive_ != self.classes_[1]
        classes = self.classes_[::-1] if turned else self.classes_
        labels: NDArray[Any] = classes[rows.outcomes(times, rng)]
        return labels[0] if size is None else labels


def _log_loss(risk: NDArray[np.float64], is_positive: NDArray[np.bool_]) -> float:
    """Mean of -log P(label), in nats a row."""
    right = np.where(is_positive, risk, 1 - risk)
    return float(-np.log(np.maximum(right, np.finfo(np.float64).tiny)).mean())
