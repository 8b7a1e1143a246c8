"""DNFClassifier: the best rule for a table, as a scikit-learn classifier."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..boolean.literal import Value
from ..checks import whole
from ..data.kinds import Kinds
from ..display.bars import SearchBar, Teller, following
from ..errors import BayesDNFWarning, InputError, ParameterError
from ..model.effect import Effect
from ..model.part_rates import cell_risks, part_risks
from ..model.prior import Prior
from ..model.rates import Counts, Interval, Rates
from ..remote.clusters import threads_for
from ..sampling.drawn.draws_file import is_netcdf
from ..search.bound import bounded
from ..search.hunt import hunt
from ..search.result import SearchResult
from .class_shares import (
    class_parts_table,
    class_rules_table,
    class_strata_table,
    pooled_shares,
)
from .presenting import rule_summary
from .rule_answers import RuleAnswers
from .rule_classifier import Task
from .rules import (
    parts_table,
    rules_table,
    strata_table,
)
from .saving.model_file import read_model, write_model
from .settings import check_parameters

if TYPE_CHECKING:
    import pandas as pd


class DNFClassifier(RuleAnswers):
    """Learn a Boolean rule (an OR of ANDs) that marks the positive class, or a list of them.

    Columns may hold texts, categories, bools, numbers and missing values. The rule is the function
    with the highest posterior that the search finds; risks are posterior means given that rule.
    With ``layers`` above 1 it is a rule list (decision list): functions are evaluated in order, the
    first that holds decides, and each has its own risk. With more than two classes, at most 20,
    every part of the list has a probability of each class.

    Parameters
    ----------
    prior : Prior, optional
        Prior on functions; None means ``Prior()``.
    effect : Effect, optional
        Priors of the rates; None means ``Effect()``. There is no ``class_weight``, which has no
        meaning in this likelihood: if the share of positives in the sample differs from the
        population's, use ``Effect(prevalence=...)``.
    layers : int, optional
        Maximum number of layers; None means 1, and 4 for more than two classes.
        With 1 it is a :class:`BooleanFunction`, with more a :class:`RuleList`, also when the best
        list has one layer or none.
    kinds, negations, thresholds, missing_values
        Which literals are on offer; see :class:`LiteralEncoder`.
    monotonic_cst : dict or array, optional
        Directions of columns, as in scikit-learn: with ``{"age": 1}`` the risk of the class that
        the rule marks never falls as age rises, with -1 it never rises. Only for one layer, without
        strata, and where marked rows have the higher risk, as they have by default.
    positive : label, optional
        Positive class; None means ``classes_[1]`` of two. With more than two classes it is that
        class against all others merged, which are then called ``other``; None keeps all classes.
    restarts, agree, steps, time_limit
        When the search ends; see :func:`hunt`.
    prove : bool, default=False
        Whether to compute an upper bound on the score of every other function (``gap_``), or to
        prove that the rule is optimal; see :func:`bound`. The search then takes at most half of a
        time limit. For one layer without strata.
    n_jobs : int, optional
        Threads of the search: None means 1, -1 all cores. The result does not depend on it.
    device : {"auto", "cpu", "cuda"}, default="auto"
        What counts rows: "cuda" is an NVIDIA GPU (``pip install "bayesdnf[cuda12]"``), which "auto"
        takes for tables of 256 MiB and more, as bits, where there is one. The result does not
        depend on it.
    random_state : int, RandomState, Generator or None
        Seed of the search; None means a new one each time (``seed_`` keeps it).
    allow_missing_columns : bool, default=False
        Whether only the rule's own columns are needed after fitting.
    verbose : int, default=0
        1 shows a progress bar on terminals and in notebooks, and elsewhere prints each better
        function on standard error; 2 prints each restart.

    Attributes
    ----------
    function_ : BooleanFunction or RuleList
        The rule; the null function or list when nothing beats it, and every row then gets the
        base rate.
    rules_ : pandas.DataFrame
        One row for each term: ``rule``, ``size``, ``rows`` covered, ``positives`` among them,
        their share ``rate`` in the table with ``low`` and ``high`` (95 % Jeffreys interval), and
        ``log_gain``, the log posterior lost without the term. Of a list first of all ``layer``,
        and ``rows`` are those that the term decides: it holds and no higher layer does. With more
        than two classes ``class`` is the most frequent one of these rows, and ``of_class`` its
        rows, in place of ``positives``.
    layers_ : pandas.DataFrame
        One row for each part, the highest layer first and the ``else`` last: ``part``, ``rule``,
        ``rows``, ``positives``, ``rate`` (posterior mean) with ``low`` and ``high`` (95 %
        interval), and ``risk``: "raised" or "lowered" when that interval lies above or below the
        risk of all rows, and the part has more or fewer positives than all rows have, else
        "unclear". With more than two classes: ``part``, ``rule``, ``rows``, ``class`` (the most
        probable one), its ``share`` with ``low`` and ``high``, and a column ``P(label)`` for each
        class.
    stratum_layers_ : pandas.DataFrame or None
        The same for every ``stratum``, whose risks are compared with the stratum's own; None
        without strata.
    log_posterior_ : float
        Score of the rule, with every normalising constant of the prior.
    counts_ : Counts or None
        Rows, positives, marked rows and marked positives, weighted; None with more than two
        classes.
    cells_ : ndarray of shape (n_strata, n_parts, n_classes)
        Positives and negatives of each part in each stratum, weighted; part 0 first. With more than
        two classes rows of each, in the order of ``classes_``.
    rates_ : Rates or None
        Posterior of both risks given the rule; None for lists, with strata, and with more than two
        classes.
    risks_ : tuple of Interval
        Means and 95 % intervals of the risks, unmarked rows first, then those of the layers from
        the lowest to the highest; ``predict_proba`` returns the means. With strata they are
        pooled: each stratum weighs as much as it has rows of the part. Empty with more than two
        classes.
    shares_ : tuple of tuples of Interval or None
        With more than two classes, the same of every class in each part, part 0 first; else None.
    strata_ : tuple or None
        The labels of the strata; None without.
    stopped_ : str
        Why the search ended.
    agreement_, restarts_, ways_ : int
        How many restarts ended at this score, of how many, and by how many different strategies
        (see docs/trust.md).
    near_ : int
        Number of functions seen by the search that score the same or within one nat.
    gap_ : float or None
        No allowed function scores more than this many nats higher; None without ``prove``.
    proved_ : bool
        Whether no allowed function scores higher: ``gap_`` is 0.
    classes_ : ndarray
        The classes: the labels, sorted, or ``other`` and the positive one of several.
    labels_ : ndarray
        The labels of y, sorted.
    positive_, negative_ : label or None
        The class that the rule marks, and the other; None with more than two classes.
    encoder_ : LiteralEncoder
        The fitted encoder.
    deciding_columns_ : tuple of str
        Columns that alone decide the outcome, and so may leak it.
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

    Three risks instead of two:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (600, 6))
    >>> y = rng.random(600) < np.where(X[:, 0] * X[:, 1], 0.9, np.where(X[:, 2], 0.1, 0.5))
    >>> clf = DNFClassifier(layers=3, random_state=0).fit(X, y)
    >>> print(clf.function_.to_text([risk.mean for risk in clf.risks_]))
    if   (x0 AND x1)   then 0.9
    elif (x2)          then 0.1581
    else                    0.5108
    >>> clf.layers_[["part", "rule", "rows", "risk"]]
       part         rule  rows     risk
    0     2  (x0 AND x1)   158   raised
    1     1         (x2)   213  lowered
    2     0         else   229  unclear

    More than two classes:

    >>> y = np.where(X[:, 0] * X[:, 1], "a", np.where(X[:, 2], "b", "c"))
    >>> clf = DNFClassifier(random_state=0).fit(X, y)
    >>> clf.layers_[["part", "rule", "rows", "class"]]
       part         rule  rows class
    0     2  (x0 AND x1)   158     a
    1     1         (x2)   213     b
    2     0         else   229     c
    """

    rules_: pd.DataFrame
    layers_: pd.DataFrame
    stratum_layers_: pd.DataFrame | None
    log_posterior_: float
    counts_: Counts | None
    rates_: Rates | None
    agreement_: int
    restarts_: int
    proved_: bool
    gap_: float | None
    ways_: int
    near_: int

    def __init__(
        self,
        *,
        prior: Prior | None = None,
        effect: Effect | None = None,
        layers: int | None = None,
        kinds: Kinds | None = None,
        negations: bool = True,
        thresholds: int = 8,
        missing_values: Collection[Value] = (),
        monotonic_cst: Mapping[str, int] | Sequence[int] | NDArray[np.integer] | None = None,
        positive: Any = None,
        restarts: int | None = None,
        agree: int = 32,
        steps: int = 100,
        time_limit: float | None = None,
        prove: bool = False,
        n_jobs: int | None = None,
        device: str = "auto",
        random_state: Any = None,
        allow_missing_columns: bool = False,
        verbose: int = 0,
    ) -> None:
        self.prior = prior
        self.effect = effect
        self.layers = layers
        self.kinds = kinds
        self.negations = negations
        self.thresholds = thresholds
        self.missing_values = missing_values
        self.monotonic_cst = monotonic_cst
        self.positive = positive
        self.restarts = restarts
        self.agree = agree
        self.steps = steps
        self.time_limit = time_limit
        self.prove = prove
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state
        self.allow_missing_columns = allow_missing_columns
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_parameters(self, {"agree": 1, "steps": 1})
        if self.restarts is not None:
            whole("restarts", "DNFClassifier", self.restarts, 1, besides="or None")
        if not isinstance(self.prove, (bool, np.bool_)):
            raise ParameterError.of("prove", "DNFClassifier", "True or False", self.prove)

    def _following(self) -> AbstractContextManager[Any]:
        return following(self, SearchBar, "Search", Teller)

    def _learn(self, task: Task, progress: Any) -> SearchResult:
        posterior = task.posterior
        if self.prove and not posterior.simple:
            what = "more than two classes" if posterior.n_classes > 2 else "layers or strata"
            raise ParameterError.of("prove", "DNFClassifier", f"False with {what}", True)
        start, limit = time.monotonic(), self.time_limit
        found = hunt(
            posterior,
            restarts=None if self.restarts is None else int(self.restarts),
            agree=int(self.agree),
            steps=int(self.steps),
            time_limit=limit / 2 if self.prove and limit is not None else limit,
            n_jobs=threads_for(self.n_jobs),
            device=self.device,
            random_state=task.seed,
            progress=progress,
        )
        if not self.prove or found.stopped == "interrupted":
            return found
        # A search that agreed early leaves its time to the proof.
        left = None if limit is None else limit - (time.monotonic() - start)
        return bounded(posterior, found, left, getattr(progress, "proving", None))

    def _tell(self) -> None:
        if self.stopped_ == "time limit" and (ended := rule_summary.cut_short(self)) is not None:
            said = f"No rule: {ended}; give it more time."
            warnings.warn(said, BayesDNFWarning, stacklevel=3)

    def _store(self, task: Task, found: SearchResult) -> None:
        self._store_task(task)
        posterior = task.posterior
        self.function_ = found.function
        self.log_posterior_ = float(found.log_posterior)
        self.cells_ = posterior.part_counts(found.function)
        if self.positive_ is None:
            self.rules_ = class_rules_table(posterior, found.function, self.classes_.tolist())
            self._set_shares()
        else:
            self.rules_ = rules_table(posterior, found.function)
            self.counts_ = posterior.counts(found.function)
            self.rates_ = posterior.rates(found.function) if posterior.simple else None
            self.risks_ = self._pooled() if self.rates_ is None else self.rates_.summary()
            self.shares_ = None
        self._tabulate()
        self.stopped_ = found.stopped
        self.agreement_ = found.agreement
        self.restarts_ = found.restarts
        self.proved_ = found.proved
        self.gap_ = found.gap
        self.ways_ = found.ways
        self.near_ = found.near

    def _set_shares(self) -> None:
        """Set what is known of the parts of more than two classes, once the cells are."""
        self.counts_ = self.rates_ = None
        self.risks_ = ()
        self.shares_ = pooled_shares(self.cells_)

    def _pooled(self) -> tuple[Interval, ...]:
        """Risks of the parts, whatever the stratum; of the null function twice the same."""
        risks = part_risks(self.effect_, self.cells_)
        is_null_function = self.function_.is_null and not self._is_list
        return risks * 2 if is_null_function else risks

    def _tabulate(self) -> None:
        """Set the tables of parts, once rule, counts and risks are known."""
        pooled, self.stratum_layers_ = self.cells_.sum(axis=0), None
        if self.shares_ is not None:
            rule, labels = self.function_, self.classes_.tolist()
            self.layers_ = class_parts_table(rule, pooled, self.shares_, labels)
            if self.strata_ is not None:
                self.stratum_layers_ = class_strata_table(rule, self.cells_, labels, self.strata_)
            return
        base = self.effect_.prevalence
        self.layers_ = parts_table(self.function_, pooled, self.risks_, base)
        if self.strata_ is not None:
            own = [self.risks_] if self._two_rates else cell_risks(self.effect_, self.cells_)
            self.stratum_layers_ = strata_table(
                self.function_, self.cells_, own, self.strata_, base
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
        if is_netcdf(path):
            raise InputError(
                f"{path} holds draws, not a model of {cls.__name__}; read it with "
                f"PosteriorDNFClassifier.load."
            )
        return read_model(path, cls)

    def _as_text(self) -> str:
        return rule_summary.summary(self)

    def _as_html(self) -> str:
        return rule_summary.as_html(self)
