"""Functions that the data hardly distinguish from the best one."""

import numpy as np
import pytest

from bayesdnf import BooleanFunction
from bayesdnf.genomics.markers.rivals import Rivals, find_rivals


def rivals(ratio, apart, names=()):
    functions = tuple(BooleanFunction(f"x{i}_A dominant") for i in range(len(ratio)))
    return Rivals(functions, np.array(ratio), np.array(apart), dict(names))


def test_none_at_all():
    assert "No other function" in rivals([], []).sentence


def test_one_is_named():
    said = rivals([0.5], [0.3]).sentence
    assert "one other function is at least a tenth as probable, namely (x0_A dominant)." in said


def test_of_many_two_are_named_and_kinds_are_counted():
    said = rivals([1.0, 0.9, 0.5, 0.2], [0.0, 0.01, 0.02, 0.5]).sentence
    assert "4 other functions are" in said
    assert "1 just as probable, 1 marking exactly the same samples and 2 marking nearly" in said
    assert said.endswith("such as (x0_A dominant) and (x1_A dominant).")


def test_those_found_are_at_least_a_tenth_as_probable(planted_markers):
    found = find_rivals(planted_markers)
    assert planted_markers.function not in found.functions
    assert len(set(found.functions)) == len(found.functions) > 0  # rs4 has proxies
    assert (np.diff(found.ratio) <= 0).all()
    assert found.ratio.min() >= 0.1
    best = planted_markers.posterior.log_score(planted_markers.function)
    own = planted_markers.function(planted_markers.study.genotypes)
    for function, ratio, apart in zip(found.functions, found.ratio, found.apart, strict=True):
        score = planted_markers.posterior.log_score(function)
        assert np.exp(score - best) == pytest.approx(ratio)
        assert (function(planted_markers.study.genotypes) != own).mean() == apart
