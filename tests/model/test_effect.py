"""Effect and Prior as bags of settings, and what Effect refuses."""

import math

import pytest
from sklearn.base import clone

from bayesdnf import Effect, Geometric, Poisson, Prior
from bayesdnf.errors import ParameterError

BAGS = [
    Effect(),
    Effect(a0=0.5, b1=3, ordered=False, prevalence=0.02, sampling="case-control"),
    Prior(),
    Prior(count=Geometric(0.1), size=Poisson(5), weights={"x0": 2.0}, max_terms=3),
    Prior.paper(10, 0.5),
]


@pytest.mark.parametrize("bag", BAGS, ids=repr)
def test_settings_survive_a_round_trip(bag):
    copied = clone(bag)
    assert copied is not bag
    assert copied == bag
    assert copied.get_params() == bag.get_params()
    assert type(bag)(**bag.get_params()) == bag
    assert type(bag)().set_params(**bag.get_params()) == bag
    assert eval(repr(bag)) == bag  # repr is code


def test_set_params():
    effect = Effect()
    assert effect.set_params(a1=4, ordered=False) is effect
    assert (effect.a1, effect.ordered) == (4, False)
    assert effect != Effect()
    with pytest.raises(ParameterError, match=r"Effect has no parameter 'a2'; it has a0, b0, a1"):
        effect.set_params(a2=1)
    with pytest.raises(ParameterError, match="The 'a0' parameter of Effect"):
        effect.set_params(a0=0)
    assert effect == Effect(a1=4, ordered=False)  # a refused change changes nothing


@pytest.mark.parametrize("name", ["a0", "b0", "a1", "b1", "a", "b"])
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "1", None])
def test_beta_parameters_must_be_positive(name, value):
    with pytest.raises(ParameterError) as caught:
        Effect(**{name: value})
    assert str(caught.value) == (
        f"The '{name}' parameter of Effect must be a finite number above 0. Got {value!r} instead."
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ordered": "yes"}, "The 'ordered' parameter of Effect must be True, False or None."),
        ({"prevalence": 0}, "must be between 0 and 1, both excluded, or None. Got 0 instead."),
        ({"prevalence": 1.0}, "The 'prevalence' parameter of Effect must be between 0 and 1"),
        ({"prevalence": 2}, "Got 2 instead."),
        ({"prevalence": math.nan}, "Got nan instead."),
        ({"prevalence": "0.1"}, "Got '0.1' instead."),
        ({"sampling": "cohort"}, "must be 'random' or 'case-control'. Got 'cohort' instead."),
        ({"sampling": "case-control"}, "must be given when sampling='case-control'"),
    ],
)
def test_impossible_effects(settings, message):
    with pytest.raises(ParameterError) as caught:
        Effect(**settings)
    assert message in str(caught.value)
