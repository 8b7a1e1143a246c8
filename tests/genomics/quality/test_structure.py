import numpy as np
import pytest

from bayesdnf.errors import InputError, ParameterError
from bayesdnf.genomics import Genotypes, close_relatives, independent_variants, principal_components
from bayesdnf.genomics.quality import structure
from tests.beside import DATA, adds
from tests.genomics import twins

HAPMAP = DATA / "genomics/plink/hapmap_ceu_yri.bed"


def two_populations(seed, n=60, p=400, apart=0.15):
    rng = np.random.default_rng(seed)
    ancestral = rng.uniform(0.2, 0.8, (p, 1))
    local = np.clip(ancestral + rng.normal(0, apart, (p, 2)), 0.05, 0.95)
    group = rng.random(n) < 0.4
    calls = rng.binomial(2, local[:, group.astype(int)])
    calls[rng.random(calls.shape) < 0.02] = -1
    return calls, group


def decomposed(calls):
    """All components at once, from the full matrix."""
    known = calls >= 0
    f = np.where(known, calls, 0).sum(1) / known.sum(1) / 2
    z = np.where(known, (calls - 2 * f[:, None]) / np.sqrt(2 * f * (1 - f))[:, None], 0)
    values, vectors = np.linalg.eigh(z.T @ z)
    return values[::-1] / values.sum(), vectors[:, ::-1]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("k", "n"), [(2, 60), (5, 60), (3, 200)])  # dense, dense, Lanczos
def test_components_are_those_of_the_full_matrix(seed, k, n, monkeypatch):
    calls, group = two_populations(seed, n)
    monkeypatch.setattr(structure, "_BLOCK_BYTES", 4 * n * 37)  # several blocks
    found = principal_components(twins.make(calls), k, variants=np.arange(len(calls)))
    share, vectors = decomposed(calls)
    np.testing.assert_allclose(found.explained, share[:k], rtol=1e-4)
    alike = np.abs((found.scores.to_numpy() * vectors[:, :k]).sum(0))
    np.testing.assert_allclose(alike, 1, atol=1e-3)
    scores = found.scores.to_numpy()
    assert (scores[np.abs(scores).argmax(0), range(k)] > 0).all()
    inside, outside = scores[group, 0], scores[~group, 0]
    assert inside.min() > outside.max() or outside.min() > inside.max()


@pytest.mark.parametrize("seed", range(3))
def test_the_way_for_many_samples_finds_the_same(seed, monkeypatch):
    calls, _ = two_populations(seed, n=300, p=900)
    packed, every = twins.make(calls), np.arange(len(calls))
    exact = principal_components(packed, 3, variants=every)
    monkeypatch.setattr(structure, "_EXACT", 10)
    other = principal_components(packed, 3, variants=every)
    np.testing.assert_allclose(other.explained, exact.explained, rtol=1e-3)
    np.testing.assert_allclose(other.scores["PC1"], exact.scores["PC1"], atol=1e-4)
    assert other.scores.equals(principal_components(packed, 3, variants=every).scores)


def test_variants_are_common_autosomal_and_unlinked():
    rng = np.random.default_rng(0)
    p = 60
    calls = rng.binomial(2, 0.3, (p, 300))
    calls[1] = calls[0]
    calls[2] = rng.binomial(2, 0.01, 300)
    calls[3, :50] = -1
    chromosome = np.array(["1"] * p, dtype=object)
    chromosome[[4, 5, 6, 7]] = ["X", "25", "MT", "0"]
    packed = twins.make(calls, chromosome)
    chosen = set(independent_variants(packed).tolist())
    assert len(chosen & {0, 1}) == 1
    assert not chosen & {2, 3, 4, 5, 6, 7}
    assert len(chosen) == p - 7
    assert len(independent_variants(packed, at_most=10)) == 10


def test_what_components_cannot_be_made_from():
    packed = twins.make(np.tile([0, 1, 2], (5, 1)), "X")
    with pytest.raises(InputError, match="None of the 5 is one"):
        principal_components(packed, 1)
    with pytest.raises(ParameterError, match=r"from 1 to 2\. Got 3"):
        principal_components(packed, 3, variants=np.arange(5))


def family(seed, p=4000):
    """Thirty strangers, then a child of 0 and 1, its sibling, and a copy of 2 with errors."""
    rng = np.random.default_rng(seed)
    haplotypes = rng.random((2, p, 30)) < rng.uniform(0.1, 0.5, (p, 1))

    def gamete(i):
        return np.where(rng.random(p) < 0.5, haplotypes[0, :, i], haplotypes[1, :, i])

    strangers = haplotypes.sum(0)
    children = [gamete(0).astype(int) + gamete(1) for _ in range(2)]
    copy = np.where(rng.random(p) < 0.005, rng.integers(0, 3, p), strangers[:, 2])
    return np.column_stack([strangers, *children, copy])


@pytest.mark.parametrize("seed", range(3))
def test_families_and_duplicates_are_named(seed):
    packed = twins.make(family(seed), position=np.arange(4000) * 10**6)
    found = close_relatives(packed, n_threads=2)
    pairs = {(row.IID1, row.IID2): row.degree for row in found.pairs.itertuples()}
    first = {("s1", "s31"), ("s2", "s31"), ("s1", "s32"), ("s2", "s32"), ("s31", "s32")}
    assert pairs == dict.fromkeys(first, "first degree") | {("s3", "s33"): "twins or duplicates"}
    assert found.pairs["kinship"].is_monotonic_decreasing
    assert found.sentence.startswith("6 pairs of close relatives (kinship of 0.177 or more")
    assert "5 first degree, 1 twins or duplicates (s3 and s33" in found.sentence


def test_strangers_are_none_and_few_variants_are_too_few():
    calls = family(0)[:, :30]
    packed = twins.make(calls, position=np.arange(4000) * 10**6)
    assert close_relatives(packed).pairs.empty
    assert close_relatives(packed).sentence.startswith("No close relatives")
    few = close_relatives(packed, variants=np.arange(499))
    assert few.pairs.empty
    assert "499 unlinked common autosomal variants are too few" in few.sentence
    with pytest.raises(ParameterError, match="kinship"):
        close_relatives(packed, 0)


@adds("study of people from two continents")
def test_continents_are_the_first_component():
    import pandas as pd

    from bayesdnf import _native
    from bayesdnf.genomics.genotypes import empty_planes

    names = ["FID", "IID", "FATHER", "MOTHER", "SEX", "PHENOTYPE"]
    samples = pd.read_csv(HAPMAP.with_suffix(".fam"), sep=r"\s+", names=names)
    names = ["CHR", "ID", "CM", "POS", "A1", "A2"]
    variants = pd.read_csv(HAPMAP.with_suffix(".bim"), sep=r"\s+", names=names)
    raw = np.fromfile(HAPMAP, dtype=np.uint8)[3:].reshape(len(variants), -1)
    planes = empty_planes(len(variants), len(samples))
    _native.read_bed(raw, len(samples), planes, 1)
    packed = Genotypes(planes, samples, variants)
    first = principal_components(packed, 2).scores["PC1"]
    side = (first > 0) == (samples["PHENOTYPE"] == 2)
    assert side.mean() in (0, 1)
    # Two populations do not make relatives; one pair, in the second, is really there.
    found = close_relatives(packed).pairs
    assert found[["IID1", "IID2", "degree"]].to_numpy().tolist() == [
        ["NA18913", "NA19238", "first degree"]
    ]


def kin(rng, parents):
    """A child of two people, each given as two haplotypes."""
    return np.stack([np.where(rng.random(p.shape[1]) < 0.5, p[0], p[1]) for p in parents])


def test_relatives_are_numbered_as_families_or_left_out_as_plink_does():
    rng = np.random.default_rng(0)
    people = [rng.random((2, 3000)) < 0.4 for _ in range(9)]
    children = [kin(rng, people[:2]) for _ in range(3)]  # s10, s11, s12: sibs, children of s1, s2
    people += [*children, people[6]]  # s13 is s7 again
    calls = np.stack([p.sum(axis=0) for p in people], axis=1)
    packed = twins.make(calls, position=np.arange(3000) * 1000)
    found = close_relatives(packed, variants=np.arange(3000))
    assert found.families(13).tolist() == [1, 1, 0, 0, 0, 0, 2, 0, 0, 1, 1, 1, 2]
    kept = found.unrelated(13)
    pairs = {frozenset(pair) for pair in found.members.tolist()}
    assert all(not kept[list(pair)].all() for pair in pairs)
    assert np.flatnonzero(~kept).tolist() == [9, 10, 11, 12]  # both parents may stay
    assert "strata do not correct for relatedness" in found.sentence
