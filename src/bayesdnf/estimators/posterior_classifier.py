"""PosteriorDNFClassifier: predictions averaged over rules drawn from the posterior."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..boolean.literal import Value
from ..checks import seconds
from ..data.kinds import Kinds, has_directions
from ..display.bars import following
from ..errors import MissingExtraError, ParameterError
from ..model.effect import Effect
from ..model.part_rates import part_risks
from ..model.prior import Prior
from ..model.rates import Counts
from ..model.rule import Rule
from ..remote.clusters import threads_for
from ..sampling.bayes_factor import BayesFactor, bayes_factor, one_layer_bayes_factor
from ..sampling.draws import Draws
from ..sampling.evidence import Evidence, drawn_evidence
from ..sampling.run import KERNELS, sample
from ..sampling.watching import DrawsBar, DrawTeller
from .averaging.drawn_on_rows import drawn_risks
from .class_shares import class_rules_table
from .posterior_answers import PosteriorAnswers
from .presenting import posterior_summary
from .rule_classifier import Task
from .rules import rules_table
from .saving.posterior_file import read_posterior, write_posterior
from .settings import check_parameters

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from ..sampling.judging.diagnostics import Diagnosis

LEAST_INCLUSION = 0.001
_FACTORS = ("bayes_factor_", "one_layer_bayes_factor_")
DEFAULT_LAYERS = 4  # averages over lists predict better than over functions: docs/averaging.md


class PosteriorDNFClassifier(PosteriorAnswers):
    """Average over Boolean rules (an OR of ANDs) or lists, weighted by posterior probability.

    Where :class:`DNFClassifier` gives the best rule, this one draws rules and their rates from
    the posterior: it says how probable each rule, term and literal is, and its risks take into
    account that the rule is not known for certain. The representative rule is
    ``representative_``.

    Parameters
    ----------
    prior, effect, kinds, negations, thresholds, missing_values, monotonic_cst, positive
        The model, as in :class:`DNFClassifier`; a known prevalence goes with lists and strata too.
    layers : int, optional
        Maximum number of layers. With 1, functions (:class:`BooleanFunction`) are sampled; with
        more, lists (:class:`RuleList`), each part of which has its own risk. None means 4, and 1
        where the rest of the model allows functions only: known rates,
        ``Effect(ordered=True)``, ``kernel="single_term"``, or directions of columns.
    max_literals : int, default=15
        Literals that ``representative_`` may have.
    draws, warmup, chains, thin
        Draws per chain, warm-up draws per chain, number of chains, steps per draw; see
        :func:`sample`.
    kernel : {"informed", "tempered", "reversible_jump", "single_term"}
        The sampler. ``"tempered"`` (parallel tempering) is slower, crosses between separated modes
        and estimates ``evidence_``.
    time_limit : float, optional
        Seconds after which sampling ends with the draws so far.
    n_jobs : int, optional
        Threads: None means 1, -1 all cores. The draws do not depend on it.
    device : {"auto", "cpu", "cuda"}, default="auto"
        What counts rows: "cuda" is an NVIDIA GPU (``pip install "bayesdnf[cuda12]"``), which "auto"
        takes for tables of 256 MiB and more, as bits, where there is one. The result does not
        depend on it.
    random_state : int, RandomState, Generator or None
        Seed of the chains; None means a new one each time (``seed_`` keeps it).
    checkpoint : path, optional
        File to save the state of the run to; a ``fit`` with the same data and settings resumes
        from it. Needs a ``random_state``.
    checkpoint_every : float, default=60
        Seconds between two checkpoints.
    allow_missing_columns : bool, default=False
        Whether only the columns that the drawn rules use are needed after fitting.
    verbose : int, default=0
        1 shows a progress bar on terminals and in notebooks, and elsewhere prints each tenth of the
        draws on standard error; 2 prints more often.

    Attributes
    ----------
    draws_ : Draws
        All that was drawn.
    functions_ : pandas.DataFrame
        The functions drawn, most probable first: ``function``, ``probability``,
        ``log_posterior`` (log prior plus log likelihood), ``terms``, ``literals``, and
        ``same_rows``, the probability of all functions that mark the same rows of the table. Lists
        that partition the rows in the same way are one row: see :meth:`Draws.top`.
    representative_ : BooleanFunction or RuleList
        The representative rule: of rules with at most ``max_literals`` literals the one found whose
        risks are nearest to the averaged ones, on the rows of the fit and on rows crossed from
        them. Computed on first access; :meth:`representative` gives its risks, and finds shorter
        ones.
    representative_loss_ : float
        Loss of the representative rule compared with the average: its mean cross-entropy less that
        of the averaged risks themselves, in nats per row.
    inclusion_ : pandas.DataFrame
        How probable it is that the rule holds a literal, an attribute, a term, or a pair of
        literals in one term: ``kind``, ``what``, ``probability`` (0.001 or more), and ``equal``,
        the literals whose columns are equal to a literal's own.
    map_ : BooleanFunction or RuleList
        Of the functions or lists drawn the one with the highest log posterior.
    rules_ : pandas.DataFrame
        Its terms, as in :class:`DNFClassifier`.
    counts_ : Counts or None
        Rows, positives, and what ``map_`` marks of them, weighted; None with more than two classes.
    risks_ : tuple of Interval
        Means and 95 % intervals of both risks over all draws that have a rule, unmarked first;
        of the single rate when none has. Parts of lists differ from draw to draw: of lists, and
        with strata, they are the risks of the parts of ``map_``, part 0 first, strata pooled.
    strata_ : tuple or None
        The labels of the strata; None without.
    null_probability_ : float
        Probability that there is no rule.
    bayes_factor_ : BayesFactor or None
        How much more probable the outcome is under some rule than under none, whatever share the
        prior gives to each: ``log``, its natural logarithm; ``bound``, ">" or "<" where the draws
        give no more than a bound (the null function, or any other, was in no draw) and else "";
        ``spread`` between chains; ``source``, "draws" or, with the tempered kernel, "evidence".
        None where the prior gives the null function no mass or the kernel never visits it.
    one_layer_bayes_factor_ : BayesFactor or None
        How much more probable the outcome is under lists of one layer than under lists of several;
        None where there is nothing to compare.
    evidence_ : Evidence or None
        ``mean`` and ``spread`` over the chains of the log evidence: log P(y) under the prior
        renormalised to the functions that it allows. With the tempered kernel only; the others
        have no chain at the prior, and it is None.
    diagnostics_ : Diagnosis
        R-hat, effective sample sizes, agreement of the chains and a verdict; computed on first
        access. Needs the extra ``posterior``.
    stopped_ : str
        Why sampling ended: "done", "time limit" or "interrupted".
    classes_, labels_, positive_, negative_, encoder_, prior_, effect_, seed_, record_
        As in :class:`DNFClassifier`.
    n_features_in_, feature_names_in_
        Number of columns in fitting, and their names when the table had names.

    Notes
    -----
    ``save("posterior.nc")`` writes the classifier with its draws to one file that any program for
    NetCDF reads, ``load`` reads it back and ``Draws.load`` the draws alone. pickle works too.

    Of columns that are equal in the table of ``fit`` the first stands for all, also on new rows.

    Examples
    --------
    >>> from bayesdnf import PosteriorDNFClassifier, simulate
    >>> X, y, truth = simulate(300, 10, random_state=1)
    >>> clf = PosteriorDNFClassifier(layers=1, draws=500, warmup=200, random_state=0).fit(X, y)
    >>> clf.functions_["function"][0] == clf.map_ == truth
    True
    >>> clf.null_probability_ < 1e-6, clf.bayes_factor_.source  # known though never drawn
    (True, 'scores')
    >>> clf.predict_interval(X[:1]).columns.tolist()
    ['mean', 'low', 'high']

    Lists of layers, and the representative rule of their average:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (600, 6))
    >>> y = rng.random(600) < np.where(X[:, 0] * X[:, 1], 0.9, np.where(X[:, 2], 0.1, 0.5))
    >>> clf = PosteriorDNFClassifier(layers=3, draws=300, warmup=100, random_state=0).fit(X, y)
    >>> shown = clf.representative()
    >>> print(shown.rule.to_text(shown.predicted[0, :, 0].round(2)))
    if   (x0 AND x1)   then 0.9
    elif (x2)          then 0.16
    else                    0.51
    """

    draws_: Draws
    map_: Rule
    rules_: pd.DataFrame
    counts_: Counts | None
    null_probability_: float
    evidence_: Evidence | None

    def __init__(
        self,
        *,
        prior: Prior | None = None,
        effect: Effect | None = None,
        kinds: Kinds | None = None,
        negations: bool = True,
        thresholds: int = 8,
        missing_values: Collection[Value] = (),
        monotonic_cst: Mapping[str, int] | Sequence[int] | NDArray[np.integer] | None = None,
        positive: Any = None,
        layers: int | None = None,
        max_literals: int = 15,
        draws: int = 2000,
        warmup: int = 1000,
        chains: int = 4,
        thin: int = 100,
        kernel: str = "informed",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        device: str = "auto",
        random_state: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        allow_missing_columns: bool = False,
        verbose: int = 0,
    ) -> None:
        self.prior = prior
        self.effect = effect
        self.kinds = kinds
        self.negations = negations
        self.thresholds = thresholds
        self.missing_values = missing_values
        self.monotonic_cst = monotonic_cst
        self.positive = positive
        self.layers = layers
        self.max_literals = max_literals
        self.draws = draws
        self.warmup = warmup
        self.chains = chains
        self.thin = thin
        self.kernel = kernel
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.allow_missing_columns = allow_missing_columns
        self.verbose = verbose

    def _check_parameters(self) -> None:
        least = {"draws": 1, "warmup": 0, "chains": 1, "thin": 1, "max_literals": 0}
        check_parameters(self, least)
        owner = type(self).__name__
        if not isinstance(self.kernel, str) or self.kernel not in KERNELS:
            must = f"one of {', '.join(map(repr, KERNELS))}"
            raise ParameterError.of("kernel", owner, must, self.kernel)
        seconds("checkpoint_every", owner, self.checkpoint_every, besides="")
        if self.checkpoint is None:
            return
        if not isinstance(self.checkpoint, (str, os.PathLike)):
            raise ParameterError.of("checkpoint", owner, "a path or None", self.checkpoint)
        if self.random_state is None:
            must = "given when there is a checkpoint, or no later run could resume from it"
            raise ParameterError.of("random_state", owner, must, None)

    def _most_layers(self, n_classes: int) -> int:
        if self.layers is not None:
            return int(self.layers)
        effect = self.effect or Effect()
        # Known or ordered rates are refused for lists (Effect.resolved), single_term draws
        # functions, and a direction says something only where marked rows are those at higher risk.
        one_layer = effect.known or effect.ordered or self.kernel == "single_term"
        return 1 if one_layer or has_directions(self.monotonic_cst) else DEFAULT_LAYERS

    def _following(self) -> AbstractContextManager[Any]:
        return following(self, DrawsBar, "Draws", DrawTeller)

    def _learn(self, task: Task, progress: Any) -> Draws:
        return sample(
            task.posterior,
            draws=int(self.draws),
            warmup=int(self.warmup),
            chains=int(self.chains),
            thin=int(self.thin),
            kernel=self.kernel,
            time_limit=self.time_limit,
            n_jobs=threads_for(self.n_jobs),
            device=self.device,
            random_state=task.seed,
            checkpoint=self.checkpoint,
            checkpoint_every=self.checkpoint_every,
            progress=progress,
        )

    def _store(self, task: Task, drawn: Draws) -> None:
        self._store_task(task)
        for name in ("functions_", "inclusion_", "diagnostics_", *_FACTORS):
            self.__dict__.pop(name, None)  # of an earlier fit
        self._store_draws(drawn)
        self._posterior = task.posterior
        self._representatives, self._max_literals = {}, int(self.max_literals)
        if self.positive_ is None:
            self.rules_ = class_rules_table(task.posterior, self.map_, self.classes_.tolist())
            self.counts_ = None
        else:
            self.rules_ = rules_table(task.posterior, self.map_)
            self.counts_ = task.posterior.counts(self.map_)

    def _store_draws(self, drawn: Draws) -> None:
        """Set the attributes that depend on the draws and the effect."""
        self.draws_ = drawn
        # By the score of the function that is named: ``log_mass`` would add its copies on equal
        # columns.
        best = int(np.argmax(drawn.log_score))
        self.map_ = drawn.function(best)
        if drawn.n_classes > 2:
            self.risks_ = ()
        elif drawn.simple:
            self.risks_ = drawn_risks(drawn.averaged)
        else:
            cells = drawn.cells[best, :, : int(drawn.n_layers[best]) + 1]
            self.risks_ = part_risks(self.effect_, cells)
        self.null_probability_ = drawn.null_probability
        self.evidence_ = drawn_evidence(drawn)
        self.stopped_ = drawn.settings["stopped"]

    @cached_property
    def functions_(self) -> pd.DataFrame:
        """The functions drawn, most probable first."""
        check_is_fitted(self)
        return self.draws_.top()

    @cached_property
    def inclusion_(self) -> pd.DataFrame:
        """Inclusion probabilities of literals, attributes, terms and pairs."""
        import pandas as pd

        check_is_fitted(self)
        kinds = ("literal", "attribute", "term", "pair")
        tables = [self.draws_.inclusion(kind, LEAST_INCLUSION) for kind in kinds]
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def diagnostics_(self) -> Diagnosis:
        """Whether the draws can be trusted."""
        check_is_fitted(self)
        try:
            return self.draws_.diagnose()
        except MissingExtraError as error:
            # Without the extra there is no such attribute; notebooks ask for all there are.
            raise AttributeError(str(error)) from error

    @cached_property  # expensive: thousands of draws from the prior
    def bayes_factor_(self) -> BayesFactor | None:
        """Some rule against none."""
        check_is_fitted(self)
        assert self._posterior is not None  # what was read from a file has the factor
        return bayes_factor(self.draws_, self._posterior)

    @cached_property
    def one_layer_bayes_factor_(self) -> BayesFactor | None:
        """Lists of one layer against lists of several."""
        check_is_fitted(self)
        assert self._posterior is not None  # as above
        return one_layer_bayes_factor(self.draws_, self._posterior)

    def to_datatree(self, log_likelihood: bool = False) -> xr.DataTree:
        """Return the draws as ArviZ takes them; needs the extra ``posterior``.

        Parameters
        ----------
        log_likelihood : bool, default=False
            Whether to add the log likelihood of every row at every draw, for LOO. Only where
            ``fit`` was called: copies that were pickled or loaded do not hold the rows.

        Returns
        -------
        DataTree
            As of :meth:`Draws.to_datatree`.
        """
        check_is_fitted(self)
        if log_likelihood:
            self._posterior_of_fit("has no log likelihoods")
        return self.draws_.to_datatree(self._posterior, log_likelihood)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the classifier and its draws to one NetCDF file; needs the extra ``posterior``.

        ArviZ and :meth:`Draws.load` read the draws in it. What ``fit`` was given is not kept, and
        neither is ``checkpoint``.

        Parameters
        ----------
        path : path
            The file.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from bayesdnf import PosteriorDNFClassifier, simulate
        >>> X, y, truth = simulate(300, 10, random_state=1)
        >>> clf = PosteriorDNFClassifier(draws=200, warmup=100, random_state=0).fit(X, y)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "posterior.nc"
        >>> clf.save(path)
        >>> again = PosteriorDNFClassifier.load(path)
        >>> bool((again.predict_proba(X) == clf.predict_proba(X)).all())
        True
        """
        check_is_fitted(self)
        self._keep_representative()
        write_posterior(self, path)

    @classmethod
    def _read_file(cls, path: str | os.PathLike[str]) -> Self:
        return read_posterior(path, cls)

    def __getstate__(self) -> dict[str, Any]:
        self._keep_representative()
        if self._posterior is not None:
            for name in _FACTORS:
                getattr(self, name)
        return {k: v for k, v in super().__getstate__().items() if k != "_posterior"}

    def _as_text(self) -> str:
        return posterior_summary.summary(self)

    def _as_html(self) -> str:
        return posterior_summary.as_html(self)
