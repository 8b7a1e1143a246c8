"""Facts of a report on markers: tests, plots, and a table of the terms."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..display.markup import shown
from ..genomics.markers.spelling import plain_literal

if TYPE_CHECKING:
    from ..genomics import Markers
    from ..genomics.files.genes import Genes

_ODDS = {
    "Odds ratio": ("OR", "OR_L95", "OR_U95"),
    "Adjusted odds ratio": ("ADJ_OR", "ADJ_L95", "ADJ_U95"),
    "Odds ratio, held out": ("HELD_OR", "HELD_L95", "HELD_U95"),
}
"""Columns of the odds ratios that a table of terms may have, by heading."""
_PROXIES = 4  # of a slot that are listed


class Picture(NamedTuple):
    """A picture in the page itself."""

    title: str
    data: str
    """PNG in base64."""


class GenomeFacts(NamedTuple):
    """Tests, strata and warnings in sentences, pictures, and the terms as geneticists read them."""

    sentences: tuple[str, ...]
    warnings: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    pictures: tuple[Picture, ...]


def genome_facts(
    found: Markers, genes: Genes | None = None, pictures: Sequence[Path] = ()
) -> GenomeFacts:
    """Gather what a geneticist looks at first.

    Parameters
    ----------
    found : Markers
        Markers found in a study, with their posterior probabilities.
    genes : Genes, optional
        Names for places.
    pictures : sequence of Path
        PNG files to show, by the names that ``save_markers`` gives them.
    """
    adjustment = found.adjustment
    sentences = list(adjustment.history)
    if not adjustment.inflated:  # else it is the first of the warnings
        sentences.append(adjustment.verdict)
    sentences += found.searched.sentences
    if not found.function.is_null:
        sentences.append(found.rivals.sentence)
    odds = [title for title, columns in _ODDS.items() if columns[0] in found.terms]
    rows = [
        _row(found, i, row, odds, genes) for i, row in enumerate(found.terms.to_dict("records"))
    ]
    warnings = list(found.warnings)
    warnings += [f"{row['TERM']}: {row['NOTE']}" for row in found.terms.to_dict("records")
                 if row["NOTE"] != "."]  # fmt: skip
    return GenomeFacts(
        tuple(map(shown, sentences)),
        tuple(map(shown, warnings)),
        (
            "Term",
            "Position",
            "Cases",
            "Controls",
            *odds,
            "Probability",
            "Interaction",
            "Could also be",
        ),
        tuple(rows),
        tuple(
            Picture(_title(file.stem), base64.b64encode(file.read_bytes()).decode())
            for file in pictures
        ),
    )


def _row(
    found: Markers, number: int, row: Any, odds: Sequence[str], genes: Genes | None
) -> tuple[str, ...]:
    places = zip(row["CHR"].split(","), row["BP"].split(","), strict=True)
    named = [
        f"{c}:{int(p)}{_in(genes.at(c, int(p)) if genes is not None else '')}" for c, p in places
    ]
    names = found.study.genotypes.other_names
    proxies = [
        str(plain_literal(p.literal, names))
        for slot in found.slots[number]
        for p in [x for x in slot.proxies if x.literal != slot.literal][:_PROXIES]
    ]
    texts = (
        row["TERM"], "; ".join(named), f"{row['CASES']:,} of {row['N_CASES']:,}",
        f"{row['CONTROLS']:,} of {row['N_CONTROLS']:,}",
        *(_odds(*(row[column] for column in _ODDS[title])) for title in odds), f"{row['PROB']:.3f}",
        "–" if row["ACTS"] == "." else row["ACTS"], ", ".join(proxies) or "–",
    )  # fmt: skip
    return tuple(map(shown, texts))


def _in(gene: str) -> str:
    return f" ({gene})" if gene else ""


def _odds(value: float, low: float, high: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3g} [{low:.3g}, {high:.3g}]"


def _title(stem: str) -> str:
    known = {"manhattan": "Inclusion probabilities along the genome", "qq": "Q-Q plot of the tests"}
    return known.get(stem, f"Around term {stem.removeprefix('marker')}")
