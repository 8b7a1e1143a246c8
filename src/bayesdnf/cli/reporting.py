"""``bayesdnf report``, ``show`` and ``export``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..display.wording import listed
from ..errors import InputError
from . import options
from .output import posterior_result, rule_result, write_json

if TYPE_CHECKING:
    from ..estimators.classifier import DNFClassifier
    from ..estimators.posterior_classifier import PosteriorDNFClassifier
    from ..estimators.rule_classifier import RuleClassifier
    from ..model.rule import Rule

Model = Annotated[Path, typer.Argument(help="File written by fit or sample.")]
WithReport = Annotated[Path | None, typer.Option("--report", help="HTML report to write.")]


class Language(StrEnum):
    """Output language of an export."""

    sql = "sql"
    python = "python"
    latex = "latex"
    json = "json"
    text = "text"


def report(
    model: Model,
    data: Annotated[
        Path, typer.Option(help="Table to report on: that of the fit, or held-out rows.")
    ],
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
    draws: Annotated[
        Path | None, typer.Option(help="Draws written by sample, to list rival rules.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Column with the class labels. Default: that of the fit.")
    ] = None,
    strata: options.Strata = None,
    sep: options.Separator = None,
    as_json: options.Json = False,
) -> None:
    """Write a self-contained HTML report of a rule."""
    from .. import Draws
    from ..files.atomic import writable
    from ..report.facts import gather
    from ..report.html import require_jinja, write_page
    from .labelled import keep_apart, read_like
    from .terminal import make_console

    require_jinja()
    keep_apart(out, [model, data, draws])
    writable(out)
    rule = load_any(model)
    labels = target or _target_of(rule, model)
    rows = read_like(rule, data, labels, sep, f"{model} was fitted on", strata)
    facts = gather(
        rule,
        rows.X,
        rows.y,
        strata=rows.strata,
        draws=None if draws is None else Draws.load(draws),
        files=files_of({"model": model, "table": data, "draws": draws}),
        command=command_line(),
    )
    write_page(facts, out)
    seen = facts.performance
    if as_json:
        write_json(
            {
                "report": str(out),
                "rule": str(_rule_of(rule)),
                "held_out": facts.is_held_out,
                "rows": seen.rows,
                "accuracy": None if facts.is_null else facts.predict_accuracy,
                "auc": seen.auc,
                "note": facts.roles.note,
            }
        )
        return
    make_console().print(facts.roles.note)
    tell_of(out)


def load_any(model: Path) -> DNFClassifier | PosteriorDNFClassifier:
    """Read a file of ``fit`` or ``sample``; refuse one of ``markers``."""
    from .. import DNFClassifier, PosteriorDNFClassifier
    from ..genomics.prediction.marker_model import is_marker_model
    from ..sampling.drawn.draws_file import is_netcdf

    if is_netcdf(model):
        return PosteriorDNFClassifier.load(model)
    if is_marker_model(model):
        raise InputError(
            f"{model} is a model of markers, which only bayesdnf predict reads; its terms and its "
            "report are in the folder that bayesdnf markers wrote."
        )
    return DNFClassifier.load(model)


def _rule_of(model: DNFClassifier | PosteriorDNFClassifier) -> Rule:
    """Return the best rule; of those drawn the one of highest log posterior."""
    from .. import DNFClassifier

    return model.function_ if isinstance(model, DNFClassifier) else model.map_


def _risks_of(model: DNFClassifier | PosteriorDNFClassifier) -> Any:
    """Return the risks of the parts of a list, part 0 first; those of drawn rules are averages."""
    from .. import DNFClassifier
    from ..estimators.presenting.rule_summary import part_outcomes

    return part_outcomes(model) if isinstance(model, DNFClassifier) else None


def _target_of(rule: RuleClassifier, model: Path) -> str:
    if rule.record_.target is None:
        raise InputError(
            f"{model} does not say which column holds "
            f"{listed(rule.labels_.tolist(), 5, str)}; name it with --target."
        )
    return rule.record_.target


def show(model: Model, as_json: options.Json = False) -> None:
    """Print the rule of a model file with its terms and risks, or a summary of draws."""
    from .. import DNFClassifier
    from .terminal import print_model, print_posterior

    found = load_any(model)
    is_rule = isinstance(found, DNFClassifier)
    if as_json:
        result = (rule_result if is_rule else posterior_result)(found, None)
        write_json({**result, "model": str(model)})
    else:
        (print_model if is_rule else print_posterior)(found, None)


def export(
    model: Model,
    to: Annotated[Language, typer.Option(help="Output language.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write. Default: standard output.")
    ] = None,
    parts: Annotated[
        bool, typer.Option("--parts", help="For a rule list: output part numbers instead of risks.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Export the rule of a model file to SQL, Python, LaTeX, JSON or text.

    A rule list is exported with the risk of each layer, pooled over strata. JSON has no risks. Of a
    file written by sample, the rule with the highest log posterior is exported, without risks.
    """
    from ..boolean import RuleList
    from ..files.atomic import write_text
    from .labelled import keep_apart

    found = load_any(model)
    rule = _rule_of(found)
    given: dict[str, Any] = {}
    if isinstance(rule, RuleList) and to is not Language.json and not parts:
        given["risks"] = _risks_of(found)
    if to in (Language.sql, Language.python, Language.json):
        given["orders"] = found.encoder_.orders_
        given["missing_values"] = found.missing_values
    text = {
        Language.text: rule.to_text,
        Language.sql: rule.to_sql,
        Language.python: rule.to_python,
        Language.latex: rule.to_latex,
        Language.json: rule.to_json,
    }[to](**given).rstrip("\n")
    if out is not None:
        keep_apart(out, [model])
        write_text(out, f"{text}\n")
    if as_json:
        where = None if out is None else str(out)
        write_json({"to": to.value, "rule": str(rule), "text": text, "out": where})
    elif out is None:
        typer.echo(text)
    else:
        typer.echo(f"Rule written to {out}.")


# What fit and demo have to do for a report -------------------------------------------------------


def command_line() -> str:
    """Return the command as it was given."""
    return shlex.join(["bayesdnf", *sys.argv[1:]])


def files_of(paths: dict[str, Path | None]) -> Sequence[Any]:
    """Hash the files that are there."""
    from ..files.hashes import file_sha256
    from ..report.facts import File

    return [
        File(role, path.name, file_sha256(path)) for role, path in paths.items() if path is not None
    ]


def sign(
    model: RuleClassifier,
    table: Path,
    target: str,
    split: tuple[float, int] | None,
    strata: str | None,
) -> None:
    """Let a classifier remember the command that fitted it, and the file it was fitted on."""
    from ..estimators.saving.record import Source, Split
    from ..files.hashes import file_sha256

    model.record_ = model.record_._replace(
        command=command_line(),
        source=Source(table.name, file_sha256(table)),
        target=target,
        split=None if split is None else Split(*split),
        strata=strata,
    )


def tell_of(path: Path) -> None:
    """Print or return as JSON where the report was written."""
    typer.echo(f"Report written to {path} ({path.stat().st_size / 1000:,.0f} kB).")
