import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction
from bayesdnf.errors import InputError, ParameterError, UnknownColumnError
from bayesdnf.genomics import match_variants
from tests.genomics import twins

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def wanted(rows):
    table = pd.DataFrame(rows, columns=["ID", "CHR", "POS", "A1", "A2"])
    return table


def cohort(rows, calls):
    table = wanted(rows)
    packed = twins.make(calls, table["CHR"], table["POS"], ids=list(table["ID"]))
    packed.variants["A1"], packed.variants["A2"] = table["A1"], table["A2"]
    return packed


CALLS = [[0, 1, 2, -1]]


@pytest.mark.parametrize(
    ("ours", "theirs", "status", "copies"),
    [
        ("AG", "AG", "matched", [0, 1, 2, -1]),
        ("AG", "GA", "swapped", [2, 1, 0, -1]),
        ("AG", "TC", "other strand", [0, 1, 2, -1]),
        ("AG", "CT", "other strand, swapped", [2, 1, 0, -1]),
        ("ag", "AG", "matched", [0, 1, 2, -1]),
        ("AG", "AC", "other alleles", None),
        ("AG", "AT", "other alleles", None),
        ("AT", "AT", "ambiguous strand", None),
        ("AT", "TA", "ambiguous strand", None),
        ("CG", "CG", "ambiguous strand", None),
        ("AT", "CG", "other alleles", None),
        ("AG", "0G", "other alleles", None),  # unnamed, yet somebody has it
        (("AT", "A"), ("A", "AT"), "swapped", [2, 1, 0, -1]),
        (("AT", "A"), ("TA", "T"), "other alleles", None),
        ("BA", "BA", "matched", [0, 1, 2, -1]),
    ],
)
@pytest.mark.parametrize("by", ["ID", "place"])
def test_alleles(ours, theirs, status, copies, by):
    table = wanted([("rs1", "7", 100, *ours)])
    there = ("rs1", "chr7", 555) if by == "ID" else (".", "chr7", 100)
    matched = match_variants(table, cohort([(*there, *theirs)], CALLS))
    assert matched.table["status"].tolist() == [status]
    assert twins.all_copies(matched.genotypes).tolist() == ([] if copies is None else [copies])
    if copies:
        assert matched.genotypes.names == [f"rs1_{ours[0]}"]
        how = "by ID" if by == "ID" else "by chromosome and position"
        assert matched.table["detail"][0].startswith(f"{how}: {there[0]} at chr7:{there[2]}, ")


@pytest.mark.parametrize(("theirs", "status"), [("AT", "matched"), ("TA", "swapped")])
def test_a_strand_that_is_trusted(theirs, status):
    table = wanted([("rs1", "7", 100, "A", "T")])
    matched = match_variants(table, cohort([("rs1", "7", 100, *theirs)], CALLS), ambiguous="accept")
    assert matched.table["status"].tolist() == [status]


@pytest.mark.parametrize(
    ("theirs", "calls", "status", "copies"),
    [
        ("0G", [0, 0, -1], "matched", [0, 0, -1]),
        ("0A", [0, 0, -1], "swapped", [2, 2, -1]),
        ("A0", [2, 2, -1], "matched", [2, 2, -1]),
        ("0C", [0, 0, -1], "other alleles", None),  # C on this strand, or G on the other?
    ],
)
def test_an_allele_that_nobody_has(theirs, calls, status, copies):
    table = wanted([("rs1", "7", 100, "A", "G")])
    matched = match_variants(table, cohort([("rs1", "7", 100, *theirs)], [calls]))
    assert matched.table["status"].tolist() == [status]
    assert twins.all_copies(matched.genotypes).tolist() == ([copies] if copies else [])


def test_an_id_on_another_chromosome_is_no_match_unless_the_place_is_unknown():
    table = wanted([("rs1", "7", 100, "A", "G"), ("rs2", "X", 5, "A", "G")])
    there = cohort([("rs1", "8", 100, "A", "G"), ("rs2", "25", 9, "A", "G")], CALLS * 2)
    found = match_variants(table, there).table["status"].tolist()
    assert found == ["other chromosome", "matched"]
    there.variants.loc[0, "CHR"] = "0"
    assert match_variants(table, there).table["status"].tolist() == ["matched", "matched"]


def test_the_id_counts_more_than_the_place():
    table = wanted([("rs1", "7", 100, "A", "G")])
    rows = [("rs9", "7", 100, "A", "G"), ("rs1", "7", 300, "G", "A")]
    matched = match_variants(table, cohort(rows, [[0, 0], [1, 0]]))
    assert matched.table["status"].tolist() == ["swapped"]
    assert twins.all_copies(matched.genotypes).tolist() == [[1, 2]]
    # But an ID with other alleles gives way to a place with the right ones.
    rows[1] = ("rs1", "7", 300, "G", "C")
    assert match_variants(table, cohort(rows, [[0, 0], [1, 0]])).table["status"][0] == "matched"


def test_a_place_counts_for_nothing_where_the_id_there_is_wanted_too():
    table = wanted([("rs1", "1", 10, "A", "G"), ("rs2", "1", 20, "A", "G")])
    matched = match_variants(table, cohort([("rs2", "1", 10, "A", "G")], CALLS))
    assert matched.table["status"].tolist() == ["absent", "matched"]


@pytest.mark.parametrize(("shift", "status"), [(0, "matched"), (7, "other build")])
def test_places_count_for_nothing_in_another_build(shift, status):
    table = wanted([(f"rs{i}", "1", 100 * i + 100, "A", "G") for i in range(4)])
    rows = [(f"rs{i}", "1", 100 * i + 100 + shift, "A", "G") for i in range(3)]
    rows.append(("rs99", "1", 400, "A", "G"))
    matched = match_variants(table, cohort(rows, CALLS * 4))
    assert matched.table["status"].tolist() == ["matched"] * 3 + [status]


@pytest.mark.parametrize(
    ("second", "alleles", "status", "copies"),
    [
        ([0, 1, -1, 2], "AG", "matched", [0, 1, -1, 2]),
        ([2, 1, -1, 0], "GA", "swapped", [0, 1, -1, 2]),
        ([1, 1, -1, 2], "AG", "duplicates disagree", None),
        ([0, 1, -1, 2], "GA", "duplicates disagree", None),
        ([0, 1, -1, 2], "AC", "matched", [0, -1, -1, 2]),  # another allele of the same place
    ],
)
def test_duplicates_in_the_cohort(second, alleles, status, copies):
    table = wanted([("rs1", "7", 100, "A", "G")])
    rows = [("rs1", "7", 100, "A", "G"), ("rs1", "7", 100, *alleles)]
    first = [0, -1, -1, 2]
    matched = match_variants(table, cohort(rows, [first, second]))
    assert matched.table["status"].tolist() == [status]
    # Of two that agree in all but gaps the fuller one is taken.
    assert twins.all_copies(matched.genotypes).tolist() == ([copies] if copies else [])


def test_a_rule_is_asked_of_another_cohort():
    table = wanted(
        [("rs1", "1", 10, "A", "G"), (".", "2", 20, "C", "T"), ("rs3", "3", 30, "G", "T")]
    )
    rows = [("x", "2", 20, "G", "A"), ("rs1", "chr1", 10, "G", "A")]
    there = cohort(rows, [[0, 1, 2, 2], [0, 1, 2, -1]])
    matched = match_variants(table, there)
    assert matched.table["variant"].tolist() == ["rs1_A", "2:20:T_C", "rs3_G"]
    assert matched.table["status"].tolist() == ["swapped", "other strand", "absent"]
    assert matched.found.tolist() == [True, True, False]
    assert matched.genotypes.names == ["rs1_A", "2:20:T_C"]
    rule = BooleanFunction("rs1_A dominant AND 2:20:T_C dominant OR 2:20:T_C recessive")
    assert rule(matched.genotypes).tolist() == [False, True, True, True]
    assert matched.genotypes.history[-1] == (
        "2 of 3 variants of the model found: 1 with their alleles swapped, 1 on the other strand; "
        "1 not used, absent: rs3_G."
    )
    with pytest.raises(UnknownColumnError, match="rs3_G"):
        BooleanFunction("rs3_G dominant")(matched.genotypes)


def test_the_models_own_names_are_kept():
    # The model knew two variants called rs1 and named them by place; only one is wanted now.
    table = wanted([("rs1", "1", 10, "A", "G")]).assign(NAME=["1:10:G_A"])
    matched = match_variants(table, cohort([("rs1", "1", 10, "A", "G")], CALLS))
    assert matched.genotypes.names == ["1:10:G_A"]
    # The same where both are wanted and one is absent.
    two = wanted([("rs1", "1", 10, "A", "G"), ("rs1", "1", 10, "C", "G")])
    matched = match_variants(two, cohort([("rs1", "1", 10, "A", "G")], CALLS))
    assert matched.table["variant"].tolist() == ["1:10:G_A", "1:10:G_C"]
    assert matched.table["status"].tolist() == ["matched", "other alleles"]
    assert matched.genotypes.names == ["1:10:G_A"]


@pytest.mark.slow
@given(st.integers(0, 2**32))
def test_a_shuffled_cohort_on_any_strand_gives_the_same_calls(seed):
    rng = np.random.default_rng(seed)
    p = 12
    calls = rng.integers(-1, 3, (p, 30))
    alleles = [tuple(rng.choice(list("ACGT"), 2, replace=False)) for _ in range(p)]
    table = wanted([(f"rs{i}", "1", 10 * i + 1, *a) for i, a in enumerate(alleles)])
    rows, theirs = [], []
    order = rng.permutation(p)[: p - 2]
    for i in order:
        a1, a2 = alleles[i]
        row = calls[i]
        if rng.random() < 0.5:
            a1, a2, row = a2, a1, np.where(row < 0, -1, 2 - row)
        if rng.random() < 0.5:
            a1, a2 = a1.translate(COMPLEMENT), a2.translate(COMPLEMENT)
        rows.append((f"rs{i}" if rng.random() < 0.5 else ".", "chr1", 10 * i + 1, a1, a2))
        theirs.append(row)
    matched = match_variants(table, cohort(rows, theirs))
    palindromic = np.array([a.translate(COMPLEMENT) == b for a, b in alleles])
    present = np.isin(np.arange(p), order)
    np.testing.assert_array_equal(matched.found, present & ~palindromic)
    assert (matched.table["status"][present & palindromic] == "ambiguous strand").all()
    assert (matched.table["status"][~present] == "absent").all()
    np.testing.assert_array_equal(twins.all_copies(matched.genotypes), calls[matched.found])


def test_what_is_lacking_is_named():
    with pytest.raises(InputError, match="no column A1, POS"):
        match_variants(pd.DataFrame({"ID": [], "CHR": [], "A2": []}), twins.make([[0, 1]]))


def test_nothing_wanted_and_nothing_found():
    empty = match_variants(wanted([]), twins.make([[0, 1]]))
    assert empty.genotypes.n_variants == 0
    none = match_variants(wanted([("rs1", "5", np.nan, "A", "C")]), twins.make([[0, 1]]))
    assert none.table["status"].tolist() == ["absent"]


def frequent(frequency, n=400, seed=0):
    return np.random.default_rng(seed).binomial(2, frequency, (1, n))


@pytest.mark.parametrize(
    ("ours", "theirs", "frequency", "status"),
    [
        ("AT", "AT", 0.25, "matched"),
        ("AT", "TA", 0.75, "swapped"),
        ("AT", "AT", 0.75, "other strand, swapped"),
        ("AT", "TA", 0.25, "other strand"),
        ("CG", "CG", 0.5, "ambiguous strand"),
        ("CG", "CG", 0.55, "ambiguous strand"),
    ],
)
def test_a_frequency_far_from_a_half_tells_the_strand(ours, theirs, frequency, status):
    """The model counts an allele of frequency 0.2; whatever is matched counts it too."""
    table = wanted([("rs1", "7", 100, *ours)]).assign(FREQ=0.2)
    there = cohort([("rs1", "7", 100, *theirs)], frequent(frequency))
    matched = match_variants(table, there)
    assert matched.table["status"].tolist() == [status]
    if status != "ambiguous strand":
        assert matched.genotypes.frequency[0] < 0.35
    refused = match_variants(table, there, ambiguous="refuse")
    assert refused.table["status"].tolist() == ["ambiguous strand"]
    taken = match_variants(table, there, ambiguous="accept")
    assert taken.table["status"].tolist() == ["swapped" if ours != theirs else "matched"]


def test_a_study_frequency_near_a_half_or_few_samples_decide_nothing():
    table = wanted([("rs1", "7", 100, "A", "T")])
    for ours, n in ((0.48, 400), (0.2, 12)):
        there = cohort([("rs1", "7", 100, "A", "T")], frequent(0.2, n))
        matched = match_variants(table.assign(FREQ=ours), there)
        assert matched.table["status"].tolist() == ["ambiguous strand"]


def test_a_flip_that_turns_the_frequency_round_is_warned_about():
    table = wanted([("rs1", "7", 100, "A", "G"), ("rs2", "7", 200, "A", "G")]).assign(FREQ=0.2)
    there = cohort(
        [("rs1", "7", 100, "A", "G"), ("rs2", "7", 200, "A", "G")],
        [frequent(0.8)[0], frequent(0.2)[0]],
    )
    matched = match_variants(table, there)
    assert matched.table["status"].tolist() == ["matched", "matched"]
    [warning] = matched.warnings
    assert warning.startswith("rs1_A: ")
    assert "here and 0.20 in the model: alleles may be flipped" in warning


def test_an_unknown_way_with_strands_is_refused():
    table = wanted([("rs1", "7", 100, "A", "T")])
    with pytest.raises(ParameterError, match="'ambiguous' parameter of match_variants"):
        match_variants(table, cohort([("rs1", "7", 100, "A", "T")], CALLS), ambiguous="guess")


def test_a_repeated_id_elsewhere_is_no_rival_of_one_in_its_place():
    table = wanted([("rs1", "7", 100, "A", "G")])
    there = cohort(
        [("rs1", "7", 900, "A", "G"), ("rs1", "7", 100, "A", "G")],
        [[0, 0, 1, 2], [2, -1, 0, 0]],
    )
    matched = match_variants(table, there)
    assert matched.table["status"].tolist() == ["matched"]
    assert matched.table["detail"].tolist() == ["by ID: rs1 at 7:100, A/G"]
    assert twins.all_copies(matched.genotypes).tolist() == [[2, -1, 0, 0]]
