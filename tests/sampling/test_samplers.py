"""Samplers at one temperature: which moves they take, and that these reach what is allowed."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf import BitMatrix, BooleanFunction, LiteralEncoder, Posterior, Prior, sample
from bayesdnf.sampling.kernel import MOVES
from bayesdnf.sampling.samplers import (
    LIST_MIX,
    LISTED,
    MIX,
    informed,
    informed_mix,
    reversible_jump,
    single_term,
)
from tests.sampling.runs import posterior_of, posterior_of_lists


@pytest.mark.parametrize("mix", [MIX, LIST_MIX])
def test_mixes_are_probabilities_of_moves_that_the_core_has(mix):
    assert set(mix) <= set(MOVES)
    assert sum(mix.values()) == pytest.approx(1)


def test_lists_have_moves_between_layers():
    assert "layer" in informed_mix(posterior_of_lists())
    assert "layer" not in informed_mix(posterior_of())
    assert "layer" in reversible_jump(posterior_of_lists()).mix
    assert "layer" not in reversible_jump(posterior_of()).mix


def test_candidates_are_listed_term_by_term():
    posterior = posterior_of()
    first, second = (str(x) for x in posterior.bits.table[:2])
    kernel = informed(posterior, [f"{first} AND {second} OR {second}", BooleanFunction(first)])
    assert set(kernel.listed) == {(0, 1), (1,), (0,)}
    assert kernel.mix["listed birth"] == LISTED
    assert "listed birth" not in informed(posterior).mix
    assert "listed birth" not in informed(posterior, []).mix


def test_one_term_is_only_flipped():
    assert single_term(posterior_of()).mix == {"flip": 1.0}
    names = [make(posterior_of()).name for make in (informed, reversible_jump, single_term)]
    assert names == ["informed", "reversible_jump", "single_term"]


def assert_as_enumerated(posterior, kernel):
    """Each function is drawn as often as it is probable, is allowed, and the verdict is good."""
    drawn = sample(posterior, draws=2_000, warmup=200, thin=20, kernel=kernel, random_state=0)
    exact = posterior.enumerate()
    expected = dict(zip(map(str, exact["function"]), exact["probability"], strict=True))
    for i in range(drawn.n_functions):
        assert str(drawn.function(i)) in expected
    found = {str(drawn.function(i)): drawn.frequency[i] for i in range(drawn.n_functions)}
    distance = sum(abs(p - found.get(f, 0.0)) for f, p in expected.items()) / 2
    assert distance < 0.02
    assert drawn.diagnose().ok
    return drawn, expected


@pytest.mark.parametrize("kernel", ["informed", "tempered"])
@pytest.mark.parametrize("rules", [{}, {"disjoint": True}, {"max_literals": 2}], ids=repr)
def test_required_attributes_do_not_part_the_functions(kernel, rules):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (30, 2))
    y = rng.random(30) < np.where(X.any(axis=1), 0.6, 0.4)
    prior = Prior(required=["x0", "x1"], **rules)
    drawn, _ = assert_as_enumerated(Posterior(BitMatrix.from_table(X), y, prior), kernel)
    assert drawn.n_functions > 1


@pytest.mark.parametrize("prior", [Prior(), Prior(disjoint=True)], ids=repr)
def test_an_ordered_column_in_two_units(prior):
    size = np.random.default_rng(1).integers(1, 4, 40)
    X = pd.DataFrame({"cm": size, "mm": 10 * size})
    y = np.random.default_rng(2).random(40) < np.where(size == 3, 0.8, 0.3)
    kinds = {"cm": "numeric", "mm": "numeric"}
    bits = LiteralEncoder(negations=False, kinds=kinds).fit_encode(X)
    posterior = Posterior(bits, y, prior)
    drawn = sample(posterior, draws=2_000, warmup=200, thin=20, random_state=0)
    assert drawn.diagnose().ok
    scores = [posterior.log_score(drawn.function(i)) for i in range(drawn.n_functions)]
    assert np.isfinite(scores).all()
    # Copies by names of equal columns are counted as one function, all of them.
    exact = posterior.enumerate()
    null = float(exact["probability"][exact["function"].map(str) == "FALSE"].sum())
    assert drawn.null_probability == pytest.approx(null, abs=1e-6)
