"""Strata, components and inflation."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf.errors import InputError
from bayesdnf.genomics import Genotypes
from bayesdnf.genomics.association.adjustment import adjust


@pytest.fixture(scope="module")
def calls():
    rng = np.random.default_rng(0)
    found = Genotypes.from_copies(rng.binomial(2, 0.3, (200, 300)))
    found.variants["POS"] *= 1_000_000
    return found


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(1).random(300) < 0.5


def test_without_covariates_nothing_is_adjusted(calls, y):
    found = adjust(calls, y)
    assert found.covariates is found.strata is found.numbers is found.masks is None
    assert found.stratified is found.stratified_inflation is None
    assert found.history == ()
    assert len(found.statistics) == 200
    assert not found.inflated
    assert "no sign of structure" in found.verdict


def test_every_value_of_a_column_is_a_stratum(calls, y):
    site = np.repeat(["north", "south", "west"], 100)
    found = adjust(
        calls, y, pd.DataFrame({"site": site, "age": 1.0}), columns=["site"], by_risk=False
    )
    assert len(found.masks) == 3
    assert [mask.sum() for mask in found.masks] == [100, 100, 100]
    assert (np.bincount(found.numbers) == 100).all()
    assert len(found.stratified) == 200
    assert "within 3 strata" in found.verdict
    assert not pd.api.types.is_numeric_dtype(found.covariates["site"])


def test_components_join_the_covariates(calls, y):
    found = adjust(calls, y, pd.DataFrame({"age": np.arange(300.0)}), components=2, by_risk=False)
    assert next(iter(found.covariates.columns)) == "age"
    assert found.covariates.shape == (300, 3)
    assert len(found.history) == 1
    assert found.strata is None


def test_structure_that_strata_follow_is_cured(y):
    rng = np.random.default_rng(2)
    population = np.repeat([0, 1], 300)
    frequency = np.clip(0.4 + rng.normal(0, 0.15, (2, 400)), 0.05, 0.95)
    calls = Genotypes.from_copies(rng.binomial(2, frequency[population].T))
    calls.variants["POS"] *= 1_000_000
    ill = rng.random(600) < np.array([0.75, 0.25])[population]
    plain = adjust(calls, ill)
    assert plain.inflated
    assert "Tests are inflated" in plain.verdict
    cured = adjust(calls, ill, pd.DataFrame({"population": population}), columns=["population"])
    assert not cured.inflated
    assert cured.stratified_inflation.value < 1.3 < cured.inflation.value


def test_a_column_that_is_not_there_is_named(calls, y):
    with pytest.raises(InputError, match="no column 'sex' for strata; they have age"):
        adjust(calls, y, pd.DataFrame({"age": np.arange(300)}), columns=["sex"])
    with pytest.raises(InputError, match="no column 'sex' for strata; there are none"):
        adjust(calls, y, columns=["sex"])
