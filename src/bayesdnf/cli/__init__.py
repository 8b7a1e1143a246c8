"""The command line: ``bayesdnf fit``, ``predict``, ``sample``, ``simulate``, ``reproduce``, ….

Results go to standard output, all messages to standard error. Exit status: 0 success, 1 invalid
input, 2 wrong usage, 130 interrupted. Heavy libraries are imported inside the commands.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..display.wording import count
from ..errors import MissingExtraError, ParameterError
from . import gate, markers, options, scans
from .output import Saved, end, rule_result, save_result, write_json
from .reporting import (
    WithReport,
    command_line,
    export,
    files_of,
    load_any,
    report,
    show,
    sign,
    tell_of,
)
from .reproducing import reproduce
from .sampling import sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..estimators.classifier import DNFClassifier
    from ..estimators.held_out import HeldOut
    from .labelled import LabelledRows


class _PlainFlags:
    """Help that shows no type for options that take no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, flags with an empty name of their value."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class _Command(_PlainFlags, TyperCommand):
    def __init__(self, *args: Any, help: str | None = None, **rest: Any) -> None:
        # Typer keeps the line breaks of a docstring after its first paragraph, and terminals of
        # another width then break every other line early.
        paragraphs = (help or "").split("\n\n")
        joined = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
        super().__init__(*args, help=joined, **rest)


class _Group(_PlainFlags, TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Run a command; Ctrl-C ends it by a sentence."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interruption:
            raise gate.Interruption(*interruption.args) from interruption


app = typer.Typer(
    cls=_Group,
    help="Learn Boolean rules (disjunctive normal form) from tables, with posterior probabilities.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from ..versions import show_versions

        show_versions()
        raise typer.Exit()


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print versions and exit."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            gate.DEBUG, help="Print a traceback on errors; accepted anywhere in the command."
        ),
    ] = False,
) -> None:
    pass


@options.learning
def fit(
    table: options.Table,
    target: options.Target,
    out: Annotated[Path | None, typer.Option(help="Model file to write (JSON).")] = None,
    positive: options.Positive = None,
    test: options.Test = None,
    test_share: Annotated[
        float | None, typer.Option(help="Fraction of rows to hold out for testing, such as 0.3.")
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            help="Number of cross-validation folds; the model itself is fitted on all rows."
        ),
    ] = None,
    prove: Annotated[
        bool,
        typer.Option(
            "--prove", help="Prove an upper bound on the gap to the best score (optimality gap)."
        ),
    ] = False,
    report: WithReport = None,
    threshold: options.Threshold = None,
    cost_ratio: options.CostRatio = None,
    as_json: options.Json = False,
    *,
    learning: options.Learning,
) -> None:
    """Find the best rule for a table, print it and, with --out, write it to a model file."""
    if sum(option is not None for option in (test, test_share, cv)) > 1:
        raise typer.BadParameter("give one of --test, --test-share and --cv.")
    least = options.decision(threshold, cost_ratio)
    import numpy as np

    from .. import DNFClassifier
    from ..estimators.held_out import measure, outcome_of, stratified_folds, stratified_part
    from ..files.atomic import writable
    from .labelled import keep_apart, measure_rows, read_labelled, read_test, require_spread

    if out is not None:
        keep_apart(out, [table, test])
        writable(out)
    if report is not None:
        from ..report.html import require_jinja, write_report

        require_jinja()
        keep_apart(report, [table, test, out])
        writable(report)
    data = read_labelled(table, target, positive, learning)
    rows, label = data.rows, data.positive
    tested = None if test is None else read_test(test, target, data, learning)
    if label is None and least is not None:
        raise typer.BadParameter(options.TWO_CLASSES)
    model = DNFClassifier(**learning.parameters(data), prove=prove)
    outcome = outcome_of(rows.y, np.unique(rows.y), label)
    held: NDArray[np.bool_] | None = None
    if cv is not None:  # check the number before the search
        fold = stratified_folds(outcome, cv, learning.seed)
        for k in range(cv):
            require_spread(rows, fold != k, f"--cv {cv}")
    if test_share is not None:
        held = stratified_part(outcome, test_share, learning.seed)
        require_spread(rows, ~held, f"--test-share {test_share:g}")
    finished = _search(model, rows if held is None else rows.part(~held))
    split = None if test_share is None else (test_share, learning.seed)
    sign(model, table, target, split, learning.strata)
    saved = Saved(None)
    if out is not None:
        saved = save_result(model.save, out, "the rule and its risks")
    held_out: HeldOut | None = None
    reported: Path | None = None
    try:
        if test is not None and tested is not None:
            held_out = measure_rows(model, tested, test, least)
        elif held is not None:
            part, how = rows.part(held), f"{test_share:g} of the rows"
            held_out = measure(model, part.X, outcome[held], how, part.strata, least)
        elif cv is not None and finished:
            held_out = _cross_validated(model, rows, cv, learning.seed, least)
        if report is not None:
            if tested is not None:
                n_fitted = len(rows.y)
                rows = rows.followed_by(tested)
                held = np.arange(len(rows.y)) >= n_fitted
            reported = write_report(
                model, rows.X, rows.y, report,
                held_out=held,
                strata=rows.strata,
                measured=None if cv is None else held_out,  # others are measured there anew
                files=files_of({"table": table, "test table": test, "model": saved.path}),
                command=command_line(),
            )  # fmt: skip
    except KeyboardInterrupt:
        finished = False
    finally:  # print the rule even after an error
        if as_json:
            result = rule_result(model, held_out, least)
            paths = {"model": saved.path, "report": reported}
            write_json({**result, **{k: v if v is None else str(v) for k, v in paths.items()}})
        else:
            from .terminal import print_model

            print_model(model, held_out, least)
            if saved.path is not None:
                typer.echo(f"Model written to {saved.path}.")
            if reported is not None:
                tell_of(reported)
    saved.require()
    end(finished, "this is the best rule")


def _search(model: DNFClassifier, rows: LabelledRows, title: str = "Search") -> bool:
    from ..display.bars import SearchBar
    from .terminal import fit_with_bar

    return fit_with_bar(model, rows, SearchBar(title, model.time_limit))


def _cross_validated(
    model: DNFClassifier, rows: LabelledRows, folds: int, seed: int, threshold: float | None
) -> HeldOut:
    from .. import DNFClassifier
    from ..estimators.held_out import mean_of, measure, outcome_of, stratified_folds

    outcome = outcome_of(rows.y, model.labels_, model.positive_)
    fold = stratified_folds(outcome, folds, seed)
    measured = []
    for k in range(folds):
        # A proof is about the rule of all rows; in every fold it would cost its time once more.
        own = DNFClassifier(**model.get_params(deep=False) | {"prove": False})
        if not _search(own, rows.part(fold != k), f"Fold {k + 1} of {folds}"):
            raise KeyboardInterrupt
        tested = rows.part(fold == k)
        own_outcome = outcome[fold == k]
        measured.append(measure(own, tested.X, own_outcome, "", tested.strata, threshold))
    return mean_of(measured)


def predict(
    model: Annotated[
        Path, typer.Argument(help="Model file written by fit or markers, or draws by sample.")
    ],
    table: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV (plain or gzip) or Parquet file, or - (standard input); with a model "
            "written by markers, a study."
        ),
    ],
    out: options.TableOut,
    strata: options.Strata = None,
    sep: options.Separator = None,
    excel_safe: options.ExcelSafe = False,
    ambiguous: Annotated[
        str,
        typer.Option(
            help="Strand-ambiguous (A/T, C/G) variants of markers: frequency, accept or refuse."
        ),
    ] = "frequency",
    allow_missing_columns: Annotated[
        bool,
        typer.Option(
            "--allow-missing-columns", help="Require only the columns that the answers depend on."
        ),
    ] = False,
    threshold: options.Threshold = None,
    cost_ratio: options.CostRatio = None,
    as_json: options.Json = False,
) -> None:
    """Predict the rows of a table and write one line per row.

    Columns of the output: predicted (the class), probability (of the positive class, or a column
    P(class) for each of more than two classes), marked (1 if the rule holds) and terms (numbers of
    the terms that hold, as printed by fit). A rule list also has part: the layer that decides, or 0
    if no layer holds; terms then lists the terms of this layer. With draws written by sample,
    probabilities are averages over the draws, and the columns marked and terms are replaced by low
    and high (95 % interval of the probability; low(class) and high(class) for more than two
    classes) and marked_probability. A model written by markers needs a study instead of a table,
    such as the path prefix of .bed/.bim/.fam files.
    """
    least = options.decision(threshold, cost_ratio)
    from ..data.reading import read_file
    from ..data.table_files.table_output import require_table_name, write_table
    from ..display.offer import levels_on_offer, similar_texts
    from ..genomics.prediction.marker_model import is_marker_model
    from ..sampling.drawn.draws_file import is_netcdf
    from .answers import answers_of, used_columns
    from .labelled import (
        keep_apart,
        require_columns,
        strata_like,
        strata_texts,
        text_columns,
    )
    from .unseen import unseen_lines, unseen_values

    if not is_netcdf(model) and is_marker_model(model):
        if least is not None:
            raise typer.BadParameter("--threshold and --cost-ratio do not apply to marker models.")
        return markers.predict_markers(model, str(table), out, ambiguous, excel_safe, as_json)
    keep_apart(out, [model, table])
    require_table_name(out)
    rule = load_any(model)
    texts = text_columns(rule) | strata_texts(rule, strata)
    X = read_file(table, options.separator(sep), missing=rule.missing_values, texts=texts)
    rule.allow_missing_columns |= allow_missing_columns
    used = used_columns(rule)
    if rule.allow_missing_columns:
        is_drawn = is_netcdf(model)
        who = f"the drawn rules of {model} use" if is_drawn else f"the rule of {model} uses"
        require_columns(used, X, table, who)
    else:
        require_columns(list(rule.encoder_.kinds_), X, table, f"{model} was fitted on")
    rows = rule._read_rows(X, used)
    known = levels_on_offer(rule.encoder_)
    for said in similar_texts({name: {*known[name], *rows.column(name).texts} for name in used}):
        typer.echo(f"Warning: {table}: {said}", err=True)
    unseen = unseen_values(rule.encoder_, rows, used)
    for said in unseen_lines(rule, unseen):
        typer.echo(f"{table}: {said}", err=True)
    answers, marked, held = answers_of(rule, rows, strata_like(rule, X, table, strata), least)
    write_table(answers, out, excel_safe=excel_safe)
    counts = {str(label): int((answers["predicted"] == label).sum()) for label in rule.classes_}
    if as_json:
        strange = [value._asdict() for value in unseen]
        told = {"out": str(out), "rows": len(X), "marked": marked, "predicted": counts}
        write_json({**told, "unseen": strange})
        return
    listed = ", ".join(f"{label} on {n:,}" for label, n in counts.items())
    typer.echo(f"{out}: {count(len(X), 'row')}, {held}; predicted {listed}.")


def demo(
    report: Annotated[Path, typer.Option(help="HTML report to write.")] = Path("mushroom.html"),
    as_json: options.Json = False,
) -> None:
    """Fit half of the bundled mushroom data, test on the other half, and write a report."""
    from .. import DNFClassifier, datasets
    from ..estimators.held_out import measure, stratified_part
    from ..files.atomic import writable
    from ..report.html import write_report
    from .labelled import LabelledRows
    from .terminal import print_model

    writable(report)
    X, labels = datasets.load_mushroom()
    y = labels.to_numpy(dtype=object)
    held = stratified_part(y == "p", 0.5, seed=0)
    # On half of this table restarts come to agree after some 400, more than there are by default.
    model = DNFClassifier(positive="p", restarts=512, random_state=0, n_jobs=2)
    if not as_json:
        typer.echo("Mushrooms, which are poisonous (p)? Fitted on half of the rows:")
    finished = _search(model, LabelledRows(X, y, None).part(~held))
    held_out = measure(model, X[held], y[held] == "p", "the other half")
    model.record_ = model.record_._replace(command=command_line(), target="class")
    written, problem = str(report), ""
    try:
        write_report(model, X, y, report, held_out=held, command=command_line())
    except MissingExtraError as error:  # the demo itself needs no extra
        written, problem = "", str(error)
    if as_json:
        write_json({**rule_result(model, held_out), "report": written or None})
    else:
        print_model(model, held_out)
        if written:
            tell_of(report)
        else:
            typer.echo(f"No report was written: {problem}", err=True)
    end(finished, "this is the best rule")


def simulate(
    out: options.TableOut,
    rows: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    columns: Annotated[int, typer.Option(help="Number of 0/1 columns, x0, x1, ….")] = 100,
    terms: Annotated[str, typer.Option(help="Sizes of the terms, such as 2,2.")] = "2,2",
    beta: Annotated[
        str, typer.Option(help="Range of the column frequencies (low,high).")
    ] = "0.4,0.5",
    pi0: Annotated[float, typer.Option(help="P(y = 1) if the function does not hold.")] = 0.1,
    pi1: Annotated[float, typer.Option(help="P(y = 1) if the function holds.")] = 0.9,
    case_control: Annotated[
        bool,
        typer.Option("--case-control", help="Case-control sampling: half cases, half controls."),
    ] = False,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Simulate a table whose outcome, column y, follows a known Boolean function."""
    from ..data.simulate import simulate as draw
    from ..data.table_files.table_output import require_table_name, write_table

    require_table_name(out)
    frequencies = _numbers(beta, "--beta")
    if len(frequencies) != 2:
        raise ParameterError.of("--beta", "simulate", "two numbers such as 0.4,0.5", beta)
    sizes = _numbers(terms, "--terms")
    if not all(size.is_integer() for size in sizes):  # neither is nan, nor infinity
        raise ParameterError.of("--terms", "simulate", "whole numbers with commas", terms)
    X, y, function = draw(
        rows,
        columns,
        terms=tuple(int(size) for size in sizes),
        beta=(frequencies[0], frequencies[1]),
        pi0=pi0,
        pi1=pi1,
        sampling="case-control" if case_control else "random",
        random_state=seed,
    )
    write_table(X.assign(y=y), out)
    if as_json:
        write_json({"out": str(out), "function": str(function), "rows": rows, "columns": columns})
        return
    typer.echo(
        f"{out}: {count(rows, 'row')}, {count(columns, 'column')} and y; "
        f"{count(int(y.sum()), 'positive')}."
    )
    typer.echo(f"True function: {function}")


def _numbers(text: str, option: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError.of(option, "simulate", "numbers with commas", text) from None


# In the order of a person's work, which is the order of the help.
for _command in (
    fit, predict, report, sample, show, export,
    markers.markers, scans.scan, scans.merge, scans.pack,
    demo, simulate, reproduce,
):  # fmt: skip
    app.command(cls=_Command)(_command)


def main() -> None:
    """Run the command line; every error is one sentence and an exit status."""
    gate.run(app)
