"""Sets whose answer is known, from a file on disk to the function found."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf import DNFClassifier, PosteriorDNFClassifier
from bayesdnf.genomics import Genotypes, find_markers, read_study, write_plink
from tests.beside import DATA, adds
from tests.fewer import first

pytestmark = pytest.mark.slow

SHARED = DATA / "genomics"


def through_a_file(copies, y, folder):
    """Write calls (samples by variants) as a PLINK file, and read it."""
    genotypes = Genotypes.from_copies(copies.to_numpy().T, ids=list(copies.columns))
    write_plink(genotypes, folder / "study", np.asarray(y) == 1)
    return read_study(folder / "study")


def variants_of(found):
    """Name the variants of each term."""
    names = found.study.genotypes.names
    ids = dict(zip(names, found.study.genotypes.variants["ID"], strict=True))
    return [{ids[x.attribute] for x in term} for term in found.function.literal_terms]


@pytest.mark.parametrize("seed", first([0, 1]))
def test_an_exclusive_or_is_found_without_marginal_effects(seed, tmp_path):
    rng = np.random.default_rng(seed)
    copies = pd.DataFrame(rng.binomial(2, 0.5, (1200, 15))).add_prefix("rs")
    either = (copies["rs4"] == 1) ^ (copies["rs9"] == 1)
    y = rng.random(1200) < np.where(either, 0.7, 0.3)
    found = find_markers(through_a_file(copies, y, tmp_path), draws=200, random_state=seed)
    assert (found.function(found.study.genotypes) == either).all()


@pytest.mark.parametrize("seed", first([0, 1]))
def test_carriers_of_the_commoner_allele_are_found(seed, tmp_path):
    # The minor allele is counted, so that carrying the other one is "not recessive".
    rng = np.random.default_rng(seed)
    copies = pd.DataFrame(rng.binomial(2, 0.6, (1200, 15))).add_prefix("rs")
    marked = (copies["rs4"] >= 1) & (copies["rs9"] >= 1)
    y = rng.random(1200) < np.where(marked, 0.6, 0.2)
    found = find_markers(through_a_file(copies, y, tmp_path), draws=200, random_state=seed)
    assert (found.function(found.study.genotypes) == marked).all()
    assert "NOT rs4_A recessive" in str(found.function)


@adds("published data set with a known answer")
@pytest.mark.parametrize(
    ("name", "truth", "accuracy"),
    [
        ("gametes_2way_20atts_0.4H", {"P1", "P2"}, 0.77),
        pytest.param("mdr1_domdom", {"SNP.4", "SNP.9"}, 0.65, marks=pytest.mark.long),
        pytest.param("mbmdr_simSNP", {"SNP1", "SNP2"}, 0.75, marks=pytest.mark.long),
    ],
)
def test_two_interacting_variants_are_found(name, truth, accuracy, tmp_path):
    data = pd.read_csv(SHARED / "simulated" / f"{name}.csv")
    study = through_a_file(data.drop(columns="y"), data["y"], tmp_path)
    found = find_markers(study, random_state=0)
    assert all(variants == truth for variants in variants_of(found))
    assert (found.function(study.genotypes) == study.y).mean() >= accuracy
    by_cells = found.screen.scans[1].findings
    first = study.genotypes.variants["ID"][by_cells.loc[0, ["place_1", "place_2"]]]
    assert set(first) == truth


@adds("published data set with a known answer")
def test_184v_and_184i_are_the_mutations_of_resistance_to_lamivudine():
    data = pd.read_csv(SHARED / "real" / "hiv_nrti_3TC.csv")
    X, y = data.drop(columns="y"), data["y"]
    best = DNFClassifier(negations=False, random_state=0).fit(X, y)
    rules = best.rules_.set_index("rule")
    assert rules["log_gain"].idxmax() == "RT184V"
    assert rules.loc["RT184I", "log_gain"] > 30
    # Each alone is a sure term; the only others are 65R and 215F, which are known for it too.
    chains = {"layers": 1, "draws": 300, "warmup": 150, "random_state": 0}
    sampled = PosteriorDNFClassifier(negations=False, **chains).fit(X, y)
    terms = sampled.draws_.inclusion("term").set_index("what")["probability"]
    sure = {term for term in terms.index[terms > 0.999] if " AND " not in term}
    assert {"RT184V", "RT184I"} <= sure <= {"RT184V", "RT184I", "RT65R", "RT215F"}
