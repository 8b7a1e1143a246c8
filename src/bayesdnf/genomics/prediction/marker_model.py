"""A marker as a model: saved as JSON, and applied to another cohort."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import __version__
from ...boolean import BooleanFunction, Literal
from ...boolean.literal import MEANING
from ...checks import whole
from ...files.atomic import write_bytes
from ...files.checked_json import JsonFields, as_json, read_json
from ...files.documents import expect_fields, header, read_version
from ...model.rates import Counts, Interval
from ...model.rule_fields import read_counts, read_function, read_risk
from ..alleles import other_name
from ..files.opening import open_genotypes
from ..files.request import ReadProgress, ReadRequest
from ..genotypes import Genotypes, empty_planes
from ..markers.spelling import plain
from ..quality.ploidy import haploid_calls
from .matching import Matched, match_variants, matched_sentence
from .stand_ins import no_proxies, proxies_of, read_proxies, read_variant

if TYPE_CHECKING:
    import pandas as pd

    from ..markers.finding import Markers

_FORMAT = "bayesdnf.markers"
_VERSION = 1
_COLUMNS = ("NAME", "ID", "CHR", "POS", "A1", "A2", "FREQ", "CODINGS")
_SCALES = ("population", "sample")
_MOST_SAMPLES = 2**53  # whole numbers that a float, and so any JSON reader, can hold


@dataclass(frozen=True, eq=False)
class MarkerModel:
    """A marker as a model for other cohorts: its variants, function and risks.

    Parameters
    ----------
    function : BooleanFunction
        The marker.
    variants : DataFrame
        One row per variant of it: ``NAME`` (as the function spells it), ``ID``, ``CHR``, ``POS``,
        ``A1`` (counted), ``A2``, ``FREQ`` of A1 in the study, and ``CODINGS`` in use.
    risk, other_risk : Interval
        Risk where the function holds, and where it does not.
    prevalence : float or None
        Share of cases in the population that risks refer to; None: they are those of the study.
    null_probability : float
        Posterior probability that there is no marker.
    counts : Counts
        Samples, cases, marked samples, and marked cases of the study.
    terms : tuple of dict
        For each term its text, marked ``cases`` and ``controls``, ``odds_ratio`` and
        ``probability``.
    settings : dict
        How the marker was found.
    proxies : DataFrame
        Linked variants that may stand in for one that another cohort does not have: ``FOR`` (its
        name), the columns of ``variants``, with A1 the allele that goes with its A1, and ``R2``.
    sources : tuple of str
        Hashes of the study's files: their strands are those of the model.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, MarkerModel, Study, find_markers
    >>> rng = np.random.default_rng(2)
    >>> calls = rng.binomial(2, 0.3, (40, 800))
    >>> y = rng.random(800) < np.where((calls[3] >= 1) & (calls[7] >= 1), 0.7, 0.2)
    >>> found = find_markers(Study(Genotypes.from_copies(calls), y), draws=200, random_state=0)
    >>> model = MarkerModel.of(found)
    >>> there = Genotypes.from_copies([[1, 1, -1, 0], [2, 0, 1, -1]], ids=["v4", "v8"])
    >>> there.variants["POS"] = [4, 8]
    >>> model.predict(there)[["IID", "MARKED", "TERMS"]]
      IID  MARKED TERMS
    0  s1       1     1
    1  s2       0
    2  s3    <NA>
    3  s4       0
    """

    function: BooleanFunction
    variants: pd.DataFrame
    risk: Interval
    other_risk: Interval
    prevalence: float | None
    null_probability: float
    counts: Counts
    terms: tuple[dict[str, Any], ...]
    settings: dict[str, Any]
    proxies: pd.DataFrame = field(default_factory=no_proxies)
    sources: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Markers, sources: Sequence[str] = ()) -> MarkerModel:
        """Make a model from the best function of a study.

        Parameters
        ----------
        found : Markers
            Markers found in a study, with their posterior probabilities.
        sources : sequence of str
            SHA-256 of the files that it was read from.
        """
        import pandas as pd

        genotypes, function = found.study.genotypes, found.function
        rows = []
        for name in function.attributes:
            v = genotypes.variants.iloc[genotypes.place[name]]
            codings = {x.operator: None for x in function.literals if x.attribute == name}
            rows.append(
                (name, str(v["ID"]), str(v["CHR"]), int(v["POS"]), str(v["A1"]), str(v["A2"]),
                 float(found.variants["FREQ"].iloc[genotypes.place[name]]), list(codings))
            )  # fmt: skip
        terms = [
            {"term": " AND ".join(term), "cases": int(cases), "controls": int(controls),
             "odds_ratio": _finite(odds), "probability": float(probability)}
            for term, cases, controls, odds, probability in zip(
                function.terms,
                *(found.terms[c] for c in ("CASES", "CONTROLS", "OR", "PROB")),
                strict=True,
            )
        ]  # fmt: skip
        prevalence = found.posterior.effect.prevalence
        return cls(
            function=function,
            variants=pd.DataFrame(rows, columns=list(_COLUMNS)),
            risk=found.risk,
            other_risk=found.other_risk,
            prevalence=None if prevalence is None else float(prevalence),
            null_probability=found.null_probability,
            counts=found.posterior.counts(function),
            terms=tuple(terms),
            settings=found.settings,
            proxies=proxies_of(found),
            sources=tuple(sources),
        )

    @property
    def plain(self) -> BooleanFunction:
        """The function with negations named by the other allele, if it has a simple name."""
        columns = zip(*(self.variants[c] for c in ("NAME", "A1", "A2")), strict=True)
        others = {name: other_name(name, a1, a2) for name, a1, a2 in columns}
        return plain(self.function, {n: o for n, o in others.items() if o is not None})

    @property
    def scale(self) -> str:
        """Whose risks they are, in words."""
        if self.prevalence is None:
            return "in the study's own sample"
        return f"of a population with {self.prevalence:g} cases"

    def read(
        self, path: str | os.PathLike[str], n_jobs: int = 1, progress: ReadProgress | None = None
    ) -> Genotypes:
        """Read the marker's variants from another cohort, by identifier or position.

        Parameters
        ----------
        path : path
            Its files, as in :func:`read_genotypes`.
        n_jobs, progress
            As in :func:`read_genotypes`.

        Returns
        -------
        Genotypes
            For :meth:`match` and :meth:`predict`, calls on X, Y and MT settled.
        """
        import pandas as pd

        wanted = pd.concat([self.variants, self.proxies], ignore_index=True)
        places = zip(wanted["CHR"], wanted["POS"], strict=True)
        request = ReadRequest(
            allele="first",
            variants=["", *(name for name in wanted["ID"] if name != ".")],  # no file has ""
            regions=[f"{chromosome}:{position}-{position}" for chromosome, position in places],
            n_jobs=whole("n_jobs", "MarkerModel.read", n_jobs, 1),
            progress=progress,
            either=True,
        )
        return haploid_calls(open_genotypes(path).read(request))

    def match(self, genotypes: Genotypes, *, ambiguous: str = "frequency") -> Matched:
        """Find the marker's variants in another cohort, or linked ones in their place.

        As :func:`match_variants` does; a variant that is not found is replaced by the most
        correlated of its proxies that is.
        """
        matched = match_variants(self.variants, genotypes, ambiguous=ambiguous)
        names = self.variants["NAME"][~matched.found].tolist()
        some = self.proxies[self.proxies["FOR"].isin(names)].reset_index(drop=True)
        if not len(some):
            return matched
        linked = match_variants(some, genotypes, ambiguous=ambiguous)
        there = some.assign(detail=linked.table["detail"])[linked.found]
        first = there.drop_duplicates("FOR").set_index("FOR")  # the most correlated one
        if not len(first):
            return matched
        table, planes = matched.table.copy(), empty_planes(len(self.variants), genotypes.n_samples)
        planes[matched.found] = matched.genotypes.planes
        place = {name: i for i, name in enumerate(self.variants["NAME"])}
        rows = np.flatnonzero(linked.found)
        for name, own in first.iterrows():
            row = int(np.searchsorted(rows, there.index[there["NAME"] == own["NAME"]][0]))
            planes[place[str(name)]] = linked.genotypes.planes[row]
            table.loc[place[str(name)], "status"] = "proxy"
            table.loc[place[str(name)], "detail"] = f"r² {own['R2']:.2f}, {own['detail']}"
        found = table["status"].isin(["proxy"]).to_numpy() | matched.found
        stems = [
            n.removesuffix(f"_{a}")
            for n, a in zip(self.variants["NAME"], self.variants["A1"], strict=True)
        ]
        kept = replace(
            matched.genotypes,
            planes=planes[found],
            variants=self.variants.assign(ID=stems)[found].reset_index(drop=True),
            history=(*genotypes.history, matched_sentence(table)),
        )
        return Matched(kept, table)

    def predict(self, cohort: Genotypes | Matched) -> pd.DataFrame:
        """Return for each sample whether the marker holds, and its risk.

        A term holds surely when all its literals do, and cannot hold when one of them fails on a
        known call. Samples are marked when some term holds surely, unmarked when no term can hold,
        and undecided otherwise: a call that would settle it is missing, or its variant was not
        found.

        Parameters
        ----------
        cohort : Genotypes or Matched
            The calls, or what :meth:`match` made of them.

        Returns
        -------
        DataFrame
            One row per sample: ``FID``, ``IID``, ``MARKED`` (1, 0 or NA), ``TERMS`` (numbers of
            those that surely hold, from 1) and ``RISK`` (NA where undecided).
        """
        import pandas as pd

        matched = cohort if isinstance(cohort, Matched) else self.match(cohort)
        calls = self._all(matched)
        n = calls.n_samples
        # A missing call satisfies neither a literal nor its negation, so the two differ there.
        surely, possible = np.zeros((2, len(self.function), n), dtype=np.bool_)
        for t, term in enumerate(self.function.literal_terms):
            surely[t] = np.logical_and.reduce([calls.truth(x) for x in term])
            possible[t] = ~np.logical_or.reduce([calls.truth(~x) for x in term])
        holds = surely.any(axis=0)
        # Three-valued logic: an OR is true if a term surely holds, false if none can, and unknown
        # between.
        undecided = possible.any(axis=0) & ~holds
        marked = pd.Series(holds.astype(np.int64)).astype("Int64").mask(pd.Series(undecided))
        risk = np.where(holds, self.risk.mean, self.other_risk.mean)
        return pd.DataFrame(
            {
                "FID": calls.samples["FID"].to_numpy(),
                "IID": calls.samples["IID"].to_numpy(),
                "MARKED": marked,
                "TERMS": [
                    " ".join(str(t + 1) for t in np.flatnonzero(column)) for column in surely.T
                ],
                "RISK": np.where(undecided, np.nan, risk),
            }
        )

    def _all(self, matched: Matched) -> Genotypes:
        """Return calls at every variant of the marker, missing where it was not found."""
        there = matched.genotypes
        planes = empty_planes(len(self.variants), there.n_samples)
        planes[matched.found] = there.planes
        whole = replace(there, planes=planes, variants=self.variants)
        return whole.renamed(self.variants["NAME"].tolist())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON, whole or not at all."""
        document = {
            **header(_FORMAT, _VERSION, __version__),
            "rule": str(self.function),
            "function": json.loads(self.function.to_json()),
            "variants": self.variants.to_dict("records"),
            "risks": {"marked": self.risk._asdict(), "unmarked": self.other_risk._asdict()},
            "scale": _SCALES[self.prevalence is None],
            "prevalence": self.prevalence,
            "null_probability": self.null_probability,
            "counts": self.counts._asdict(),
            "terms": list(self.terms),
            "settings": self.settings,
            "proxies": self.proxies.to_dict("records"),
            "sources": list(self.sources),
        }
        write_bytes(path, as_json(document) + b"\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> MarkerModel:
        """Load a saved model; all fields are checked, no code is run."""
        top = read_json(path, "model file of markers")
        read_version(top, path, _FORMAT, _VERSION, "the model file of markers")
        expect_fields(
            top, "rule", "function", "variants", "risks", "scale", "prevalence",
            "null_probability", "counts", "terms", "settings", "proxies", "sources",
        )  # fmt: skip
        function = read_function(top, _is_coding, "codings of genotypes")
        risks = top.part("risks")
        risks.expect("marked", "unmarked")
        top.part("settings")
        return cls(
            function=function,
            variants=_read_variants(top, function),
            risk=read_risk(risks.part("marked")),
            other_risk=read_risk(risks.part("unmarked")),
            prevalence=_read_prevalence(top),
            null_probability=top.number("null_probability", 0, 1),
            counts=read_counts(top.part("counts")),
            terms=_read_terms(top, function),
            settings=top.any("settings"),
            proxies=read_proxies(top, function),
            sources=_read_sources(top),
        )


def is_marker_model(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a model of markers, and not of another kind."""
    return bool(read_json(path, "model file of bayesdnf").any("format") == _FORMAT)


def _is_coding(literal: Literal) -> bool:
    return literal.operator in MEANING and literal.operator not in ("true", "false")


def _read_variants(top: JsonFields, function: BooleanFunction) -> pd.DataFrame:
    import pandas as pd

    rows = []
    for part in top.parts("variants"):
        part.expect(*_COLUMNS)
        variant = read_variant(part)
        name = variant[0]
        own = [x.operator for x in function.literals if x.attribute == name]
        if part.any("CODINGS") != list(dict.fromkeys(own)):
            top.fail(f"the CODINGS of {name:.40}", "those of 'function'", part.any("CODINGS"))
        rows.append((*variant, own))
    if [row[0] for row in rows] != list(function.attributes):
        top.fail("field 'variants'", "a list of the function's variants", [row[0] for row in rows])
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _read_sources(top: JsonFields) -> tuple[str, ...]:
    read = top.any("sources")
    if not isinstance(read, list) or not all(isinstance(x, str) for x in read):
        top.fail("field 'sources'", "a list of hashes", read)
    return tuple(read)


def _read_prevalence(top: JsonFields) -> float | None:
    if top.text("scale", _SCALES) == "sample":
        if top.any("prevalence") is not None:
            top.fail("field 'prevalence'", "null on the scale of the sample", top.any("prevalence"))
        return None
    return top.number("prevalence", 0, 1)


def _read_terms(top: JsonFields, function: BooleanFunction) -> tuple[dict[str, Any], ...]:
    parts = top.parts("terms")
    texts = [" AND ".join(term) for term in function.terms]
    if len(parts) != len(texts):
        top.fail("field 'terms'", f"a list of {len(texts)}, one for each term", top.any("terms"))
    for part, text in zip(parts, texts, strict=True):
        part.expect("term", "cases", "controls", "odds_ratio", "probability")
        part.text("term", (text,))
        part.whole("cases", 0, _MOST_SAMPLES)
        part.whole("controls", 0, _MOST_SAMPLES)
        part.number("odds_ratio", 0, null=np.nan)
        part.number("probability", 0, 1)
    return tuple(top.any("terms"))


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
