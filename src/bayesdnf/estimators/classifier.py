"""DNFClassifier: the best rule for a table, as a scikit-learn classifier."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..boolean import BooleanFunction
from ..boolean.literal import Value
from ..data.encoder import FittedTable
from ..display.bars import SearchBar, Teller, following
from ..errors import InputError
from ..model.effect import Effect
from ..model.prior import Prior
from ..model.rates import Counts, Rates
from ..search.hunt import hunt
from ..search.result import SearchResult
from . import presentation
from .explain import Explanation, fired_terms, nearest_change, one_row
from .rule_classifier import RuleClassifier, Task
from .rules import rules_table
from .saving.model_file import read_model, write_model
from .settings import check_parameters

if TYPE_CHECKING:
    import pandas as pd


class RowAnswers(NamedTuple):
    """What a rule answers about rows."""

    marked: NDArray[np.bool_]
    """Where the rule holds."""
    probabilities: NDArray[np.float64]
    """Of each class, as columns."""
    predicted: NDArray[Any]
    """The more probable class."""


class DNFClassifier(RuleClassifier):
    """Learn a Boolean rule (an OR of ANDs) that marks the positive class.

    Takes texts, categories, bools, numbers and missing values as they are. The rule is the
    function with the highest posterior that the search finds; risks are posterior means given
    that rule.

    Parameters
    ----------
    prior : Prior, optional
        Prior on functions; None means ``Prior()``.
    effect : Effect, optional
        What is known of the rates; None means ``Effect()``. There is no ``class_weight``, which
        has no meaning in this likelihood: for a sample whose share of positives is not the
        population's give ``Effect(prevalence=...)``.
    kinds, negations, thresholds, missing_values
        Which literals are on offer; see :class:`LiteralEncoder`.
    positive : label, optional
        Which class the rule is to mark; None means ``classes_[1]``.
    restarts, agree, steps, time_limit
        When the search ends; see :func:`hunt`.
    n_jobs : int, optional
        Threads of the search: None means 1, -1 all cores. The result does not depend on it.
    random_state : int, RandomState, Generator or None
        Seed of the search; None means a new one each time (``seed_`` keeps it).
    allow_missing_columns : bool, default=False
        Whether only the rule's own columns are needed after fitting.
    verbose : int, default=0
        1 draws a bar on terminals and in notebooks, and elsewhere tells of each better function on
        standard error; 2 tells of each restart.

    Attributes
    ----------
    function_ : BooleanFunction
        The rule; the null function when nothing beats it, and every row then gets the base rate.
    rules_ : pandas.DataFrame
        One row for each term: ``rule``, ``size``, ``rows`` covered, ``positives`` among them,
        their share ``rate`` in the table with ``low`` and ``high`` (95 % Jeffreys interval), and
        ``log_gain``, the log posterior lost without the term.
    log_posterior_ : float
        Score of the rule, with every normalising constant of the prior.
    counts_ : Counts
        Rows, positives, marked rows and marked positives, weighted.
    rates_ : Rates
        Posterior of both risks given the rule.
    risks_ : tuple of Interval
        Their means and 95 % intervals, unmarked first; what ``predict_proba`` answers with.
    stopped_ : str
        Why the search ended.
    agreement_, restarts_, ways_ : int
        How many restarts ended at this score, of how many, and by how many different ways: the
        measure of trust.
    near_ : int
        How many functions the search saw that share this score or come within a nat of it.
    proved_ : bool
        Whether no allowed function scores higher.
    classes_ : ndarray
        The two labels, sorted.
    positive_, negative_ : label
        The class that the rule marks, and the other.
    encoder_ : LiteralEncoder
        What the columns became.
    prior_, effect_
        The prior and the effect that were used.
    seed_ : int
        Seed that was used.
    record_ : Record
        How it was made, for reports: hashes of the rows, versions, and the command, if it was one.
    n_features_in_, feature_names_in_
        Number of columns in fitting, and their names when the table had names.

    Examples
    --------
    >>> from bayesdnf import DNFClassifier, simulate
    >>> X, y, truth = simulate(500, 20, random_state=1)
    >>> clf = DNFClassifier(random_state=0).fit(X, y)
    >>> clf.function_ == truth
    True
    >>> clf.rules_[["rule", "size"]]
              rule  size
    0  x0 AND x1     2
    1  x2 AND x3     2
    >>> clf.stopped_
    'agreement'
    """

    function_: BooleanFunction
    rules_: pd.DataFrame
    log_posterior_: float
    counts_: Counts
    rates_: Rates
    agreement_: int
    restarts_: int
    proved_: bool
    ways_: int
    near_: int

    def __init__(
        self,
        *,
        prior: Prior | None = None,
        effect: Effect | None = None,
        kinds: Mapping[str, str] | None = None,
        negations: bool = True,
        thresholds: int = 8,
        missing_values: Collection[Value] = (),
        positive: Any = None,
        restarts: int = 256,
        agree: int = 32,
        steps: int = 100,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        allow_missing_columns: bool = False,
        verbose: int = 0,
    ) -> None:
        self.prior = prior
        self.effect = effect
        self.kinds = kinds
        self.negations = negations
        self.thresholds = thresholds
        self.missing_values = missing_values
        self.positive = positive
        self.restarts = restarts
        self.agree = agree
        self.steps = steps
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.allow_missing_columns = allow_missing_columns
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_parameters(self, {"restarts": 1, "agree": 1, "steps": 1})

    def _following(self) -> AbstractContextManager[Any]:
        return following(self, SearchBar, "Search", Teller)

    def _learn(self, task: Task, progress: Any) -> SearchResult:
        return hunt(
            task.posterior,
            restarts=int(self.restarts),
            agree=int(self.agree),
            steps=int(self.steps),
            time_limit=self.time_limit,
            n_jobs=joblib.effective_n_jobs(self.n_jobs),
            random_state=task.seed,
            progress=progress,
        )

    def _store(self, task: Task, found: SearchResult) -> None:
        self._store_task(task)
        self.function_ = found.function
        self.rules_ = rules_table(task.posterior, found.function)
        self.log_posterior_ = float(found.log_posterior)
        self.counts_ = task.posterior.counts(found.function)
        self.rates_ = task.posterior.rates(found.function)
        self.risks_ = self.rates_.summary()
        self.stopped_ = found.stopped
        self.agreement_ = found.agreement
        self.restarts_ = found.restarts
        self.proved_ = found.proved
        self.ways_ = found.ways
        self.near_ = found.near

    def marked(self, X: Any) -> NDArray[np.bool_]:
        """Say for each row whether the rule holds.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows. Columns of a DataFrame are found by name and extra ones ignored; with
            ``allow_missing_columns=True`` only those of the rule are needed.
        """
        return self._answers_for(self._rule_rows(X)).marked

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``.

        They are posterior means of the two risks; on the population's scale when the effect
        gives a prevalence.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        """
        return self._probabilities_of(self._rule_rows(X))

    def explain(self, row: Any) -> Explanation:
        """Say which terms hold on a row, and the nearest change that would flip the rule.

        Parameters
        ----------
        row : dict, pandas Series, DataFrame of one row, or 1-D array
            The row; a 1-D array has the columns of ``fit`` in their order.

        Examples
        --------
        >>> from bayesdnf import DNFClassifier
        >>> table = {"odor": list("fnnaf") * 20, "size": list("bbcbc") * 20}
        >>> clf = DNFClassifier(random_state=0).fit(table, [1, 0, 0, 0, 1] * 20)
        >>> print(clf.explain({"odor": "n", "size": "b"}))
        The rule does not hold on this row: P(1) = 0.01613, predicted 0.
        Terms that hold: none.
        Nearest change that would make it hold: odor, now n, to odor = f.
        """
        check_is_fitted(self)
        table = self._as_rows(one_row(row, self.encoder_.columns_), self.function_.attributes)
        if table.n_rows != 1:
            raise InputError(f"explain takes one row. Got {table.n_rows:,} instead.")
        answers = self._answers_for(table)
        return Explanation(
            marked=bool(answers.marked[0]),
            fired=fired_terms(self.function_, table),
            prediction=answers.predicted[0],
            positive=self.positive_,
            probability=float(answers.probabilities[0, self._positive_index]),
            change=nearest_change(self.function_, self.encoder_, table),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to a JSON file that people can read.

        The file is written whole or not at all, and holds no code.

        Parameters
        ----------
        path : path
            File to write, such as ``model.json``.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from bayesdnf import DNFClassifier
        >>> clf = DNFClassifier().fit({"odor": ["f", "n"] * 20}, ["ill", "well"] * 20)
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "model.json"
        >>> clf.save(file)
        >>> DNFClassifier.load(file).predict({"odor": ["n", "f"]})
        array(['well', 'ill'], dtype='<U4')
        """
        check_is_fitted(self)
        write_model(self, path)

    @classmethod
    def _read_file(cls, path: str | os.PathLike[str]) -> Self:
        return read_model(path, cls)

    def _as_text(self) -> str:
        return presentation.summary(self)

    def _as_html(self) -> str:
        return presentation.as_html(self)

    def _rule_rows(self, X: Any) -> FittedTable:
        """Check and read rows, of which the rule's columns are needed."""
        check_is_fitted(self)
        return self._read_rows(X, self.function_.attributes)

    def _answers_for(self, rows: FittedTable) -> RowAnswers:
        """Return all that is answered about rows, which are read once."""
        marked = self.function_(rows)
        which = marked.astype(np.intp)
        return RowAnswers(
            marked, self._probabilities()[which], self.classes_[self._answers()[which]]
        )

    def _probabilities_of(self, rows: FittedTable) -> NDArray[np.float64]:
        return self._answers_for(rows).probabilities

    def _probabilities(self) -> NDArray[np.float64]:
        """Probabilities of ``classes_`` (columns) on unmarked and on marked rows."""
        return self._by_class(np.array([risk.mean for risk in self.risks_]))

    def _answers(self) -> NDArray[np.intp]:
        """Place in ``classes_`` of the more probable class, unmarked and marked."""
        answers: NDArray[np.intp] = np.argmax(self._probabilities(), axis=1)
        return answers
