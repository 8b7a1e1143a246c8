"""Samplers at one temperature: informed (the default), reversible_jump and single_term."""

from __future__ import annotations

from collections.abc import Sequence

from ..boolean import BooleanFunction
from ..model.posterior import Posterior
from ..model.rule import as_rule
from .kernel import MoveKernel

MIX = {
    "flip": 0.1,
    "swap": 0.12,
    "row birth": 0.1,
    "redraw": 0.4,
    "grown birth": 0.15,
    "jump": 0.05,
    "respell": 0.08,
}
"""Flips and swaps cost little; births from rows move between numbers of terms; redraws score
every literal that could stand in a place; grown births find whole terms that are worth having;
jumps lead from one of the functions that the search found, or from none, to another of them;
respelling puts two literals of an attribute in the place of one, or one of two, where the term
keeps its rows: no change of a single literal leads there without losing some."""
LIST_MIX = {
    "flip": 0.08,
    "swap": 0.09,
    "birth": 0.1,
    "row birth": 0.05,
    "redraw": 0.3,
    "grown birth": 0.15,
    "layer": 0.1,
    "jump": 0.05,
    "respell": 0.08,
}
"""Of lists: also changes of layers, and births of terms drawn without a look at the data. Only the
deaths of these remove terms that change nothing, which breed where their own layer has their rows:
an informed birth would hardly make one, so that its death is hardly accepted."""
REQUIRED_MIX = {"split": 0.1, "birth": 0.05}
"""Beside these where attributes are required: between x0 AND x1 and (x0) OR (x1) no term can go and
no literal leave, since what is required must stay; a split leads there at once."""
LISTED = 0.1
"""Weight of births from a list beside these, where there is one."""


def informed(
    posterior: Posterior, candidates: Sequence[BooleanFunction | str] | None = None
) -> MoveKernel:
    """Sample by flips, swaps, births from rows, redraws, grown births, jumps and respelling.

    Parameters
    ----------
    posterior : Posterior
        What to sample.
    candidates : sequence of functions, optional
        Functions whose terms are worth a try, from an exhaustive scan for example: a tenth of the
        steps then offer one of these terms, to drop one, or one for another, each alike.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, simulate
    >>> from bayesdnf.sampling.samplers import informed
    >>> X, y, truth = simulate(200, 5, terms=(2,), random_state=0)
    >>> informed(Posterior(BitMatrix.from_table(X), y)).name
    'informed'
    """
    mix = informed_mix(posterior)
    if candidates is None:
        return MoveKernel("informed", posterior, mix)
    # A name of its own: no other kernel takes candidates, and none is to be advised in its place.
    name = "informed with candidates"
    if not candidates:
        return MoveKernel(name, posterior, mix)
    listed = {
        tuple(term): 1.0
        for candidate in candidates
        for term in posterior.support.ids(as_rule(candidate))
    }
    return MoveKernel(name, posterior, {**mix, "listed birth": LISTED}, listed=listed)


def informed_mix(posterior: Posterior) -> dict[str, float]:
    """Return the probabilities of the informed moves, for functions or for lists.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, simulate
    >>> from bayesdnf.sampling.samplers import informed_mix
    >>> X, y, truth = simulate(200, 5, terms=(2,), random_state=0)
    >>> informed_mix(Posterior(BitMatrix.from_table(X), y, layers=4))["layer"]
    0.1
    """
    mix = MIX if posterior.layers == 1 else LIST_MIX
    if posterior.prior.required:
        mix = REQUIRED_MIX | mix
    return mix


def reversible_jump(posterior: Posterior) -> MoveKernel:
    """Sample by splits and merges, flips and swaps, and births and deaths of arbitrary terms.

    A split replaces a term u by w and the symmetric difference of u and w; a merge replaces two
    terms by their symmetric difference. The paper's acceptance ratio counts the choice of w twice
    and forgets that of the pair; here each counts once, and enumeration confirms it.

    Notes
    -----
    Splits and merges alone never change the symmetric difference of all terms, so they reach only
    a small part of the functions. With flips they reach every set of terms, but on antichains some
    functions stay cut off: at p = 3 none of these moves leads away from "any two of three". Births
    of arbitrary terms close that gap, and swaps the one where the prior has no terms of one
    literal. Even so it is slow on many columns: nearly all random terms are poor, and nearly all
    random halves poorer. Use it to check, and :func:`informed` to work.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, simulate
    >>> from bayesdnf.sampling.samplers import reversible_jump
    >>> X, y, truth = simulate(200, 5, terms=(2,), random_state=0)
    >>> sorted(reversible_jump(Posterior(BitMatrix.from_table(X), y)).mix)
    ['birth', 'flip', 'split', 'swap']
    """
    mix = {"flip": 0.4, "swap": 0.1, "split": 0.25, "birth": 0.25}
    if posterior.layers > 1:
        mix["layer"] = 0.25
    return MoveKernel("reversible_jump", posterior, mix)


def single_term(posterior: Posterior) -> MoveKernel:
    """Sample functions of one term: flip one literal of all, uniformly drawn.

    This is the paper's chain (its section on one implicant). Its state there is the term with
    both rates; here the rates are integrated out of the flip's acceptance and drawn afterwards
    given the term, which is the same distribution with less to wait for. A chain stays among the
    functions of as many terms as it started with, one.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, simulate
    >>> from bayesdnf.sampling.samplers import single_term
    >>> X, y, truth = simulate(200, 5, terms=(2,), random_state=0)
    >>> single_term(Posterior(BitMatrix.from_table(X), y)).mix
    {'flip': 1.0}
    """
    return MoveKernel("single_term", posterior, {"flip": 1.0})
