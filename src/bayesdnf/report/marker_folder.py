"""The folder of results of a study: tables, plots, summary, model, log."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import plots
from ..display.wording import count
from ..errors import InputError, MissingExtraError
from ..files.atomic import atomic_path, writable, write_text
from ..files.spreadsheets import excel_safe as make_safe
from ..genomics.markers.summary import summary
from ..genomics.prediction.marker_model import MarkerModel
from ..plots.panels import pyplot
from ..versions import versions
from .marker_report import write_marker_report

if TYPE_CHECKING:
    import pandas as pd

    from ..genomics.files.genes import Genes
    from ..genomics.markers.finding import Markers
    from .facts import File

_DPI = 160


def ready(folder: str | os.PathLike[str]) -> Path:
    """Make the folder if need be; InputError when files cannot be written there."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot make the folder {path}: {error.strerror}.") from error
    writable(path / "markers.tsv")
    return path


def save_markers(
    found: Markers,
    folder: str | os.PathLike[str],
    genes: Genes | None = None,
    *,
    command: str | None = None,
    filters: object = None,
    seconds: Mapping[str, float] | None = None,
    inputs: Sequence[File] = (),
    excel_safe: bool = False,
) -> list[Path]:
    """Write everything that was found in a study into a folder.

    ``markers.tsv``, ``variants.tsv``, ``pairs.tsv`` and ``regions.tsv``; ``summary.txt``;
    ``manhattan.png``, ``qq.png`` and for each term ``marker1.png``, …; ``model.json`` for
    ``MarkerModel.load`` and ``bayesdnf predict``; ``draws.nc`` and ``report.html`` where the extras
    ``posterior`` and ``report`` are installed; and ``markers.log``. Each file is written whole or
    not at all; pictures of terms that an earlier run left there and that this one does not have
    are removed.

    Parameters
    ----------
    found : Markers
        Result of :func:`bayesdnf.genomics.find_markers`.
    folder : path
        Where; made if need be.
    genes : Genes, optional
        Names for places, from ``Genes.read``.
    command : str, optional
        The command line, for the log.
    filters : Filters, optional
        What samples and variants had to meet, for the log.
    seconds : mapping of str to float, optional
        Duration of earlier steps, for the log.
    inputs : sequence of File
        The files that were read, with their hashes, for the log and the report.
    excel_safe : bool, default=False
        Whether to put an apostrophe before texts in the tables that a spreadsheet would run.

    Returns
    -------
    list of Path
        The files.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes, Study, find_markers
    >>> from bayesdnf.report import save_markers
    >>> rng = np.random.default_rng(2)
    >>> calls = rng.binomial(2, 0.3, (40, 800))
    >>> y = rng.random(800) < np.where((calls[3] >= 1) & (calls[7] >= 1), 0.7, 0.2)
    >>> found = find_markers(Study(Genotypes.from_copies(calls), y), draws=200, random_state=0)
    >>> files = save_markers(found, pathlib.Path(tempfile.mkdtemp()) / "results")
    >>> [file.name for file in files][:4]
    ['markers.tsv', 'variants.tsv', 'pairs.tsv', 'regions.tsv']
    """
    began = time.monotonic()
    path = ready(folder)
    files = [
        _write_table(make_safe(table) if excel_safe else table, path / f"{name}.tsv")
        for name, table in tables(found, genes).items()
    ]
    files.append(_write_text(f"{summary(found, genes)}\n", path / "summary.txt"))
    pictures = _pictures(found, path, genes)
    files += pictures
    sources = [file.sha256 for file in inputs if file.role.startswith("genotypes")]
    MarkerModel.of(found, sources).save(path / "model.json")
    files.append(path / "model.json")
    optional: dict[str, Callable[[Path], object]] = {
        "draws.nc": found.draws.save,
        "report.html": lambda file: write_marker_report(
            found, file, command=command or "", files=inputs, genes=genes, pictures=pictures
        ),
    }
    for name, write in optional.items():
        try:
            write(path / name)
            files.append(path / name)
        except MissingExtraError:  # what an earlier run left must not pass for this one's
            (path / name).unlink(missing_ok=True)
    writing = {"tables, pictures and report": time.monotonic() - began}
    log = _log(found, command, filters, {**(seconds or {}), **found.seconds, **writing}, inputs)
    files.append(_write_text(log, path / "markers.log"))
    return files


def tables(found: Markers, genes: Genes | None = None) -> dict[str, pd.DataFrame]:
    """Tables of what was found, with a column ``GENE`` where genes are given.

    The last column of those that rest on chains, ``CHAINS``, says how far these can be trusted:
    tools that look columns up by name read past it, where many stop at a comment before the header.
    """
    markers, variants = found.terms, found.variants
    if genes is not None:
        chromosomes, positions = (markers[c].str.split(",") for c in ("CHR", "BP"))
        names = [
            ",".join(genes.at(c, int(p)) or "." for c, p in zip(*places, strict=True))
            for places in zip(chromosomes, positions, strict=True)
        ]
        markers = markers.copy()
        markers.insert(list(markers.columns).index("A1"), "GENE", names)
        variants = variants.assign(GENE=[name or "." for name in genes.of(variants)])
    drawn = {
        "markers": markers, "variants": variants, "pairs": found.pairs, "regions": found.regions,
    }  # fmt: skip
    level = found.draws.level
    more = {} if found.layered is None else {"layers": found.layered.table}
    return {name: table.assign(CHAINS=level) for name, table in drawn.items()} | more


def _write_table(table: pd.DataFrame, path: Path) -> Path:
    with atomic_path(path) as part:
        table.to_csv(part, sep="\t", index=False, float_format="%.6g", na_rep="NA")
    return path


def _write_text(text: str, path: Path) -> Path:
    write_text(path, text)
    return path


def _pictures(found: Markers, folder: Path, genes: Genes | None) -> list[Path]:
    files = [
        _write_picture(plots.manhattan(found, genes).figure, folder / "manhattan.png"),
        _write_picture(plots.qq(found).figure, folder / "qq.png"),
    ]
    for term in range(1, len(found.function) + 1):
        figure = plots.region(found, term, genes)[0, 0].figure
        files.append(_write_picture(figure, folder / f"marker{term}.png"))
    for old in folder.glob("marker[0-9]*.png"):
        if old not in files:
            old.unlink()
    return files


def _write_picture(figure: Any, path: Path) -> Path:
    with atomic_path(path) as part:
        figure.savefig(part, dpi=_DPI)
    pyplot().close(figure)
    return path


def _log(
    found: Markers,
    command: str | None,
    filters: object,
    seconds: Mapping[str, float],
    inputs: Sequence[File],
) -> str:
    genotypes, y = found.study.genotypes, found.study.y
    parts = {
        "Command": [command] if command else [],
        "Files": [f"{file.name}: sha256 {file.sha256}" for file in inputs],
        "Versions": [f"{name} {value}" for name, value in versions().items()],
        "Settings": [f"{name} = {value}" for name, value in found.settings.items()],
        "Filters": [] if filters is None else [repr(filters)],
        "Processing steps": list(found.history),
        "Counts": [
            f"{count(int(y.sum()), 'case')}, {count(int((~y).sum()), 'control')}, "
            f"{count(genotypes.n_variants, 'variant')}",
            f"{count(len(found.function), 'term')} of "
            f"{count(len(found.function.attributes), 'variant')}",
        ],
        "Seconds": [f"{stage}: {value:.1f}" for stage, value in seconds.items()],
    }
    return "\n".join(
        "\n".join([title, *(f"  {line}" for line in lines), ""])
        for title, lines in parts.items()
        if lines
    )
