"""A reproduction as aligned text, as rows of a CSV file, and as plain data for JSON."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..reproduction import Measure, Reproduction, Row
from ..work import PAPER_SETS

if TYPE_CHECKING:
    import pandas as pd


def as_text(made: Reproduction) -> str:
    """Write a title, the settings, an aligned table, the expressions and the claims."""
    parts = [made.title, "\n".join(_wrapped(made.settings)), as_table(made)]
    if listed := expressions(made):
        parts.append("\n".join(listed))
    parts.append("\n".join(_claim_lines(made)))
    return "\n\n".join(parts)


def as_table(made: Reproduction) -> str:
    """Write the figures with columns aligned, the sources of a cell under each other."""
    columns: list[list[str]] = []
    same = [row.cell == last.cell for last, row in itertools.pairwise(made.rows)]
    for place, key in enumerate(made.keys):
        cells = [_key(row.cell[place]) if row.cell else "" for row in made.rows]
        shown = ["" if again else text for text, again in zip(cells, [False, *same], strict=True)]
        columns.append(_right([key, *shown]))
    columns.append(_left(["", *(row.source for row in made.rows)]))
    columns.append(_right(["sets", *(str(row.sets) for row in made.rows)]))
    for measure in made.measures:
        columns.append(_left([measure.label, *_figures(made, measure)]))
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def _figures(made: Reproduction, measure: Measure) -> list[str]:
    """Write means and standard errors, points under points; many sets have one more decimal."""
    most = measure.digits + any(row.sets > PAPER_SETS for row in made.rows)

    def decimal(row: Row, figures: Mapping[str, float], none: str) -> str:
        digits = measure.digits + (row.sets > PAPER_SETS)
        value = figures.get(measure.name, math.nan)
        text = f"{value:.{digits}f}" if math.isfinite(value) else none
        return text + " " * (most - digits)

    means = _right([decimal(row, row.values, "–") for row in made.rows])
    errors = _right([decimal(row, row.errors, "") for row in made.rows])
    return [
        f"{mean} ± {error}" if error.strip() else mean
        for mean, error in zip(means, errors, strict=True)
    ]


def _right(texts: list[str]) -> list[str]:
    width = max(map(len, texts))
    return [f"{text:>{width}}" for text in texts]


def _left(texts: list[str]) -> list[str]:
    width = max(map(len, texts))
    return [f"{text:<{width}}" for text in texts]


def _key(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def expressions(made: Reproduction) -> list[str]:
    """Write the functions, where a reproduction lists them, in the paper's form."""
    lines = []
    for source in dict.fromkeys(row.source for row in made.rows if row.expression):
        lines.append(f"{source}:")
        there = [row for row in made.rows if row.source == source and row.expression]
        lines += [f"  {number}. {row.expression}" for number, row in enumerate(there, start=1)]
    return lines


def _claim_lines(made: Reproduction) -> list[str]:
    return [f"{'yes' if c.holds else 'NO ':<3}  {c.text}: {c.found}" for c in made.claims]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 100)


def as_frame(made: Reproduction) -> pd.DataFrame:
    """Return one row for each cell and source, with a column of standard errors by each measure."""
    import pandas as pd

    keys = [key.replace("θ", "theta") for key in made.keys]
    with_text = any(row.expression for row in made.rows)
    records = []
    for row in made.rows:
        record: dict[str, Any] = dict.fromkeys(keys, "")
        record |= dict(zip(keys, row.cell, strict=False))
        record |= {"source": row.source, "sets": row.sets}
        for measure in made.measures:
            record[measure.name] = row.values.get(measure.name)
            record[f"{measure.name}_se"] = row.errors.get(measure.name)
        if with_text:
            record["expression"] = row.expression
        records.append(record)
    frame = pd.DataFrame(records)
    return frame.dropna(axis="columns", how="all")


def as_data(made: Reproduction) -> dict[str, Any]:
    """Return everything but the picture as plain data."""
    return {
        "name": made.name,
        "title": made.title,
        "label": made.label,
        "settings": made.settings,
        "rows": [
            {
                "cell": dict(zip(made.keys, row.cell, strict=False)),
                "source": row.source,
                "sets": row.sets,
                "values": dict(row.values),
                "standard_errors": dict(row.errors),
                **({"expression": row.expression} if row.expression else {}),
            }
            for row in made.rows
        ],
        "claims": [claim._asdict() for claim in made.claims],
        "words": list(made.words),
    }
