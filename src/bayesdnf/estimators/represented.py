"""The representative rule: the one short rule whose risks are nearest to the averaged ones."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..checks import whole
from ..errors import InputError
from ..model.part_rates import stratum_weights
from ..model.posterior import Posterior
from ..model.rule import Rule
from ..sampling.draws import Draws
from .averaging.representative import Representative, find_representative
from .rule_classifier import RuleClassifier
from .strata_input import row_strata


class RepresentedAverage(RuleClassifier):
    """An average over draws, and rules that represent it.

    The rows of the fit are needed to find such a rule; a copy that was pickled or loaded does not
    hold them, and has the rules that were found before.
    """

    draws_: Draws
    _posterior: Posterior | None = None
    _representatives: dict[int, Representative]
    """By the most literals that they may have."""
    _max_literals: int

    @property
    def representative_(self) -> Rule:
        """The representative rule of the average."""
        return self._default_representative().rule

    @property
    def representative_loss_(self) -> float:
        """Its loss relative to the average, in nats per row."""
        return self._default_representative().loss

    def _default_representative(self) -> Representative:
        try:
            return self.representative()
        except InputError as error:
            # AttributeError, because notebooks evaluate all properties.
            raise AttributeError(str(error)) from error

    def representative(self, max_literals: int | None = None) -> Representative:
        """Find the short rule whose risks are nearest to the averaged ones.

        Near means a small cross-entropy of the averaged risks to their means over the rule's parts,
        on the rows of the fit and on rows crossed from them: rows that take each column from one
        of two rows. Looked for among the drawn rules, what is left of them when terms and literals
        are dropped, and what changes of single literals and terms lead to; it is the best rule
        found, not one proved to be best. Literals and layers that bring next to nothing are left
        out.

        Parameters
        ----------
        max_literals : int, optional
            Maximum number of literals; by default that of the constructor.

        Returns
        -------
        Representative
            Its ``rule``, what it predicts in each part (``predicted``), the ``risks`` of its parts
            by their own rows (with more than two classes ``shares``), and its ``loss``.

        Raises
        ------
        InputError
            When the prior allows no rule that short; or when the classifier was pickled or loaded,
            and such a rule was not asked for before.

        Examples
        --------
        >>> from bayesdnf import PosteriorDNFClassifier, simulate
        >>> X, y, truth = simulate(300, 10, random_state=1)
        >>> clf = PosteriorDNFClassifier(layers=1, draws=500, warmup=200, random_state=0).fit(X, y)
        >>> clf.representative_ == truth
        True
        >>> print(clf.representative(2).rule)
        (x2 AND x3)
        """
        check_is_fitted(self)
        owner = f"{type(self).__name__}.representative"
        if max_literals is None:
            most = self._max_literals
        else:
            most = whole("max_literals", owner, max_literals, 0, besides="or None")
        if most not in self._representatives:
            posterior = self._posterior_of_fit(f"finds no rule of at most {most} literals")
            self._representatives[most] = find_representative(self.draws_.averaged, posterior, most)
        return self._representatives[most]

    def _posterior_of_fit(self, so: str) -> Posterior:
        """Return the sampled posterior, or raise an error for copies without it."""
        if self._posterior is None:
            raise InputError(
                f"A {type(self).__name__} that was pickled or loaded does not hold the rows it was "
                f"fitted on, and so {so}; fit it again."
            )
        return self._posterior

    def _keep_representative(self) -> None:
        """Compute the representative rule before the rows are dropped, for copies."""
        if self._posterior is not None:
            with suppress(InputError):  # the prior allows none
                self.representative()

    def representative_proba(
        self, X: Any, strata: Any = None, max_literals: int | None = None
    ) -> NDArray[np.float64]:
        """Return the probability of each class by the representative rule alone.

        They are means of the averaged probabilities over the rows that each part has, of the fit
        and crossed from them.

        Parameters
        ----------
        X : pandas or polars DataFrame, 2-D array, or dict of columns
            The rows.
        strata : array-like, optional
            The stratum of each row, as in :meth:`predict_proba`.
        max_literals : int, optional
            Maximum number of literals; by default that of the constructor.

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
        own = self._own_probabilities(shown, numbers)
        return own[np.zeros(rows.n_rows, dtype=np.intp) if numbers is None else numbers, parts]

    def _own_probabilities(
        self, shown: Representative, strata: NDArray[np.intp] | None
    ) -> NDArray[np.float64]:
        """Return the probabilities of classes by a rule: [stratum, part, class].

        Without the strata of rows there is one, of all together.
        """
        own = shown.predicted
        if strata is None:
            weights = stratum_weights(self.effect_, shown.cells)[..., None]
            own = (weights * own).sum(axis=0, keepdims=True)
        if self.positive_ is None:
            return own
        return self._by_class(own[..., 0].ravel()).reshape(own.shape)

    def _attributes(self) -> Iterable[str]:
        """Return the columns that the drawn rules use."""
        return dict.fromkeys(literal.attribute for literal in self.draws_.literals)
