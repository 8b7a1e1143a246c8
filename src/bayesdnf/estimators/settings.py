"""The settings of an estimator: checks, the encoder and the seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..checks import MOST, is_whole, seconds, whole
from ..data.encoder import LiteralEncoder
from ..data.kinds import check_directions
from ..errors import ParameterError
from ..gpu.device import DEVICES
from ..model.effect import Effect
from ..model.posterior import MOST_LAYERS
from ..model.prior import Prior

if TYPE_CHECKING:
    from ..model.posterior import Posterior
    from .rule_classifier import RuleClassifier


LAYERS_OF_CLASSES = 4
"""Most layers of a list for more than two classes, where nothing else is said."""


def check_parameters(model: RuleClassifier, least: Mapping[str, int]) -> None:
    """Raise ParameterError for an invalid constructor parameter.

    Parameters
    ----------
    model : RuleClassifier
        The estimator.
    least : mapping
        Parameters of its own that are whole numbers, and the least that each may be.
    """
    owner = type(model).__name__
    for name, kind in (("prior", Prior), ("effect", Effect)):
        value = getattr(model, name)
        if not isinstance(value, (kind, type(None))):
            raise ParameterError.of(name, owner, f"an instance of {kind.__name__} or None", value)
    for name, bound in least.items():
        whole(name, owner, getattr(model, name), bound)
    if model.layers is not None:
        whole("layers", owner, model.layers, 1, MOST_LAYERS, besides="or None")
    if not is_whole(model.verbose, 0, MOST) and not isinstance(model.verbose, bool):
        raise ParameterError.of("verbose", owner, "0, 1 or 2", model.verbose)
    if model.n_jobs is not None and (not is_whole(model.n_jobs, -MOST, MOST) or model.n_jobs == 0):
        must = "a whole number other than 0 (-1: all cores), or None"
        raise ParameterError.of("n_jobs", owner, must, model.n_jobs)
    if not isinstance(model.device, str) or model.device not in DEVICES:
        raise ParameterError.of("device", owner, f"one of {', '.join(DEVICES)}", model.device)
    seconds("time_limit", owner, model.time_limit)
    check_directions(model.monotonic_cst, owner)
    if not isinstance(model.allow_missing_columns, (bool, np.bool_)):
        given = model.allow_missing_columns
        raise ParameterError.of("allow_missing_columns", owner, "True or False", given)


def refuse_directions(posterior: Posterior, directions: Mapping[str, int]) -> None:
    """Raise ParameterError for directions of columns where risks themselves have no order.

    A function of rising literals marks more rows as a column rises; that its risk rises too needs
    the risk of marked rows to be the higher one.
    """
    if not directions:
        return
    if posterior.layers > 1:
        why = "with more than one layer: each has a risk of its own, higher or lower than others"
    elif posterior.n_strata > 1:
        why = "with strata: in each of them marked rows may have the higher or the lower risk"
    elif posterior.effect.ordered is False:
        why = "with Effect(ordered=False): marked rows may have the lower risk"
    else:
        return
    raise ParameterError(
        f"The 'monotonic_cst' parameter must be None {why}. Got {dict(directions)} instead."
    )


def seed_of(random_state: Any, owner: str) -> int:
    """Convert scikit-learn's ``random_state`` to one integer seed; None gives a random one."""
    if random_state is None:
        return int(cast(int, np.random.SeedSequence().entropy))
    # One draw, so that a generator that is passed on gives each fit another seed.
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if is_whole(random_state, least=0):
        return int(random_state)
    must = "a whole number, 0 or more, a RandomState or Generator, or None"
    raise ParameterError.of("random_state", owner, must, random_state)


def encoder_of(estimator: Any, drop_first: bool = False) -> LiteralEncoder:
    """Make the encoder from an estimator's parameters."""
    return LiteralEncoder(
        kinds=estimator.kinds,
        negations=estimator.negations,
        thresholds=estimator.thresholds,
        missing_values=estimator.missing_values,
        drop_first=drop_first,
        monotonic_cst=getattr(estimator, "monotonic_cst", None),
    )
