"""A study: genotypes of cases and controls, their outcomes and covariates, joined."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..display.wording import count, listed
from ..errors import FileFormatError, InputError
from .files.null_risk import COLUMN, read_null_risk
from .files.opening import open_genotypes
from .files.phenotype import SampleColumns, read_covariates, read_phenotype, values_there
from .files.request import ReadProgress, ReadRequest
from .files.selection import Names, Places
from .genotypes import Genotypes
from .packing import open_parts, save_study
from .quality.filters import MANY, MANY_SAMPLES, THOUGH_ASSOCIATED, Filters
from .quality.ploidy import WITHOUT_SEX, haploid_calls, sex_words
from .quality.structure import close_relatives

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Study:
    """Genotypes of cases and controls.

    Made by :func:`read_study`.

    Parameters
    ----------
    genotypes : Genotypes
        Calls of the samples that have an outcome.
    y : ndarray of bool
        Who of them is a case.
    covariates : DataFrame, optional
        A row for each of them, NaN where a value is missing. A sample without all values is part
        of the search, and left out where terms are refitted with covariates.
    history : tuple of str
        What was read, matched and left out, one sentence each.
    families : ndarray of int, optional
        The family of each sample, 0 for none; permutations stay within families.
    warnings : tuple of str
        Of these sentences the ones to bear in mind when reading results.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, Study
    >>> Study(Genotypes.from_copies([[0, 1, 2]]), np.array([False, True, True]))
    <Study: 2 cases and 1 controls x 1 variants>
    """

    genotypes: Genotypes
    y: NDArray[np.bool_]
    covariates: pd.DataFrame | None = None
    history: tuple[str, ...] = field(default=())
    families: NDArray[np.intp] | None = None
    warnings: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        n = self.genotypes.n_samples
        if self.y.shape != (n,) or self.y.dtype != np.bool_:
            raise InputError(
                f"y must hold True or False for each of {n} samples. Got an array of "
                f"{self.y.dtype} of shape {self.y.shape} instead."
            )
        if self.covariates is not None and len(self.covariates) != n:
            raise InputError(
                f"covariates must have a row for each of {n} samples. Got {len(self.covariates)}."
            )

    def __repr__(self) -> str:
        n_cases = int(np.count_nonzero(self.y))
        return (
            f"<Study: {n_cases:,} cases and {len(self.y) - n_cases:,} controls x "
            f"{self.genotypes.n_variants:,} variants>"
        )

    def save(self, path: str | os.PathLike[str]) -> str:
        """Write the study to one file that processes can map; return its hash.

        Parameters
        ----------
        path : path
            The file, which is written whole or not at all.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> from bayesdnf.genomics import Genotypes, Study
        >>> study = Study(Genotypes.from_copies([[0, 1, 2]]), np.array([False, True, True]))
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "study.pack"
        >>> sha256 = study.save(file)
        >>> Study.open(file)
        <Study: 2 cases and 1 controls x 1 variants>
        """
        return save_study(self, path)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True) -> Study:
        """Open a file that :meth:`save` wrote; the calls stay there and are read when needed.

        Parameters
        ----------
        path : path
            The file.
        verify : bool, default=True
            Read it all once and compare its hash; otherwise only its size and header are checked.
        """
        return cls(**open_parts(path, verify=verify))

    def filtered(
        self, filters: Filters | None = None, build: str | None = None, *, in_place: bool = False
    ) -> Study:
        """Settle the calls on X, Y and MT, then keep the samples and variants that pass filters.

        Parameters
        ----------
        filters : Filters, optional
            What must be met; ``Filters()`` by default.
        build : {"GRCh37", "GRCh38"}, optional
            As in :func:`haploid_calls`.
        in_place : bool, default=False
            Change the planes of this study instead of a copy, for a caller who has no other use
            for it.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesdnf.genomics import Filters, Genotypes, Study
        >>> calls = Genotypes.from_copies([[0, 1, 2, 1], [0, 0, 0, 0]])
        >>> Study(calls, np.array([True, True, False, False])).filtered()
        <Study: 2 cases and 2 controls x 1 variants>
        """
        filters = filters or Filters()
        settled = haploid_calls(self.genotypes, build, in_place=in_place)
        kept, _ = filters.samples(settled)
        genotypes = filters.apply(settled, self.y, in_place=in_place)
        y = self.y[kept]
        said = genotypes.history[len(self.genotypes.history) :]
        if not y.any() or y.all():
            raise InputError(
                f"Of the samples that pass the filters {int(y.sum()):,} are cases and "
                f"{int((~y).sum()):,} controls; both are needed. {' '.join(said)}"
            )
        told = (MANY_SAMPLES, THOUGH_ASSOCIATED, WITHOUT_SEX)
        warned = [sentence for sentence in said if any(words in sentence for words in told)]
        return replace(
            self._of(kept, genotypes),
            history=(*self.history, *said),
            warnings=(*self.warnings, *warned),
        )

    def take(self, samples: NDArray[np.bool_]) -> Study:
        """Keep some of the samples, with their outcomes and covariates.

        Parameters
        ----------
        samples : ndarray of bool
            Which.
        """
        return self._of(samples, self.genotypes.take(samples=samples))

    def _of(self, samples: NDArray[np.bool_], genotypes: Genotypes) -> Study:
        covariates = self.covariates
        if covariates is not None:
            covariates = covariates[samples].reset_index(drop=True)
        return replace(
            self,
            genotypes=genotypes,
            y=self.y[samples],
            covariates=covariates,
            families=None if self.families is None else self.families[samples],
        )

    def without_relatives(self, kinship: float | None = None, n_jobs: int = 1) -> Study:
        """Look for close relatives; leave out one of each pair, or note families and warn.

        Parameters
        ----------
        kinship : float, optional
            Leave out samples until no two have a KING kinship above this, as PLINK 2's
            ``--king-cutoff`` does. Without it everyone stays: first-degree relatives are numbered
            as families, within which permutations stay, and named in a warning.
        n_jobs : int, default=1
            Threads.

        Examples
        --------
        >>> import numpy as np
        >>> from bayesdnf.genomics import Genotypes, Study
        >>> copies = np.random.default_rng(0).binomial(2, 0.4, (1000, 20))
        >>> copies[:, 7] = copies[:, 3]
        >>> calls = Genotypes.from_copies(copies)
        >>> calls.variants["POS"] *= 1_000_000
        >>> study = Study(calls, np.arange(20) < 9)
        >>> study.without_relatives(0.0884)
        <Study: 8 cases and 11 controls x 1,000 variants>
        >>> study.without_relatives().families.tolist()
        [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        """
        n = self.genotypes.n_samples
        if kinship is None:
            found = close_relatives(self.genotypes, n_threads=n_jobs)
            history = (*self.history, found.sentence)
            if not len(found.members):
                return replace(self, history=history)
            warnings = (*self.warnings, found.sentence)
            return replace(self, history=history, families=found.families(n), warnings=warnings)
        found = close_relatives(self.genotypes, kinship, n_threads=n_jobs)
        kept = found.unrelated(n)
        said = (
            f"{n - int(kept.sum()):,} of {n:,} samples left out: kinship of {kinship:g} or more "
            f"with another, {count(len(found.members), 'pair')}."
        )
        if not len(found.members):
            said = found.sentence
        chosen = self if kept.all() else self.take(kept)
        return replace(chosen, history=(*self.history, said))


def read_study(
    path: str | os.PathLike[str],
    pheno: str | os.PathLike[str] | None = None,
    pheno_name: str | None = None,
    covar: str | os.PathLike[str] | None = None,
    covar_names: Sequence[str] | None = None,
    null_risk: str | os.PathLike[str] | None = None,
    *,
    allele: str = "minor",
    samples: Names | None = None,
    variants: Names | None = None,
    regions: Places | None = None,
    n_jobs: int = 1,
    progress: ReadProgress | None = None,
) -> Study:
    r"""Read genotypes with outcomes and covariates, joined on IID.

    FID is looked at too when IIDs repeat. How many matched, which did not and, where it can be
    told, why, is in the study's history. Samples without an outcome are left out; those of
    unknown sex and those without covariates are kept.

    Parameters
    ----------
    path : path
        Genotypes, as in :func:`read_genotypes`.
    pheno : path, optional
        File of outcomes, as in :func:`read_phenotype`; by default the .fam or .psam file.
    pheno_name : str, optional
        Which outcome, where there are several.
    covar : path, optional
        File of covariates, as in :func:`read_covariates`.
    covar_names : sequence of str, optional
        Which covariates; by default all. ``SEX`` is that of the genotype files where the file of
        covariates has none, or none is given, with "unknown" as a level.
    null_risk : path, optional
        REGENIE's ``.loco`` file: what a model of all other chromosomes predicts becomes a further
        covariate, NULL_RISK. Every sample must be in it.
    allele, samples, variants, regions, n_jobs, progress
        As in :func:`read_genotypes`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf.genomics import Genotypes, read_study, write_plink
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> calls = Genotypes.from_copies([[0, 1, 2]], iids=["ann", "bob", "cas"])
    >>> write_plink(calls, folder / "study")
    >>> _ = (folder / "pheno.txt").write_text("IID asthma\nann 0\nbob 1\ndan 1\n")
    >>> study = read_study(folder / "study", pheno=folder / "pheno.txt")
    >>> study
    <Study: 1 cases and 1 controls x 1 variants>
    >>> print(study.history[-1])
    2 of 3 samples were found in pheno.txt by IID; 1 were not: cas; 1 of its samples have no
    genotypes: dan.
    """
    asked = ReadRequest.of("read_study", allele, samples, variants, regions, n_jobs, progress)
    files = open_genotypes(path)
    source = files.outcomes if pheno is None else pheno
    if source is None:
        raise InputError(f"{path} has no phenotypes; name a phenotype file (pheno, --pheno).")
    outcome = read_phenotype(source, pheno_name)
    joined = join(files.samples, outcome, str(path))
    case = joined.values(outcome.names)[:, 0]
    chosen, said = asked.choose_samples(path, files.samples)
    keep = ~np.isnan(case) if chosen is None else ~np.isnan(case) & chosen
    y = case[keep] == 1
    if not y.any() or y.all():
        raise InputError(
            f"Of the samples of {path} with an outcome in {outcome.path}, {int(y.sum()):,} are "
            f"cases and {int((~y).sum()):,} controls; both are needed."
        )
    unknown = int(np.count_nonzero(np.isnan(case) & (joined.rows >= 0)))
    if unknown:
        said.append(f"Left out: {count(unknown, 'sample')} without an outcome.")
    genotypes = files.read(replace(asked, samples=None, keep=None if keep.all() else keep))
    history = [*genotypes.history, *said, *outcome.history, joined.said]
    warnings = list(outcome.warnings)
    covariates = None
    names = None if covar_names is None else list(covar_names)
    by_sex = names is not None and "SEX" in names
    by_sex = by_sex and (covar is None or "SEX" not in values_there(covar))
    if names is not None and by_sex:
        names.remove("SEX")
    if covar is None and names:
        raise InputError(f"No file of covariates is given, of which to read {names[0]!r}.")
    if covar is not None and names != []:
        columns = read_covariates(covar, names)
        more = join(files.samples, columns, str(path))
        covariates = more.frame(columns.names)[keep].reset_index(drop=True)
        history += [*columns.history, more.said]
        lacking = int(covariates.isna().any(axis=1).sum())
        if lacking:
            told = (
                f"Missing covariates in {count(lacking, 'sample')}: kept for the search, left "
                "out of refits with covariates."
            )
            history.append(told)
            if lacking > MANY * len(covariates):
                warnings.append(told)
    if by_sex:
        frame = genotypes.samples.iloc[:, :0] if covariates is None else covariates
        covariates = frame.reset_index(drop=True).assign(SEX=sex_words(genotypes))
        history.append("Covariate SEX is that of the genotype files.")
    if null_risk is not None:
        if covariates is not None and COLUMN in covariates:
            raise InputError(f"{covar} has a covariate {COLUMN}, as which {null_risk} is read.")
        risk = read_null_risk(null_risk, genotypes.samples, genotypes.variants["CHR"])
        frame = genotypes.samples.iloc[:, :0] if covariates is None else covariates
        covariates = frame.reset_index(drop=True).assign(**{COLUMN: risk.values})
        history.append(risk.said)
    return Study(genotypes, y, covariates, tuple(history), warnings=tuple(warnings))


@dataclass(frozen=True)
class Joined:
    """For each sample its row of a table, -1 for none, and a sentence about that."""

    columns: SampleColumns
    rows: NDArray[np.intp]
    said: str

    def values(self, names: list[str]) -> NDArray[np.float64]:
        """Numbers of each sample, NaN where the table does not have it."""
        numbers = self.columns.table[names].to_numpy(dtype=np.float64)
        # -1 reads the last row, whose numbers are taken off again.
        found = numbers[self.rows]
        found[self.rows < 0] = np.nan
        return found

    def frame(self, names: list[str]) -> pd.DataFrame:
        """Return columns of each sample, texts among them, with gaps where it has no row."""
        there = self.rows >= 0
        found = self.columns.table[names].iloc[np.where(there, self.rows, 0)]
        found = found.reset_index(drop=True)
        found.loc[~there] = np.nan
        return found


def join(samples: pd.DataFrame, columns: SampleColumns, source: str) -> Joined:
    """Match samples with the rows of a table by IID, and by FID too where IIDs repeat.

    Parameters
    ----------
    samples : DataFrame
        FID and IID of the samples.
    columns : SampleColumns
        The table.
    source : str
        Where the samples come from, for the error when none matches.
    """
    import pandas as pd

    table, name = columns.table, columns.path.name
    # By IIDs where they are unique: FIDs of one sample may differ between files (``_why``).
    repeat = samples["IID"].duplicated().any() or table["IID"].duplicated().any()
    if repeat and "FID" not in table:
        twice = samples["IID"][samples["IID"].duplicated()].iloc[0]
        raise FileFormatError.at(
            columns.path, f"line {columns.first_line}",
            f"it has no FID column, and IID {twice} of {source} belongs to several samples",
        )  # fmt: skip
    by = ["FID", "IID"] if repeat else ["IID"]
    ours, theirs = (
        pd.MultiIndex.from_frame(t[by]) if repeat else pd.Index(t["IID"]) for t in (samples, table)
    )
    rows = np.asarray(theirs.get_indexer(ours), dtype=np.intp)
    unmatched = samples[rows < 0]
    used = np.zeros(len(table), dtype=np.bool_)
    used[rows[rows >= 0]] = True
    unused = table[~used]
    hint = _why(unmatched, unused)
    n = len(samples) - len(unmatched)
    if n == 0:
        raise FileFormatError.at(
            columns.path, f"line {columns.first_line}",
            f"none of its {len(table):,} samples ({_names(unused, by)}) is among the "
            f"{len(samples):,} of {source} ({_names(unmatched, by)}){hint}",
        )  # fmt: skip
    said = f"{n:,} of {len(samples):,} samples were found in {name} by {' and '.join(by)}"
    if len(unmatched):
        said += f"; {len(unmatched):,} were not: {_names(unmatched, by)}"
    if len(unused):
        said += f"; {len(unused):,} of its samples have no genotypes: {_names(unused, by)}"
    return Joined(columns, rows, f"{said}{hint}.")


def _names(table: pd.DataFrame, by: list[str]) -> str:
    return listed(table[by].iloc[:4].agg(" ".join, axis=1), 3, show=str)


def _why(samples: pd.DataFrame, table: pd.DataFrame) -> str:
    """Suggest a simple change of IDs that would match most of the remaining samples, if any."""
    if len(samples) == 0 or len(table) == 0:
        return ""
    ours, theirs = samples["IID"], table["IID"]

    def glued(who: pd.DataFrame) -> pd.Series:
        return who["FID"] + "_" + who["IID"]

    ways: dict[str, Callable[[], tuple[pd.Series, pd.Series]]] = {
        "FIDs differ": lambda: (ours, theirs),  # can only be where FID was looked at
        "upper and lower case differ": lambda: (ours.str.casefold(), theirs.str.casefold()),
        "leading zeros differ": lambda: (ours.str.lstrip("0"), theirs.str.lstrip("0")),
        "some end with .0, as spreadsheets write numbers": lambda: (
            ours.str.removesuffix(".0"), theirs.str.removesuffix(".0"),
        ),
        "the file calls them FID_IID": lambda: (glued(samples), theirs),
        "the genotypes have them as FID": lambda: (samples["FID"], theirs),
    }  # fmt: skip
    if "FID" in table:
        ways["the genotypes call them FID_IID"] = lambda: (ours, glued(table))
        ways["the file has them as FID"] = lambda: (ours, table["FID"])
    best, most = "", 0
    for why, sides in ways.items():
        left, right = sides()
        n = int(left.isin(set(right)).sum())
        if n > most:
            best, most = why, n
    if 2 * most < min(len(samples), len(table)):
        return ""
    return f" ({best}: {most:,} more would match)"
