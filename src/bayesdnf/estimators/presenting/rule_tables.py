"""Tables of a rule's terms and parts as short texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...display.wording import with_interval

if TYPE_CHECKING:
    import pandas as pd

TERM_HEAD = ("term", "rows", "positive", "rate [95 %]", "log gain")
CLASS_TERM_HEAD = ("term", "rows", "class", "of class", "rate [95 %]", "log gain")
PART_HEAD = ("part", "rows", "positive", "risk [95 %]", "beside all rows")
STRATUM_HEAD = ("stratum", *PART_HEAD[:-1], "beside its stratum")
CLASS_TITLE = "most probable class, its share (posterior mean and 95 % interval), the others:"
_MOST_OTHERS = 3  # classes beside the most probable one that a line names


def rules_text(rules: pd.DataFrame) -> str:
    """Return the table of a rule's terms as text."""
    decided = "rows: those where no higher layer holds; " if "layer" in rules else ""
    return (
        f"{table_text(rules)}\n{decided}low, high: 95 % Jeffreys interval of the rate; "
        "log_gain: log posterior lost without the term."
    )


def table_text(table: pd.DataFrame) -> str:
    """Return a table as text, numbers in four digits."""
    return table.to_string(index=False, float_format=lambda value: f"{value:.4g}", justify="right")


def term_head(rules: pd.DataFrame) -> tuple[str, ...]:
    """Return the head of the table that :func:`term_cells` makes."""
    head = CLASS_TERM_HEAD if "class" in rules else TERM_HEAD
    return ("layer", *head) if "layer" in rules else head


def term_cells(rules: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return the table of a rule's terms as short texts, after the layer if it is a list."""
    return [
        (
            *([str(term["layer"])] if "layer" in term else []),
            str(term["rule"]),
            f"{term['rows']:,}",
            *([str(term["class"]), f"{term['of_class']:,}"] if "class" in term else []),
            *([f"{term['positives']:,}"] if "positives" in term else []),
            with_interval(term["rate"], term["low"], term["high"], ".3f"),
            f"{term['log_gain']:,.1f}",
        )
        for term in rules.to_dict("records")
    ]


def part_head(parts: pd.DataFrame) -> tuple[str, ...]:
    """Return the head of the table that :func:`part_cells` makes."""
    if "class" not in parts:
        return STRATUM_HEAD if "stratum" in parts else PART_HEAD
    stratum = ("stratum",) if "stratum" in parts else ()
    return (*stratum, "part", "rows", "class", "share [95 %]", *share_names(parts))


def share_names(parts: pd.DataFrame) -> list[str]:
    """Return the columns of the shares of classes."""
    return [str(name) for name in parts.columns if str(name).startswith("P(")]


def part_cells(parts: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return a table of parts as short texts, under :func:`part_head`."""
    if "class" in parts:
        shares = share_names(parts)
        return [
            (
                *([str(part["stratum"])] if "stratum" in part else []),
                part_name(part["part"]),
                f"{part['rows']:,}",
                str(part["class"]),
                with_interval(part["share"], part["low"], part["high"], ".3f"),
                *(f"{part[name]:.3f}" for name in shares),
            )
            for part in parts.to_dict("records")
        ]
    return [
        (
            *([str(part["stratum"])] if "stratum" in part else []),
            part_name(part["part"]),
            f"{part['rows']:,}",
            f"{part['positives']:,}",
            with_interval(part["rate"], part["low"], part["high"], ".3f"),
            str(part["risk"]),
        )
        for part in parts.to_dict("records")
    ]


def part_name(part: int) -> str:
    """Call a part by its layer."""
    return f"layer {part}" if part else "else"


def class_text(part: dict[Any, Any], digits: str) -> str:
    """Name the most probable class of a part, its share, and the next ones."""
    own = f"P({part['class']!s})"
    shares = {k: v for k, v in part.items() if str(k).startswith("P(") and k != own}
    others = sorted(shares.items(), key=lambda pair: -pair[1])[:_MOST_OTHERS]
    beside = ", ".join(f"{name} = {share:{digits}}" for name, share in others)
    more = ", …" if len(shares) > len(others) else ""
    held = with_interval(part["share"], part["low"], part["high"], digits)
    return f"{part['class']!s}, {held}; {beside}{more}"


def class_lines(parts: pd.DataFrame) -> list[str]:
    """Describe the class shares of every part, below ``CLASS_TITLE``."""
    n = int(parts["rows"].sum())
    return [
        f"  {part_name(part['part'])} ({part['rows']:,} of {n:,} rows): {class_text(part, '.4g')}"
        for part in parts.to_dict("records")
    ]
