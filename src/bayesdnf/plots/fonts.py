"""Fonts that have the characters of the user's names, among those that are installed."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..display.wording import listed
from ..errors import BayesDNFWarning

if TYPE_CHECKING:
    from matplotlib.text import Text

Axes = TypeVar("Axes")

NO_FONT = "which no installed font has"
_SHOWN = 5  # characters
# matplotlib's fallback font, which has a box for every character. Requested by name, it does not
# warn about each missing character.
_LAST = "Last Resort High-Efficiency"


def legible(axes: Axes) -> Axes:
    """Add fallback fonts for the characters of all texts of axes; warn once if there are none.

    Parameters
    ----------
    axes : Axes or array of Axes
        Axes whose texts get fallback fonts after their own; the user's settings do not change.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from bayesdnf.plots.fonts import legible
    >>> figure, ax = plt.subplots()
    >>> text = ax.text(0, 0, "λ", family="cmr10")
    >>> legible(ax) is ax, text.get_fontfamily()
    (True, ['cmr10', 'DejaVu Sans'])
    >>> plt.close(figure)
    """
    if lacking := find_fonts(axes):
        warn_of_boxes("The picture shows", lacking, stacklevel=4)
    return axes


def warn_of_boxes(subject: str, characters: Iterable[str], stacklevel: int) -> None:
    """Warn of characters that no installed font has."""
    warnings.warn(
        f"{subject} boxes for {listed(characters, _SHOWN)}, {NO_FONT}; install one that does, "
        f"such as Noto Sans CJK for Chinese, Japanese and Korean.",
        BayesDNFWarning,
        stacklevel=stacklevel,
    )


def find_fonts(axes: object) -> list[str]:
    """Add fallback fonts to all texts of axes; return the characters that no font has."""
    from matplotlib.text import Text

    lacking: dict[str, None] = {}
    for ax in np.ravel(np.asarray(axes, dtype=object)):
        for text in ax.findobj(Text):
            if not text.get_text().isascii():
                lacking.update(dict.fromkeys(_find_for(text)))
    return list(lacking)


def _find_for(text: Text) -> list[str]:
    """Add fallback fonts to a text; return the characters that no font has."""
    from matplotlib import font_manager

    families = [family for family in text.get_fontfamily() if family != _LAST]
    missing = [c for c in dict.fromkeys(text.get_text()) if c.isprintable() and not c.isspace()]
    for family in families:
        one = font_manager.FontProperties(
            family=family,
            style=text.get_fontstyle(),
            variant=text.get_fontvariant(),
            weight=text.get_fontweight(),
        )
        held = _held(font_manager.findfont(one), frozenset(missing))
        missing = [c for c in missing if c not in held]
    if not missing:
        return []
    known = font_manager.fontManager.ttflist
    found, left = _found(frozenset(missing), len(known))
    last = [_LAST] if left and any(font.name == _LAST for font in known) else []
    text.set_fontfamily([*families, *found, *last])
    return [c for c in missing if c in left]


@functools.lru_cache
def _found(missing: frozenset[str], n_known: int) -> tuple[list[str], frozenset[str]]:
    """Return few fonts that have the missing characters, and the characters none has.

    ``n_known``, the number of fonts that matplotlib knows, changes when a font is added.
    """
    from matplotlib import font_manager, get_data_path

    ours = get_data_path()
    # The fonts of matplotlib other than DejaVu are for parts of formulas.
    fonts = [
        font
        for font in font_manager.fontManager.ttflist
        if font.style == "normal" and ("DejaVu" in font.name or not font.fname.startswith(ours))
    ]
    fonts.sort(key=lambda font: ("Sans" not in font.name, abs(_weight(font) - 400), font.name))
    held = {font.name: _held(font.fname, missing) for font in reversed(fonts)}
    found: list[str] = []
    names = list(dict.fromkeys(font.name for font in fonts))
    while missing and names:
        best = max(names, key=lambda name: len(held[name] & missing))
        if not held[best] & missing:
            break
        found.append(best)
        missing -= held[best]
    return found, missing


def _weight(font: Any) -> int:
    return font.weight if isinstance(font.weight, int) else 400


def _held(path: str, characters: frozenset[str]) -> frozenset[str]:
    """Return the characters that a font has."""
    from matplotlib.ft2font import FT2Font

    try:
        # Not by get_font, whose fonts fall back on one that has a box for every character.
        font = FT2Font(path)
        if not font.scalable:  # bitmaps, such as those of Emoji, cannot be drawn
            return frozenset()
        return frozenset(c for c in characters if font.get_char_index(ord(c)))
    except (OSError, RuntimeError):  # gone since matplotlib listed it, or damaged
        return frozenset()
