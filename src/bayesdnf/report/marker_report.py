"""The HTML report of a study's markers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..boolean import BooleanFunction
from ..boolean.literal import comparison, satisfies
from ..display.markup import shown
from ..display.trust import ended_early, search_is_sure, search_trust
from ..estimators.rules import parts_table, rules_table
from ..estimators.saving.record import Record
from ..genomics.markers.spelling import plain_literal
from ..versions import versions
from .draw_facts import draw_facts
from .facts import DataFacts, Facts, File, Listed
from .genome_facts import genome_facts
from .html import require_jinja, write_page
from .performance import performance_of
from .rows import Roles
from .terms import overlap_of, part_facts, term_facts
from .words import NOUNS_OF_STUDIES, literal_words

if TYPE_CHECKING:
    from ..genomics import Genotypes, Markers
    from ..genomics.files.genes import Genes

_COPIES = ("no", "one", "two")


def write_marker_report(
    found: Markers,
    path: str | os.PathLike[str],
    *,
    outcome: str = "case",
    files: Sequence[File] = (),
    command: str = "",
    genes: Genes | None = None,
    pictures: Sequence[Path] = (),
) -> Path:
    """Write the report of a study's markers, whole or not at all.

    Parameters
    ----------
    found : Markers
        Result of :func:`bayesdnf.genomics.find_markers`.
    path : path
        The file.
    outcome : str, default="case"
        What a case is called.
    files : sequence of File
        The files that went in.
    command : str
        The command line that makes the report.
    genes : Genes, optional
        Names for places.
    pictures : sequence of Path
        PNG files to show in it, as ``save_markers`` names them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, Study, find_markers
    >>> from bayesdnf.report import write_marker_report
    >>> rng = np.random.default_rng(2)
    >>> calls = rng.binomial(2, 0.3, (10, 400))
    >>> y = rng.random(400) < np.where((calls[3] >= 1) & (calls[7] >= 1), 0.9, 0.1)
    >>> study = Study(Genotypes.from_copies(calls), y)
    >>> found = find_markers(study, draws=100, warmup=50, random_state=0)
    >>> file = write_marker_report(found, pathlib.Path(tempfile.mkdtemp()) / "report.html")
    >>> "v4_B dominant" in file.read_text()
    True
    """
    require_jinja()
    facts = gather_markers(found, outcome, files, command)
    return write_page(facts._replace(genome=genome_facts(found, genes, pictures)), path)


def gather_markers(
    found: Markers, outcome: str = "case", files: Sequence[File] = (), command: str = ""
) -> Facts:
    """Gather the facts of a report on markers."""
    genotypes, y = found.study.genotypes, found.study.y
    function, posterior = found.function, found.posterior
    every, numbers = np.ones(len(y), dtype=np.bool_), np.where(y, 0, 1)
    marked = function(genotypes)
    risk = np.where(marked, found.risk.mean, found.other_risk.mean)
    prevalence = posterior.effect.prevalence
    negations = bool(found.settings.get("negations", True))
    terms = term_facts(function, rules_table(posterior, function))
    plain = [[plain_literal(x, genotypes.other_names) for x in t] for t in function.literal_terms]
    draws = draw_facts(found.draws, function, posterior.fingerprint)
    terms = tuple(
        facts._replace(literals=tuple(map(literal_words, own)))
        for facts, own in zip(terms, plain, strict=True)
    )
    cells = posterior.scores([function]).cells[0].sum(axis=0)  # over strata
    parts = parts_table(function, cells, (found.other_risk, found.risk), prevalence)
    cut_short = ended_early(found.search, NOUNS_OF_STUDIES.rule) or ""
    return Facts(
        positive=shown(outcome),
        negative="control",
        target="a sample",
        is_null=function.is_null,
        is_list=False,
        not_offered=() if negations else ("Negations of the codings were not offered.",),
        cut_short=cut_short if function.is_null else "",
        one_sided=not negations,
        rule=shown(found.plain),
        terms=terms,
        parts=part_facts(parts, terms),
        strata=(),
        counts=posterior.counts(function),
        unmarked=found.other_risk,
        marked=found.risk,
        prevalence=prevalence,
        overlap=None if function.is_null else overlap_of(function, genotypes, numbers, 2, every),
        roles=Roles(every, None, f"All {len(y):,} samples are those of the search."),
        performance=performance_of(
            marked, risk, y, same_scale=prevalence is None, nouns=NOUNS_OF_STUDIES
        ),
        is_held_out=False,
        advice="To test it, score another cohort with bayesdnf predict.",
        measured=None,
        case=None if function.is_null else _case(function, genotypes),
        draws=draws,
        averaged=None,
        bayes_factor="",
        trust=shown(search_trust(found.search, rule=NOUNS_OF_STUDIES.rule)),
        sure=search_is_sure(found.search),
        constant="",
        data=_data(found),
        settings=_settings(found),
        record=Record("", (), posterior.fingerprint, versions()),
        now=versions(),
        files=tuple(File(shown(f.role), shown(f.name), f.sha256) for f in files),
        command=shown(command),
        tested=_tested(found),
        nouns=NOUNS_OF_STUDIES,
    )


def _tested(found: Markers) -> str:
    """Describe on how many samples held out terms were tested; empty if on none."""
    if "HELD_N" not in found.terms or found.terms.empty:
        return ""
    return (
        f"{found.terms['HELD_N'].max():,} samples that the search did not see tested the terms; "
        "the table of the terms has the odds ratios. All other numbers are of the search's samples."
    )


def _data(found: Markers) -> DataFacts:
    genotypes = found.study.genotypes
    missing = genotypes.n_samples - genotypes.counts()[:, 0]
    most = np.argsort(-missing, kind="stable")
    names = genotypes.names
    some = [(shown(names[i]), f"{missing[i]:,}") for i in most[:20] if missing[i]]
    known = genotypes.mask(np.ones(genotypes.n_samples, dtype=np.bool_))
    for piece in genotypes.pieces():
        known &= np.bitwise_and.reduce(genotypes.planes[piece, 0], axis=0)
    return DataFacts(
        rows=genotypes.n_samples,
        positives=int(found.study.y.sum()),
        columns=genotypes.n_variants,
        literals=found.posterior.among,
        kinds=(("variant", genotypes.n_variants),),
        missing_cells=int(missing.sum()),
        missing_rows=genotypes.n_samples - int(np.bitwise_count(known).sum()),
        missing=Listed(tuple(some), int(np.count_nonzero(missing)) - len(some)),
        dropped=Listed((), 0),
        equal=Listed((), 0),
    )


def _settings(found: Markers) -> tuple[tuple[str, str], ...]:
    settings = [(name, shown(value)) for name, value in found.settings.items()]
    steps = [(f"step {i}", shown(said)) for i, said in enumerate(found.history, start=1)]
    return (*settings, *steps)


def _case(function: BooleanFunction, genotypes: Genotypes) -> dict[str, Any]:
    """Describe the form "try a case": copies of the counted allele of each variant in the rule."""
    number = {literal: i for i, literal in enumerate(function.literals)}
    attributes = []
    for name in function.attributes:
        literals = [literal for literal in number if literal.attribute == name]
        [copies] = genotypes.copies([genotypes.place[name]])
        allele = genotypes.variants["A1"].iloc[genotypes.place[name]]
        held = [[number[x] for x in literals if satisfies(c, *comparison(x))] for c in range(3)]
        attributes.append(
            {
                "name": shown(name),
                "options": [*(shown(f"{word} {allele}") for word in _COPIES), "not known"],
                "suggested": 3,
                "literals": [number[x] for x in literals],
                "holds": [*held, []],
                "start": int(np.argmax(np.bincount(copies[copies >= 0], minlength=3))),
            }
        )
    return {
        "terms": [[number[x] for x in term] for term in function.literal_terms],
        "layers": [1] * len(function),
        "attributes": attributes,
    }
