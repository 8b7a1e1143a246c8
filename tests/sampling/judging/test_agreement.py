"""Whether chains draw by the same shares."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from bayesdnf import RuleList
from tests.sampling.judging.chains import FOUR, SWAPPED
from tests.sampling.made_draws import independent, made


def alike(draws, groups):
    """The same draws, lists of one group parting the rows alike."""
    group = {RuleList.parse(text): i for i, texts in enumerate(groups) for text in texts}
    numbers = [group[draws.function(i)] for i in range(draws.n_functions)]
    return replace(draws, rows=np.array([[number, 7] for number in numbers], dtype=np.uint64))


def test_lists_are_compared_by_how_they_part_the_rows():
    """Chains at lists whose layers have changed places agree; as functions they would not."""
    one, other = SWAPPED[:2]
    draws = made([[one, "else"] * 150, [other, "else"] * 150] * 2, layers=2)
    parted = alike(draws, [[one, other], ["else"]]).diagnose()
    assert parted.agreement.largest == 0
    assert parted.agreement.n_functions == 2
    assert parted.agreement.compared == "partitions"
    told = alike(draws, [[one], [other], ["else"]]).diagnose()
    assert told.agreement.largest == pytest.approx(0.5)
    assert not told.ok
    assert "differ most in their partitions: total variation 0.50" in told.verdict
    assert "on the 3 partitions drawn" in str(told)


def test_a_partition_that_is_never_left():
    one, other = SWAPPED[:2]
    draws = made([[one, other, one] * 100] * 2, layers=2)
    diagnosis = alike(draws, [[one, other]]).diagnose()
    assert diagnosis.ok
    constant = "The partition is constant: every draw of every chain partitions the rows as "
    assert constant + "if (x1) elif (x2) else does." in diagnosis.verdict
    null = made([["else"] * 200] * 2, layers=2).diagnose()
    assert "partitions the rows as the null list does." in null.verdict
    apart = made([[one, other, one] * 100, ["if x3 else"] * 300], layers=2)
    told = alike(apart, [[one, other], ["if x3 else"]]).diagnose().verdict
    assert "Chain 1 never left the partition of if (x1) elif (x2) else." in told
    assert "Chain 2 never left the partition of if (x3) else." in told


def test_chains_of_lists_that_agree_say_so_of_partitions():
    draws = made(independent(SWAPPED, [3, 2, 2, 1], seed=1), layers=2)
    diagnosis = draws.diagnose()
    assert diagnosis.ok
    assert "Total variation between their partitions is at most" in diagnosis.verdict
    assert "function" not in str(diagnosis)


def test_total_variation_between_every_two_chains():
    chains = [["x1"] * 60 + ["x2"] * 40, ["x1"] * 50 + ["x3"] * 50, ["x3"] * 100]
    agreement = made(chains).diagnose().agreement
    for (i, one), (j, other) in combinations(enumerate(chains, start=1), 2):
        apart = sum(abs(one.count(f) - other.count(f)) for f in ("x1", "x2", "x3")) / 200
        assert agreement.variation.loc[i, j] == pytest.approx(apart)
        assert agreement.variation.loc[j, i] == pytest.approx(apart)
    assert np.diag(agreement.variation).tolist() == [0, 0, 0]
    assert agreement.largest == 1
    assert agreement.inclusion == pytest.approx(1.0)
    assert agreement.literal == "x3"


def test_functions_that_are_drawn_once_do_not_set_chains_apart():
    """Ties among them once fell to the first chain."""
    functions = [f"x{i % 40} AND y{i // 40}" for i in range(3000)]
    mixed = np.random.default_rng(0).permutation(functions)
    diagnosis = made(np.split(mixed, 4)).diagnose()
    assert diagnosis.agreement.n_functions == 3000
    assert diagnosis.agreement.largest == pytest.approx(1)
    assert diagnosis.agreement.expected == pytest.approx(1)
    assert diagnosis.level == "fine"


def test_the_expected_variation_is_that_of_independent_draws():
    shares = np.array([0.5, 0.3, 0.2])
    rng = np.random.default_rng(1)
    runs = [independent(["x1", "x2", "x3"], shares, 3, 200, seed=seed) for seed in range(20)]
    expected = np.mean([made(chains).diagnose().agreement.expected for chains in runs])
    largest = []
    for _ in range(2000):
        drawn = [rng.choice(3, size=200, p=shares) for _ in range(3)]
        counts = [np.bincount(d, minlength=3) / 200 for d in drawn]
        largest.append(max(np.abs(a - b).sum() / 2 for a, b in combinations(counts, 2)))
    assert expected == pytest.approx(np.mean(largest), rel=0.08)


def test_independent_draws_are_rarely_blamed():
    verdicts = [made(independent(FOUR, [8, 4, 2, 1], seed=s), seed=s).diagnose() for s in range(20)]
    assert sum(not d.ok for d in verdicts) <= 1
    assert all(d.verdict.startswith("The 4 chains agree") for d in verdicts if d.ok)


def test_chains_with_other_shares_are_told_apart():
    chains = independent(FOUR, [8, 4, 2, 1], n_chains=3, n_draws=1000)
    chains += independent(FOUR, [1, 2, 4, 8], n_chains=1, n_draws=1000, seed=1)
    diagnosis = made(chains).diagnose()
    assert not diagnosis.ok
    assert not diagnosis.agreement.ok
    assert "and 4 differ most in their functions" in diagnosis.verdict
    assert "R-hat is above 1.01 for" in diagnosis.verdict
    assert "Chain 4 differs most in" in diagnosis.verdict


def test_a_chain_that_never_left_is_named():
    chains = independent(FOUR, [8, 4, 2, 1], n_chains=3, n_draws=400)
    chains.insert(2, ["odor = f"] * 400)
    diagnosis = made(chains).diagnose()
    assert not diagnosis.ok
    assert "Chain 3 never left (odor = f)." in diagnosis.verdict
    assert diagnosis.verdict.endswith("Run longer or use kernel='tempered'.")


def test_staying_where_all_others_nearly_always_are_is_no_fault():
    chains = [["odor = f"] * 2000 for _ in range(4)]
    chains[0][700] = "x1"
    diagnosis = made(chains).diagnose()
    assert diagnosis.ok
    assert "never left" not in diagnosis.verdict
