"""What a posterior classifier answers about rows: risks, their intervals, labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..checks import whole
from ..data.encoder import FittedTable
from ..data.memory import require_memory
from ..errors import ParameterError
from ..sampling.draws import Draws
from .averaging import DrawnOnRows
from .rule_classifier import RuleClassifier
from .settings import seed_of

if TYPE_CHECKING:
    import pandas as pd


class PosteriorAnswers(RuleClassifier):
    """Answers averaged over draws."""

    draws_: Draws

    def _on_rows(self, X: Any) -> DrawnOnRows:
        check_is_fitted(self)
        used = dict.fromkeys(literal.attribute for literal in self.draws_.literals)
        return DrawnOnRows(self.draws_, self._read_rows(X, used))

    def marked_probability(self, X: Any) -> NDArray[np.float64]:
        """Return for each row how probable it is that the rule holds on it.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows. Columns of a DataFrame are found by name and extra ones ignored; with
            ``allow_missing_columns=True`` only those that the drawn rules use are needed.
        """
        return self._on_rows(X).marked_probability()

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``.

        They are means over all draws of functions and rates; on the population's scale when the
        effect gives a prevalence.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        """
        return self._by_class(self._on_rows(X).risk())

    def _probabilities_of(self, rows: FittedTable) -> NDArray[np.float64]:
        return self._by_class(DrawnOnRows(self.draws_, rows).risk())

    def predict_interval(self, X: Any, level: float = 0.95) -> pd.DataFrame:
        """Return how well the probability of the positive class is known, row by row.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        level : float, default=0.95
            Probability of the interval.

        Returns
        -------
        DataFrame
            ``mean``, as in ``predict_proba``, and the ends ``low`` and ``high`` of the central
            credible interval, over functions and rates. With the index of X, if it has one.

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
        rows = self._on_rows(X)
        low, high = rows.quantiles(np.array([(1 - level) / 2, (1 + level) / 2]))
        return pd.DataFrame(
            {"mean": rows.risk(), "low": low, "high": high},
            index=X.index if isinstance(X, pd.DataFrame) else None,
        )

    def posterior_predictive(
        self, X: Any, size: int | None = None, random_state: Any = None
    ) -> NDArray[Any]:
        """Draw labels for rows: first a function and rates, then a label for every row.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        size : int, optional
            How often; by default once.
        random_state : int, RandomState, Generator or None
            Where randomness comes from.

        Returns
        -------
        ndarray
            Labels, of shape (n_rows,), or (size, n_rows) when a size is given.
        """
        owner = f"{type(self).__name__}.posterior_predictive"
        times = 1 if size is None else whole("size", owner, size, 0, besides="or None")
        rows = self._on_rows(X)
        require_memory(
            times * rows.n_rows * (10 + self.classes_.itemsize), f"{times:,} labels for each row"
        )
        rng = np.random.default_rng(seed_of(random_state, owner))
        pair = self.classes_ if self.positive_ == self.classes_[1] else self.classes_[::-1]
        labels: NDArray[Any] = pair[rows.outcomes(times, rng).astype(np.intp)]
        return labels[0] if size is None else labels
