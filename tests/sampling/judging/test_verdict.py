"""What is said of draws, and what to do about them."""

import numpy as np
import pytest

from bayesdnf import BitMatrix, Posterior, sample, simulate
from bayesdnf.sampling.kernel import MOVES
from tests.sampling.judging.chains import FOUR, repeated
from tests.sampling.made_draws import independent, made


@pytest.mark.parametrize(
    ("kernel", "advice"),
    [
        ("informed", "Run longer or use kernel='tempered'."),
        ("reversible_jump", "Run longer, or use kernel='informed' or kernel='tempered'."),
        ("tempered", "Run longer."),
        ("single_term", "Run longer."),
        ("my own", "Run longer."),
    ],
)
def test_advice_fits_the_kernel(kernel, advice):
    draws = made([["x1"] * 200, ["x2"] * 200], settings={"kernel": kernel})
    assert draws.diagnose().verdict.endswith(f"of the others'. {advice}")


@pytest.mark.parametrize("seed", range(8))
def test_short_chains_that_do_not_disagree_are_called_short(seed):
    chains = repeated(independent(FOUR, [8, 4, 2, 1], n_draws=30, seed=seed), 4)
    diagnosis = made(chains, seed=seed).diagnose()
    assert not diagnosis.ok
    assert diagnosis.verdict.startswith("The chains are too short to say whether they agree.")
    assert "The effective sample size is below 200 for" in diagnosis.verdict
    assert diagnosis.verdict.endswith("times as many.")


def test_chains_far_too_short_may_want_another_kernel():
    chains = repeated(independent(FOUR, [8, 4, 2, 1], n_draws=12), 50)
    verdict = made(chains).diagnose().verdict
    assert verdict.startswith("The chains are too short to say whether they agree.")
    assert verdict.endswith("times as many or use kernel='tempered'.")


def test_no_chain_ever_moved():
    still = np.zeros((3, len(MOVES)), dtype=np.int64)
    diagnosis = made([["x1"] * 200] * 3, changed=still).diagnose()
    assert not diagnosis.ok
    assert "No chain moved" in diagnosis.verdict


def test_one_chain_has_no_others_to_agree_with():
    diagnosis = made(independent(FOUR, [8, 4, 2, 1], n_chains=1, n_draws=2000)).diagnose()
    assert diagnosis.ok
    assert diagnosis.agreement is None
    assert diagnosis.quantities["r_hat"].between(0.99, 1.01).all()
    assert "chains agree" not in diagnosis.verdict
    assert "Run several chains" in diagnosis.verdict
    turned = made([["x1"] * 500 + ["x2 AND x3"] * 500]).diagnose()
    assert not turned.ok
    assert turned.quantities.loc["terms", "constant"]
    assert turned.quantities.loc["literals", "r_hat"] > 1.5


@pytest.mark.parametrize("n_chains", [1, 2, 5])
@pytest.mark.parametrize("n_draws", [1, 2, 3, 4, 5, 7, 8, 9, 99])
def test_few_draws_are_called_few(n_chains, n_draws):
    draws = made(independent(FOUR, [1, 1, 1, 1], n_chains=n_chains, n_draws=n_draws))
    diagnosis = draws.diagnose()
    assert not diagnosis.ok
    assert diagnosis.verdict.startswith(f"Too few draws to diagnose: {n_draws}")
    assert "Too few draws" in str(diagnosis)


def test_real_chains_agree_and_too_short_ones_do_not():
    X, y, _ = simulate(200, 10, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y)
    good = sample(posterior, draws=600, warmup=200, random_state=0).diagnose()
    assert good.ok, good
    starts = ["x0", "x5 AND x7", "x9", "x3"]
    short = sample(posterior, draws=100, warmup=0, thin=1, starts=starts, random_state=0).diagnose()
    assert not short.ok
    assert short.verdict.startswith("The chains are too short to say whether they agree.")
    assert "The effective sample size is below 200 for x1 (12), x3 (15)" in short.verdict
