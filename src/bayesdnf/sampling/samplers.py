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
"""Flips and swaps are cheap. Births from rows change the number of terms. Redraws score every
literal of the table for one position. Grown births propose whole terms of high posterior. Jumps
move between the functions that the search found and the null function. Respelling replaces one
literal by two of the same attribute, or two by one, if the term keeps its rows; a change of a
single literal cannot do this without losing rows."""
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
"""For lists: also changes of layers, and births of terms drawn without the data. Terms whose rows
another term of their layer covers do not change the likelihood, and the m! of the prior favours
them. Only the deaths of uninformed births remove them: an informed birth would hardly propose such
a term, so the acceptance ratio of its death is small."""
REQUIRED_MIX = {"split": 0.1, "birth": 0.05}
"""Added if attributes are required: between x0 AND x1 and (x0) OR (x1) no term and no literal can
be removed, because both attributes must stay. A split makes this change in one step."""
LISTED = 0.1
"""Weight of births from a list of candidate terms, if there is one."""


def informed(
    posterior: Posterior, candidates: Sequence[BooleanFunction | str] | None = None
) -> MoveKernel:
    """Sample by flips, swaps, births from rows, redraws, grown births, jumps and respelling.

    Parameters
    ----------
    posterior : Posterior
        The posterior to sample.
    candidates : sequence of functions, optional
        Functions with candidate terms, for example from an exhaustive scan: a tenth of the steps
        then proposes to add one of these terms, to drop one, or to exchange two, with equal
        probability.

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
    # A separate name: no other kernel takes candidates, so the verdict must not recommend another.
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
    and omits that of the pair; docs/paper.md has the corrected ratio, which enumeration confirms.

    Notes
    -----
    Splits and merges alone never change the symmetric difference of all terms, so they reach only
    a small part of the functions. With flips they reach every set of terms, but on antichains some
    functions stay isolated: at p = 3 no such move leaves "any two of three". Births of arbitrary
    terms connect these, and swaps those of priors without terms of one literal. The sampler mixes
    slowly with many columns, because nearly all random terms and halves have a low posterior. Use
    it for checks, and :func:`informed` for results.

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
    """Sample functions of one term by flips of a uniformly drawn literal.

    This is the paper's chain (its section on one implicant). The state of the paper's chain is the
    term and both rates. Here the rates are integrated out, and drawn given the term afterwards:
    the distribution is the same, and the chain mixes faster. The number of terms never changes.

    Examples
    --------
    >>> from bayesdnf import BitMatrix, Posterior, simulate
    >>> from bayesdnf.sampling.samplers import single_term
    >>> X, y, truth = simulate(200, 5, terms=(2,), random_state=0)
    >>> single_term(Posterior(BitMatrix.from_table(X), y)).mix
    {'flip': 1.0}
    """
    return MoveKernel("single_term", posterior, {"flip": 1.0})
