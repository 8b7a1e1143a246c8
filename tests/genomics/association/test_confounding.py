"""Strata of the null model's risk: the best cuts, whatever covariates are like."""

import itertools
from math import comb, log

import numpy as np
import pandas as pd
import pytest
from scipy.special import betaln

from bayesdnf.errors import InputError
from bayesdnf.genomics import risk_strata
from bayesdnf.genomics.association.adjustment import adjust
from bayesdnf.genomics.association.confounding import _cuts
from tests.genomics.twins import make


def best_cuts_by_trying_all(y, risk):
    """Cuts between distinct risks, each a bin of its own, of the highest evidence."""
    values = np.unique(risk)
    k = len(values)
    best = (-np.inf, None)
    for size in range(1, 7):
        for ends in itertools.combinations(range(1, k), size - 1):
            bounds = [0, *ends, k]
            worth = -log(comb(k - 1, size - 1)) - size * log(2)
            for low, high in itertools.pairwise(bounds):
                inside = np.isin(risk, values[low:high])
                cases = y[inside].sum()
                worth += betaln(cases + 1, inside.sum() - cases + 1)
            best = max(best, (worth, ends))
    return [(values[e - 1] + values[e]) / 2 for e in best[1]]


@pytest.mark.parametrize("seed", range(6))
def test_cuts_are_those_of_highest_evidence(seed):
    rng = np.random.default_rng(seed)
    risk = np.repeat(np.linspace(0.1, 0.9, 8), 30)
    steps = rng.choice([0.1, 0.5, 0.8], 8)
    y = rng.random(240) < np.repeat(np.sort(steps) if seed % 2 else steps, 30)
    assert _cuts(y, risk) == pytest.approx(best_cuts_by_trying_all(y, risk))


def test_rows_of_equal_risk_stay_together_however_many_there_are():
    rng = np.random.default_rng(0)
    site = np.repeat(["a", "b", "c"], [470, 30, 500])
    y = rng.random(1000) < pd.Series(site).map({"a": 0.7, "b": 0.1, "c": 0.3}).to_numpy()
    found = risk_strata(y, pd.DataFrame({"site": site}))
    table = pd.crosstab(site, found.number)
    assert ((table > 0).sum(axis=1) == 1).all()
    assert len(found) == 3


def test_an_outcome_that_covariates_do_not_move_has_one_stratum_as_a_rule():
    rng = np.random.default_rng(1)
    noise = [pd.DataFrame(rng.normal(size=(600, 2)), columns=list("ab")) for _ in range(20)]
    found = [len(risk_strata(rng.random(600) < 0.5, table)) for table in noise]
    assert found.count(1) >= 15
    assert max(found) <= 2


def test_missing_values_do_not_lose_anyone():
    rng = np.random.default_rng(2)
    age = rng.normal(size=800)
    y = rng.random(800) < 1 / (1 + np.exp(-2 * age))
    gap = np.where(rng.random(800) < 0.2, np.nan, age)
    found = risk_strata(y, pd.DataFrame({"age": gap}))
    assert len(found.number) == 800
    assert len(found) >= 2
    shares = [y[own].mean() for own in found.masks()]
    assert shares == sorted(shares)


def test_named_columns_are_strata_and_may_be_cut_by_risk():
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"sex": rng.choice(["f", "m"], 900), "age": rng.normal(size=900)})
    y = rng.random(900) < 1 / (1 + np.exp(-2 * table["age"]))
    plain = risk_strata(y, None, table[["sex"]])
    assert plain.labels == ("sex = f", "sex = m")
    cut = risk_strata(y, table[["age"]], table[["sex"]])
    assert len(cut) > 2
    assert pd.crosstab(cut.number, table["sex"]).min(axis=1).eq(0).all()
    gap = table.assign(sex=table["sex"].where(table.index > 2, None))
    with pytest.raises(InputError, match="Column 'sex' of strata is missing for 3 samples"):
        risk_strata(y, None, gap[["sex"]])


def test_strata_must_be_covariates():
    packed = make(np.random.default_rng(0).binomial(2, 0.3, (30, 40)))
    y = np.arange(40) < 20
    with pytest.raises(InputError, match="no column 'site' for strata; there are none"):
        adjust(packed, y, columns=["site"])
    with pytest.raises(InputError, match="no column 'site' for strata; they have age"):
        adjust(packed, y, pd.DataFrame({"age": np.arange(40.0)}), columns=["site"])
