"""find_markers: what was planted is found, with proxies, gaps, covariates and permutations."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayesdnf.errors import InputError, ParameterError
from bayesdnf.genomics import (
    Filters,
    Genotypes,
    MarkerModel,
    Study,
    find_markers,
    read_study,
    scan,
)
from bayesdnf.genomics.markers.rivals import find_rivals
from tests.beside import DATA, adds
from tests.genomics.planted import QUICK, TRUTH, study

pytestmark = pytest.mark.slow


SHARED = DATA / "genomics"


def test_a_planted_pair_is_found_with_its_numbers(found):
    given = study()
    assert str(found.function) == TRUTH
    [row] = found.terms.to_dict("records")
    holds = found.function(given.genotypes)
    assert (row["CASES"], row["CONTROLS"]) == (
        int((holds & given.y).sum()),
        int((holds & ~given.y).sum()),
    )
    assert row["N_CASES"] == given.y.sum()
    assert row["COVERED"] == pytest.approx(row["CASES"] / row["N_CASES"])
    assert (row["SNP"], row["A1"], row["A2"]) == ("rs4,rs8", "A,A", "G,G")
    assert row["PROB"] > 0.9
    assert found.null_probability < 1e-6
    # A population with 1 % cases: the risk is far from the share of cases among carriers.
    assert row["RISK_L95"] < row["RISK"] < row["RISK_U95"] < 0.2
    assert found.other_risk.mean < 0.01 < found.risk.mean
    assert "of a population with 0.01 cases" in str(found)


def test_the_gain_is_over_the_best_literal_of_either_variant(found):
    given = study()
    codings = [c for x in ("dominant", "recessive", "heterozygous") for c in (x, f"not {x}")]
    singles = scan(given.genotypes, given.y, size=1, top=99, codings=codings).findings
    alone = singles.set_index("variant_1")["log_bayes_factor"]
    [row] = found.terms.to_dict("records")
    best = max(alone["rs4_A"], alone["rs8_A"], 0)
    assert row["GAIN"] == pytest.approx(row["LOG_BF"] - best)


def test_variants_pairs_and_regions_hold_the_marker(found):
    included = found.variants.set_index("SNP")["PIP"]
    assert included[["rs4", "rs8"]].min() > 0.9
    assert included.drop(["rs4", "rs8"]).max() < 0.3
    assert found.pairs.iloc[0].tolist()[:2] == ["rs4_A", "rs8_A"]
    assert found.pairs["PIP"][0] > 0.9
    best = found.regions.sort_values("PIP", ascending=False).iloc[:2].sort_values("START")
    places = found.variants.set_index("SNP").loc[["rs4", "rs8"], "BP"].tolist()
    assert places == [4_000_000, 8_000_000]  # the last base of a region
    assert best["END"].tolist() == places
    assert best["START"].tolist() == [3_000_001, 7_000_001]


def test_a_protective_variant_is_seen_through_its_negation():
    rng = np.random.default_rng(3)
    calls = rng.binomial(2, 0.4, (12, 700))
    y = rng.random(700) < np.where(calls[5] >= 1, 0.1, 0.6)
    given = Study(Genotypes.from_copies(calls), y)
    found = find_markers(given, **QUICK)
    assert str(found.function) == "(NOT v6_B dominant)"
    assert str(found.plain) == "(v6_A recessive)"
    assert found.terms["TERM"].tolist() == ["v6_A recessive"]
    assert found.variants["BEST"][5] == "v6_A recessive"
    assert (found.plain(given.genotypes) == found.function(given.genotypes)).all()
    assert "(v6_A recessive)" in str(found)
    assert "NOT v6_B dominant" not in str(found)
    assert found.variants["LOG_BF"].idxmax() == 5
    assert "NOT" not in "".join(find_markers(given, negations=False, **QUICK).variants["BEST"])


def test_near_variants_never_stand_in_one_term():
    given = study()
    free = find_markers(given, **QUICK)
    assert str(free.function) == TRUTH
    apart = find_markers(given, gap=5_000_000, **QUICK)
    for function in [apart.function, *apart.draws.top()["function"]]:
        for term in function.literal_terms:
            assert not {"rs4_A", "rs8_A"} <= {x.attribute for x in term}


@pytest.mark.parametrize("seed", [0, 1])
def test_nothing_is_found_where_nothing_is(seed):
    found = find_markers(study(seed, marker=False), permutations=19, **QUICK)
    assert found.function.is_null
    assert found.null_probability > 0.5
    assert found.terms.empty
    assert found.slots == []
    assert found.variants["P_FWE"].min() > 0.05
    assert "No marker" in str(found)
    assert found.risk == found.other_risk


def test_permutations_give_family_wise_p_values():
    found = find_markers(study(), permutations=19, **QUICK)
    assert found.terms["P_FWE"].tolist() == [1 / 20]
    assert found.variants["P_FWE"].between(1 / 20, 1).all()
    strongest = found.variants["LOG_BF"].idxmax()
    assert found.variants["P_FWE"][strongest] == found.variants["P_FWE"].min()


def test_terms_are_refitted_with_covariates_and_components():
    given = study()
    rng = np.random.default_rng(1)
    age = pd.DataFrame({"age": rng.normal(60, 10, len(given.y))})
    found = find_markers(replace(given, covariates=age), components=2, **QUICK)
    [row] = found.terms.to_dict("records")
    assert row["ADJ_METHOD"] == "maximum likelihood"
    assert row["ADJ_L95"] < row["ADJ_OR"] < row["ADJ_U95"]
    assert row["ADJ_OR"] == pytest.approx(row["OR"], rel=0.2)
    assert any("2 principal components" in sentence for sentence in found.history)
    assert "with covariates: odds ratio" in str(found)
    assert "ADJ_OR" not in find_markers(given, **QUICK).terms


def test_the_number_of_threads_changes_nothing():
    one, two = (find_markers(study(proxies=2), n_jobs=jobs, **QUICK) for jobs in (1, 2))
    assert str(one) == str(two)
    for name in ("terms", "variants", "pairs", "regions"):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(two, name), check_exact=True)
    assert (one.draws.index == two.draws.index).all()
    assert one.settings == two.settings


def test_scans_made_before_are_used_or_refused():
    given = study()
    made = [scan(given.genotypes, given.y, measure=m) for m in ("and", "cells")]
    found = find_markers(given, pairs=made, **QUICK)
    pd.testing.assert_frame_equal(found.variants, find_markers(given, **QUICK).variants)
    assert any(s is made[0] for s in found.screen.scans)
    assert any(s is made[1] for s in found.screen.scans)
    other = Study(given.genotypes, ~given.y)
    with pytest.raises(InputError, match="not one of this study: its cases is"):
        find_markers(other, pairs=made[0], **QUICK)
    shuffled = Study(given.genotypes, np.random.default_rng(0).permutation(given.y))
    with pytest.raises(InputError, match="not one of this study: its data is"):
        find_markers(shuffled, pairs=made[0], **QUICK)
    with pytest.raises(InputError, match="its gap is 0, and here it is 10"):
        find_markers(given, gap=10, pairs=made[0], **QUICK)
    with pytest.raises(InputError, match="merge all parts"):
        find_markers(given, pairs=scan(given.genotypes, given.y, part=(1, 2)), **QUICK)


@pytest.mark.parametrize("name", ["keep", "triples", "gap", "components", "permutations"])
def test_settings_without_a_meaning_are_refused(name):
    with pytest.raises(ParameterError, match=f"'{name}' parameter of find_markers"):
        find_markers(study(), **{name: -1})


def test_devices_without_a_meaning_are_refused_before_any_work():
    with pytest.raises(ParameterError, match="'device' parameter of find_markers must be one of"):
        find_markers(study(), device="gpu")


def test_filters_keep_genotypes_outcome_and_covariates_together():
    given = study()
    covariates = pd.DataFrame({"number": np.arange(len(given.y), dtype=float)})
    given = replace(given, covariates=covariates, history=("Read.",))
    gone = given.genotypes.samples["IID"][:100].tolist()
    kept = given.filtered(Filters(remove=gone, exclude=["rs1"]))
    assert kept.genotypes.n_samples == len(kept.y) == len(kept.covariates) == 800
    assert (kept.y == given.y[100:]).all()
    assert kept.covariates["number"].tolist() == list(range(100, 900))
    assert kept.genotypes.names == given.genotypes.names[1:]
    assert kept.history[0] == "Read."
    assert "100 of 900 samples left out: among those to remove." in kept.history
    controls = given.genotypes.samples["IID"][~given.y].tolist()
    with pytest.raises(InputError, match="0 controls; both are needed"):
        given.filtered(Filters(remove=controls))


def test_rivals_are_counted_as_an_obvious_loop_counts_them():
    found = find_markers(study(proxies=3), **QUICK)
    rivals = find_rivals(found)
    own, best = found.function(found.study.genotypes), found.posterior.log_score(found.function)
    assert found.function not in rivals.functions
    assert (np.diff(rivals.ratio) <= 0).all()
    for function, ratio, apart in zip(rivals.functions, rivals.ratio, rivals.apart, strict=True):
        on = found.scoring.on([found.study.genotypes.place[a] for a in function.attributes])
        assert ratio == pytest.approx(np.exp(on.log_score(function) - best))
        assert ratio >= 0.1
        assert apart == (function(found.study.genotypes) != own).mean()


def test_a_variant_keeps_its_name_when_its_namesake_is_left_behind():
    given = study()
    given.genotypes.variants["ID"] = given.genotypes.variants["ID"].replace({"rs1": "rs4"})
    names = given.genotypes.names
    assert names[0] != names[3]
    found = find_markers(given, **{**QUICK, "triples": 0}, keep=2)
    assert 0 not in found.screen.chosen
    assert set(found.function.attributes) == {names[3], names[7]}
    assert set(found.terms["SNP"][0].split(",")) == {"rs4", "rs8"}
    answers = MarkerModel.of(found).predict(given.genotypes)
    expected = found.function(given.genotypes)
    assert (answers["MARKED"] == expected.astype(int)).all()


def test_parts_with_risks_of_their_own_are_a_list_of_layers():
    rng = np.random.default_rng(0)
    calls = rng.binomial(2, 0.4, (8, 900))
    first, second = (calls[1] == 2), (calls[4] >= 1)
    y = rng.random(900) < np.where(first, 0.95, np.where(second, 0.5, 0.1))
    given = Study(Genotypes.from_copies(calls), y)
    found = find_markers(given, layers=3, **{**QUICK, "triples": 0})
    assert len(found.layered.rule) == 2
    assert found.layered.gain > 3
    assert set(found.layered.rule(given.genotypes)) == {0, 1, 2}
    table = found.layered.table
    assert table["PART"].tolist() == [2, 1, 0]
    assert table["CASES"].sum() == y.sum()
    parts = found.layered.rule(given.genotypes)
    for part, cases, risk in zip(table["PART"], table["CASES"], table["RISK"], strict=True):
        assert cases == y[parts == part].sum()
        assert risk == pytest.approx(y[parts == part].mean(), abs=0.02)
    assert "A list of 2 layers" in str(found)
    assert find_markers(given, **{**QUICK, "triples": 0}).layered is None


@adds("published data set with a known answer")
def test_many_equivalent_rules_are_told():
    given = read_study(SHARED / "plink" / "hapmap_ceu_yri", regions="5").filtered(Filters(hwe=0))
    found = find_markers(given, **{**QUICK, "triples": 0}, keep=60)
    assert len(found.rivals.functions) > 5
    assert "The data do not distinguish this function from others" in str(found)


@adds("published data set with a known answer")
def test_the_three_terms_of_logicfs_are_found_exactly():
    table = pd.read_csv(SHARED / "simulated" / "logicfs_3term.csv")
    names = [f"SNP{i}" for i in range(1, 16)]
    calls = Genotypes.from_copies(table[names].to_numpy().T - 1, ids=names)
    found = find_markers(Study(calls, table["y"].to_numpy() == 1), **QUICK)
    assert str(found.function) == (
        "(SNP1_B recessive) OR (NOT SNP2_B dominant AND SNP4_B recessive) OR "
        "(SNP3_B recessive AND SNP5_B recessive AND NOT SNP6_B dominant)"
    )
    assert (found.function(calls) == found.study.y).all()
