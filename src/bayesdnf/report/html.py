"""Render a report as one self-contained HTML file."""

from __future__ import annotations

import base64
import functools
import hashlib
import os
from collections.abc import Callable
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ..display.markup import shown
from ..display.wording import between, count, percent
from ..errors import MissingExtraError
from ..files.atomic import writable, write_text
from .doubts import checks_of
from .facts import AboutReport, Facts, gather

if TYPE_CHECKING:
    from ..estimators.rule_classifier import RuleClassifier
    from ..model.rates import Interval
    from .terms import PartFacts


def require_jinja() -> Any:
    """Load Jinja2, or raise an error that says how to install it."""
    try:
        import jinja2
    except ModuleNotFoundError as error:
        raise MissingExtraError.of("Reports need Jinja2", "report") from error
    return jinja2


def write_report(
    model: RuleClassifier,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    **about: Unpack[AboutReport],
) -> Path:
    """Write the report of a classifier, whole or not at all.

    Parameters
    ----------
    model : DNFClassifier or PosteriorDNFClassifier
        The fitted classifier.
    X, y : table and labels
        Rows: those of the fit, others, or both.
    path : path
        The file.
    **about
        ``draws``, ``held_out``, ``measured``, ``files``, ``command`` and ``strata``, as in
        :func:`bayesdnf.report.facts.gather`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayesdnf import DNFClassifier, simulate
    >>> from bayesdnf.report.html import write_report
    >>> X, y, truth = simulate(200, 10, random_state=1)
    >>> clf = DNFClassifier(random_state=0).fit(X, y)
    >>> file = write_report(clf, X, y, pathlib.Path(tempfile.mkdtemp()) / "report.html")
    >>> "x0 is 1 and x1 is 1" in file.read_text()
    True
    """
    require_jinja()
    writable(path)
    return write_page(gather(model, X, y, **about), path)


def write_page(facts: Facts, path: str | os.PathLike[str]) -> Path:
    """Write gathered facts to a file, whole or not at all."""
    write_text(path, render(facts))
    return Path(path)


def render(facts: Facts) -> str:
    """Write facts as a page; whatever they hold, it is shown and never run."""
    jinja2 = require_jinja()
    script = _own("report.js")
    # Even if something slipped through, the browser runs this script and no other.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = ("Otherwise", f"The {facts.nouns.rule} holds")  # 0 and 1 of a function
    page: str = _template().render(
        f=facts,
        w=facts.nouns,
        case=_case(facts),
        checks=checks_of(facts),
        between=_together(between),
        part_name=_layer if facts.is_list else parts.__getitem__,
        shown=shown,
        style=jinja2.utils.markupsafe.Markup(_own("report.css")),
        script=jinja2.utils.markupsafe.Markup(script),
        script_hash=digest,
    )
    return page


@functools.cache  # compiling the template takes longer than filling it in
def _template() -> Any:
    jinja2 = require_jinja()
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_own),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": _together(percent), "count": count}
    return environment.get_template("report.html")


def _together(write: Callable[..., str]) -> Callable[..., str]:
    """Keep a number and its sign on one line."""
    return lambda *values: write(*values).replace(" %", "\N{NO-BREAK SPACE}%")


def _layer(number: int) -> str:
    return f"Layer {number}" if number else "Otherwise"


def _case(facts: Facts) -> dict[str, Any] | None:
    """Return the form, with what it may answer."""
    if facts.case is None:
        return None
    risks = [[_risks(part) for part in reversed(s.parts)] for s in facts.strata]
    pooled = [_risks(part) for part in reversed(facts.parts)]
    return facts.case | {
        "noun": facts.nouns.rule,
        "positive": facts.positive,
        "is_list": facts.is_list,
        "words": [term.words for term in facts.terms],
        "strata": [stratum.name for stratum in facts.strata],
        "classes": [c.label for c in facts.classes],
        # Of every stratum, and at last whatever the stratum: by part, from part 0 up; of more than
        # two classes those of each.
        "risks": [*risks, pooled],
    }


def _risks(part: PartFacts) -> list[Any]:
    own = [_risk(share) for share in part.shares]
    return own if len(own) > 1 else own[0]


def _risk(risk: Interval) -> list[Any]:
    mean, interval = _together(percent)(risk.mean), _together(between)(risk.low, risk.high)
    return [risk.mean, mean, interval]


def _own(name: str) -> str:
    return (package_files(__package__) / "templates" / name).read_text("utf-8")
