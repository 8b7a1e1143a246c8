"""Ploidy: the number of copies of a chromosome that a sample has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from ..chromosomes import canonical_chromosomes
from ..genotypes import CARRIER, KNOWN, TWO, Genotypes

MALE, FEMALE = 1, 2
WITHOUT_SEX = "left out: no sample has a known sex"

PSEUDO_AUTOSOMAL = {
    "GRCh37": {
        "X": ((60_001, 2_699_520), (154_931_044, 155_260_560)),
        "Y": ((10_001, 2_649_520), (59_034_050, 59_363_566)),
    },
    "GRCh38": {
        "X": ((10_001, 2_781_479), (155_701_383, 156_030_895)),
        "Y": ((10_001, 2_781_479), (56_887_903, 57_217_415)),
    },
}
"""First and last base of the regions that X and Y share, by genome build."""


def autosomal(genotypes: Genotypes) -> NDArray[np.bool_]:
    """Return whether variants are on chromosomes 1 to 22."""
    names = canonical_chromosomes(genotypes.variants["CHR"])
    return np.isin(names, [str(i) for i in range(1, 23)])


def sexes(genotypes: Genotypes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of males and of females; others have unknown sex."""
    sex = genotypes.samples["SEX"].to_numpy()
    return np.asarray(sex == MALE), np.asarray(sex == FEMALE)


def sex_words(genotypes: Genotypes) -> NDArray[np.object_]:
    """Sex of each sample in a word; unknown is a level of its own."""
    male, female = sexes(genotypes)
    return np.select([male, female], ["male", "female"], "unknown").astype(object)


def groups(
    genotypes: Genotypes,
) -> list[tuple[NDArray[np.intp], list[NDArray[np.bool_]]]]:
    """Split variants by who can have a call, and these samples by how many copies they have.

    Everyone has autosomes and MT; X belongs to females (two) and males (one), Y to males. Where
    no sex is known, everyone counts everywhere.

    Returns
    -------
    list of (indices of variants, list of samples as bool)
        The lists of samples of one group of variants do not overlap.
    """
    male, female = sexes(genotypes)
    everyone = np.ones(genotypes.n_samples, dtype=np.bool_)
    if not (male.any() or female.any()):
        return [(np.arange(genotypes.n_variants), [everyone])]
    names = canonical_chromosomes(genotypes.variants["CHR"])
    on_x, on_y = names == "X", names == "Y"
    split = [(~(on_x | on_y), [everyone]), (on_x, [female, male]), (on_y, [male])]
    return [(np.flatnonzero(variants), samples) for variants, samples in split if variants.any()]


def expected_counts(
    genotypes: Genotypes, samples: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count calls as ``Genotypes.counts`` does, among the samples that can have one.

    Returns
    -------
    counts : ndarray of int64, shape (n_variants, 3)
    expected : ndarray of int64, shape (n_variants,)
        Number of these samples that can have a call at the variant.
    """
    counts = genotypes.counts(samples)
    expected = np.full(genotypes.n_variants, np.count_nonzero(samples))
    for variants, parts in groups(genotypes):
        able = np.logical_or.reduce(parts)
        if not able.all():  # few variants: X and Y
            some = samples & able
            counts[variants] = genotypes.take(variants=variants).counts(some)
            expected[variants] = some.sum()
    return counts, expected


def allele_counts(
    genotypes: Genotypes, samples: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the counted allele, and all alleles, among some samples; haploid calls once.

    Males have one allele on X and Y, everyone one on MT.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes
    >>> from bayesdnf.genomics.quality.ploidy import allele_counts
    >>> calls = Genotypes.from_copies([[2, 1, 0]])
    >>> calls.variants["CHR"], calls.samples["SEX"] = "X", [1, 2, 1]
    >>> copies, alleles = allele_counts(calls, np.ones(3, dtype=bool))
    >>> int(copies[0]), int(alleles[0])
    (2, 4)
    """
    counts = genotypes.counts(samples)
    copies, alleles = counts[:, CARRIER] + counts[:, TWO], 2 * counts[:, KNOWN]
    names = canonical_chromosomes(genotypes.variants["CHR"])
    male, _ = sexes(genotypes)
    one_copy = {"X": male, "Y": np.ones_like(male), "MT": np.ones_like(male)}
    for name, haploid in one_copy.items():
        variants = np.flatnonzero(names == name)
        if len(variants):
            once = genotypes.take(variants=variants).counts(samples & haploid)
            # A haploid call of the allele is stored as two copies: subtract one from copies and
            # alleles.
            copies[variants] -= once[:, TWO]
            alleles[variants] -= once[:, KNOWN]
    return copies, alleles


def haploid_calls(
    genotypes: Genotypes, build: str | None = None, *, in_place: bool = False
) -> Genotypes:
    """Settle the calls on X, Y and MT, where not everyone has two copies.

    On X males have one copy: a heterozygous call of theirs is an error and becomes missing, and
    one copy is stored as two, so that dominant and recessive literals both hold. On Y the same,
    and calls of females become missing. On MT heterozygous calls become missing. Samples of
    unknown sex lose their calls on X and Y; where no sex is known at all these variants are left
    out. XY (25) counts as autosomal. Every change is counted in the history.

    Parameters
    ----------
    genotypes : Genotypes
        Calls with ``SEX`` 1 (male), 2 (female) or 0 (unknown) in ``samples``.
    build : {"GRCh37", "GRCh38"}, optional
        Genome build of the positions: variants of X and Y in their pseudo-autosomal regions are
        then moved to XY. By default all of X and Y is taken to lie outside these.
    in_place : bool, default=False
        Change these planes instead of a copy, for a caller who has no other use for them.

    Examples
    --------
    >>> from bayesdnf.genomics import Genotypes, haploid_calls
    >>> calls = Genotypes.from_copies([[0, 1, 2, 1]])
    >>> calls.variants["CHR"], calls.samples["SEX"] = "X", [1, 1, 1, 2]
    >>> haploid_calls(calls).copies([0])
    array([[ 0, -1,  2,  1]], dtype=int8)
    >>> haploid_calls(calls).history
    ('1 of 4 calls at 1 variant on X became missing: 1 heterozygous in a male.',)
    """
    if build is not None:
        genotypes = _moved_to_xy(genotypes, build)
    names = canonical_chromosomes(genotypes.variants["CHR"])
    male, female = sexes(genotypes)
    known_sex = male | female
    on_sex = (names == "X") | (names == "Y")
    if on_sex.any() and not known_sex.any():
        genotypes = genotypes.take(
            variants=~on_sex,
            because=f"{_variants(on_sex)} on X and Y {WITHOUT_SEX}.",
        )
        names = names[~on_sex]
    everyone = np.ones_like(male)
    rules = {  # chromosome: who has one copy, who has none, and what they are called
        "X": (male, [(~known_sex, "of unknown sex")], "heterozygous in a male"),
        "Y": (male, [(~known_sex, "of unknown sex"), (female, "of females")], "heterozygous"),
        "MT": (everyone, [], "heterozygous"),
    }
    affected = np.isin(names, list(rules))
    if not affected.any():
        return genotypes
    planes = genotypes.planes if in_place else genotypes.planes.copy()
    history = list(genotypes.history)
    for name, (one, none, word) in rules.items():
        where = np.flatnonzero(names == name)
        if not len(where):
            continue
        rows = planes[where]
        calls = int(np.bitwise_count(rows[:, KNOWN]).sum())
        lost = []
        for samples, whose in none:
            words = genotypes.mask(samples)
            lost.append((int(np.bitwise_count(rows[:, KNOWN] & words).sum()), whose))
            rows &= ~words
        # Exactly one copy in a haploid sample is a heterozygous call.
        single = rows[:, CARRIER] & ~rows[:, TWO] & genotypes.mask(one)
        lost.append((int(np.bitwise_count(single).sum()), word))
        rows[:, [KNOWN, CARRIER]] &= ~single[:, None]
        planes[where] = rows
        if total := sum(count for count, _ in lost):
            parts = ", ".join(f"{count:,} {why}" for count, why in lost if count)
            history.append(
                f"{total:,} of {calls:,} calls at {_variants(names == name)} on {name} became "
                f"missing: {parts}."
            )
    return replace(genotypes, planes=planes, history=tuple(history))


def _moved_to_xy(genotypes: Genotypes, build: str) -> Genotypes:
    if build not in PSEUDO_AUTOSOMAL:
        builds = " or ".join(map(repr, PSEUDO_AUTOSOMAL))
        raise ParameterError.of("build", "haploid_calls", builds, build)
    names = canonical_chromosomes(genotypes.variants["CHR"])
    position = genotypes.variants["POS"].to_numpy(dtype=np.int64)
    inside = np.zeros(len(names), dtype=np.bool_)
    for name, regions in PSEUDO_AUTOSOMAL[build].items():
        for first, last in regions:
            inside |= (names == name) & (first <= position) & (position <= last)
    if not inside.any():
        return genotypes
    spelled = genotypes.variants["CHR"].astype(str).to_numpy(dtype=object)
    variants = genotypes.variants.assign(CHR=np.where(inside, "XY", spelled))
    sentence = (
        f"{_variants(inside)} in the pseudo-autosomal regions of {build} moved from X or Y to XY."
    )
    return replace(genotypes, variants=variants, history=(*genotypes.history, sentence))


def _variants(chosen: NDArray[np.bool_]) -> str:
    count = int(np.count_nonzero(chosen))
    return f"{count:,} variant{'' if count == 1 else 's'}"
