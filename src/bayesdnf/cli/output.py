"""Machine-readable output of commands: JSON on standard output, and an exit status."""

from __future__ import annotations

import contextlib
import json
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from ..errors import InputError
from .shell_words import in_shell_words

if TYPE_CHECKING:
    from ..estimators.classifier import DNFClassifier
    from ..estimators.held_out import HeldOut
    from ..estimators.posterior_classifier import PosteriorDNFClassifier

_MOST_IN_JSON = 100  # functions


def write_json(result: dict[str, Any]) -> None:
    """Print one object on standard output."""
    typer.echo(json.dumps(_plain(result), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    """Return a value that JSON has: numpy's own are unpacked, what is not finite is null."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def end(finished: bool, what: str) -> None:
    """End the command; after an interruption, print a note and exit with its own status."""
    if not finished:
        typer.echo(f"Interrupted: {what} so far.", err=True)
        raise typer.Exit(130)


class Saved(NamedTuple):
    """Where a result was saved, and the error of the requested path if there was one."""

    path: Path | None
    problem: str = ""

    def require(self) -> None:
        """Raise InputError when it could not be saved where it was asked for."""
        if self.problem:
            raise InputError(self.problem)


def save_result(save: Callable[[Path], object], out: Path, what: str) -> Saved:
    """Save a result; if the requested path fails, save it in a new folder.

    Parameters
    ----------
    save : callable
        Writes the file or folder that it is given.
    out : Path
        What was asked for.
    what : str
        What is saved, for errors: "the draws".
    """
    try:
        save(out)
        return Saved(out)
    except InputError as error:
        problem = str(error)
    # The full or read-only disk that refused the result may hold one of these, but hardly all.
    for folder in (tempfile.gettempdir(), ".", Path.home()):
        with contextlib.suppress(OSError, InputError):
            other = Path(tempfile.mkdtemp(prefix="bayesdnf-", dir=folder)) / out.name
            try:
                save(other)
            except InputError:
                other.parent.rmdir()
                raise
            return Saved(other, f"{problem.rstrip('.')}; {what} are kept in {other}.")
    return Saved(None, f"{problem.rstrip('.')}, and {what} could not be kept elsewhere.")


ADVICE = "set --cost-ratio or --threshold, or use the columns probability and marked"


def rule_result(
    model: DNFClassifier, held_out: HeldOut | None, threshold: float | None = None
) -> dict[str, Any]:
    """Return the facts of a rule, for JSON."""
    from ..estimators.presenting.rule_summary import constant_answer

    risks = [risk._asdict() for risk in model.risks_]  # none of more than two classes
    marked = None if model.function_.is_null or model._is_list else risks[1:]
    by_stratum = model.stratum_layers_
    counts = model.counts_
    return {
        "rule": str(model.function_),
        "positive": model.positive_,
        "classes": model.classes_.tolist(),
        "rows": int(model.cells_.sum()),
        "positives": None if counts is None else counts.n_pos,
        "literals": len(model.encoder_.literals_),
        "terms": model.rules_.to_dict("records"),
        "risk_marked": marked[0] if marked else None,
        "risk_unmarked": risks[0] if risks else None,
        "layers": model.layers_.to_dict("records") if model.rates_ is None else None,
        "strata": None if by_stratum is None else by_stratum.to_dict("records"),
        "held_out": None if held_out is None else held_out._asdict(),
        "log_posterior": model.log_posterior_,
        "stopped": model.stopped_,
        "agreement": model.agreement_,
        "restarts": model.restarts_,
        "ways": model.ways_,
        "near": model.near_,
        "proved": model.proved_,
        "gap": model.gap_,
        "seed": model.seed_,
        "warning": constant_answer(model, threshold, ADVICE),
    }


def posterior_result(model: PosteriorDNFClassifier, held_out: HeldOut | None) -> dict[str, Any]:
    """Return the facts of a posterior, for JSON."""
    from ..estimators.presenting.posterior_summary import accepted, verdict

    drawn = model.draws_
    two = drawn.simple and not drawn.only_null
    functions = drawn.top(_MOST_IN_JSON)
    functions["function"] = [str(function) for function in functions["function"]]
    return {
        "positive": model.positive_,
        "classes": model.classes_.tolist(),
        "rows": int(drawn.cells[0].sum()) if model.counts_ is None else model.counts_.n,
        "positives": None if model.counts_ is None else model.counts_.n_pos,
        "literals": len(model.encoder_.literals_),
        "functions": functions.to_dict("records"),
        "distinct_functions": drawn.n_functions,
        "best": str(model.map_),
        "null_probability": model.null_probability_,
        "null_at_most": drawn.null_at_most,
        "bayes_factor": None if model.bayes_factor_ is None else model.bayes_factor_._asdict(),
        "inclusion": model.inclusion_.to_dict("records"),
        "one_layer_bayes_factor": None
        if model.one_layer_bayes_factor_ is None
        else model.one_layer_bayes_factor_._asdict(),
        "representative": _representative(model),
        "risk_marked": model.risks_[1]._asdict() if two else None,
        "risk_unmarked": model.risks_[0]._asdict() if drawn.simple else None,
        "held_out": None if held_out is None else held_out._asdict(),
        "evidence": None if model.evidence_ is None else model.evidence_._asdict(),
        "accepted": accepted(model),
        "verdict": in_shell_words(verdict(model)),
        "trusted": not drawn.doubt,
        "kernel": model.kernel,
        "chains": drawn.n_chains,
        "draws": drawn.n_draws,
        "stopped": model.stopped_,
        "seed": model.seed_,
    }


def _representative(model: PosteriorDNFClassifier) -> dict[str, Any] | None:
    """Return the representative rule; None where the prior allows none so short."""
    from ..estimators.presenting.posterior_summary import outcomes

    try:
        shown = model.representative()
    except InputError:
        return None
    told: list[dict[str, Any]]
    predicted = outcomes(model, shown)
    if shown.shares is None:
        told = [risk._asdict() for risk in shown.risks]
    else:
        labels = [*map(str, model.classes_.tolist())]
        predicted = [{str(label): p for label, p in own.items()} for own in predicted]
        told = [
            {"shares": {label: share._asdict() for label, share in zip(labels, own, strict=True)}}
            for own in shown.shares
        ]
    parts = [
        {"part": part, "rows": int(shown.cells[:, part].sum()), "predicted": risk, **own}
        for part, (risk, own) in enumerate(zip(predicted, told, strict=True))
    ]
    return {
        "rule": str(shown.rule),
        "literals": shown.rule.n_literals,
        "parts": parts[::-1],
        "loss": shown.loss,
        "base_loss": shown.base_loss,
    }
