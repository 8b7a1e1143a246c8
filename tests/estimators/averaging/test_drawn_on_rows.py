"""Averages over draws against their slow twin, which goes from draw to draw and row to row."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf import Effect, Geometric, LiteralEncoder, Posterior, Prior, sample
from bayesdnf.estimators.averaging import drawn_on_rows
from bayesdnf.estimators.averaging.drawn_on_rows import DrawnOnRows
from bayesdnf.model.rule import layers_of


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


PLAIN = {}
LISTS = {"layers": 3}
STRATA = {"strata": True}
BOTH = {"layers": 2, "strata": True, "weights": True}
POPULATION = {"layers": 2, "strata": True, "prevalence": 0.2}
SETTINGS = {
    "functions": PLAIN, "lists": LISTS, "strata": STRATA, "both": BOTH, "population": POPULATION
}  # fmt: skip


def strata_of(seed, n):
    return np.random.default_rng(seed + 77).integers(0, 3, n)


def drawn_from(table, y, seed, layers=1, strata=False, weights=False, prevalence=None):
    """Draws of a posterior so flat that it holds many rules, the null among them."""
    encoder = LiteralEncoder()
    rng = np.random.default_rng(seed)
    posterior = Posterior(
        encoder.fit_encode(table),
        y,
        Prior(count=Geometric(0.3, start=0)),
        Effect(prevalence=prevalence),
        positive=True,
        layers=layers,
        strata=strata_of(seed, len(y)) if strata else None,
        sample_weight=rng.integers(1, 4, len(y)) if weights else None,
    )
    drawn = sample(posterior, draws=60, warmup=10, chains=2, thin=20, random_state=seed)
    return encoder, drawn, posterior


def own_rates(drawn, posterior, chain, draw):
    """Rates of one draw and the means that stand for them in averages: by stratum, and part."""
    number = int(drawn.index[chain, draw])
    rates = drawn.rates[chain, draw]
    effect, cells = posterior.effect, drawn.cells[number]
    if drawn.simple or effect.prevalence is not None:
        return rates, rates
    rule = drawn.function(number)
    n_parts = len(layers_of(rule)) + 1
    means = np.full(rates.shape, np.nan)
    for s in range(len(cells)):
        for h in range(n_parts):
            a, b = cells[s, h]
            means[s, h] = (1 + a) / (2 + a + b)
    return rates, means


def pooled(rates, cells, prevalence):
    """The rate of each part without regard to the stratum, as the definition says."""
    n_strata, n_parts = rates.shape
    totals = cells.sum(axis=(0, 1))
    found = np.full(n_parts, np.nan)
    for h in range(n_parts):
        size = [
            sum(cells[s, h])
            if prevalence is None
            else prevalence * cells[s, h, 0] / totals[0]
            + (1 - prevalence) * cells[s, h, 1] / totals[1]
            for s in range(n_strata)
        ]
        if sum(size) == 0:
            size = [1] * n_strata
        found[h] = sum(size[s] / sum(size) * rates[s, h] for s in range(n_strata))
    return found


def each_draw(encoder, drawn, posterior, rows, strata):
    """(part, drawn risk, mean risk) of every row at every draw, as the definitions say."""
    table = encoder.as_table(rows)
    parts, risks, means = [], [], []
    for chain in range(drawn.n_chains):
        for draw in range(drawn.n_draws):
            number = int(drawn.index[chain, draw])
            part = drawn.function(number)(table).astype(int)
            parts.append(part)
            for kept, rates in zip(
                (risks, means), own_rates(drawn, posterior, chain, draw), strict=True
            ):
                if strata is None:
                    own = pooled(rates, drawn.cells[number], posterior.effect.prevalence)
                    kept.append([own[h] for h in part])
                else:
                    kept.append([rates[s, h] for s, h in zip(strata, part, strict=True)])
    return np.array(parts), np.array(risks), np.array(means)


@pytest.mark.parametrize("name", SETTINGS)
@given(seed=st.integers(0, 10_000), blocks=st.sampled_from([1, 1 << 14, 1 << 22]))
@settings(max_examples=3)
def test_averages_are_those_of_the_slow_twin(name, seed, blocks):
    table, y = world(seed)
    encoder, drawn, posterior = drawn_from(table, y, seed, **SETTINGS[name])
    rows, _ = world(seed + 1, n=150)
    ends = np.array([0.025, 0.5, 0.975])
    given_strata = [None, strata_of(seed + 1, 150)] if posterior.strata else [None]
    for strata in given_strata:
        parts, risk, mean = each_draw(encoder, drawn, posterior, rows, strata)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(drawn_on_rows, "_BLOCK", blocks)
            fast = DrawnOnRows(drawn, encoder.as_table(rows), posterior.effect, strata)
            assert np.allclose(fast.marked_probability(), (parts > 0).mean(axis=0), atol=1e-12)
            assert np.allclose(fast.risk(), mean.mean(axis=0), atol=1e-12)
            assert np.allclose(fast.quantiles(ends), np.quantile(risk, ends, axis=0), atol=1e-12)


def test_rows_that_agree_are_taken_once_and_answered_alike():
    table, y = world(3)
    for options in (PLAIN, BOTH):
        encoder, drawn, posterior = drawn_from(table, y, 3, **options)
        often = pd.concat([table] * 50, ignore_index=True)
        fast = DrawnOnRows(drawn, encoder.as_table(often), posterior.effect)
        assert fast.n_distinct <= 60
        once = DrawnOnRows(drawn, encoder.as_table(table), posterior.effect).risk()
        assert (fast.risk() == np.tile(once, 50)).all()


def test_a_stratum_that_no_row_is_in():
    table, y = world(3)
    encoder, drawn, posterior = drawn_from(table, y, 3, **BOTH)
    whole = DrawnOnRows(drawn, encoder.as_table(table), posterior.effect, strata_of(3, 60))
    last = strata_of(3, 60) == 2
    alone = DrawnOnRows(
        drawn, encoder.as_table(table[last]), posterior.effect, np.full(last.sum(), 2)
    )
    assert np.allclose(alone.risk(), whole.risk()[last], atol=1e-15)
    middle = np.array([0.5])
    assert (alone.quantiles(middle) == whole.quantiles(middle)[:, last]).all()


@pytest.mark.parametrize("options", [PLAIN, BOTH], ids=["functions", "both"])
def test_outcomes_follow_the_risks(options):
    table, y = world(5)
    encoder, drawn, posterior = drawn_from(table, y, 5, **options)
    strata = strata_of(5, 60) if posterior.strata else None
    fast = DrawnOnRows(drawn, encoder.as_table(table), posterior.effect, strata)
    outcomes = fast.outcomes(4000, np.random.default_rng(0))
    assert outcomes.shape == (4000, 60)
    assert outcomes.dtype == np.uint8
    assert set(np.unique(outcomes)) == {0, 1}
    assert np.abs(outcomes.mean(axis=0) - fast.risk()).max() < 4.5 * 0.5 / np.sqrt(4000)
    # Rows of one draw share its function and rates, so totals vary more than one by one.
    alone = np.sqrt((fast.risk() * (1 - fast.risk())).sum())
    assert outcomes.sum(axis=1).std() > 1.08 * alone


def test_no_function_but_the_null_marks_nothing():
    table, y = world(7)
    encoder = LiteralEncoder()
    posterior = Posterior(encoder.fit_encode(table), y, Prior(max_terms=0), positive=True)
    drawn = sample(posterior, draws=50, warmup=0, chains=2, thin=5, random_state=0)
    fast = DrawnOnRows(drawn, encoder.as_table(table), posterior.effect)
    assert drawn.literals == ()
    assert (fast.marked_probability() == 0).all()
    assert np.allclose(fast.risk(), drawn.pi0.mean())
    assert np.allclose(fast.quantiles(np.array([0.25])), np.quantile(drawn.pi0, 0.25))
    assert fast.outcomes(3, np.random.default_rng(0)).shape == (3, 60)
