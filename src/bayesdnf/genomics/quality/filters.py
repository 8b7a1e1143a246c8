"""Filters of samples and variants, with the number removed by each step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import whole
from ...display.wording import count, listed, percent
from ...errors import InputError, ParameterError
from ..chromosomes import canonical_chromosomes
from ..files.selection import Names, Places, Regions, find_names
from ..genotypes import CARRIER, KNOWN, TWO, Genotypes
from .exact_tests import genotypic_test, hardy_weinberg_below
from .linkage import prune
from .missingness import calls_per_sample, impute_mode, outcome_of, unequal_shares
from .ploidy import autosomal, expected_counts, sexes

if TYPE_CHECKING:
    import pandas as pd

Flags = NDArray[np.bool_]

THOUGH_ASSOCIATED = "Left out though associated with the outcome"
"""How the sentence begins that names such variants."""

MANY_SAMPLES = "Many samples left out for their call rate"
"""How the sentence begins that says so."""

MANY = 0.05  # of samples, beyond which that is a warning
_LENIENT = 0.9  # call rate of the variants that samples are judged on, or call_rate if lower
_ENOUGH = 0.1  # of variants that must have it; else samples, not variants, are what is bad

_ADVICE = {
    "Hardy-Weinberg": "a recessive effect can cause this; hwe=0 (--hwe 0) keeps it",
    "call rate": "a lower call_rate (--call-rate) keeps it",
    "minor allele": "a lower maf (--maf) keeps it",
    "calls are missing": "differential='flag' keeps it",
    "a call is missing": "missing='keep' (--missing keep) keeps it",
}


@dataclass(frozen=True)
class Filters:
    """Filters of samples and variants; every step reports the number removed.

    Samples are chosen first, then variants, in the order of the parameters below.

    Parameters
    ----------
    keep, remove : path or collection of str, optional
        Samples to keep, or to leave out: their IIDs, or a file of them (IID, or FID and IID, on a
        line).
    sample_call_rate : float, default=0.9
        Smallest share of known calls of a sample, on autosomes (on all variants if there are
        none) whose own call rate is 0.9 at least, or ``call_rate`` if that is lower; on all if
        fewer than a tenth reach that. More than 5 % of samples left out are a warning.
    extract, exclude : path or collection of str, optional
        Variants to keep, or to leave out: their IDs, or a file with one a line.
    regions : str, path or sequence of them, optional
        Where variants must lie: "7", "7:55000000-55300000", or a BED file.
    differential : {"drop", "flag"}, default="drop"
        What to do with variants that cases and controls miss unequally often (Fisher's exact
        test): leave them out, or only name them. Such a variant tells how samples were handled,
        not what their outcome is.
    differential_p : float, default=1e-5
        P-value below which missingness counts as unequal, the customary level.
    call_rate : float, default=0.95
        Smallest share of samples with a known call, among those that can have one: on Y males.
    maf : float, default=0.01
        Smallest frequency of the minor allele.
    hwe : float, default=1e-6
        Smallest p-value of Hardy-Weinberg proportions in controls (exact test); on X in female
        controls, on Y and MT not tested.
    missing : {"keep", "drop", "mode"}, default="keep"
        A missing call satisfies neither a literal nor its negation ("keep"); or leave out
        variants with any ("drop"), or impute the most frequent call ("mode").
    ld_r2 : float, optional
        Largest squared correlation of neighbouring variants; none by default.
    ld_window : int, default=500_000
        Base pairs up to which variants are neighbours.

    Examples
    --------
    >>> from bayesdnf.genomics import Filters, Genotypes
    >>> calls = Genotypes.from_copies([[0, 1, 2, 0], [0, 0, 0, 0], [1, -1, -1, 0]])
    >>> kept = Filters(sample_call_rate=0, call_rate=0.5).apply(calls, [1, 1, 0, 0])
    >>> kept.names
    ['v1_B', 'v3_B']
    >>> kept.history[-2]
    '1 of 3 variants left out: minor allele frequency below 0.01.'
    """

    keep: Names | None = None
    remove: Names | None = None
    sample_call_rate: float = 0.9
    extract: Names | None = None
    exclude: Names | None = None
    regions: Places | None = None
    differential: str = "drop"
    differential_p: float = 1e-5
    call_rate: float = 0.95
    maf: float = 0.01
    hwe: float = 1e-6
    missing: str = "keep"
    ld_r2: float | None = None
    ld_window: int = 500_000

    def __post_init__(self) -> None:
        limits = {"maf": 0.5} | dict.fromkeys(
            ("sample_call_rate", "differential_p", "call_rate", "hwe"), 1.0
        )
        if self.ld_r2 is not None:
            limits["ld_r2"] = 1.0
        for name, most in limits.items():
            if not 0 <= getattr(self, name) <= most:
                raise ParameterError.of(
                    name, "Filters", f"between 0 and {most:g}", getattr(self, name)
                )
        choices = {"differential": ("drop", "flag"), "missing": ("keep", "drop", "mode")}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                words = " or ".join(map(repr, allowed))
                raise ParameterError.of(name, "Filters", words, getattr(self, name))
        whole("ld_window", "Filters", self.ld_window, 0)

    def samples(self, genotypes: Genotypes) -> tuple[Flags, tuple[str, ...]]:
        """Describe which samples are kept, and why others are not.

        Parameters
        ----------
        genotypes : Genotypes
            The calls of all samples.

        Returns
        -------
        kept : ndarray of bool, shape (n_samples,)
        sentences : tuple of str
        """
        steps = _Steps("samples", genotypes.n_samples)
        self._named("keep", "remove", genotypes.samples["IID"], steps)
        if self.sample_call_rate > 0 and genotypes.n_variants:
            # By autosomes: nobody but males has calls on Y.
            variants = np.flatnonzero(autosomal(genotypes))
            if not len(variants):
                variants = np.arange(genotypes.n_variants)
            variants, clause = self._judging(genotypes, variants, steps.kept)
            calls = calls_per_sample(genotypes, variants)
            enough = calls / len(variants) >= self.sample_call_rate
            n, lost = int(steps.kept.sum()), int((steps.kept & ~enough).sum())
            steps.need(enough, f"call rate below {self.sample_call_rate:g}{clause}")
            if lost > MANY * n:
                steps.sentences.append(
                    f"{MANY_SAMPLES}: {lost:,} of {n:,} ({percent(lost / n)}) have less than "
                    f"{self.sample_call_rate:g}; sample_call_rate (--sample-call-rate) keeps them."
                )
        return steps.kept, tuple(steps.sentences)

    def _judging(
        self, genotypes: Genotypes, variants: NDArray[np.intp], samples: Flags
    ) -> tuple[NDArray[np.intp], str]:
        """Choose the variants that samples are judged on: a bad variant is no fault of samples."""
        counts, expected = expected_counts(genotypes, samples)
        least = min(_LENIENT, self.call_rate)
        good = variants[(counts[:, KNOWN] / np.maximum(expected, 1))[variants] >= least]
        if len(good) == len(variants) or len(good) < _ENOUGH * len(variants):
            return variants, ""
        return good, f" on the {count(len(good), 'variant')} with a call rate of {least:g} or more"

    def apply(
        self, genotypes: Genotypes, y: ArrayLike | None = None, *, in_place: bool = False
    ) -> Genotypes:
        """Keep what passes every filter.

        Parameters
        ----------
        genotypes : Genotypes
            The calls of all samples.
        y : array-like of bool or 0/1, optional
            1 for cases, 0 for controls, one per sample before filtering; those of the samples
            that stay are ``y[filters.samples(genotypes)[0]]``. Without it nothing is asked of
            missingness by outcome, and Hardy-Weinberg is tested in all samples.
        in_place : bool, default=False
            Change these planes instead of a copy, for a caller who has no other use for them.

        Returns
        -------
        Genotypes
            With a sentence for each filter in its history.
        """
        outcome = None if y is None else outcome_of(y, genotypes.n_samples)
        samples, history = self.samples(genotypes)
        steps = _Steps("variants", genotypes.n_variants, list(history))
        steps.some_left(samples, "sample")
        self._named("extract", "exclude", genotypes.variants["ID"], steps)
        self._placed(genotypes, steps)
        self._counted(genotypes, samples, outcome, steps)
        steps.some_left(steps.kept, "variant")
        kept = genotypes.take(
            samples=None if samples.all() else samples,
            variants=None if steps.kept.all() else steps.kept,
            in_place=in_place,
        )
        if self.missing == "mode":
            kept = impute_mode(replace(kept, history=()))
            steps.sentences += kept.history
        if self.ld_r2 is not None:
            steps = _Steps("variants", kept.n_variants, steps.sentences)
            steps.need(
                prune(kept, self.ld_r2, self.ld_window),
                f"r² above {self.ld_r2:g} with another at most {self.ld_window:,} base pairs away",
            )
            kept = kept.take(variants=steps.kept)
        return replace(kept, history=(*genotypes.history, *steps.sentences))

    def _named(self, stay: str, go: str, present: pd.Series, steps: _Steps) -> None:
        """Apply the parameters called ``stay`` and ``go``, lists of names."""
        for parameter in (stay, go):
            names: Names | None = getattr(self, parameter)
            if names is not None:
                named, clause = find_names(names, present)
                among = f"among those to {parameter}{clause}"
                if parameter == stay:
                    steps.need(named, f"not {among}")
                else:
                    steps.need(~named, among)

    def _placed(self, genotypes: Genotypes, steps: _Steps) -> None:
        if self.regions is not None:
            regions = Regions.read(self.regions)
            here = set(canonical_chromosomes(genotypes.variants["CHR"]).tolist())
            absent = ", ".join(sorted(regions.chromosomes - here))
            clause = f" (the data have no chromosome {absent})" if absent else ""
            steps.need(regions.included(genotypes.variants), f"outside the regions{clause}")

    def _counted(
        self, genotypes: Genotypes, samples: Flags, outcome: NDArray[np.bool_] | None, steps: _Steps
    ) -> None:
        controls = samples if outcome is None else samples & ~outcome
        counts, expected = expected_counts(genotypes, controls)
        in_controls = counts
        if outcome is not None:
            of_cases, cases = expected_counts(genotypes, samples & outcome)
            table = np.stack(
                [cases - of_cases[:, KNOWN], cases, expected - counts[:, KNOWN], expected], axis=1
            )
            if self.differential_p > 0:
                self._differential(genotypes, table, steps)
            counts, expected = counts + of_cases, expected + cases
        known = counts[:, KNOWN]
        if self.call_rate > 0:
            enough = known / np.maximum(expected, 1) >= self.call_rate
            steps.need(enough, f"call rate below {self.call_rate:g}")
        if self.maf > 0:
            copies = counts[:, CARRIER] + counts[:, TWO]
            minor = np.minimum(copies, 2 * known - copies)
            frequent = minor / np.maximum(2 * known, 1) >= self.maf
            steps.need(frequent, f"minor allele frequency below {self.maf:g}")
        if self.hwe > 0:
            # In controls: cases may depart from the proportions by the very effect that is looked
            # for.
            self._hardy_weinberg(genotypes, in_controls, controls, outcome is not None, steps)
        if self.missing == "drop":
            steps.need(known == expected, "a call is missing")
        if outcome is not None:
            self._associated(genotypes, of_cases, in_controls, steps)

    def _associated(
        self,
        genotypes: Genotypes,
        cases: NDArray[np.int64],
        controls: NDArray[np.int64],
        steps: _Steps,
    ) -> None:
        """Name variants that these filters left out though their genotypes differ by outcome."""
        p = genotypic_test(cases, controls)
        # Bonferroni: in about one study of twenty a variant without any effect is named by chance.
        level = 0.05 / max(1, len(p))
        named = []
        for lost, why in steps.lost:
            reason = why.partition(" (")[0].partition(":")[0]
            advice = next((a for start, a in _ADVICE.items() if why.startswith(start)), None)
            if advice is None:  # left out by name or by place, which is no matter of quality
                continue
            worst = np.flatnonzero(lost & (p < level))
            named += [(float(p[v]), genotypes.names[v], reason, advice) for v in worst]
        if named:
            few = listed(
                sorted(named), 5, lambda x: f"{x[1]} (p = {x[0]:.1g}; {x[2]}: {x[3]})"
            )  # fmt: skip
            many = count(len(named), "variant")
            steps.sentences.append(
                f"{THOUGH_ASSOCIATED} (genotypes, p below {level:.1g}): {many}, "
                f"{few}. Check their genotype calls before you use or drop them."
            )

    def _differential(self, genotypes: Genotypes, table: NDArray[np.int64], steps: _Steps) -> None:
        p = np.ones(len(table))  # variants that other filters left out are not tested
        p[steps.kept] = unequal_shares(table[steps.kept])
        unequal = p < self.differential_p
        why = (
            "differential missingness between cases and controls "
            f"(p < {self.differential_p:g}){_named(genotypes, table, p, unequal)}"
        )
        if self.differential == "drop":
            steps.need(~unequal, why)
        else:
            steps.sentences.append(
                f"{unequal.sum():,} of {steps.kept.sum():,} variants flagged but kept: {why}."
            )

    def _hardy_weinberg(
        self,
        genotypes: Genotypes,
        counts: NDArray[np.int64],
        controls: Flags,
        split: bool,
        steps: _Steps,
    ) -> None:
        names = canonical_chromosomes(genotypes.variants["CHR"])
        tested = steps.kept & ~np.isin(names, ["Y", "MT"])
        on_x = np.flatnonzero(tested & (names == "X"))
        if len(on_x):
            _, female = sexes(genotypes)
            counts = counts.copy()
            # Males have one copy of X, stored as none or two: among them nobody is heterozygous.
            counts[on_x] = genotypes.take(variants=on_x).counts(controls & female)
        off = np.zeros_like(tested)
        off[tested] = hardy_weinberg_below(counts[tested], self.hwe)
        where = "controls" if split else "all samples"
        steps.need(~off, f"Hardy-Weinberg p below {self.hwe:g} in {where}")


class _Steps:
    """What is still kept, and a sentence for each step that left something out, or nothing."""

    def __init__(self, things: str, number: int, sentences: list[str] | None = None) -> None:
        self.things = things
        self.kept = np.ones(number, dtype=np.bool_)
        self.sentences = [] if sentences is None else sentences
        self.lost: list[tuple[Flags, str]] = []

    def need(self, meets: Flags, otherwise: str) -> None:
        self.lost.append((self.kept & ~meets, otherwise))
        lost, before = int((self.kept & ~meets).sum()), int(self.kept.sum())
        self.kept = self.kept & meets
        self.sentences.append(f"{lost:,} of {before:,} {self.things} left out: {otherwise}.")

    def some_left(self, kept: Flags, thing: str) -> None:
        if not kept.any():
            raise InputError(f"No {thing} passes the filters. {' '.join(self.sentences)}".strip())


def _named(
    genotypes: Genotypes, table: NDArray[np.int64], p: NDArray[np.float64], unequal: Flags
) -> str:
    """Name the worst few: ": rs1 (8 of 110 cases, 47 of 47 controls, p = 6e-30), …"."""
    worst = np.flatnonzero(unequal)
    worst = worst[np.argsort(p[worst], kind="stable")]
    if not len(worst):
        return ""
    parts = []
    for i in worst[:5]:
        a, cases, b, controls = table[i]
        counts = f"{a:,} of {cases:,} cases, {b:,} of {controls:,} controls"
        parts.append(f"{genotypes.names[i]} ({counts}, p = {p[i]:.1g})")
    more = f" and {len(worst) - 5:,} more" if len(worst) > 5 else ""
    return f": {', '.join(parts)}{more}"
