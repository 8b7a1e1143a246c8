"""Prior on Boolean functions: P(m) · m! · Π P(k_i) P(S_i | k_i), and constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..boolean import BooleanFunction, Literal
from ..checks import is_whole, whole
from ..data.bits import BitMatrix
from ..data.literal_table import LiteralTable
from ..errors import ParameterError, UnknownColumnError, did_you_mean
from .distributions import Distribution, Flat, Geometric, Poisson, Uniform
from .parameters import Parameters
from .prior_description import PriorDescription, describe
from .prior_draws import draw_functions
from .rule import MOST_LAYERS, Rule

# With literal weights the sum over all terms of a size is worked out term by term, up to here.
_LARGEST_WEIGHTED_TERM = 1024
_MOST_TERMS = 2**20


class PriorTables(NamedTuple):
    """A prior as the native core takes it: logs by m and by k, weights in units of 2^-32."""

    by_count: NDArray[np.float64]
    by_size: NDArray[np.float64]
    by_literal: NDArray[np.int64]


class Prior(Parameters):
    """Prior on functions: number of terms, sizes, literals, and constraints.

    Parameters
    ----------
    count : distribution, default=Geometric(0.5, start=0)
        Number of terms m. With mass at m = 0, "no marker" is one of the hypotheses.
    size : distribution, default=Poisson(2)
        Number of literals k of a term, renormalised to 1..p.
    literals : {"uniform", "size-only"}, default="uniform"
        P(S | k): "uniform" on the C(p, k) sets, so that every literal costs about ln p;
        "size-only" omits this factor, as the paper's code does.
    orderings : bool, default=True
        Count the m! orders of a set of m terms, so that P(m) is the probability of m terms.
    min_cover : int, default=1
        Minimum number of rows on which each term must hold.
    antichain : bool, default=True
        Exclude functions in which one term implies another.
    disjoint : bool, default=False
        Exclude functions that use an attribute in two terms; equal columns count as one.
    weights : mapping or sequence, optional
        Prior weights of literals, by attribute name or literal text (others weigh 1), or one per
        literal: P(S | k) is proportional to the product of its literals' weights.
    max_terms, max_literals : int, optional
        Maximum m and maximum total number of literals.
    related : bool, default=False
        Allow a term to hold two literals one of which implies or excludes the other.
    apart : sequence of groups of names, optional
        No term has literals of two members of a group. A name is that of a column, for all its
        literals, or the text of a literal; a group is a sequence of names.
    at_most_one : sequence of groups of names, optional
        A function uses at most one member of a group, over all its terms.
    required : sequence of names, optional
        A function must use each of them; the null function is then excluded.

    Notes
    -----
    Excluded functions have probability 0 and the others are not renormalised: their score is the
    value of the formula. On small p the marginal prior on m is then proportional to P(m) times
    the probability that m independent terms form an allowed set.

    Examples
    --------
    >>> from bayesdnf import Prior, Poisson, Geometric
    >>> Prior(size=Poisson(5), count=Geometric(0.1))
    Prior(count=Geometric(p=0.1, start=1), size=Poisson(mean=5, truncate=True))
    """

    def __init__(
        self,
        count: Distribution = Geometric(0.5, start=0),
        size: Distribution = Poisson(2),
        literals: str = "uniform",
        orderings: bool = True,
        min_cover: int = 1,
        antichain: bool = True,
        disjoint: bool = False,
        weights: Mapping[str, float] | Sequence[float] | None = None,
        max_terms: int | None = None,
        max_literals: int | None = None,
        related: bool = False,
        apart: Sequence[Sequence[str]] | None = None,
        at_most_one: Sequence[Sequence[str]] | None = None,
        required: Sequence[str] | None = None,
    ) -> None:
        self.count = count
        self.size = size
        self.literals = literals
        self.orderings = orderings
        self.min_cover = min_cover
        self.antichain = antichain
        self.disjoint = disjoint
        self.weights = weights
        self.max_terms = max_terms
        self.max_literals = max_literals
        self.related = related
        self.apart = apart
        self.at_most_one = at_most_one
        self.required = required
        self._check()

    @classmethod
    def paper(cls, theta: float, p_geom: float) -> Prior:
        """Build the prior of the paper's code: sizes only, no m!, no constraints.

        Parameters
        ----------
        theta : float
            Size: k - 1 ~ Poisson(theta), not renormalised.
        p_geom : float
            Number of terms: geometric on 1, 2, …. ``paper(0, 0)`` is his non-informative prior.

        Examples
        --------
        >>> from bayesdnf import Prior
        >>> Prior.paper(10, 0.5).literals
        'size-only'
        """
        flat = theta == 0 and p_geom == 0
        return cls(
            count=Flat() if flat else Geometric(p_geom),
            size=Flat() if flat else Poisson(theta, truncate=False),
            literals="size-only",
            orderings=False,
            min_cover=0,
            antichain=False,
            related=True,
        )

    def _check(self) -> None:
        for name in ("count", "size"):
            given: Any = getattr(self, name)
            if isinstance(given, type) or not callable(getattr(given, "log_table", None)):
                raise ParameterError.of(name, "Prior", "a distribution such as Poisson(2)", given)
        if isinstance(self.count, Uniform) and self.count.high is None:
            raise ParameterError.of(
                "count", "Prior", "bounded, such as Uniform(10): m has no largest value", self.count
            )
        if self.literals not in ("uniform", "size-only"):
            raise ParameterError.of("literals", "Prior", "'uniform' or 'size-only'", self.literals)
        for name in ("orderings", "antichain", "disjoint", "related"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError.of(name, "Prior", "True or False", getattr(self, name))
        for name, least in (("min_cover", 0), ("max_terms", 0), ("max_literals", 1)):
            value: Any = getattr(self, name)
            if value is None and name != "min_cover":
                continue
            whole(name, "Prior", value, least)
        for name in ("apart", "at_most_one"):
            groups: Any = getattr(self, name)
            if groups is not None and not (
                _is_list(groups) and all(_is_list(g) and all(map(_is_name, g)) for g in groups)
            ):
                raise ParameterError.of(
                    name, "Prior", "groups of names, such as [['age', 'sex']]", groups
                )
        if self.required is not None and not (
            _is_list(self.required) and all(map(_is_name, self.required))
        ):
            raise ParameterError.of("required", "Prior", "names, such as ['age']", self.required)
        if self.weights is not None and self.literals == "size-only":
            raise ParameterError.of("weights", "Prior", "None with literals='size-only'", "weights")

    def tables(self, literals: LiteralTable, n_rows: int, among: int | None = None) -> PriorTables:
        """Convert the prior to tables for n rows and p literals (``among``, or all of the table).

        The table of m ends at n (at least 1024, at most a million): functions with more terms are
        outside of the support.
        """
        # A screen must not make literals cheaper: with ``among``, p includes those it left out.
        p = len(literals) if among is None else among
        # The table of m has to end, and the core gives no mass to a count beyond it. Functions
        # whose terms each mark a row of their own have at most n terms.
        most = min(max(n_rows, 1024), _MOST_TERMS)
        count = np.array(self.count.log_table(most))  # copies: a table may be the caller's own
        if self.orderings:
            # m! of docs/model.md, "Prior": a set of m terms can be written in m! orders, each of
            # which has probability P(m) Π P(S_i).
            count[1:] += np.cumsum(np.log(np.arange(1, most + 1)))
        size = np.array(self.size.log_table(p))
        size[0] = -np.inf
        if not np.isfinite(size).any():
            raise ParameterError.of(
                "size", "Prior", f"a distribution that allows sizes from 1 to {p:,}", self.size
            )
        # A term has 1 to p literals: P(k) is renormalised to these (docs/model.md, "Prior").
        if self.size.truncates:
            size -= np.logaddexp.reduce(size)
        weights = np.zeros(0, dtype=np.int64)
        if self.weights is not None:
            logs = self._log_weights(literals)
            # Fixed point: integer sums do not depend on the order of a term's literals, so equal
            # terms have equal scores to the last bit.
            weights = np.round(logs * 2.0**32).astype(np.int64)
            size = size[: _LARGEST_WEIGHTED_TERM + 1]
            # Normalised by e_k of the rounded weights, those that the core adds up, so that the
            # sizes keep exactly their probabilities.
            size -= _native.log_elementary_symmetric(weights / 2.0**32, len(size) - 1)
        elif self.literals == "uniform":
            # C(p, k) = C(p, k - 1) (p + 1 - k) / k: a running sum of logs has no factorial that
            # overflows.
            k = np.arange(1, p + 1)
            size[1:] -= np.cumsum(np.log((p + 1 - k) / k))  # log C(p, k)
        return PriorTables(count, size, weights)

    def describe(self, p: int, n: int = 1000) -> PriorDescription:
        """Summarise the functions that the prior expects: sizes, numbers of terms, rows marked.

        Parameters
        ----------
        p : int
            Number of literals on offer.
        n : int, default=1000
            Number of rows; more terms than that (or than 1024) are ruled out.

        Returns
        -------
        PriorDescription
            Prints as text; :func:`bayesdnf.plots.prior` plots it. Constraints such as
            ``antichain`` depend on the table and are not taken into account.

        Examples
        --------
        >>> from bayesdnf import Prior
        >>> print(Prior().describe(100))
        Prior() on 100 literals expects:
          no marker at all     50 %
          terms                0 to 4, 1.0 on average
          literals in a term   1 to 6, 3.0 on average
          literals in all      0 to 12
          rows marked          0.781 % (0 % to 62.5 %), if every column is true on half of them
        """
        owner = "Prior.describe"
        return describe(self, whole("p", owner, p, 1), whole("n", owner, n, 1))

    def sample(
        self,
        bits: BitMatrix,
        size: int = 1,
        *,
        layers: int = 1,
        among: int | None = None,
        random_state: int | np.random.SeedSequence | np.random.Generator | None = None,
    ) -> list[Rule]:
        """Draw functions from the prior, restricted to what it allows on a table.

        Constraints (``antichain``, ``min_cover``, ``disjoint`` and others) depend on the table.
        Whole functions are drawn and rejected if they violate one, so that an allowed function is
        drawn with its prior probability divided by that of all allowed functions. Posterior
        probabilities on this table refer to this renormalised prior.

        Parameters
        ----------
        bits : BitMatrix
            The table; every literal in it is on offer.
        size : int, default=1
            Number of draws.
        layers : int, default=1
            The most layers; with more than 1, lists are drawn.
        among : int, optional
            How many literals those of ``bits`` were chosen from, as in :class:`Posterior`. By
            default they are all there were.
        random_state : int, SeedSequence, Generator or None, default=None
            Seed or generator.

        Returns
        -------
        list of BooleanFunction, or of RuleList
            Independent draws, the null function among them where it has mass.

        Raises
        ------
        ParameterError
            When the prior is improper: the weights of m do not decrease and nothing bounds m.
        InputError
            When none of a million functions in a row (or of ten million terms) is allowed.

        Examples
        --------
        >>> from bayesdnf import BitMatrix, Prior, simulate
        >>> bits = BitMatrix.from_table(simulate(100, 5, random_state=0).X)
        >>> for function in Prior().sample(bits, 3, random_state=5):
        ...     print(function)
        (x0 AND x4) OR (x1 AND x2 AND x3)
        (x0 AND x1 AND x2 AND x4)
        FALSE
        """
        size = whole("size", "Prior.sample", size, 0)
        try:
            rng = np.random.default_rng(random_state)
        except (TypeError, ValueError):
            raise ParameterError.of(
                "random_state",
                "Prior.sample",
                "a whole number, 0 or more, a SeedSequence, a Generator or None",
                random_state,
            ) from None
        layers = whole("layers", "Prior.sample", layers, 1, MOST_LAYERS)
        among = self.among(bits.n_literals, among, "Prior.sample")
        return draw_functions(self, bits, int(size), rng, layers, among)

    def among(self, p: int, among: int | None, owner: str) -> int:
        """Check how many literals p were chosen from, for the function or class ``owner``.

        Examples
        --------
        >>> from bayesdnf import Prior
        >>> Prior().among(10, None, "Posterior"), Prior().among(10, 500, "Posterior")
        (10, 500)
        """
        if among is None:
            return p
        if not is_whole(among, p):
            raise ParameterError.of("among", owner, f"{p:,} or more", among)
        if self.weights is not None and among > p:
            # e_k(w) of the prior would need the weights of the literals that were left out, too.
            raise ParameterError.of("among", owner, "None with weights of literals", among)
        return int(among)

    def knowledge(self, literals: LiteralTable) -> dict[str, Any]:
        """Convert constraints on groups of literals to literal numbers for the native core."""

        def entry(name: str, parameter: str) -> list[int]:
            return [int(i) for i in _named(name, literals, parameter)]

        return {
            "apart": [[entry(n, "apart") for n in group] for group in self.apart or ()],
            "at_most_one": [
                [entry(n, "at_most_one") for n in group] for group in self.at_most_one or ()
            ],
            "required": [entry(n, "required") for n in self.required or ()],
        }

    def _log_weights(self, literals: LiteralTable) -> NDArray[np.float64]:
        assert self.weights is not None
        values = np.ones(len(literals))
        if isinstance(self.weights, Mapping):
            for key, weight in self.weights.items():
                values[_named(key, literals, "weights")] = weight
        elif len(self.weights) != len(literals):
            raise ParameterError.of(
                "weights",
                "Prior",
                f"one number for each of the {len(literals):,} literals, or a mapping",
                f"{len(self.weights):,} numbers",
            )
        else:
            values[:] = self.weights
        if not (np.isfinite(values) & (values > 0)).all():
            worst = values[~(np.isfinite(values) & (values > 0))][0]
            raise ParameterError.of("weights", "Prior", "finite numbers above 0", float(worst))
        return np.log(values)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_name(value: Any) -> bool:
    return isinstance(value, str)


def _named(key: str, literals: LiteralTable, parameter: str) -> NDArray[np.intp]:
    """Find the literals of a name: one by its text, or all of an attribute."""
    if key in literals.numbers:
        return literals.members(literals.numbers[key])
    terms = BooleanFunction.parse(key).literal_terms
    literal: Literal | None = terms[0][0] if len(terms) == 1 and len(terms[0]) == 1 else None
    index = None
    if literal is not None and literal.attribute in literals.numbers:
        index = literals.find(literal)
    if index is None:
        raise UnknownColumnError(
            f"The '{parameter}' parameter of Prior names {key!r}, which is neither a column nor a "
            f"literal of the table.{did_you_mean(key, literals.attributes)}"
        )
    return np.array([index])
