"""Regional plots: the score of each variant near a marker's variant, in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..boolean import BooleanFunction
from ..checks import whole
from ..errors import ParameterError
from ..genomics.chromosomes import canonical_chromosome, canonical_chromosomes
from ..genomics.quality.linkage import find_proxies
from .fonts import legible
from .labels import plain, probability_text, shortened
from .panels import INK, AxesArray, Floats, panels, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..genomics.files.genes import Genes
    from ..genomics.markers.credible import Slot
    from ..genomics.markers.finding import Markers

AROUND = 250_000
_BINS = (0.2, 0.4, 0.6, 0.8)
# Dark to light to loud: bins differ in lightness, so also in print.
_COLORS = ("#2B3A67", "#4F8FC0", "#7CC6A4", "#F2B632", "#D1495B")
_LANE = 0.2  # inches, of a row of genes
_LETTER = 0.0145  # of the width, of a letter of a gene's name


def region(
    found: Markers,
    term: int = 1,
    genes: Genes | None = None,
    *,
    around: int = AROUND,
    axes: object = None,
) -> AxesArray:
    """Draw regional plots of the variants of a term.

    Parameters
    ----------
    found : Markers
        Result of :func:`bayesdnf.genomics.find_markers`.
    term : int, default=1
        Number of the term, from 1.
    genes : Genes, optional
        Genes to draw below the points.
    around : int, default=250_000
        Base pairs on both sides.
    axes : array of Axes, optional
        Where to draw: two columns where there are several members, and with genes a row for
        these below each row of points.

    Returns
    -------
    ndarray of Axes
        The height of a point is the log Bayes factor of the whole function with the best literal
        of that variant in the member's place; the dashed line is the function without the member.
        Points have the colour of their r² with the member (a diamond); those that could take its
        place are ringed.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, Study, find_markers
    >>> from bayesdnf import plots
    >>> rng = np.random.default_rng(2)
    >>> calls = rng.binomial(2, 0.3, (40, 800))
    >>> y = rng.random(800) < np.where((calls[3] >= 1) & (calls[7] >= 1), 0.7, 0.2)
    >>> found = find_markers(Study(Genotypes.from_copies(calls), y), draws=200, random_state=0)
    >>> axes = plots.region(found)
    >>> [ax.get_title(loc="left") for ax in axes[0]]
    ['v4_B dominant', 'v8_B dominant']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(axes[0, 0].figure)
    """
    n_terms = len(found.function)
    if whole("term", "plots.region", term, 1) > n_terms:
        must = f"from 1 to {n_terms}, the number of terms" if n_terms else "left: there is no term"
        raise ParameterError.of("term", "plots.region", must, term)
    stretches = [_stretch(found, term - 1, slot, around) for slot in found.slots[term - 1]]
    tracks = [_lanes(genes, stretch) for stretch in stretches]
    columns = min(2, len(stretches))
    rows = -(-len(stretches) // columns)
    step = 1 if genes is None else 2
    ratios: list[float] = []
    for row in range(rows):
        lanes = max(len(track) for track in tracks[columns * row : columns * (row + 1)])
        ratios += [2.4] if genes is None else [2.4, _LANE * max(1, lanes) + 0.1]
    size = (5.6 * columns + (1.4 if columns == 1 else 0), sum(ratios) + 0.85 * rows + 0.45)
    made = panels(
        axes, "plots.region", step * rows, columns, size, gridspec_kw={"height_ratios": ratios}
    )
    for i, (stretch, track) in enumerate(zip(stretches, tracks, strict=True)):
        row, column = divmod(i, columns)
        ax = made[step * row, column]
        _points(ax, found, stretch)
        if genes is not None:
            _genes(made[step * row + 1, column], track, stretch)
            ax.tick_params(labelbottom=False)
        made[step * (row + 1) - 1, column].set_xlabel(
            f"position on chromosome {stretch.chromosome} (Mb)", fontsize="small"
        )
    if len(stretches) % columns:
        for ax in made[-step:, -1]:
            ax.set_axis_off()
    _legend(made[0, 0])
    return legible(made)


class _Stretch(NamedTuple):
    slot: Slot
    chromosome: str
    ends: tuple[float, float]
    lead: int
    variants: NDArray[np.intp]
    position: Floats
    factor: Floats
    r_squared: Floats
    without: float


def _stretch(found: Markers, term: int, slot: Slot, around: int) -> _Stretch:
    """Score the function with each nearby variant in place of the member."""
    genotypes, scoring = found.study.genotypes, found.scoring
    lead = genotypes.place[slot.literal.attribute]
    chromosome = canonical_chromosomes(genotypes.variants["CHR"])
    position = genotypes.variants["POS"].to_numpy(dtype=np.int64)
    terms = found.function.literal_terms
    others = [x for x in terms[term] if x != slot.literal]
    rest = [x for t, x in enumerate(terms) if t != term]
    fixed = [genotypes.place[x.attribute] for x in others]
    besides = [genotypes.place[x.attribute] for x in found.function.literals]
    near = np.abs(position - position[lead]) <= around
    near &= chromosome == chromosome[lead]
    near[[v for v in fixed if v != lead]] = False
    variants = np.flatnonzero(near)
    # Besides the neighbours all variants of the function, which every candidate holds but for one.
    posterior = scoring.on(np.union1d(variants, besides).astype(np.intp))
    wanted = {genotypes.names[v]: i for i, v in enumerate(variants)}
    literals = [x for x in posterior.bits.table if x.attribute in wanted and x not in others]
    functions = [BooleanFunction([*rest, [*others, x]]) for x in literals]
    null = posterior.log_likelihood(BooleanFunction())
    scores = posterior.scores(functions).log_likelihood - null
    factor = np.full(len(variants), -np.inf)
    np.maximum.at(factor, [wanted[x.attribute] for x in literals], scores)
    without = posterior.log_likelihood(BooleanFunction([*rest, others] if others else rest)) - null
    linked = find_proxies(genotypes, [lead], 0.0, around)
    r2 = dict(zip(linked["proxy"].tolist(), linked["r_squared"].tolist(), strict=True))
    r_squared = np.array([1.0 if v == lead else r2.get(int(v), 0.0) for v in variants])
    middle = float(position[lead])
    half = float(around)
    return _Stretch(
        slot, canonical_chromosome(chromosome[lead]), (middle - half, middle + half), lead,
        variants, position[variants].astype(np.float64), factor, r_squared, float(without),
    )  # fmt: skip


def _points(ax: Axes, found: Markers, stretch: _Stretch) -> None:
    color = np.array(_COLORS)[np.digitize(stretch.r_squared, _BINS)]
    order = np.argsort(stretch.r_squared, kind="stable")
    x, y = stretch.position / 1e6, stretch.factor
    own = stretch.variants == stretch.lead
    some = order[~own[order]]
    ringed = np.isin(stretch.variants, list(stretch.slot.variants)) & ~own
    ax.axhline(stretch.without, color=INK, linewidth=0.8, linestyle="--", zorder=1)
    ax.scatter(x[some], y[some], s=20, c=color[some], linewidths=0, zorder=2)
    ax.scatter(x[ringed], y[ringed], s=52, facecolors="none", edgecolors=INK, linewidths=0.9,
               zorder=3)  # fmt: skip
    ax.scatter(x[own], y[own], s=60, marker="D", c=_COLORS[-1], edgecolors=INK, linewidths=0.8,
               zorder=4)  # fmt: skip
    [mine] = np.flatnonzero(own)
    used = probability_text(stretch.slot.inclusion(found.draws, found.study.genotypes))
    name = stretch.slot.literal.attribute
    above: dict[str, Any] = {
        "textcoords": "offset points",
        "ha": "center",
        "fontsize": "small",
        "zorder": 5,
    }
    plain(ax.annotate(name, (x[mine], y[mine]), xytext=(0, 8), **above))
    [title] = shortened([str(stretch.slot.literal)], 32)
    plain(ax.set_title(title, loc="left", fontsize="medium"))
    n = len(stretch.slot.variants) - 1
    linked = f" with {n} linked variant{'' if n == 1 else 's'}" if n else ""
    ax.set_title(f"probability {used}{linked}", loc="right", fontsize="small")
    tidy(ax)
    low, high = min(stretch.without, float(y.min())), float(y.max())
    room = 0.08 * max(high - low, 1e-3)
    ax.set_ylim(low - room, high + 2.6 * room)
    ax.set_xlim(stretch.ends[0] / 1e6, stretch.ends[1] / 1e6)
    ax.ticklabel_format(axis="x", useOffset=False, style="plain")
    ax.set_ylabel("log Bayes factor\nof the function", fontsize="small")


def _legend(ax: Axes) -> None:
    from matplotlib.lines import Line2D

    edges = (0.0, *_BINS, 1.0)
    marks = [
        Line2D([], [], marker="o", linestyle="", color=color, markersize=4.5,
               label=f"{low:g}–{high:g}")
        for color, low, high in zip(_COLORS, edges[:-1], edges[1:], strict=True)
    ]  # fmt: skip
    marks += [
        Line2D([], [], marker="o", linestyle="", markerfacecolor="none", color=INK, markersize=6.5,
               label="could take its place"),
        Line2D([], [], linestyle="--", color=INK, linewidth=0.8, label="function without it"),
    ]  # fmt: skip
    ax.figure.legend(
        handles=marks, title="r² with the diamond", title_fontsize="small", fontsize="x-small",
        loc="outside upper center", ncols=len(marks), frameon=False, handletextpad=0.3,
        columnspacing=1.0,
    )  # fmt: skip


def _lanes(genes: Genes | None, stretch: _Stretch) -> list[list[tuple[float, float, str]]]:
    """Assign genes to rows so that neither they nor their names overlap."""
    if genes is None:
        return []
    low, high = stretch.ends
    letter = _LETTER * (high - low)
    lanes: list[list[tuple[float, float, str]]] = []
    ends: list[float] = []
    for _, start, end, name in genes.within(stretch.chromosome, int(low), int(high)).itertuples(
        index=False
    ):
        first, last = max(float(start), low), min(float(end), high)
        half = letter * len(name) / 2
        middle = min(max((first + last) / 2, low + half), high - half)
        begin, reach = min(first, middle - half), max(last, middle + half) + letter
        lane = next((i for i, used in enumerate(ends) if used <= begin), len(ends))
        if lane == len(ends):
            ends.append(reach)
            lanes.append([])
        ends[lane] = reach
        lanes[lane].append((first, last, name))
    return lanes


def _genes(ax: Axes, lanes: list[list[tuple[float, float, str]]], stretch: _Stretch) -> None:
    low, high = stretch.ends
    look: dict[str, Any] = {
        "ha": "center",
        "va": "bottom",
        "fontsize": "x-small",
        "style": "italic",
    }
    for row, lane in enumerate(lanes):
        for first, last, name in lane:
            ends = [first / 1e6, last / 1e6]
            ax.plot(ends, [row, row], color="#4C6A88", linewidth=3.5, solid_capstyle="butt")
            half = _LETTER * (high - low) * len(name) / 2
            middle = min(max((first + last) / 2, low + half), high - half)
            plain(ax.text(middle / 1e6, row - 0.22, name, **look))
    if not lanes:
        ax.text(0.5, 0.5, "no gene here", ha="center", va="center", fontsize="x-small",
                color=INK, transform=ax.transAxes)  # fmt: skip
    ax.set_ylim(max(1, len(lanes)) - 0.5, -0.95)
    ax.set_xlim(stretch.ends[0] / 1e6, stretch.ends[1] / 1e6)
    ax.ticklabel_format(axis="x", useOffset=False, style="plain")
    ax.set_yticks([])
    ax.spines[["left", "top", "right"]].set_visible(False)
    ax.tick_params(labelsize="small")
