"""Plots of attributes for the report of a posterior."""

from __future__ import annotations

import base64
import io
import re
import warnings
from typing import TYPE_CHECKING, Any

from .. import plots
from ..display.markup import shown
from ..display.wording import listed
from ..errors import BayesDNFWarning, MissingExtraError
from ..plots.attributes import draw_importance
from ..plots.panels import pyplot
from .genome_facts import Picture

if TYPE_CHECKING:
    from ..estimators.posterior_classifier import PosteriorDNFClassifier

_DPI = 110
_SHOWN = 5  # characters
_NO_GLYPH = re.compile(r"Glyph (\d+) .* missing from font")
_ALONG = 3  # attributes, those that answers lose most without


def attribute_pictures(model: PosteriorDNFClassifier, X: Any, y: Any) -> tuple[Picture, ...]:
    """Draw the importance of attributes, risks along the first of them, and their pairs.

    Parameters
    ----------
    model : PosteriorDNFClassifier
        The fitted classifier.
    X, y
        Rows and their labels.

    Returns
    -------
    tuple of Picture
        None where no drawn rule uses an attribute, or matplotlib is not installed.
    """
    if model.draws_.only_null:
        return ()
    try:
        pyplot()
    except MissingExtraError:
        return ()
    worth = model.importance(X, y)
    what = "probabilities" if model.positive_ is None else "risk"
    drawn = [
        ("Importance of each attribute", draw_importance(worth)[0, 0]),
        *(
            (f"Averaged {what} along {name}", plots.risk_along(model, X, name))
            for name in worth["attribute"][:_ALONG]
        ),
        ("Attributes that act together", plots.coinclusion(model.draws_, kind="attribute")),
    ]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        pictures = tuple(_picture(title, ax) for title, ax in drawn)
    lacking: dict[str, None] = {}
    for one in told:
        if glyph := _NO_GLYPH.match(str(one.message)):
            lacking[chr(int(glyph[1]))] = None
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if lacking:  # one sentence, for matplotlib's line for each character of each picture
        warnings.warn(
            f"The plots of attributes show boxes for {listed(lacking, _SHOWN)}, which "
            f"matplotlib's font does not have; set font.family in your matplotlibrc to one that "
            f"does.",
            BayesDNFWarning,
            stacklevel=2,
        )
    return pictures


def _picture(title: str, ax: Any) -> Picture:
    data = io.BytesIO()
    ax.figure.savefig(data, format="png", dpi=_DPI)
    pyplot().close(ax.figure)
    return Picture(shown(title), base64.b64encode(data.getvalue()).decode())
