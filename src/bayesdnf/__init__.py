"""Learn Boolean rules (disjunctive normal form) from tables, with posterior probabilities.

Public names are loaded on first use, so ``import bayesdnf`` is fast and loads none of the heavy
libraries.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import table_reader as _table_reader

if TYPE_CHECKING:
    from . import datasets, plots, qca
    from .boolean import BooleanFunction, Literal, RuleList
    from .data.bits import BitMatrix
    from .data.encoder import LiteralEncoder
    from .data.simulate import simulate
    from .estimators.choosing import cross_validate_priors
    from .estimators.classifier import DNFClassifier
    from .estimators.posterior_classifier import PosteriorDNFClassifier
    from .estimators.transformer import LiteralTransformer
    from .model.distributions import Flat, Geometric, Poisson, Tabulated, Uniform
    from .model.effect import Effect
    from .model.posterior import Posterior
    from .model.prior import Prior
    from .model.support import Support
    from .sampling.draws import Draws
    from .sampling.evidence import compare_priors
    from .sampling.run import sample
    from .search.anneal import anneal
    from .search.bound import bound
    from .search.exact import best_function, best_term
    from .search.hunt import hunt
    from .search.smallest import smallest_function
    from .versions import show_versions

__version__ = "0.1.0"

__all__ = [
    "BitMatrix",
    "BooleanFunction",
    "DNFClassifier",
    "Draws",
    "Effect",
    "Flat",
    "Geometric",
    "Literal",
    "LiteralEncoder",
    "LiteralTransformer",
    "Poisson",
    "Posterior",
    "PosteriorDNFClassifier",
    "Prior",
    "RuleList",
    "Support",
    "Tabulated",
    "Uniform",
    "anneal",
    "best_function",
    "best_term",
    "bound",
    "compare_priors",
    "cross_validate_priors",
    "datasets",
    "hunt",
    "plots",
    "qca",
    "sample",
    "show_versions",
    "simulate",
    "smallest_function",
]

_HOME = {
    "BitMatrix": "data.bits",
    "BooleanFunction": "boolean",
    "DNFClassifier": "estimators.classifier",
    "Draws": "sampling.draws",
    "Effect": "model.effect",
    "Flat": "model.distributions",
    "Geometric": "model.distributions",
    "Literal": "boolean",
    "LiteralEncoder": "data.encoder",
    "LiteralTransformer": "estimators.transformer",
    "Poisson": "model.distributions",
    "Posterior": "model.posterior",
    "PosteriorDNFClassifier": "estimators.posterior_classifier",
    "Prior": "model.prior",
    "RuleList": "boolean",
    "Support": "model.support",
    "Tabulated": "model.distributions",
    "Uniform": "model.distributions",
    "anneal": "search.anneal",
    "best_function": "search.exact",
    "best_term": "search.exact",
    "bound": "search.bound",
    "compare_priors": "sampling.evidence",
    "cross_validate_priors": "estimators.choosing",
    "hunt": "search.hunt",
    "sample": "sampling.run",
    "show_versions": "versions",
    "simulate": "data.simulate",
    "smallest_function": "search.smallest",
}


def __getattr__(name: str) -> Any:
    if name in ("boolean", "datasets", "errors", "plots", "qca"):
        return import_module(f".{name}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module 'bayesdnf' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def _read_table(source: object) -> Any:
    """Read DataFrames and arrays for ``BooleanFunction.__call__`` (boolean/ stands alone)."""
    from .data.tables import read_table

    return read_table(source)


_table_reader.set_table_reader(_read_table)
