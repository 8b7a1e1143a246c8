"""Predictions of a posterior classifier: risks, credible intervals, labels, explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..checks import whole
from ..data.encoder import FittedTable
from ..data.memory import require_memory
from ..display.wording import entries_for_rows
from ..errors import InputError, ParameterError
from ..model.rates import Counts, Interval
from .averaging.attribute_risks import AttributesOnRows
from .averaging.drawn_on_rows import DrawnOnRows
from .explaining.averaged import AveragedClassExplanation, AveragedExplanation, deciding_terms
from .explaining.explanation import one_row
from .represented import RepresentedAverage
from .settings import seed_of
from .strata_input import row_strata

if TYPE_CHECKING:
    import pandas as pd

_LEVEL = 0.95  # of intervals


class PosteriorAnswers(RepresentedAverage):
    """Predictions averaged over draws."""

    counts_: Counts | None

    def _on_rows(self, X: Any, strata: Any = None) -> DrawnOnRows:
        check_is_fitted(self)
        rows = self._read_rows(X, self._attributes())
        return self._averaged(rows, row_strata(self.strata_, strata, rows.n_rows))

    def _averaged(self, rows: FittedTable, strata: NDArray[np.intp] | None = None) -> DrawnOnRows:
        return DrawnOnRows(self.draws_.averaged, rows, self.effect_, strata)

    def marked_probability(self, X: Any) -> NDArray[np.float64]:
        """Return the posterior probability for each row that the rule holds.

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

        They are means over all draws of rules and rates, but for those of chains that are stuck
        where there is next to no posterior (:attr:`Draws.counted`); on the population's scale when
        the effect gives a prevalence.

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

    def explain(
        self, row: Any, stratum: Any = None
    ) -> AveragedExplanation | AveragedClassExplanation:
        """Return how the averaged risk of a row compares with that of all rows, and why.

        Parameters
        ----------
        row : dict, pandas Series, DataFrame of one row, or 1-D array
            The row; a 1-D array has the columns of ``fit`` in their order.
        stratum : label, optional
            Its stratum, where the fit had strata; without it risks are pooled over the strata.

        Returns
        -------
        AveragedExplanation or AveragedClassExplanation
            The averaged risk with its interval, and what the representative rule says of the row;
            with more than two classes the same of each.

        Examples
        --------
        >>> from bayesdnf import PosteriorDNFClassifier
        >>> table = {"odor": ["f", "n", "a", "n", "f"] * 20, "size": ["b"] * 50 + ["n"] * 50}
        >>> clf = PosteriorDNFClassifier(layers=1, draws=200, warmup=100, random_state=0)
        >>> clf = clf.fit(table, [1, 0, 0, 0, 1] * 20)
        >>> print(clf.explain({"odor": "n", "size": "b"}))
        Averaged over 800 draws: P(1) = 0.016 [0.00034, 0.057], predicted 0.
        Beside 0.4 of all rows: lowered.
        By the representative rule: it does not hold, risk 0.01601.
        """
        check_is_fitted(self)
        table = self._as_rows(one_row(row, self.encoder_.columns_), self._attributes())
        if table.n_rows != 1:
            raise InputError(f"explain takes one row. Got {table.n_rows:,} instead.")
        strata = row_strata(self.strata_, None if stratum is None else [stratum], 1)
        average, shown = self._averaged(table, strata), self.representative()
        [means] = self._class_probabilities(average)
        part, fired = deciding_terms(shown.rule, table)
        by_rule = self._own_probabilities(shown, strata)[0 if strata is None else strata[0], part]
        prediction = self.classes_[int(np.argmax(means))]
        if self.positive_ is None:
            labels = self.classes_.tolist()
            ends = [average.quantiles(_ends(), c)[:, 0].tolist() for c in range(len(labels))]
            own = [Interval(float(m), *e) for m, e in zip(means, ends, strict=True)]
            rows = self.draws_.cells[0].sum(axis=(0, 1))
            return AveragedClassExplanation(
                probabilities=dict(zip(labels, own, strict=True)),
                base=dict(zip(labels, (rows / rows.sum()).tolist(), strict=True)),
                prediction=prediction,
                n_draws=self.draws_.averaged.index.size,
                rule=shown.rule,
                part=part,
                fired=fired,
                by_rule=dict(zip(labels, by_rule.tolist(), strict=True)),
            )
        place = self._positive_index
        return AveragedExplanation(
            risk=Interval(float(means[place]), *average.quantiles(_ends())[:, 0].tolist()),
            base=self._base_risk(),
            prediction=prediction,
            positive=self.positive_,
            n_draws=self.draws_.averaged.index.size,
            rule=shown.rule,
            part=part,
            fired=fired,
            rule_risk=float(by_rule[place]),
        )

    def _base_risk(self) -> float:
        """Return the risk of all rows together."""
        prevalence, counts = self.effect_.prevalence, self.counts_
        assert counts is not None  # of two classes
        return counts.n_pos / counts.n if prevalence is None else float(prevalence)

    def importance(self, X: Any, y: Any) -> pd.DataFrame:
        """Return the importance of each attribute: inclusion probability and increase of log loss.

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
        labels, now = np.asarray(y), on_rows.probabilities
        if len(labels) != len(now):
            raise InputError(entries_for_rows("y", len(labels), len(now)))
        several = self.positive_ is None
        known = self.classes_ if several else np.array([self.positive_])
        is_class = labels[:, None] == known
        shares = self.draws_.inclusion_by_chain("attribute")
        included = dict(zip(shares.names, shares.probability.tolist(), strict=True))
        loss = _log_loss(now, is_class)
        table = pd.DataFrame(
            {
                "attribute": on_rows.names,
                "inclusion": [included[name] for name in on_rows.names],
                "log_loss": [
                    _log_loss(on_rows.without(name), is_class) - loss for name in on_rows.names
                ],
            }
        )
        return table.sort_values("log_loss", ascending=False, kind="stable", ignore_index=True)

    def risk_along(self, X: Any, attribute: str) -> pd.DataFrame:
        """Return the partial dependence of the averaged risk on one attribute.

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
            the ends ``low`` and ``high`` of its 95 % interval over draws. With more than two
            classes a row for each of them, named in ``class``.

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

        about, ends = ["values", "first", "last", "rows"], ["risk", "low", "high"]
        stretches = self._attributes_on(X).along(str(attribute))
        if self.positive_ is not None:
            flat = [(*stretch[:4], *stretch.risks[0]) for stretch in stretches]
            return pd.DataFrame(flat, columns=[*about, *ends])
        labels = self.classes_.tolist()
        by_class = [
            (*stretch[:4], label, *risk)
            for stretch in stretches
            for label, risk in zip(labels, stretch.risks, strict=True)
        ]
        return pd.DataFrame(by_class, columns=[*about, "class", *ends])

    def _attributes_on(self, X: Any) -> AttributesOnRows:
        rows = self._read_rows(X, self._attributes())
        return AttributesOnRows(self.draws_.averaged, rows, self.effect_)

    def predict_interval(self, X: Any, level: float = _LEVEL, strata: Any = None) -> pd.DataFrame:
        """Return credible intervals of the probability of the positive class, or of each class.

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
            credible interval, over rules and rates. With the index of X, if it has one. With more
            than two classes each has these three columns: ``intervals[label]["low"]``.

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
        index = X.index if isinstance(X, pd.DataFrame) else None
        return self._intervals(self._on_rows(X, strata), level, index)

    def _intervals(
        self, rows: DrawnOnRows, level: float = _LEVEL, index: pd.Index[Any] | None = None
    ) -> pd.DataFrame:
        import pandas as pd

        means, wanted = self._class_probabilities(rows), _ends(level)
        if self.positive_ is not None:
            low, high = rows.quantiles(wanted)
            columns = {"mean": means[:, self._positive_index], "low": low, "high": high}
            return pd.DataFrame(columns, index=index)
        of_class = {
            label: pd.DataFrame({"mean": means[:, c], "low": low, "high": high}, index=index)
            for c, label in enumerate(self.classes_.tolist())
            for low, high in [rows.quantiles(wanted, c)]
        }
        intervals: pd.DataFrame = pd.concat(of_class, axis="columns")
        return intervals

    def posterior_predictive(
        self, X: Any, size: int | None = None, random_state: Any = None, strata: Any = None
    ) -> NDArray[Any]:
        """Draw labels from the posterior predictive: a rule and rates, then a label for each row.

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


def _log_loss(probabilities: NDArray[np.float64], is_class: NDArray[np.bool_]) -> float:
    """Return the mean of -ln P(label) in nats; with two classes from the positive one's column."""
    # With two classes there is one column p, and P(label) is 1 - p for rows of the other class.
    right = (probabilities * is_class).sum(axis=1)
    if probabilities.shape[1] == 1:
        right += (~is_class * (1 - probabilities))[:, 0]
    # A probability that underflows to 0 would make the whole mean infinite.
    return float(-np.log(np.maximum(right, np.finfo(np.float64).tiny)).mean())


def _ends(level: float = _LEVEL) -> NDArray[np.float64]:
    """Return the quantiles at the ends of a central interval."""
    return np.array([(1 - level) / 2, (1 + level) / 2])
