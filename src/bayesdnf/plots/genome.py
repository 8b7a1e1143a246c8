"""A Manhattan plot of inclusion probabilities, with arcs that join the members of a term."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..genomics.chromosomes import canonical_chromosomes, chromosome_order
from .fonts import legible
from .labels import plain, probability_text
from .panels import INK, PALETTE, Floats, one_panel, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..genomics.files.genes import Genes
    from ..genomics.markers.finding import Markers

SHADES = ("#4C6A88", "#9DB2C6")
_OTHER, _MOST_OTHERS = 0.2, 5  # inclusion from which variants outside the function are labelled
_TINY = 0.05  # inclusion below which a point is not worth a name
_INCHES = 2.5  # of the scale from 0 to 1
_WIDTH = 10.0
_CHARACTER = 0.0081  # of the width, of one character of a label
_ROOM = 0.012  # between labels
_LINE = 0.15  # inches, of a line of a label
_FOOT = 1.09  # where labels begin
_BETWEEN = 0.012  # between chromosomes, of the width


def manhattan(found: Markers, genes: Genes | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw a Manhattan plot of the inclusion probabilities of variants.

    Parameters
    ----------
    found : Markers
        Result of :func:`bayesdnf.genomics.find_markers`.
    genes : Genes, optional
        Names for places, from ``Genes.read``.
    ax : Axes, optional
        Axes to draw into; a new figure by default.

    Returns
    -------
    Axes
        A point for each variant. Those of the best function are named and have the colour of
        their term, whose members an arc joins and whose own probability stands beside "term"; a
        ring is the probability that any of the linked variants that could take one's place is
        used. Up to five others that are used with probability 0.2 or more are named beside their
        points.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, Study, find_markers
    >>> from bayesdnf import plots
    >>> rng = np.random.default_rng(2)
    >>> calls = rng.binomial(2, 0.3, (40, 800))
    >>> y = rng.random(800) < np.where((calls[3] >= 1) & (calls[7] >= 1), 0.7, 0.2)
    >>> found = find_markers(Study(Genotypes.from_copies(calls), y), draws=200, random_state=0)
    >>> ax = plots.manhattan(found)
    >>> sorted(text.get_text() for text in ax.texts if "_B" in text.get_text())
    ['v4_B', 'v8_B']
    >>> import matplotlib.pyplot as plt
    >>> plt.close(ax.figure)
    """
    genome = _Genome.of(found)
    members = _members(found, genome, genes)
    names = _Names.of([m.text for m in members], [m.x for m in members])
    arcs = [] if found.function.is_null else _arcs(members, names.x)
    top = max((names.top_of(member.text) for member in members), default=1.04)
    height = top + (0.1 + max(arc.height for arc in arcs) if arcs else 0.0)
    ax = one_panel(ax, (_WIDTH, 0.75 + _INCHES * height))
    pip = found.variants["PIP"].to_numpy()
    for shade, odd in zip(SHADES, (0, 1), strict=True):
        some = genome.chromosome % 2 == odd
        ax.scatter(genome.x[some], pip[some], s=7, color=shade, linewidths=0, zorder=2)
    for member, at in zip(members, names.x, strict=True):
        _lead(ax, member, at, names)
    _others(ax, found, genome)
    feet = {foot for arc in arcs for foot in arc.feet}
    for arc in arcs:
        _draw(ax, arc, top)
    for member, at in zip(members, names.x, strict=True):
        if at in feet and (own := names.top_of(member.text)) < top - 0.03:  # up to its arc
            ax.plot([at, at], [own, top], color=member.color, linewidth=1.6, zorder=2)
    ax.set_ylim(-0.02, height)
    ax.set_xlim(-0.01, 1.01)
    _axes(ax, genome)
    if found.function.is_null:
        _say_none(ax, found)
    return legible(ax)


@dataclass(frozen=True)
class _Genome:
    """Positions of variants on the x axis, which goes from 0 to 1."""

    x: Floats
    chromosome: NDArray[np.int32]
    names: list[str]
    middle: list[float]
    span: tuple[int, int]  # in base pairs, when there is one chromosome

    @classmethod
    def of(cls, found: Markers) -> _Genome:
        table = found.variants
        chromosome = chromosome_order(table["CHR"])
        position = table["BP"].to_numpy(dtype=np.float64)
        canonical = canonical_chromosomes(table["CHR"])
        n = int(chromosome.max(initial=-1)) + 1
        first, last = np.zeros(n), np.zeros(n)
        for c in range(n):
            here = position[chromosome == c]
            first[c], last[c] = here.min(), here.max()
        length = np.maximum(last - first, 1e-9)
        share = length / length.sum() * (1 - _BETWEEN * (n - 1))
        start = np.concatenate([[0.0], np.cumsum(share + _BETWEEN)[:-1]])
        x = (
            start[chromosome]
            + (position - first[chromosome]) / length[chromosome] * (share[chromosome])
        )
        names = [str(canonical[int(np.argmax(chromosome == c))]) for c in range(n)]
        return cls(x, chromosome, names, list(start + share / 2), (int(first[0]), int(last[0])))


class _Member(NamedTuple):
    """A variant of the best function."""

    x: float
    pip: float
    ring: float
    text: str
    terms: tuple[int, ...]
    probability: tuple[float, ...]

    @property
    def color(self) -> str:
        return PALETTE[self.terms[0] % len(PALETTE)] if len(self.terms) == 1 else INK


def _members(found: Markers, genome: _Genome, genes: Genes | None) -> list[_Member]:
    genotypes = found.study.genotypes
    terms_of: dict[str, list[int]] = {}
    ring: dict[str, float] = {}
    for t, slots in enumerate(found.slots):
        for slot in slots:
            name = slot.literal.attribute
            if t not in terms_of.setdefault(name, []):
                terms_of[name].append(t)
            total = slot.inclusion(found.draws, genotypes)
            ring[name] = max(ring.get(name, 0.0), total)
    probability = found.terms["PROB"].tolist()  # of terms: dots are the variants' own
    members = []
    for name, terms in terms_of.items():
        v = genotypes.place[name]
        row = found.variants.iloc[v]
        lines = [name, "" if genes is None else genes.at(row["CHR"], int(row["BP"]))]
        alone = [t for t in terms if len({s.literal.attribute for s in found.slots[t]}) == 1]
        lines += [f"term {probability_text(probability[t])}" for t in alone]
        text = "\n".join(line for line in lines if line)
        chosen = tuple(probability[t] for t in terms)
        members.append(
            _Member(float(genome.x[v]), float(row["PIP"]), ring[name], text, tuple(terms), chosen)
        )
    return sorted(members)


@dataclass(frozen=True)
class _Names:
    """Positions of labels without overlap; vertical labels if they do not fit side by side."""

    x: list[float]
    upright: bool

    @classmethod
    def of(cls, texts: list[str], wanted: list[float]) -> _Names:
        widths = [_CHARACTER * _longest(text) for text in texts]
        upright = sum(widths) + _ROOM * len(widths) > 0.95
        if upright:
            widths = [_LINE / _WIDTH * (text.count("\n") + 1) for text in texts]
        return cls(_spread(wanted, widths), upright)

    def top_of(self, text: str) -> float:
        """Return where a label's text ends, as a fraction of the height of the axes."""
        lines = text.count("\n") + 1
        inches = _CHARACTER * _longest(text) * _WIDTH if self.upright else _LINE * lines
        return _FOOT + inches / _INCHES + 0.03


def _longest(text: str) -> int:
    return max(map(len, text.split("\n")))


def _spread(wanted: list[float], widths: list[float]) -> list[float]:
    """Move labels apart as little as possible, in order and inside the axes."""
    x = list(wanted)
    for _ in range(200):
        moved = False
        for i in range(len(x) - 1):
            # Two neighbours that overlap each move by half of the overlap; repeat until none do.
            lap = (widths[i] + widths[i + 1]) / 2 + _ROOM - (x[i + 1] - x[i])
            if lap > 1e-6:
                x[i], x[i + 1], moved = x[i] - lap / 2, x[i + 1] + lap / 2, True
        for i, width in enumerate(widths):
            inside = min(max(x[i], width / 2), 1 - width / 2)
            moved |= abs(inside - x[i]) > 1e-6
            x[i] = inside
        if not moved:
            break
    return x


def _lead(ax: Axes, member: _Member, at: float, names: _Names) -> None:
    """Draw a variant of the function, its ring, its name, and the line between them."""
    high = max(member.pip, member.ring)
    line: dict[str, Any] = {"color": "#999999", "linewidth": 0.7, "zorder": 1}
    ax.plot([member.x, member.x, at], [high + 0.03, 1.03, 1.07], **line)
    dot: dict[str, Any] = {
        "color": member.color,
        "edgecolors": "white",
        "linewidths": 0.6,
        "zorder": 4,
    }
    ax.scatter([member.x], [member.pip], s=34, **dot)
    if member.ring > member.pip + 0.005:
        up: dict[str, Any] = {
            "color": member.color,
            "linewidth": 0.8,
            "linestyle": ":",
            "zorder": 3,
        }
        ax.plot([member.x] * 2, [member.pip, member.ring], **up)
        ring: dict[str, Any] = {
            "facecolors": "white",
            "edgecolors": member.color,
            "linewidths": 1.3,
            "zorder": 4,
        }
        ax.scatter([member.x], [member.ring], s=44, **ring)
    look: dict[str, Any] = {
        "ha": "center",
        "va": "bottom",
        "fontsize": "small",
        "linespacing": 1.15,
    }
    angle = 90 if names.upright else 0
    plain(ax.text(at, _FOOT, member.text, color=member.color, rotation=angle, **look))


def _others(ax: Axes, found: Markers, genome: _Genome) -> None:
    """Name the most probable variants that are neither in the best function nor linked to it."""
    pip = found.variants["PIP"].to_numpy()
    near = {v for slots in found.slots for slot in slots for v in slot.variants}
    likely = np.argsort(-pip, kind="stable")[: _MOST_OTHERS + len(near)]
    rest = [int(v) for v in likely if pip[v] >= _OTHER and int(v) not in near][:_MOST_OTHERS]
    for v in rest:
        side = -1 if genome.x[v] > 0.85 else 1
        look: dict[str, Any] = {"fontsize": "small", "color": INK, "va": "center"}
        look["ha"] = "left" if side > 0 else "right"
        name = found.study.genotypes.names[v]
        at, off = (genome.x[v], pip[v]), (5 * side, 0)
        plain(ax.annotate(name, at, xytext=off, textcoords="offset points", **look))


class _Arc(NamedTuple):
    feet: tuple[float, float]
    height: float
    color: str
    text: str


def _arcs(members: list[_Member], x: list[float]) -> list[_Arc]:
    """Join neighbouring members of each term; of arcs above each other the wider is higher."""
    drawn: list[tuple[tuple[float, float], int, str]] = []
    for t in sorted({t for member in members for t in member.terms}):
        feet = [at for member, at in zip(members, x, strict=True) if t in member.terms]
        [probability] = {m.probability[m.terms.index(t)] for m in members if t in m.terms}
        widest = int(np.argmax(np.diff(feet))) if len(feet) > 1 else -1
        for i, pair in enumerate(itertools.pairwise(feet)):
            text = f"term {probability_text(probability)}" if i == widest else ""
            drawn.append((pair, t, text))
    # Short arcs first: a wide arc is drawn above the arcs within it.
    drawn.sort(key=lambda arc: arc[0][1] - arc[0][0])
    levels: list[int] = []
    for k, ((left, right), _, _) in enumerate(drawn):
        below = [
            level
            for level, ((start, end), _, _) in zip(levels, drawn[:k], strict=True)
            if start < right and left < end
        ]
        levels.append(max(below, default=-1) + 1)
    step = min(0.14, 0.9 / (1 + max(levels, default=0)))
    return [
        _Arc(feet, 0.16 + step * level, PALETTE[t % len(PALETTE)], text)
        for level, (feet, t, text) in zip(levels, drawn, strict=True)
    ]


def _draw(ax: Axes, arc: _Arc, bottom: float) -> None:
    left, right = arc.feet
    angle = np.linspace(0, np.pi, 80)
    x = (left + right) / 2 - (right - left) / 2 * np.cos(angle)
    ax.plot(x, bottom + arc.height * np.sin(angle), color=arc.color, linewidth=1.6, zorder=2)
    if arc.text:
        look: dict[str, Any] = {"ha": "center", "fontsize": "small", "color": arc.color}
        # On its arc where that is wide enough, else above it; other arcs pass behind.
        wide = right - left > 1.6 * _CHARACTER * len(arc.text)
        place = (left + right) / 2, bottom + arc.height + (0 if wide else 0.015)
        behind = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
        va = "center" if wide else "bottom"
        ax.text(*place, arc.text, va=va, bbox=behind, zorder=5, **look)


def _axes(ax: Axes, genome: _Genome) -> None:
    tidy(ax)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    ax.spines["left"].set_bounds(0, 1)
    # Beside the scale, not beside the whole picture.
    low, high = ax.get_ylim()
    ax.set_ylabel("inclusion probability", y=(0.5 - low) / (high - low))
    if len(genome.names) == 1:
        from matplotlib.ticker import MaxNLocator

        first, last = genome.span
        scale, unit = (1e6, "Mb") if last - first >= 2e5 else (1.0, "bp")
        ticks = np.asarray(MaxNLocator(8).tick_values(first / scale, last / scale))
        ticks = ticks[(ticks * scale >= first) & (ticks * scale <= last)]
        ax.set_xticks((ticks * scale - first) / max(1, last - first), [f"{t:g}" for t in ticks])
        ax.set_xlabel(f"position on chromosome {genome.names[0]} ({unit})")
        return
    kept, end = [], -1.0
    for i, (name, x) in enumerate(zip(genome.names, genome.middle, strict=True)):
        half = _CHARACTER * (len(name) + 0.4) / 2
        if x - half >= end:  # small chromosomes at the end stand too close for all their names
            kept.append(i)
            end = x + half
    ax.set_xticks([genome.middle[i] for i in kept], [genome.names[i] for i in kept])
    ax.tick_params(axis="x", length=0)
    ax.set_xlabel("chromosome")


def _say_none(ax: Axes, found: Markers) -> None:
    none = probability_text(found.null_probability)
    largest = float(found.variants["PIP"].max()) if len(found.variants) else 0.0
    lines = ["No marker", f"posterior probability of none: {none}"]
    if largest >= _TINY:
        row = found.variants.iloc[int(found.variants["PIP"].argmax())]
        lines.append(f"most probable variant: {row['SNP']}, {probability_text(largest)}")
    title, *rest = lines
    ax.text(0.5, 0.62, title, ha="center", va="bottom", fontsize="x-large", color=INK)
    plain(ax.text(0.5, 0.58, "\n".join(rest), ha="center", va="top", color=INK))
