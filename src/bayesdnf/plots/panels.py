"""Elements of all plots: axes, colours, bars of probabilities, traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtraError, ParameterError
from .labels import plain, probability_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
AxesArray = NDArray[np.object_]

# Okabe and Ito's palette, for colour-blind eyes; line styles and marks tell curves apart in print.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES = ("-", "--", "-.", ":")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
BAR, INK, FAINT, BAND = "#C9D3DE", "#333333", "#DDDDDD", "#F3F3F3"
_CHARACTERS_PER_INCH = 15.5  # of a small text when the font size is 10
LINE = 0.14  # inches, its height


def pyplot() -> Any:
    """Load matplotlib, or raise an error that says how to install it."""
    try:
        import matplotlib.pyplot
    except ModuleNotFoundError as error:
        raise MissingExtraError.of("Plots need matplotlib", "plot") from error
    return matplotlib.pyplot


def _scaled(size: tuple[float, float]) -> tuple[float, float]:
    """Grow a figure with the user's font, so that its texts keep their room."""
    return size[0] * _font(), size[1] * _font()


def _font() -> float:
    return float(pyplot().rcParams["font.size"]) / 10


def one_panel(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the axes given, or those of a new figure."""
    if ax is not None:
        return ax
    made: Axes = pyplot().subplots(figsize=_scaled(size), layout="constrained")[1]
    return made


def panels(
    axes: object,
    owner: str,
    rows: int,
    columns: int,
    size: tuple[float, float],
    **ratios: Any,
) -> AxesArray:
    """Return the axes given as an array of rows and columns, or those of a new figure."""
    if axes is None:
        made = pyplot().subplots(
            rows, columns, figsize=_scaled(size), layout="constrained", squeeze=False, **ratios
        )[1]
        return np.asarray(made, dtype=object)
    given = np.asarray(axes, dtype=object)
    if given.size != rows * columns:
        must = f"{rows * columns} Axes, {rows} by {columns}"
        raise ParameterError.of("axes", owner, must, f"{given.size} Axes")
    return given.reshape(rows, columns)


class Room(NamedTuple):
    """Space for the label of a row."""

    width: int
    lines: int


def label_room(ax: Axes | None, inches: float, rows: int, lines: int) -> Room:
    """Return the room for the labels of rows: in a new figure so wide, or in what an axes has."""
    if ax is not None:
        # A plain axes is .775 of its figure.
        inches = ax.bbox.width / ax.figure.dpi / _font() / 0.775
        high = ax.bbox.height / ax.figure.dpi / _font() / max(1, rows)
        lines = max(1, min(lines, int(high / LINE)))
    return Room(max(16, int(0.42 * inches * _CHARACTERS_PER_INCH)), lines)


def tidy(ax: Axes) -> None:
    """Hide the spines without a scale."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize="small")


def say(ax: Axes, text: str) -> Axes:
    """Show a sentence in axes without data."""
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes)
    return ax


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Label the rows 0, 1, … from the top down."""
    ax.set_yticks(range(len(names)), names)
    for text in ax.get_yticklabels():
        plain(text)
        text.set_multialignment("left")
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0, labelsize="small")


class ChainStyle(NamedTuple):
    """How a chain is drawn."""

    name: str
    color: Any
    line: str
    mark: str


def chain_styles(n: int) -> list[ChainStyle]:
    """Assign colours and marks to chains, dark to light so that they differ in print."""
    import matplotlib

    scale = matplotlib.colormaps["viridis"]
    at = np.linspace(0.0, 0.85, n) if n > 1 else np.array([0.3])
    return [
        ChainStyle(f"chain {i + 1}", scale(x), LINES[i % len(LINES)], MARKS[i % len(MARKS)])
        for i, x in enumerate(at)
    ]


def chain_legend(ax: Axes, corner: Literal["lower left", "lower right"] = "lower left") -> None:
    """Name the chains above an axes, from its left or right end, unless there is only one."""
    handles, names = ax.get_legend_handles_labels()
    if len(names) > 1:
        legend = ax.legend(
            handles,
            names,
            loc=corner,
            bbox_to_anchor=(1.0 if corner == "lower right" else 0.0, 1.0),
            ncols=min(len(names), 5),
            frameon=False,
            fontsize="small",
            borderaxespad=0.2,
            columnspacing=1.2,
            handletextpad=0.5,
        )
        for line in legend.get_lines():
            line.set_linewidth(2)


def probability_bars(
    ax: Axes, mean: Floats, by_chain: Floats, rows: Floats | None = None, bar: float = 0.62
) -> None:
    """Draw probabilities as bars, with their range over chains, and the number beside it.

    Parameters
    ----------
    ax : Axes
        The axes.
    mean : ndarray of shape (n_rows,)
        Probabilities over all chains.
    by_chain : ndarray of shape (n_chains, n_rows)
        Probabilities by chain.
    rows : ndarray, optional
        Heights of the rows; 0, 1, … by default.
    bar : float
        Height of the bars.
    """
    low, high = by_chain.min(axis=0), by_chain.max(axis=0)
    rows = np.arange(len(mean), dtype=np.float64) if rows is None else rows
    ax.barh(rows, mean, height=bar, color=PALETTE[0], alpha=0.55)
    if len(by_chain) > 1:
        spread = np.maximum(0.0, np.stack([mean - low, high - mean]))
        ax.errorbar(mean, rows, xerr=spread, fmt="none", ecolor=INK, elinewidth=1.2, capsize=2.5)
    for row, value, end in zip(rows, mean, high, strict=True):
        ax.annotate(
            probability_text(float(value)),
            (float(end), float(row)),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )
    probability_scale(ax, float(high.max()), 1.25)


def probability_scale(ax: Axes, largest: float, room: float) -> None:
    """Scale the x axis from 0 to 1, or closer when all are small, with room beyond the largest."""
    if largest > 0.4:
        ax.set_xlim(0, max(1.02, room * min(largest, 0.92)))
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    else:
        from matplotlib.ticker import MaxNLocator

        ax.set_xlim(0, room * largest or 1)
        ax.xaxis.set_major_locator(MaxNLocator(3))


def draw_trace(ax: Axes, beside: Axes, values: Floats, *, counts: bool = False) -> None:
    """Draw the trace of a number for each chain, and how its values are spread beside it.

    Parameters
    ----------
    ax, beside : Axes
        For the traces, and for histograms on the same vertical scale.
    values : ndarray of shape (n_chains, n_draws)
        The number at each draw.
    counts : bool
        Whether values are whole numbers; chains are then drawn next to each other.
    """
    from matplotlib.ticker import MaxNLocator

    styles = chain_styles(len(values))
    edges = _edges(values)
    lane = 0.8 / len(values)
    for number, (style, row) in enumerate(zip(styles, values, strict=True)):
        shift = (number + 0.5) * lane - 0.4 if counts else 0.0
        ax.plot(
            np.arange(len(row)),
            row + shift,
            color=style.color,
            linewidth=0.6,
            alpha=0.75,
            marker="." if len(row) < 60 else "",
            label=style.name,
        )
        if counts:
            levels, times = np.unique(row, return_counts=True)
            beside.barh(levels + shift, times / len(row), height=lane, color=style.color)
        else:
            share = np.histogram(row, edges)[0] / len(row)
            beside.stairs(
                share,
                edges,
                orientation="horizontal",
                color=style.color,
                linestyle=style.line,
                linewidth=1.3,
            )
    if counts:
        ax.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        limits = float(values.min()) - 0.6, float(values.max()) + 0.6
    else:
        beyond = 0.04 * (edges[-1] - edges[0])
        limits = float(edges[0] - beyond), float(edges[-1] + beyond)
    for panel in (ax, beside):
        panel.set_ylim(*limits)
        tidy(panel)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    room = max(0.5, 0.01 * values.shape[1])
    ax.set_xlim(-room, values.shape[1] - 1 + room)
    beside.set_xlim(left=0)
    beside.xaxis.set_major_locator(MaxNLocator(3))
    beside.tick_params(left=False, labelleft=False)


def _edges(values: Floats) -> Floats:
    """Return the bounds of up to 30 bins, the same for all chains; around a value that is alone."""
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-9 * max(1.0, abs(low)):
        half = min(1.0, 0.05 * max(abs(low), 0.1))
        low, high = low - half, high + half
    # About as many bins as the root of the number of values, within what can be seen.
    return np.linspace(low, high, int(np.clip(np.sqrt(values.size), 8, 30)) + 1)
