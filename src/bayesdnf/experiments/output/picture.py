"""The picture of a table: for each cell the paper's figure and ours, with standard errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plots.panels import BAND, INK, PALETTE, panels, tidy
from ..reproduction import FAITHFUL, OURS, PAPER, Measure, Reproduction, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLES: dict[str, dict[str, Any]] = {
    PAPER: {"color": INK, "marker": "o", "markerfacecolor": "white", "zorder": 4},
    FAITHFUL: {"color": PALETTE[0], "marker": "s", "zorder": 3},
    OURS: {"color": PALETTE[1], "marker": "D", "zorder": 3},
}
_OTHER: dict[str, Any] = {"color": PALETTE[2], "marker": "^", "zorder": 3}
_ROW = 0.46  # inches


def draw_rows(made: Reproduction) -> Figure:
    """Draw a panel for each measure, a line for each cell."""
    cells = list(dict.fromkeys(row.cell for row in made.rows))
    size = (2.0 + 1.45 * len(made.measures), 1.3 + _ROW * max(5, len(cells)))
    grid = panels(None, "draw_rows", 1, len(made.measures), size, sharey=True)
    lanes = {cell: _lanes(made, cell) for cell in cells}
    for ax, measure in zip(grid[0], made.measures, strict=True):
        for place in range(0, len(cells), 2):
            ax.axhspan(place - 0.5, place + 0.5, color=BAND, zorder=0)
        for row in made.rows:
            _mark(ax, row, measure, cells.index(row.cell), lanes[row.cell][row.source], made)
        _scale(ax, measure, made)
        ax.set_title(measure.label, fontsize="medium", loc="left")
        tidy(ax)
        ax.tick_params(axis="y", length=0)
    grid[0, 0].set_yticks(range(len(cells)), [_name(made.keys, cell) for cell in cells])
    grid[0, 0].set_ylim(len(cells) - 0.5, -0.5)
    figure: Figure = grid[0, 0].figure
    handles: dict[str, Any] = {}
    for ax in grid[0]:
        handles |= {h.get_label(): h for h in ax.get_legend_handles_labels()[0]}
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside lower center",
        ncols=min(len(handles), int(size[0] / 2.1)),
        frameon=False,
        fontsize="small",
    )
    figure.suptitle(made.title, x=0.01, ha="left", fontsize="large")
    return figure


def _lanes(made: Reproduction, cell: tuple[Any, ...]) -> dict[str, float]:
    """Return how far from the middle of its line each source of a cell is drawn."""
    sources = dict.fromkeys(row.source for row in made.rows if row.cell == cell)
    return {source: 0.8 * ((i + 0.5) / len(sources) - 0.5) for i, source in enumerate(sources)}


def _mark(
    ax: Axes, row: Row, measure: Measure, place: int, lane: float, made: Reproduction
) -> None:
    """Mark a figure, with its standard error; that of the first sets alone is small and pale."""
    if measure.name not in row.values:
        return
    most = row.sets == made.row(row.source, *row.cell).sets
    style = _STYLES.get(row.source, _OTHER)
    error = row.errors.get(measure.name)
    single = any(other.sets == 1 and other.source == row.source for other in made.rows)
    sets = "" if single else f", {row.sets} sets"
    ax.errorbar(
        [row.values[measure.name]],
        [place + lane],
        xerr=[error] if error is not None and most else None,
        linestyle="",
        markersize=5 if most else 3.5,
        alpha=1 if most else 0.45,
        elinewidth=1.3,
        capsize=2.5,
        label=f"{row.source}{sets}",
        **style,
    )


def _scale(ax: Axes, measure: Measure, made: Reproduction) -> None:
    from matplotlib.ticker import MaxNLocator

    values = [row.values[measure.name] for row in made.rows if measure.name in row.values]
    low, high = min(values), max(values)
    if low > 0 and high / low > 30:
        ax.set_xscale("log")
    elif low >= 0 and high <= 1 and measure.digits == 2:
        ax.set_xlim(-0.06, 1.06)
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    else:
        ax.xaxis.set_major_locator(MaxNLocator(3))
        ax.ticklabel_format(axis="x", useOffset=False)


def _name(keys: tuple[str, ...], cell: tuple[Any, ...]) -> str:
    if not cell:
        return "ours"
    if isinstance(cell[0], str):
        return cell[0]
    return ", ".join(f"{key} = {value:g}" for key, value in zip(keys, cell, strict=True))
