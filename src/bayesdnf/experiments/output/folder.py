"""The files of reproductions: NAME.csv, NAME.txt, NAME.png, and a page about all of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError
from ...files.atomic import atomic_path, write_text
from ...plots.panels import pyplot
from .layout import as_frame, as_text

if TYPE_CHECKING:
    from ..reproduction import Reproduction

_DPI = 110


def ready(folder: Path) -> None:
    """Check, before minutes of work, that the folder can be written and plots can be drawn."""
    pyplot()
    above = folder
    while not above.exists() and above != above.parent:
        above = above.parent
    if not above.is_dir():
        raise InputError(f"Cannot write to {folder}: {above} is not a folder.")
    if not os.access(above, os.W_OK):
        raise InputError(f"Cannot write to {folder}: Permission denied.")


def write(made: Reproduction, folder: Path) -> list[Path]:
    """Write the three files of a reproduction, all or none.

    Parameters
    ----------
    made : Reproduction
        The reproduction.
    folder : Path
        The folder; created if necessary.

    Returns
    -------
    list of Path
        The files.
    """
    files = [folder / f"{made.name}.{kind}" for kind in ("csv", "txt", "png")]
    _make(folder)
    with ExitStack() as stack:
        table, text, picture = (stack.enter_context(atomic_path(file)) for file in files)
        as_frame(made).to_csv(table, index=False, float_format="%.6g")
        text.write_text(as_text(made) + "\n", encoding="utf-8")
        figure = made.draw(made)
        try:
            figure.savefig(picture, dpi=_DPI, metadata={"Software": None})
        finally:
            pyplot().close(figure)
    return files


def write_page(all_made: Sequence[Reproduction], folder: Path) -> Path:
    """Write index.md, the page about all of them."""
    from .page import page

    file = folder / "index.md"
    _make(folder)
    write_text(file, page(all_made))
    return file


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"Cannot make the folder {folder}: {error.strerror}.") from error
