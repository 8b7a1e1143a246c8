"""The base of both classifiers: from a table and labels to a posterior, and predictions."""

from __future__ import annotations

import copy
import os
from abc import abstractmethod
from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from ..boolean.literal import Value
from ..data.encoder import FittedTable, LiteralEncoder
from ..data.kinds import Kinds
from ..data.outcome import CheckedWeights, read_weights
from ..errors import InputError, UnknownColumnError
from ..model.effect import Effect
from ..model.posterior import Posterior
from ..model.prior import Prior
from ..model.rates import Interval
from .inputs import Labels, count_rows, read_features, read_labels, takes_any_columns
from .leakage import deciding_columns
from .saving.record import Record, RowContent, record_of
from .settings import LAYERS_OF_CLASSES, encoder_of, refuse_directions, seed_of
from .strata_input import fit_strata

if TYPE_CHECKING:
    from ..sampling.draws import Draws


class Task(NamedTuple):
    """The input of ``fit`` as read: everything that a search or a sampler needs."""

    labels: Labels
    encoder: LiteralEncoder
    posterior: Posterior
    seed: int
    record: Record


class RuleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier by Boolean functions of literals; its subclasses differ in how they fit."""

    prior: Prior | None
    effect: Effect | None
    kinds: Kinds | None
    negations: bool
    thresholds: int
    missing_values: Collection[Value]
    monotonic_cst: Any
    positive: Any
    layers: int | None = None
    time_limit: float | None
    n_jobs: int | None
    device: str
    random_state: Any
    allow_missing_columns: bool
    verbose: int

    encoder_: LiteralEncoder
    prior_: Prior
    effect_: Effect
    classes_: NDArray[Any]
    labels_: NDArray[Any]
    positive_: Any
    negative_: Any
    seed_: int
    record_: Record
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    strata_: tuple[Value, ...] | None
    risks_: tuple[Interval, ...]
    stopped_: str
    _progress: Any = None  # set by the command line, which draws a bar

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, also those of the prior and of the effect.

        ``prior__size`` sets the size of the prior, also where ``prior`` is None, which means
        ``Prior()``; likewise ``effect__prevalence``.

        Parameters
        ----------
        **params : dict
            Values by name.

        Examples
        --------
        >>> from bayesdnf import DNFClassifier, Poisson
        >>> DNFClassifier().set_params(prior__size=Poisson(1)).prior
        Prior(size=Poisson(mean=1, truncate=True))
        """
        for name, kind in (("prior", Prior), ("effect", Effect)):
            inner = any(key.startswith(f"{name}__") for key in params)
            if inner and params.get(name, getattr(self, name)) is None:
                params = {**params, name: kind()}
        return cast(Self, super().set_params(**params))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, strata: Any = None) -> Self:
        """Fit the classifier to labelled rows.

        Ctrl-C ends the search or the sampling: what was found so far is stored, then
        KeyboardInterrupt goes on.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows; columns of an array are called x0, x1, ….
        y : array-like
            One label for each row. Of more than two classes ``positive`` names the one to tell
            from all others.
        sample_weight : array of whole numbers, optional
            How often each row counts (2.0 is fine); the same as repeating rows.
        strata : array-like, optional
            A label for each row, a handful of different ones, such as the site it comes from:
            risks are then each stratum's own, so that what moves the base rate is not mistaken
            for a rule.
        """
        self._check_parameters()
        task = self._read_task(X, y, sample_weight, strata)
        with self._following() as progress:
            found = self._learn(task, progress)
        self._store(task, found)
        if self.stopped_ == "interrupted":
            raise KeyboardInterrupt
        self._tell()
        return self

    def _tell(self) -> None:
        """Warn of problems with the fit."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ParameterError for an invalid constructor parameter."""

    @abstractmethod
    def _following(self) -> AbstractContextManager[Any]:
        """Return the progress display for the duration of the fit."""

    @abstractmethod
    def _learn(self, task: Task, progress: Any) -> Any:
        """Find the best rule, or sample rules; the subclass decides."""

    @abstractmethod
    def _store(self, task: Task, found: Any) -> None:
        """Set the learned attributes."""

    def _most_layers(self, n_classes: int) -> int:
        """Return the maximum number of layers of a list; 1 means functions."""
        if self.layers is None:
            return 1 if n_classes == 2 else LAYERS_OF_CLASSES
        return int(self.layers)

    def _read_task(self, X: Any, y: Any, sample_weight: Any, strata: Any) -> Task:
        """Read the input of ``fit``; set the attributes of columns only."""
        table = read_features(self, X, fitting=True)
        n_rows = count_rows(table)
        if n_rows == 0:
            raise InputError("X has no rows; at least one is needed.")
        weights = read_weights(sample_weight, n_rows)
        labels = read_labels(self, y, n_rows, weights, self.positive)
        encoder = encoder_of(self)
        # The encoder and the posterior read weights for themselves; these were checked above.
        checked = None if weights is None else CheckedWeights(weights)
        bits = encoder.fit_encode(table, checked)
        # Copies: set_params on the estimator must not reach what was fitted.
        posterior = Posterior(
            bits,
            labels.outcome,
            copy.deepcopy(self.prior),
            copy.deepcopy(self.effect),
            sample_weight=checked,
            layers=self._most_layers(len(labels.classes)),
            strata=fit_strata(strata, weights),
        )
        refuse_directions(posterior, encoder.directions_)
        seed = seed_of(self.random_state, type(self).__name__)
        content = RowContent.of(bits, labels.outcome)
        # Rows of weight 0 do not enter the record, as if they were not in the table.
        counted = content if weights is None else content.part(weights > 0)
        record = record_of(counted, posterior.fingerprint)
        record = record._replace(deciding=deciding_columns(posterior))
        return Task(labels, encoder, posterior, seed, record)

    def _store_task(self, task: Task) -> None:
        index = task.labels.positive_index
        self.encoder_ = task.encoder
        self.prior_ = task.posterior.prior
        self.effect_ = task.posterior.effect
        self.labels_ = task.labels.labels
        self.classes_ = task.labels.classes
        self.positive_ = None if index is None else task.labels.classes[index]
        self.negative_ = None if index is None else task.labels.classes[1 - index]
        strata = task.posterior.strata
        self.strata_ = None if strata is None else strata.labels
        self.seed_ = task.seed
        self.record_ = task.record

    def _read_rows(self, X: Any, attributes: Iterable[str]) -> FittedTable:
        """Validate and read rows to predict."""
        check_is_fitted(self)
        return self._as_rows(read_features(self, X, fitting=False), attributes)

    def _as_rows(self, table: Any, attributes: Iterable[str]) -> FittedTable:
        """Read a table; ``attributes`` are the columns that the answer depends on."""
        needed = list(attributes)
        if self.allow_missing_columns:
            return self.encoder_.as_table(table, needed)
        try:
            return self.encoder_.as_table(table)
        except UnknownColumnError as error:
            absent = str(error)
        self.encoder_.as_table(table, needed)  # raises it where the answer depends on the column
        raise UnknownColumnError(
            f"{absent} The answer does not depend on it: allow_missing_columns=True predicts "
            f"without."
        )

    @property
    def deciding_columns_(self) -> tuple[str, ...]:
        """Columns that alone decide the outcome, and so may leak it."""
        return self.record_.deciding

    def _holds_on(self, X: Any) -> NDArray[np.bool_] | None:
        """Return where the rule holds, of a classifier by one function; else None."""
        return None

    def _by_class(self, risk: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert probabilities of the positive class to those of ``classes_``, as columns."""
        pair = np.column_stack([1 - risk, risk])
        return pair if self._positive_index == 1 else pair[:, ::-1].copy()

    @property
    def _positive_index(self) -> int:
        """Place of the positive class in ``classes_``; without meaning where there is none."""
        return int(np.argmax(self.classes_ == self.positive_))

    @abstractmethod
    def _probabilities_of(self, rows: FittedTable) -> NDArray[np.float64]:
        """Probabilities of ``classes_`` (columns) on rows that were read."""

    @abstractmethod
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``."""

    def predict(self, X: Any, strata: Any = None) -> NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        strata : array-like, optional
            The stratum of each row, by its label in fitting; without them risks are those pooled
            over the strata.
        """
        given: dict[str, Any] = {} if strata is None else {"strata": strata}
        best = np.argmax(self.predict_proba(X, **given), axis=1)
        answers: NDArray[Any] = self.classes_[best]
        return answers

    def score(self, X: Any, y: Any, sample_weight: Any = None, strata: Any = None) -> float:
        """Return the accuracy: the share of rows whose class is predicted correctly.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        y : array-like
            Their labels; all those beside ``positive`` count as one where there are several.
        sample_weight : array-like, optional
            How much each row counts.
        strata : array-like, optional
            The stratum of each row, as for ``predict``.
        """
        check_is_fitted(self)
        answered = self.predict(X, strata)
        # Several labels were made one class against the rest: the same is done to y before labels
        # are compared.
        if len(self.labels_) > len(self.classes_):
            y, answered = np.asarray(y) == self.positive_, answered == self.positive_
        return float(accuracy_score(y, answered, sample_weight=sample_weight))

    def summary(self) -> str:
        """Return a summary as text: the rule, its risks and diagnostics."""
        check_is_fitted(self)
        return self._as_text()

    @abstractmethod
    def _as_text(self) -> str:
        """Write what was found, for people."""

    @abstractmethod
    def _as_html(self) -> str:
        """Write the same for a notebook."""

    def _html_repr(self) -> str:
        # A notebook shows scikit-learn's diagram, which stays as it is inside pipelines, and what
        # was found below it.
        diagram = cast(str, super()._html_repr())
        return f"{diagram}\n{self._as_html()}" if hasattr(self, "encoder_") else diagram

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a saved model; all fields are checked, no code is run.

        Parameters
        ----------
        path : path
            The file.

        Raises
        ------
        InputError
            When the file is damaged, of another kind, or of a later version; names the file, and
            the field where there is one.
        """
        return cls._read_file(path)

    @classmethod
    @abstractmethod
    def _read_file(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file of this class."""

    def report(
        self,
        X: Any,
        y: Any,
        path: str | os.PathLike[str],
        *,
        draws: Draws | None = None,
        strata: Any = None,
    ) -> Path:
        """Write a report for people: one HTML file that needs nothing else.

        Needs the extra ``report``.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows that ``fit`` was given, or others. Only others are called held out.
        y : array-like
            Their labels.
        path : path
            File to write, such as ``report.html``.
        draws : Draws, optional
            What :func:`sample` drew on the same table, for rival rules and their probabilities. A
            :class:`PosteriorDNFClassifier` has its own.
        strata : array-like, optional
            The stratum of each row, where the fit had strata; without them risks are those pooled
            over the strata.

        Returns
        -------
        Path
            The file.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from bayesdnf import DNFClassifier, simulate
        >>> X, y, truth = simulate(200, 10, random_state=1)
        >>> clf = DNFClassifier(random_state=0).fit(X, y)
        >>> clf.report(X, y, pathlib.Path(tempfile.mkdtemp()) / "report.html").name
        'report.html'
        """
        # The only import from a higher layer, so that users find the report as a method. Inside the
        # method, because the report's modules import the classifiers.
        from ..report.html import write_report

        check_is_fitted(self)
        return write_report(self, X, y, path, draws=draws, strata=strata)

    def __sklearn_tags__(self) -> Any:
        tags = takes_any_columns(super().__sklearn_tags__())
        # A prevalence, known rates and the like are those of a positive class.
        for_two = isinstance(self.effect, Effect) and not self.effect.fits_classes
        tags.classifier_tags.multi_class = not for_two
        return tags
