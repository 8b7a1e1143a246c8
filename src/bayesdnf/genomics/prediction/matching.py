"""Matching: the variants of a model in another cohort, allele by allele."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...display.wording import count, listed
from ...errors import InputError, ParameterError
from ..alleles import COMPLEMENT, UNNAMED
from ..chromosomes import canonical_chromosomes
from ..genotypes import KNOWN, Genotypes, empty_planes

if TYPE_CHECKING:
    import pandas as pd

Flags = NDArray[np.bool_]

STRANDS = ("frequency", "accept", "refuse")
"""What to do with A/T and C/G variants."""

_APART = 0.08  # minimum distance from 0.5 of frequencies that determine the strand, ...
_ERRORS = 3.0  # ... plus so many standard errors for the cohort's frequency
_FOUND = {
    "matched": "as they are",
    "swapped": "with their alleles swapped",
    "other strand": "on the other strand",
    "other strand, swapped": "on the other strand with their alleles swapped",
    "proxy": "by a linked variant in their place",
}
_NOT_FOUND = {
    "ambiguous strand": "A/T or C/G, strand unknown (--ambiguous accept uses them unchanged)",
    "other alleles": "other alleles",
    "other chromosome": "same ID on another chromosome",
    "other build": "at the same position, but positions there are of another genome build",
    "duplicates disagree": "several that disagree",
    "absent": "absent",
}


@dataclass(frozen=True, eq=False)
class Matched:
    """Variants of a model matched in a cohort.

    Parameters
    ----------
    genotypes : Genotypes
        Those found, in the order wanted, with the model's names and counted alleles.
    table : DataFrame
        One row per variant wanted: ``variant`` (the model's name), ``status`` and ``detail``.
        Status is "matched", "swapped", "other strand" or "other strand, swapped" for those
        found, and "ambiguous strand", "other alleles", "other chromosome", "other build",
        "duplicates disagree" or "absent" for the others.

    Examples
    --------
    >>> from bayesdnf.genomics import Genotypes, match_variants
    >>> model = Genotypes.from_copies([[0, 1], [1, 2]], ids=["rs1", "rs2"])
    >>> cohort = Genotypes.from_copies([[2, 1, 0]], ids=["rs2"])
    >>> match_variants(model.variants, cohort).table
      variant   status                   detail
    0   rs1_B   absent
    1   rs2_B  matched   by ID: rs2 at 1:1, B/A
    """

    genotypes: Genotypes
    table: pd.DataFrame

    @property
    def found(self) -> Flags:
        """Which of the variants wanted were found."""
        return self.table["status"].isin(list(_FOUND)).to_numpy()

    @property
    def warnings(self) -> list[str]:
        """Variants whose alleles may be flipped, with the reason."""
        told = self.table[self.table["detail"].str.contains("may be flipped")]
        return [f"{v}: {d}" for v, d in zip(told["variant"], told["detail"], strict=True)]


def match_variants(
    wanted: pd.DataFrame, genotypes: Genotypes, *, ambiguous: str = "frequency"
) -> Matched:
    """Find variants in another cohort by ID, or else by chromosome and position, and by alleles.

    Where A1 and A2 are the other way round the calls are recoded. Where both are the complements
    (A/C there, T/G here) the cohort was read from the other strand, and they are matched and
    reported. Of A/T and C/G variants the strand cannot be told from the alleles: the frequency
    decides where it is far enough from one half in both, and otherwise they are listed, not
    guessed. Where the frequency of any other variant lies on the other side of one half, its
    detail warns of flipped alleles. An allele that the cohort does not name ("0") and nobody has
    can be the one wanted. Of several that match by ID (or by place) the one at the model's position
    is taken, or of several there the one with the most calls if all agree. A place counts for
    nothing where another variant wanted has the ID found there, nor where most of
    those matched by ID are at other positions: the cohort is then of another genome build.

    Parameters
    ----------
    wanted : DataFrame
        One row per variant: ``ID``, ``CHR``, ``POS``, ``A1`` (counted) and ``A2``. Optionally
        ``NAME``, the model's name for it, such as rs123_A; by default as ``Genotypes.names``
        makes it; and ``FREQ``, the frequency of A1.
    genotypes : Genotypes
        The cohort.
    ambiguous : {"frequency", "accept", "refuse"}, default="frequency"
        Let frequencies tell the strand of A/T and C/G variants, take them to be on the model's
        strand, or use none of them.

    Examples
    --------
    >>> import pandas as pd
    >>> from bayesdnf.genomics import Genotypes, match_variants
    >>> cohort = Genotypes.from_copies([[0, 1, 2], [0, 0, 1]], ids=["rs1", "rs2"])
    >>> cohort.variants["A1"], cohort.variants["A2"] = ["G", "T"], ["A", "A"]
    >>> wanted = pd.DataFrame(
    ...     {"ID": ["rs1", "rs2"], "CHR": "1", "POS": [1, 2], "A1": ["A", "T"], "A2": ["G", "A"]}
    ... )
    >>> matched = match_variants(wanted, cohort)
    >>> matched.table[["variant", "status"]]
      variant            status
    0   rs1_A           swapped
    1   rs2_T  ambiguous strand
    >>> matched.genotypes.names, matched.genotypes.copies([0])
    (['rs1_A'], array([[2, 1, 0]], dtype=int8))
    """
    import pandas as pd

    lacking = {"ID", "CHR", "POS", "A1", "A2"} - set(wanted.columns)
    if lacking:
        raise InputError(f"The variants wanted have no column {', '.join(sorted(lacking))}.")
    if ambiguous not in STRANDS:
        raise ParameterError.of("ambiguous", "match_variants", " or ".join(STRANDS), ambiguous)
    wanted = wanted.reset_index(drop=True)
    names = _names(wanted)
    pairs = _candidates(wanted, genotypes)
    _judge(pairs, wanted, genotypes, ambiguous)
    chosen, status, detail = _choose(pairs, len(wanted), genotypes)
    table = pd.DataFrame({"variant": names, "status": status, "detail": detail})
    found = table["status"].isin(list(_FOUND)).to_numpy()
    kept = genotypes.take(variants=chosen[found])
    kept = kept.swapped(table["status"][found].str.endswith("swapped").to_numpy())
    stem = [
        name.removesuffix(f"_{allele}") for name, allele in zip(names, wanted["A1"], strict=True)
    ]
    variants = wanted[["CHR", "POS", "ID", "A1", "A2"]].assign(ID=stem)[found]
    kept = replace(
        kept,
        variants=variants.reset_index(drop=True),
        history=(*genotypes.history, matched_sentence(table)),
    )
    return Matched(kept, table)


def _names(wanted: pd.DataFrame) -> list[str]:
    if "NAME" in wanted:
        return [str(name) for name in wanted["NAME"]]
    return Genotypes(empty_planes(len(wanted), 0), wanted[:0], wanted).names


def _candidates(wanted: pd.DataFrame, genotypes: Genotypes) -> pd.DataFrame:
    """Return pairs of a wanted variant and one of the cohort that share an ID or a place."""
    import pandas as pd

    def places(table: pd.DataFrame) -> pd.DataFrame:
        chromosome = canonical_chromosomes(table["CHR"])
        return pd.DataFrame(
            {
                "ID": table["ID"].astype(str).to_numpy(),
                "CHR": np.where(chromosome == "XY", "X", chromosome),
                "POS": pd.to_numeric(table["POS"], errors="coerce").fillna(0).to_numpy(np.int64),
                "row": np.arange(len(table)),
            }
        )

    ours, theirs = places(wanted), places(genotypes.variants)
    theirs = theirs[theirs["ID"].isin(ours["ID"]) | theirs["POS"].isin(ours["POS"])]
    named = ~ours["ID"].isin([".", "", "nan"])
    by_id = ours[named].merge(theirs, on="ID", suffixes=("_ours", ""))
    placed = (ours["CHR"] != "0") & (ours["POS"] > 0)
    by_place = ours[placed].merge(theirs, on=["CHR", "POS"], suffixes=("_ours", ""))
    unknown = (by_id["CHR"] == "0") | (by_id["CHR_ours"] == "0")
    by_id["elsewhere"] = (by_id["CHR"] != by_id["CHR_ours"]) & ~unknown
    by_id["moved"] = (by_id["POS"] != by_id["POS_ours"]) & ~unknown
    by_place = by_place[
        ~by_place["row"].isin(by_id["row"]) | (by_place["ID"] == by_place["ID_ours"])
    ]
    pairs = pd.concat(
        [by_id.assign(by="ID"), by_place.assign(by="place", elsewhere=False, moved=False)]
    )
    pairs = pairs[["row_ours", "row", "by", "elsewhere", "moved"]]
    pairs = pairs.rename(columns={"row_ours": "wanted"})
    return pairs.drop_duplicates(["wanted", "row"]).reset_index(drop=True)


def _judge(pairs: pd.DataFrame, wanted: pd.DataFrame, genotypes: Genotypes, ambiguous: str) -> None:
    """Add to each pair how its alleles agree, and the rank of the match (0 is the best)."""
    cohort = genotypes.variants.iloc[pairs["row"]]
    a1, a2 = (wanted[c].astype(str).str.upper().to_numpy()[pairs["wanted"]] for c in ("A1", "A2"))
    b1, b2 = (cohort[c].astype(str).str.upper().to_numpy() for c in ("A1", "A2"))
    copies = genotypes.take(variants=pairs["row"].to_numpy()).counts()
    # Counts are of known calls, with a copy at least, and with two: nobody has the first allele if
    # there is no copy, nobody the second if all have two.
    nobody1 = np.isin(b1, UNNAMED) & (copies[:, 1] == 0)
    nobody2 = np.isin(b2, UNNAMED) & (copies[:, 2] == copies[:, 0])

    def complement(alleles: NDArray[np.object_]) -> NDArray[np.object_]:
        return np.array([COMPLEMENT.get(allele, "?") for allele in alleles], dtype=object)

    def agree(first: NDArray[np.object_], second: NDArray[np.object_]) -> Flags:
        one, two = b1 == first, b2 == second
        return np.asarray((one & two) | (nobody1 & two) | (one & nobody2), dtype=np.bool_)

    c1, c2 = complement(a1), complement(a2)
    # A/T and C/G: both strands have the same two letters, so alleles do not determine the strand.
    either = a1 == c2
    same, swapped = agree(a1, a2), agree(a2, a1)
    # One allele alone does not tell the other strand from a third allele: both must be named.
    strand = (a1 != c2) & ~nobody1 & ~nobody2
    other, both = agree(c1, c2) & strand, agree(c2, c1) & strand
    side = _sides(pairs, wanted, copies, swapped & ~same)
    if ambiguous == "frequency":  # names alike on the other strand mean the other allele
        other, both = other | (either & swapped & (side < 0)), both | (either & same & (side < 0))
        same, swapped = same & ~(either & (side < 0)), swapped & ~(either & (side < 0))
    undecided = either & (ambiguous != "accept") & ((side == 0) | (ambiguous == "refuse"))
    elsewhere = pairs["elsewhere"].to_numpy(dtype=np.bool_)
    matches = same | swapped | other | both
    pairs["status"] = np.select(
        [~matches, elsewhere, undecided, same, swapped, other],
        ["other alleles", "other chromosome", "ambiguous strand", *list(_FOUND)[:3]],
        "other strand, swapped",
    )
    by_id = matches & ~elsewhere & (pairs["by"] == "ID").to_numpy()
    # If most of those found by ID are at another position, positions are of another build, and a
    # match by position is chance.
    if by_id.any() and pairs["moved"].to_numpy(dtype=np.bool_)[by_id].mean() > 0.5:
        found = pairs["status"].isin(list(_FOUND)) & (pairs["by"] == "place")
        pairs.loc[found, "status"] = "other build"
    # Those found by ID come first, then those found by place; then the nearest miss.
    misses = {name: 2 + rank for rank, name in enumerate(_NOT_FOUND)}
    by_place = pairs["by"].ne("ID").astype(np.int64)
    pairs["rank"] = pairs["status"].map(misses).fillna(by_place).astype(np.int64)
    pairs["detail"] = _details(pairs, cohort, _flipped(pairs, wanted, side))
    pairs["known"] = copies[:, KNOWN]


def _sides(
    pairs: pd.DataFrame, wanted: pd.DataFrame, counts: NDArray[np.int64], swapped: Flags
) -> NDArray[np.int64]:
    """Return 1 if frequencies are on the same side of 0.5, -1 on opposite sides, 0 if unclear.

    Frequencies are those of the allele that both call A1.
    """
    if "FREQ" not in wanted:
        return np.zeros(len(pairs), dtype=np.int64)
    ours = wanted["FREQ"].to_numpy(dtype=np.float64)[pairs["wanted"]]
    with np.errstate(divide="ignore", invalid="ignore"):
        alleles = 2.0 * counts[:, KNOWN]
        theirs = (counts[:, 1] + counts[:, 2]) / alleles
        theirs = np.where(swapped, 1 - theirs, theirs)
        # The standard error √(f(1-f)/n) of a frequency of n alleles is at most ½ / √n.
        clear = np.abs(theirs - 0.5) - _ERRORS * 0.5 / np.sqrt(alleles) >= _APART
    clear &= np.abs(ours - 0.5) >= _APART
    pairs["frequency"] = theirs
    return np.where(clear, np.sign((ours - 0.5) * (theirs - 0.5)), 0).astype(np.int64)


def _flipped(pairs: pd.DataFrame, wanted: pd.DataFrame, side: NDArray[np.int64]) -> list[str]:
    """Return warnings for variants whose frequencies suggest that the alleles are flipped."""
    found = pairs["status"].isin(["matched", "swapped"]).to_numpy()
    out = [""] * len(pairs)
    for i in np.flatnonzero(found & (side < 0)):
        ours = wanted["FREQ"].to_numpy()[pairs["wanted"].iloc[i]]
        out[i] = (
            f"; its frequency is {pairs['frequency'].iloc[i]:.2f} here and {ours:.2f} in the "
            "model: alleles may be flipped"
        )
    return out


def _details(pairs: pd.DataFrame, cohort: pd.DataFrame, warnings: list[str]) -> list[str]:
    shown = zip(*(cohort[c].astype(str) for c in ("ID", "CHR", "POS", "A1", "A2")), strict=True)
    by = pairs["by"].map({"ID": "by ID", "place": "by chromosome and position"})
    return [
        f"{how}: {name} at {chromosome}:{position}, {a1}/{a2}{warning}"
        for how, (name, chromosome, position, a1, a2), warning in zip(
            by, shown, warnings, strict=True
        )
    ]


def _choose(
    pairs: pd.DataFrame, n_wanted: int, genotypes: Genotypes
) -> tuple[NDArray[np.intp], NDArray[np.object_], NDArray[np.object_]]:
    """Choose for each variant wanted its best candidate: its row, status and detail."""
    row = np.full(n_wanted, -1, dtype=np.intp)
    status = np.full(n_wanted, "absent", dtype=object)
    detail = np.full(n_wanted, "", dtype=object)
    # The best rank first, of these one at the model's position, of these the one with the most
    # known calls, of these the first.
    ordered = pairs.sort_values(
        ["wanted", "rank", "moved", "known", "row"], ascending=[True, True, True, False, True]
    )
    best = ordered.drop_duplicates("wanted")
    place = best["wanted"].to_numpy(dtype=np.intp)
    row[place] = best["row"]
    status[place] = best["status"]
    detail[place] = best["detail"]
    rivals = ordered[ordered["status"].isin(list(_FOUND))]
    for like in ("by", "moved"):  # one elsewhere that repeats the ID is no rival of one in place
        rivals = rivals[rivals[like] == rivals.groupby("wanted")[like].transform("first")]
    rivals = rivals[rivals["wanted"].duplicated(keep=False)]
    for number, group in rivals.groupby("wanted"):
        i = int(str(number))
        calls = genotypes.copies(group["row"].to_numpy())
        turned = group["status"].str.endswith("swapped").to_numpy()[:, None]
        calls = np.where(turned & (calls >= 0), 2 - calls, calls)
        # A missing call agrees with any: as 3 it is never the smallest, and as -1 never the
        # largest.
        least = np.where(calls < 0, 3, calls).min(axis=0)
        differ = calls.max(axis=0) > least
        if differ.any():
            status[i] = "duplicates disagree"
            detail[i] = f"{len(group)} variants there have this name and these alleles"
        else:
            detail[i] = f"{detail[i]} (the one of {len(group)} with the most calls)"
    return row, status, detail


def matched_sentence(table: pd.DataFrame) -> str:
    """Describe how many variants were found, how, and which were not."""
    counts = table["status"].value_counts()
    how = ", ".join(f"{counts[s]:,} {words}" for s, words in _FOUND.items() if s in counts)
    total = sum(int(counts.get(s, 0)) for s in _FOUND)
    text = f"{total:,} of {count(len(table), 'variant')} of the model found"
    text += f": {how}" if how else ""
    for status, words in _NOT_FOUND.items():
        if status in counts:
            names = table["variant"][table["status"] == status]
            text += f"; {counts[status]:,} not used, {words}: {listed(names, 5, show=str)}"
    return f"{text}."
