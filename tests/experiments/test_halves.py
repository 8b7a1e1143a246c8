"""Mushroom, cut in halves."""

import pytest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from bayesdnf import BooleanFunction, datasets
from bayesdnf.experiments.halves import (
    SEEDS,
    Run,
    annealed,
    half,
    our_found,
    short_at_his,
    splits,
)


def test_the_split_is_the_authors():
    X, y = datasets.load_mushroom()
    fitted, tested = train_test_split(X, test_size=0.5, stratify=y, random_state=SEEDS[0])
    on = half(SEEDS[0])
    assert sorted(on.X.index) == sorted(fitted.index)
    assert sorted(on.X_test.index) == sorted(tested.index)
    assert on.bits.n_literals == 116  # whatever levels the half has
    assert on.bits.n_rows == len(on.y) == 4062


def test_a_function_is_judged_on_the_other_half():
    on = half(1)
    odor = BooleanFunction("odor = f OR odor = c AND bruises = t")
    marked = on.X_test["odor"].eq("f") | (on.X_test["odor"].eq("c") & on.X_test["bruises"].eq("t"))
    run = on.judge(odor)
    assert (run.m, run.sum_k) == (2, 3)
    assert run.auc == pytest.approx(roc_auc_score(on.y_test == "p", marked))
    assert on.judge(odor, reverse=True).auc == pytest.approx(1 - run.auc)


def test_quick_work_takes_the_first_two_splits():
    assert splits(quick=True) == (1910, 1990)
    assert splits(quick=False) == SEEDS
    assert len(set(SEEDS)) == 10


@pytest.mark.slow
def test_annealing_and_our_search_are_repeatable():
    on = half(SEEDS[0])
    first, again = (annealed(on, SEEDS[0], 5, 0.1, seed=0) for _ in range(2))
    assert first == again
    assert first.run == on.judge(first.function, first.reversed)
    ours = our_found(SEEDS[0], 0, at_his=False)
    assert not ours.reversed
    assert ours.run == on.judge(ours.function)
    assert ours.run.sum_k < our_found(SEEDS[0], 0, at_his=True).run.sum_k


@pytest.mark.parametrize(
    ("runs", "holds", "found"),
    [
        ([Run(6, 12, 1.0), Run(7, 14, 1.0)], True, "2 of 2, 6.5 terms, 13.0 literals"),
        ([Run(6, 12, 1.0), Run(7, 14, 0.9999)], False, "1 of 2, 6.5 terms, 13.0 literals"),
        ([Run(7, 12, 1.0)], False, "1 of 1, 7.0 terms, 12.0 literals"),
        ([Run(6, 15, 1.0)], False, "1 of 1, 6.0 terms, 15.0 literals"),
    ],
)
def test_what_is_claimed_at_the_papers_hyperparameters(runs, holds, found):
    claim = short_at_his(runs)
    assert (claim.holds, claim.found) == (holds, found)
