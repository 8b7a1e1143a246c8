"""Options that several commands share, and parsing of their values."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from ..model.prior import Prior
    from .labelled import LabelledTable

Table = Annotated[
    Path, typer.Argument(help="CSV, TSV (plain or gzip) or Parquet file, or - (standard input).")
]
TWO_CLASSES = "--threshold and --cost-ratio are for two classes; choose one with --positive."

TableOut = Annotated[
    Path,
    typer.Option(help="Table to write: .csv, .tsv, .txt (with .gz compressed) or .parquet."),
]
Target = Annotated[str, typer.Option(help="Column with the class labels.")]
Positive = Annotated[
    str | None,
    typer.Option(
        help="Positive class, against all others. Default: the second of "
        "two classes, or all of several."
    ),
]
Strata = Annotated[
    str | None,
    typer.Option(help="Column with the strata. Default: that of the fit, if the table has it."),
]
Test = Annotated[Path | None, typer.Option(help="Table of held-out rows to test on.")]
Seed = Annotated[int, typer.Option(help="Random seed.")]
Jobs = Annotated[int, typer.Option(help="Number of threads; results do not depend on it.")]
Scheduler = Annotated[
    str | None,
    typer.Option(
        help="Address of a Dask scheduler to run on, such as tcp://node1:8786.",
    ),
]
Device = Annotated[
    str,
    typer.Option(help="Device that counts rows: cpu, cuda (NVIDIA GPU) or auto (by size)."),
]
Separator = Annotated[
    str | None, typer.Option("--sep", help="Field separator: ',' ';' '\\t'. Default: by file name.")
]
ExcelSafe = Annotated[
    bool,
    typer.Option(
        "--excel-safe",
        help="Put ' before cells that a spreadsheet would run as formulas (= + - @).",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="Predict the positive class at this probability or above. Default: above 0.5."
    ),
]
CostRatio = Annotated[
    float | None,
    typer.Option(
        help="Cost of a false negative relative to a false positive; sets the threshold to "
        "1 / (1 + ratio)."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@dataclass(frozen=True, kw_only=True)
class Learning:
    """Options of the commands that learn from a table: what is on offer, the prior, how long."""

    ignore: Annotated[
        list[str] | None, typer.Option(help="Column to ignore, such as a row id; repeatable.")
    ] = None
    negations: Annotated[
        bool,
        typer.Option(
            "--negations/--no-negations", help="Also offer negated literals: odor != f, age < 45."
        ),
    ] = True
    thresholds: Annotated[
        int, typer.Option(help="Maximum number of thresholds per numeric column.")
    ] = 8
    missing: Annotated[
        list[str] | None,
        typer.Option(help="Cell text that marks a missing value, such as '?'; repeatable."),
    ] = None
    kind: Annotated[
        list[str] | None,
        typer.Option(
            help="Column type: column=categorical, ordinal, numeric or binary, or the order of "
            "its texts: 'size=small<medium<large'; repeatable."
        ),
    ] = None
    monotonic: Annotated[
        list[str] | None,
        typer.Option(
            help="Monotonic constraint: column=1 (risk never falls as it "
            "rises) or column=-1; repeatable."
        ),
    ] = None
    layers: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of layers of a rule list (if, elif, else), each with its own "
            "risk. Default: 4 for sample and for more than two classes, else 1."
        ),
    ] = None
    strata: Annotated[
        str | None,
        typer.Option(help="Column of strata, each with its own base rate; rules do not use it."),
    ] = None
    size_mean: Annotated[
        float | None,
        typer.Option(
            help="Poisson prior on the number of literals in a term beyond the first: mean. "
            "Default: 2."
        ),
    ] = None
    count_p: Annotated[
        float | None,
        typer.Option(
            help="Geometric prior on the number of terms: probability of stopping. Default: 0.5."
        ),
    ] = None
    time_limit: Annotated[float | None, typer.Option(help="Time limit in seconds.")] = None
    seed: Seed = 0
    jobs: Jobs = 1
    device: Device = "auto"
    sep: Separator = None

    def __post_init__(self) -> None:
        self.kinds()  # report wrong usage before anything is read
        self.directions()

    def kinds(self) -> dict[str, str | list[str]] | None:
        """Read the ``column=kind`` and ``column=a<b`` texts; None when there are none."""
        return dict(_kind(text) for text in self.kind or ()) or None

    def directions(self) -> dict[str, int] | None:
        """Read the ``column=1`` and ``column=-1`` texts; None when there are none."""
        return dict(_direction(text) for text in self.monotonic or ()) or None

    def parameters(self, data: LabelledTable) -> dict[str, Any]:
        """Return the parameters that both classifiers share."""
        layers = {} if self.layers is None else {"layers": self.layers}
        return layers | {
            "prior": prior_of(self.size_mean, self.count_p),
            "kinds": self.kinds(),
            "negations": self.negations,
            "thresholds": self.thresholds,
            "missing_values": data.missing,
            "monotonic_cst": self.directions(),
            "positive": data.positive,
            "time_limit": self.time_limit,
            "n_jobs": self.jobs,
            "device": self.device,
            "random_state": self.seed,
        }


def sharing(kind: type, name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a decorator that expands a command's parameter to the options of a dataclass.

    Parameters
    ----------
    kind : type
        The dataclass: a field for each option, annotated as typer's options are.
    name : str
        The command's parameter that takes an instance of it.
    """
    hints = get_type_hints(kind, include_extras=True)
    options = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in inspect.signature(command, eval_str=True).parameters.values()
            if parameter.name != name
        ]

        @functools.wraps(command)
        def flat(**given: Any) -> None:
            shared = {option.name: given.pop(option.name) for option in options}
            command(**given, **{name: kind(**shared)})

        signature = inspect.Signature([*own, *options])
        # Typer makes options of what the signature and the annotations say.
        flat.__signature__ = signature  # type: ignore[attr-defined]
        flat.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
        return flat

    return decorated


learning = sharing(Learning, "learning")


def _kind(text: str) -> tuple[str, str | list[str]]:
    column, equals, kind = text.rpartition("=")
    if not equals:
        raise typer.BadParameter(f"--kind must be column=kind, such as stage=ordinal, not {text}.")
    if "<" in kind:
        return column, [category.strip() for category in kind.split("<")]
    return column, kind


def _direction(text: str) -> tuple[str, int]:
    column, equals, direction = text.rpartition("=")
    if not equals or direction not in ("1", "-1"):
        raise typer.BadParameter(
            f"--monotonic must be column=1 or column=-1, such as age=1, not {text}."
        )
    return column, int(direction)


def decision(threshold: float | None, cost_ratio: float | None) -> float | None:
    """Return the probability threshold of the positive class; None without either option."""
    if threshold is not None and cost_ratio is not None:
        raise typer.BadParameter("give --threshold or --cost-ratio, not both.")
    if threshold is not None and not 0 < threshold < 1:
        raise typer.BadParameter(f"--threshold must be between 0 and 1, not {threshold:g}.")
    if cost_ratio is None:
        return threshold
    if not 0 < cost_ratio < math.inf:
        raise typer.BadParameter(f"--cost-ratio must be above 0, not {cost_ratio:g}.")
    # At risk p a "no" costs ``cost_ratio`` p on average and a "yes" 1 - p: they cost the same here.
    return 1 / (1 + cost_ratio)


def separator(text: str | None) -> str | None:
    """Parse the value of ``--sep``."""
    return "\t" if text in ("\\t", "tab") else text


def prior_of(size_mean: float | None, count_p: float | None) -> Prior:
    """Return the default prior, with the options that were given."""
    from .. import Geometric, Poisson, Prior

    prior = Prior()
    if size_mean is not None:
        prior.set_params(size=Poisson(size_mean))
    if count_p is not None:
        # From 0 on, as the default: the null function keeps its share.
        prior.set_params(count=Geometric(count_p, start=0))
    return prior
