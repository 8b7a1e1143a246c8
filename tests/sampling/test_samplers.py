"""Samplers at one temperature: which moves they take."""

import pytest

from bayesdnf import BooleanFunction
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
