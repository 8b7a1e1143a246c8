"""Priors with gaps that no single step crosses."""

import numpy as np
import pytest

from bayesdnf import BitMatrix, Geometric, Posterior, Prior, Tabulated, hunt, sample
from bayesdnf.errors import InputError
from bayesdnf.search.prior_gaps import require_steps

ROWS = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]])


def posterior_of(prior):
    return Posterior(BitMatrix.from_table(ROWS), [0, 1, 0, 1, 1], prior)


@pytest.mark.parametrize(
    "prior",
    [
        Prior(),
        Prior(count=Geometric(0.5)),
        Prior(count=Tabulated([0, 1])),
        Prior(count=Tabulated([0, 1, 1])),
        Prior(count=Tabulated([1, 1, 0, 1]), max_terms=1),
        Prior(size=Tabulated([0, 0, 1, 1])),
        Prior(size=Tabulated([0, 1, 0, 1])),  # births and deaths of whole terms cross this gap
        Prior(count=Tabulated([0, 1]), size=Tabulated([0, 0, 1])),
    ],
    ids=repr,
)
def test_priors_that_steps_can_cross(prior):
    require_steps(posterior_of(prior))


@pytest.mark.parametrize(
    ("prior", "told"),
    [
        (Prior(count=Tabulated([0.3, 0, 0.5, 0.2])), "number of terms allows 0, 2, 3 but not 1,"),
        (Prior(count=Tabulated([0, 0, 1])), "number of terms allows 2 but not 1,"),
        (
            Prior(count=Tabulated([0, 1]), size=Tabulated([0, 1, 0, 1])),
            "size of terms allows 1, 3 literals but not 2, and where all functions have as many",
        ),
        (
            Prior(required=["x0"], size=Tabulated([0, 1, 0, 1])),
            "size of terms allows 1, 3 literals but not 2, and where attributes are required",
        ),
    ],
)
def test_gaps_are_told(prior, told):
    for ask in (hunt, sample):
        with pytest.raises(InputError, match=told):
            ask(posterior_of(prior), random_state=0)
    assert len(posterior_of(prior).enumerate()) > 0


def test_a_bound_below_every_number_of_terms():
    prior = Prior(count=Tabulated([0, 0, 1]), max_terms=1)
    with pytest.raises(InputError, match=r"^The prior allows no number of terms up to 1\.$"):
        hunt(posterior_of(prior), random_state=0)
