"""Strata, components and inflation."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayesdnf.errors import InputError
from bayesdnf.genomics import Genotypes
from bayesdnf.genomics.association.adjustment import adjust
from bayesdnf.genomics.association.single_tests import Inflation


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


def test_a_column_of_many_values_makes_no_strata(calls, y):
    with pytest.raises(InputError, match="age would make 300 strata, one of each value, and 20 "):
        adjust(calls, y, pd.DataFrame({"age": np.arange(300)}), columns=["age"])


@pytest.mark.parametrize("value", [7.0, np.nan])
def test_covariates_that_tell_nothing_make_no_strata(calls, y, value):
    [said] = adjust(calls, y, pd.DataFrame({"age": [value] * len(y)})).history
    assert said.startswith("The covariates make no strata: each is constant, or missing")


def with_sex(seed=0, *, n=600, chromosome="X", bias=0.65):
    """Autosomal variants, one of X that males carry more often, and cases who are mostly male."""
    rng = np.random.default_rng(seed)
    male = rng.random(n) < 0.5
    copies = rng.binomial(2, 0.3, (40, n))
    copies[-1] = np.where(male, 2 * (rng.random(n) < 0.6), rng.binomial(2, 0.2, n))
    found = Genotypes.from_copies(copies)
    found.variants["POS"] *= 1_000_000
    found.variants.loc[39, "CHR"] = chromosome
    found.samples["SEX"] = np.where(male, 1, 2)
    return found, rng.random(n) < np.where(male, bias, 1 - bias), male


def test_x_is_judged_within_sexes_where_sex_differs_by_outcome():
    calls, y, male = with_sex()
    found = adjust(calls, y)
    assert found.columns == ("SEX",)
    assert [set(male[mask]) for mask in found.masks] == [{False}, {True}]
    [warning] = found.warnings
    assert "are male, p = " in warning
    assert "variants of X take part: markers are judged within each sex" in warning
    assert found.covariates.columns.tolist() == ["SEX"]


def test_sex_is_let_be_where_it_cannot_confound():
    for changed in ({"chromosome": "2"}, {"bias": 0.5}):
        found = adjust(*with_sex(**changed)[:2])
        assert (found.strata, found.warnings) == (None, ())


def test_sex_bias_is_warned_about_where_strata_are_not_wanted_or_cannot_help():
    calls, y, male = with_sex(chromosome="Y")
    for found in (adjust(calls, y, by_risk=False), adjust(calls, male)):
        assert found.strata is None
        assert "variants of Y take part: a marker of X or Y may tell sex" in found.warnings[0]
        assert "--strata SEX" in found.warnings[0]


def test_a_covariate_that_tells_sex_makes_the_strata():
    calls, y, male = with_sex()
    gender = pd.DataFrame({"gender": np.where(male, "m", "f"), "age": np.arange(600.0)})
    assert adjust(calls, y, gender).columns == ("gender",)
    asked = adjust(calls, y, gender, columns=["gender"])
    assert (asked.columns, asked.warnings) == (("gender",), ())
    shuffled = pd.DataFrame({"SEX": np.where(np.arange(600) % 2, "M", "F")})
    assert adjust(calls, y, shuffled, columns=["SEX"]).columns == (
        "SEX", "SEX of the genotype files",
    )  # fmt: skip


def test_sex_is_a_column_of_strata_without_a_file(calls, y):
    with pytest.raises(InputError, match="No sample has a known sex"):
        adjust(calls, y, columns=["SEX"])
    known, ill, _ = with_sex(chromosome="2")
    known.samples.loc[:9, "SEX"] = 0
    found = adjust(known, ill, columns=["SEX"])
    assert sorted(map(int, np.bincount(found.numbers)))[0] == 10
    assert "SEX = unknown" in " ".join(found.strata.labels)


def test_what_separates_cases_and_controls_is_named(calls, y):
    ages = pd.DataFrame({"age": np.where(y, 80.0, 20.0) + np.arange(300) % 7, "bmi": 1.0 * (y > 2)})
    with pytest.raises(InputError, match="Cases and controls do not overlap in age: "):
        adjust(calls, y, ages)
    batch = pd.DataFrame({"batch": np.where(y, "a", "b")})
    with pytest.raises(InputError, match=r"do not overlap in batch: .*--no-adjust"):
        adjust(calls, y, batch, columns=["batch"])


def test_what_inflation_says(calls, y):
    found = adjust(calls, y)
    few = replace(found, inflation=Inflation.of(np.ones(7), 500, 500))
    assert few.verdict.endswith("too few; structure cannot be judged.")
    mild = replace(found, inflation=replace(found.inflation, value=1.27, low=1.04, high=1.61))
    assert "1.27 [1.04, 1.61]" in mild.verdict
    assert mild.verdict.endswith("; tests are mildly inflated.")
    assert mild.warnings == ()
    high = replace(found, inflation=replace(found.inflation, low=1.2))
    assert high.warnings == (high.verdict,)
