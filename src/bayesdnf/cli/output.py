"""What commands hand over to other programs: JSON on standard output, and an exit status."""

from __future__ import annotations

import json
import math
from typing import Any

import typer


def write_json(result: dict[str, Any]) -> None:
    """Print one object on standard output."""
    typer.echo(json.dumps(_plain(result), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    """Return a value that JSON has: numpy's own are unpacked, what is not finite is null."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def end(finished: bool, what: str) -> None:
    """End the command; an interruption has a status of its own, and says what was printed."""
    if not finished:
        typer.echo(f"Interrupted: {what} so far.", err=True)
        raise typer.Exit(130)
