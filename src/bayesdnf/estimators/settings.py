"""The settings of a classifier that are not the model's: search, chains, seed."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import ParameterError
from ..model.effect import Effect
from ..model.prior import Prior

if TYPE_CHECKING:
    from .rule_classifier import RuleClassifier


def check_parameters(model: RuleClassifier, whole: Mapping[str, int]) -> None:
    """Raise ParameterError for a constructor parameter outside its meaning.

    Parameters
    ----------
    model : RuleClassifier
        Whose parameters they are.
    whole : mapping
        Parameters of its own that are whole numbers, and the least that each may be.
    """
    owner = type(model).__name__
    for name, kind in (("prior", Prior), ("effect", Effect)):
        value = getattr(model, name)
        if not isinstance(value, (kind, type(None))):
            raise ParameterError.of(name, owner, f"an instance of {kind.__name__} or None", value)
    for name, least in whole.items():
        value = getattr(model, name)
        if not is_whole(value, least):
            raise ParameterError.of(name, owner, f"a whole number, {least} or more", value)
    if not is_whole(model.verbose, least=0) and not isinstance(model.verbose, bool):
        raise ParameterError.of("verbose", owner, "0, 1 or 2", model.verbose)
    if model.n_jobs is not None and (not is_whole(model.n_jobs) or model.n_jobs == 0):
        must = "a whole number other than 0 (-1: all cores), or None"
        raise ParameterError.of("n_jobs", owner, must, model.n_jobs)
    limit = model.time_limit
    if limit is not None and (not isinstance(limit, Real) or not float(limit) > 0):
        raise ParameterError.of("time_limit", owner, "seconds above 0, or None", limit)
    if not isinstance(model.allow_missing_columns, (bool, np.bool_)):
        given = model.allow_missing_columns
        raise ParameterError.of("allow_missing_columns", owner, "True or False", given)


def is_whole(value: object, least: int | None = None) -> bool:
    """Whether a value is a whole number, no bool, and not too small."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    return whole and (least is None or int(cast(int, value)) >= least)


def seed_of(random_state: Any, owner: str) -> int:
    """Turn scikit-learn's ``random_state`` into one whole number; None gives a new one."""
    if random_state is None:
        return int(cast(int, np.random.SeedSequence().entropy))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if is_whole(random_state, least=0):
        return int(random_state)
    must = "a whole number, 0 or more, a RandomState or Generator, or None"
    raise ParameterError.of("random_state", owner, must, random_state)
