"""A marker as a model: its file, and its answers on other cohorts."""

import itertools
import json
import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesdnf import BooleanFunction, Effect
from bayesdnf.errors import InputError
from bayesdnf.genomics import Genotypes, MarkerModel, find_markers, write_plink
from bayesdnf.genomics.prediction.marker_model import is_marker_model
from bayesdnf.model.rates import Counts, Interval
from tests.genomics.planted import QUICK, TRUTH, study


def model_of(text, alleles=("A", "G")):
    """A model of a function on rs1, rs2, … at positions 100, 200, …."""
    function = BooleanFunction.parse(text)
    rows = []
    for name in function.attributes:
        stem, allele = name.rsplit("_", 1)
        codings = list({x.operator: 0 for x in function.literals if x.attribute == name})
        other = alleles[1] if allele == alleles[0] else alleles[0]
        rows.append((name, stem, "1", 100 * int(stem[2:]), allele, other, 0.3, codings))
    columns = ["NAME", "ID", "CHR", "POS", "A1", "A2", "FREQ", "CODINGS"]
    term = {"cases": 3, "controls": 1, "odds_ratio": 3.0, "probability": 0.9}
    return MarkerModel(
        function=function,
        variants=pd.DataFrame(rows, columns=columns),
        risk=Interval(0.4, 0.3, 0.5),
        other_risk=Interval(0.1, 0.05, 0.2),
        prevalence=None,
        null_probability=0.0,
        counts=Counts(10, 5, 4, 3),
        terms=tuple({"term": " AND ".join(t), **term} for t in function.terms),
        settings={"seed": "0"},
    )


def cohort(calls, ids, alleles):
    packed = Genotypes.from_copies(calls, ids=ids)
    packed.variants["POS"] = [100 * int(name[2:]) if name[2:].isdigit() else 7 for name in ids]
    packed.variants["A1"], packed.variants["A2"] = zip(*alleles, strict=True)
    return packed


PAIR = "(rs1_A dominant AND rs2_G recessive)"


def marks(answers):
    return ["NA" if pd.isna(value) else int(value) for value in answers["MARKED"]]


def test_answers_with_known_and_missing_calls():
    calls = [[1, 2, 0, -1, -1, 1, 0], [2, 1, 2, 2, 0, -1, -1]]
    there = cohort(calls, ["rs1", "rs2"], [("A", "G"), ("G", "A")])
    answers = model_of(PAIR).predict(there)
    assert list(answers.columns) == ["FID", "IID", "MARKED", "TERMS", "RISK"]
    assert marks(answers) == [1, 0, 0, "NA", 0, "NA", 0]
    assert answers["TERMS"].tolist() == ["1", "", "", "", "", "", ""]
    risks = [0.4, 0.1, 0.1, np.nan, 0.1, np.nan, 0.1]
    np.testing.assert_array_equal(answers["RISK"], risks)


def test_one_sure_term_is_enough_whatever_the_other_lacks():
    model = model_of("(rs1_A dominant) OR (rs2_A dominant AND rs3_A dominant)")
    calls = [[1, 0, -1, -1], [-1, -1, 0, 2], [-1, 2, 2, 1]]
    there = cohort(calls, ["rs1", "rs2", "rs3"], [("A", "G")] * 3)
    answers = model.predict(there)
    assert marks(answers) == [1, "NA", "NA", 1]
    assert answers["TERMS"].tolist() == ["1", "", "", "2"]


def test_swapped_alleles_are_recoded():
    calls = np.array([[1, 2, 0, 1, -1], [2, 1, 2, 2, 2]])
    as_written = cohort(calls, ["rs1", "rs2"], [("A", "G"), ("G", "A")])
    turned = cohort(np.where(calls < 0, -1, 2 - calls), ["rs1", "rs2"], [("G", "A"), ("A", "G")])
    model = model_of(PAIR)
    matched = model.match(turned)
    assert matched.table["status"].tolist() == ["swapped", "swapped"]
    pd.testing.assert_frame_equal(model.predict(matched), model.predict(as_written))


def test_ambiguous_and_absent_variants_are_missing_and_never_guessed():
    model = model_of("(rs1_A dominant AND rs2_A dominant)", alleles=("A", "T"))
    there = cohort([[1, 2, 0], [1, 0, 1]], ["rs1", "rs2"], [("A", "T"), ("T", "A")])
    matched = model.match(there)
    assert matched.table["status"].tolist() == ["ambiguous strand"] * 2
    assert marks(model.predict(matched)) == ["NA"] * 3
    trusting = model.predict(model.match(there, ambiguous="accept"))
    assert marks(trusting) == [1, 1, 0]
    absent = cohort([[1, 2, 0]], ["rs1"], [("A", "G")])
    matched = model_of(PAIR).match(absent)
    assert matched.table["status"].tolist() == ["matched", "absent"]
    assert marks(model_of(PAIR).predict(matched)) == ["NA", "NA", 0]


def test_a_model_without_a_marker_marks_nobody():
    answers = model_of(str(BooleanFunction())).predict(cohort([[1, 2, 0]], ["rs1"], [("A", "G")]))
    assert marks(answers) == [0, 0, 0]
    assert answers["RISK"].tolist() == [0.1] * 3


@pytest.mark.parametrize("form", ["plink", "pgen", "vcf"])
@pytest.mark.parametrize("there", ["both", "one", "none"])
def test_only_what_the_marker_may_need_is_read(tmp_path, form, there):
    ids = {"both": ["rs1", "x9", "y3", "rs5"], "one": ["rs1", "rs7", "rs8", "rs9"]}.get(
        there, ["rs6", "rs7", "rs8", "rs9"]
    )
    packed = cohort([[1, 0, 2], [2, 2, 2], [0, 1, 0], [1, 1, 1]], ids, [("A", "G")] * 4)
    if there == "both":
        packed.variants["POS"] = [100, 200, 300, 500]  # x9 stands where rs2 does
    write_cohort(packed, tmp_path / "there", form)
    model = model_of("(rs1_A dominant AND rs2_A recessive)")
    calls = model.read(tmp_path / "there")
    wanted = {"both": ["rs1", "x9"], "one": ["rs1"], "none": []}[there]
    assert calls.variants["ID"].tolist() == wanted
    matched = model.match(calls)
    assert matched.found.sum() == len(wanted)
    expected = {"both": [1, 0, 1], "one": ["NA", 0, "NA"], "none": ["NA"] * 3}[there]
    assert marks(model.predict(matched)) == expected
    nobody = model_of(str(BooleanFunction()))
    assert marks(nobody.predict(nobody.read(tmp_path / "there"))) == [0, 0, 0]


def write_cohort(packed, prefix, form):
    if form == "plink":
        write_plink(packed, prefix)
        return
    calls, v = packed.copies(range(packed.n_variants)), packed.variants
    if form == "vcf":
        text = {-1: "./.", 0: "0/0", 1: "0/1", 2: "1/1"}
        lines = ["##fileformat=VCFv4.2", "##contig=<ID=1>",
                 '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
                 "\t".join(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT",
                            *packed.samples["IID"]])]  # fmt: skip
        for i in range(len(v)):
            row = v.iloc[i]
            place = [row["CHR"], row["POS"], row["ID"], row["A2"], row["A1"], ".", ".", ".", "GT"]
            lines.append("\t".join([*map(str, place), *(text[c] for c in calls[i].tolist())]))
        prefix.with_suffix(".vcf").write_text("\n".join(lines) + "\n")
        return
    pgenlib = pytest.importorskip("pgenlib")
    n = packed.n_samples
    with pgenlib.PgenWriter(os.fsencode(prefix.with_suffix(".pgen")), n, len(v)) as out:
        for row in calls:
            out.append_biallelic(row.astype(np.int8))
    pvar = v[["CHR", "POS", "ID", "A2", "A1"]].set_axis(
        ["#CHROM", "POS", "ID", "REF", "ALT"], axis=1
    )
    pvar.to_csv(prefix.with_suffix(".pvar"), sep="\t", index=False)
    packed.samples[["IID", "SEX"]].rename(columns={"IID": "#IID"}).to_csv(
        prefix.with_suffix(".psam"), sep="\t", index=False
    )


CODES = ["dominant", "recessive", "heterozygous"]
LITERALS = [f"{no}rs{v}_A {code}" for v in (1, 2, 3) for code in CODES for no in ("", "NOT ")]
TERMS = st.lists(st.sampled_from(LITERALS), min_size=1, max_size=3, unique=True)


@pytest.mark.slow
@given(
    st.lists(TERMS, min_size=1, max_size=3), st.lists(st.integers(-1, 2), min_size=3, max_size=3)
)
def test_answers_agree_with_every_way_to_fill_in_the_missing_calls(terms, calls):
    model = model_of(" OR ".join(f"({' AND '.join(term)})" for term in terms))
    names = [f"rs{v}" for v in (1, 2, 3)]
    [answer] = marks(model.predict(cohort([[c] for c in calls], names, [("A", "G")] * 3)))
    options = [[c] if c >= 0 else [0, 1, 2] for c in calls]
    full = np.array(list(itertools.product(*options))).T
    truth = model.function(cohort(full, names, [("A", "G")] * 3))
    if answer == 1:
        assert truth.all()
    if answer == 0:
        assert not truth.any()
    if min(calls) >= 0:
        assert answer == int(truth[0])


@pytest.fixture(scope="module")
def found():
    return find_markers(study(), effect=Effect(prevalence=0.01, sampling="case-control"), **QUICK)


def test_a_file_is_read_back_as_it_was(found, tmp_path):
    model = MarkerModel.of(found)
    model.save(tmp_path / "model.json")
    assert is_marker_model(tmp_path / "model.json")
    again = MarkerModel.load(tmp_path / "model.json")
    assert str(again.function) == TRUTH
    for name in ("risk", "other_risk", "prevalence", "null_probability", "counts", "terms"):
        assert getattr(again, name) == getattr(model, name), name
    pd.testing.assert_frame_equal(again.variants, model.variants)
    assert again.settings == found.settings
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    answers = again.predict(found.study.genotypes)
    assert marks(answers) == found.function(found.study.genotypes).astype(int).tolist()
    assert again.prevalence == 0.01
    assert again.scale == "of a population with 0.01 cases"


def spoilt(document, path, value):
    """The document with one field changed, or left out where the value is None."""
    *parents, last = path
    part = document
    for key in parents:
        part = part[key]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (["format"], "bayesdnf.classifier", "format"),
        (["version"], 2, "version 2"),
        (["version"], "1", "version"),
        (["function"], None, "'function' is missing"),
        (["surprise"], 1, "'surprise' is not known"),
        (["rule"], "(rs1_A dominant)", "'rule'"),
        (["variants"], [], "'variants'"),
        (["variants", 0, "POS"], -4, "variants[0].POS"),
        (["variants", 0, "A1"], "C", "counted allele"),
        (["variants", 0, "FREQ"], 2, "FREQ"),
        (["variants", 0, "CODINGS"], ["recessive"], "CODINGS"),
        (["risks", "marked", "mean"], 1.5, "risks.marked.mean"),
        (["scale"], "universe", "scale"),
        (["scale"], "sample", "prevalence"),
        (["counts", "n_both"], 10**6, "counts.n_both"),
        (["terms"], [], "'terms'"),
        (["terms", 0, "probability"], 7, "probability"),
        (["settings"], [], "settings"),
    ],
)
def test_a_damaged_file_is_one_sentence(found, tmp_path, path, value, named):
    file = tmp_path / "model.json"
    MarkerModel.of(found).save(file)
    document = spoilt(json.loads(file.read_text()), path, value)
    file.write_text(json.dumps(document))
    with pytest.raises(InputError) as error:
        MarkerModel.load(file)
    message = str(error.value)
    assert str(file) in message
    assert named in message
    assert "\n" not in message


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": 1}', "\x00"])
def test_what_is_no_model_is_refused(tmp_path, text):
    file = tmp_path / "model.json"
    file.write_text(text)
    with pytest.raises(InputError, match="model file of markers"):
        MarkerModel.load(file)


def test_a_linked_variant_stands_in_for_one_that_is_not_there():
    given = study(proxies=3, kept=0.98)
    found = find_markers(given, **QUICK)
    model = MarkerModel.of(found)
    own = next(a for a in found.function.attributes if a != "rs8_A")  # rs4, or one linked with it
    linked = model.proxies[model.proxies["FOR"] == own]
    assert len(linked) >= 2
    assert linked["R2"].is_monotonic_decreasing
    lead = given.genotypes.place[own]
    there = given.genotypes.take(variants=np.arange(given.genotypes.n_variants) != lead)
    turned = there.swapped(np.ones(there.n_variants, dtype=bool))
    for other in (there, turned):  # whichever allele the other cohort counts
        matched = model.match(other)
        status = matched.table.set_index("variant")["status"]
        assert status[own] == "proxy"
        assert "by a linked variant in their place" in matched.genotypes.history[-1]
        answers = model.predict(matched)
        agree = (answers["MARKED"] == found.function(given.genotypes).astype(int)).mean()
        assert agree > 0.95
    absent = there.take(variants=~there.variants["ID"].isin(linked["ID"]).to_numpy())
    assert model.predict(absent)["MARKED"].isna().mean() > 0.3


def test_a_proxy_in_the_other_phase_counts_its_other_allele():
    given = study(n=600, proxies=1, kept=0.99)
    swap = np.zeros(given.genotypes.n_variants, dtype=bool)
    swap[9] = True
    opposite = replace(given, genotypes=given.genotypes.swapped(swap))
    found = find_markers(opposite, **QUICK)
    model = MarkerModel.of(found)
    [row] = model.proxies.to_dict("records")
    assert {row["FOR"].partition("_")[0], row["ID"]} == {"rs4", "rs10"}
    proxy = opposite.genotypes.variants.set_index("ID").loc[row["ID"]]
    assert (row["A1"], row["A2"]) == (proxy["A2"], proxy["A1"])


def test_unambiguous_variants_are_preferred_where_they_score_the_same():
    given = study()
    planes = given.genotypes.planes.copy()
    planes[15] = planes[3]
    variants = given.genotypes.variants.copy()
    variants.loc[3, ["A1", "A2"]] = ["A", "T"]
    twin = replace(given, genotypes=replace(given.genotypes, planes=planes, variants=variants))
    assert set(find_markers(twin, **QUICK).function.attributes) == {"rs16_A", "rs8_A"}


def test_what_negations_mean_is_told_by_the_other_allele():
    model = model_of("(NOT rs1_A dominant AND rs2_G recessive)")
    assert str(model.plain) == "(rs1_G recessive AND rs2_G recessive)"
