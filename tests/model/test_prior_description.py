"""What a prior expects, against its own definition and against draws from it."""

import numpy as np
import pytest

from bayesdnf import BitMatrix, Geometric, Poisson, Prior, Uniform
from bayesdnf.errors import ParameterError
from tests.reference import geometric, shifted_poisson, truncated


def test_terms_and_sizes_are_those_of_the_distributions():
    told = Prior(count=Geometric(0.3, start=0), size=Poisson(1)).describe(20)
    count, size = geometric(0.3, start=0), truncated(shifted_poisson(1), 20)
    assert told.terms[:5] == pytest.approx([count(m) for m in range(5)])
    assert told.size[:6] == pytest.approx([size(k) for k in range(6)])
    assert told.terms.sum() == pytest.approx(1)
    assert told.literals.sum() == pytest.approx(1)


def test_shares_of_marked_rows_are_those_of_drawn_functions():
    rng = np.random.default_rng(0)
    bits = BitMatrix.from_table((rng.random((4000, 12)) < 0.5).astype(int))
    # Nothing is ruled out here that the description does not know of.
    prior = Prior(count=Uniform(2), size=Poisson(1), antichain=False, min_cover=0)
    functions = prior.sample(bits, 2000, random_state=0)
    X = {f"x{i}": bits.truth(bits.table[i]) for i in range(12)}
    shares = [f(X).mean() for f in functions]
    assert np.mean(shares) == pytest.approx(prior.describe(12).marked.mean(), abs=0.02)


def test_words_say_where_the_mass_is():
    text = str(Prior(count=Geometric(0.5), size=Uniform(2)).describe(50))
    assert "no marker at all     0 %" in text
    assert "literals in a term   1 to 2, 1.5 on average" in text
    assert "next to no row" not in text
    assert "size-only" in str(Prior(literals="size-only", max_terms=3).describe(50))
    assert "a smaller mean" in str(Prior(size=Poisson(9)).describe(50))


def test_a_prior_that_expects_ever_more_terms_says_so():
    with pytest.raises(ParameterError, match="'max_terms' parameter of Prior"):
        Prior.paper(10, 0.5).describe(116)
    with pytest.raises(ParameterError, match=r"'p' parameter of Prior.describe"):
        Prior().describe(0)
