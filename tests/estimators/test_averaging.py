"""Averages over draws against their slow twin, which goes from draw to draw and row to row."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import Geometric, LiteralEncoder, Posterior, Prior, sample
from bayesdnf.estimators import averaging
from bayesdnf.estimators.averaging import DrawnOnRows


def world(seed, n=60):
    """A table of texts, numbers and flags, some missing, and labels that follow it somewhat."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "odor": rng.choice(np.array(["f", "n", "a", None], dtype=object), n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(50, 9, n).round()),
            "flag": rng.integers(0, 2, n),
            "other": rng.integers(0, 2, n),
        }
    )
    follows = (table["odor"] == "f") | ((table["flag"] == 1) & (table["age"] > 50))
    y = follows.to_numpy() ^ (rng.random(n) < 0.3)
    y[:2] = True, False
    return table, y


def drawn_from(table, y, seed, negations=True):
    """Draws of a posterior so flat that it holds many functions, the null among them."""
    encoder = LiteralEncoder(negations=negations)
    posterior = Posterior(
        encoder.fit_encode(table), y, Prior(count=Geometric(0.3, start=0)), positive=True
    )
    return encoder, sample(posterior, draws=60, warmup=10, chains=2, thin=20, random_state=seed)


def each_draw(encoder, drawn, rows):
    """(truth, risk) of every row at every draw, as the definitions say."""
    table = encoder.as_table(rows)
    truth, risk = [], []
    for chain in range(drawn.n_chains):
        for draw in range(drawn.n_draws):
            function = drawn.function(int(drawn.index[chain, draw]))
            marks = [
                any(all(table.truth(x)[i] for x in term) for term in function.literal_terms)
                for i in range(len(rows))
            ]
            pi0, pi1 = drawn.pi0[chain, draw], drawn.pi1[chain, draw]
            truth.append(marks)
            risk.append([pi1 if marked else pi0 for marked in marks])
    return np.array(truth), np.array(risk)


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), blocks=st.sampled_from([1, 1 << 14, 1 << 22]))
@settings(max_examples=12, deadline=None)
def test_averages_are_those_of_the_slow_twin(seed, blocks):
    table, y = world(seed)
    encoder, drawn = drawn_from(table, y, seed)
    rows, _ = world(seed + 1, n=150)
    truth, risk = each_draw(encoder, drawn, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(averaging, "_BLOCK", blocks)
        fast = DrawnOnRows(drawn, encoder.as_table(rows))
        assert np.allclose(fast.marked_probability(), truth.mean(axis=0), atol=1e-12)
        assert np.allclose(fast.risk(), risk.mean(axis=0), atol=1e-12)
        ends = np.array([0.025, 0.5, 0.975])
        assert np.allclose(fast.quantiles(ends), np.quantile(risk, ends, axis=0), atol=1e-12)


def test_rows_that_agree_are_taken_once_and_answered_alike():
    table, y = world(3)
    encoder, drawn = drawn_from(table, y, 3)
    often = pd.concat([table] * 50, ignore_index=True)
    fast = DrawnOnRows(drawn, encoder.as_table(often))
    assert fast._n_distinct <= 60
    once = DrawnOnRows(drawn, encoder.as_table(table)).risk()
    assert (fast.risk() == np.tile(once, 50)).all()


def test_outcomes_follow_the_risks():
    table, y = world(5)
    encoder, drawn = drawn_from(table, y, 5)
    fast = DrawnOnRows(drawn, encoder.as_table(table))
    outcomes = fast.outcomes(4000, np.random.default_rng(0))
    assert outcomes.shape == (4000, 60)
    assert outcomes.dtype == np.bool_
    assert np.abs(outcomes.mean(axis=0) - fast.risk()).max() < 4.5 * 0.5 / np.sqrt(4000)
    # Rows of one draw share its function and rates, so totals vary more than one by one.
    alone = np.sqrt((fast.risk() * (1 - fast.risk())).sum())
    assert outcomes.sum(axis=1).std() > 1.2 * alone


def test_no_function_but_the_null_marks_nothing():
    table, y = world(7)
    encoder = LiteralEncoder()
    posterior = Posterior(encoder.fit_encode(table), y, Prior(max_terms=0), positive=True)
    drawn = sample(posterior, draws=50, warmup=0, chains=2, thin=5, random_state=0)
    fast = DrawnOnRows(drawn, encoder.as_table(table))
    assert drawn.literals == ()
    assert (fast.marked_probability() == 0).all()
    assert np.allclose(fast.risk(), drawn.pi0.mean())
    assert np.allclose(fast.quantiles(np.array([0.25])), np.quantile(drawn.pi0, 0.25))
    assert fast.outcomes(3, np.random.default_rng(0)).shape == (3, 60)
