"""Fields in the files of both classifiers: labels, prior, encoder, terms, counts and record."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...boolean import RuleList
from ...boolean.literal import Value
from ...checks import is_whole
from ...data.encoder import LiteralEncoder
from ...data.outcome import MOST_CLASSES, MOST_STRATA
from ...errors import InputError
from ...files.checked_json import JsonFields
from ...model.distributions import Distribution, Flat, Geometric, Poisson, Tabulated, Uniform
from ...model.effect import Effect
from ...model.prior import Prior
from ...model.rule import Rule
from ...model.rule_fields import read_counts
from ..class_shares import LIST_TERM_COLUMNS, class_terms
from ..inputs import one_against_rest
from ..rules import LIST_COLUMNS, as_table, placed_terms
from .record_fields import NO_RECORD, read_record, record_document

if TYPE_CHECKING:
    import pandas as pd

    from ..rule_classifier import RuleClassifier

_MOST_ROWS = 2**53
_DISTRIBUTIONS = {kind.__name__: kind for kind in (Flat, Geometric, Poisson, Tabulated, Uniform)}
_LABEL_TYPES = (
    "object", "str", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "float16", "float32", "float64",
)  # fmt: skip

VERSION = 6
"""Of both formats. Version 2 has the record, version 3 the ways of a search, version 4 layers and
strata, version 5 more than two classes, version 6 what representative rules predict; earlier ones
are read too."""
PARAMETERS = ("time_limit", "n_jobs", "random_state", "allow_missing_columns", "verbose")
"""Parameters that :func:`parameters_document` writes; the encoder and the prior hold the others."""


def fitted_document(model: Any) -> dict[str, Any]:
    """Return what ``fit`` learned besides functions, as plain values."""
    return {
        "positive": plain(model.positive_),
        "classes": [plain(label) for label in model.labels_],
        "label_type": _label_type(model.labels_),
        "terms": _terms(model.rules_),
        "counts": None if model.counts_ is None else model.counts_._asdict(),
        "strata": None if model.strata_ is None else [plain(label) for label in model.strata_],
        "named_columns": hasattr(model, "feature_names_in_"),
        "prior": _prior_document(model.prior_),
        "effect": {name: plain(value) for name, value in model.effect_.get_params().items()},
        "encoder": model.encoder_.to_dict(),
        "record": record_document(model.record_),
    }


def fitted_names(version: int) -> tuple[str, ...]:
    """Return the fields that :func:`fitted_document` writes, or wrote in an earlier version."""
    names = (
        "positive", "classes", "label_type", "terms", "counts", "named_columns", "prior", "effect",
        "encoder",
    )  # fmt: skip
    return (*names, *(["record"] if version > 1 else []), *(["strata"] if version > 3 else []))


def parameters_document(model: RuleClassifier) -> dict[str, Any]:
    """Return the constructor's parameters that both classifiers take and nothing else holds."""
    return {
        "time_limit": None if model.time_limit is None else float(model.time_limit),
        "n_jobs": None if model.n_jobs is None else int(model.n_jobs),
        "random_state": int(model.random_state) if is_whole(model.random_state) else None,
        "allow_missing_columns": bool(model.allow_missing_columns),
        "verbose": int(model.verbose),
    }


def read_encoder(top: JsonFields) -> LiteralEncoder:
    """Read the encoder."""
    return top.make("encoder", lambda: LiteralEncoder.from_dict(top.any("encoder")))


def read_parameters(part: JsonFields, encoder: LiteralEncoder) -> dict[str, Any]:
    """Read what :func:`parameters_document` wrote, with what the encoder says."""
    limit = part.number("time_limit", 0, null=math.nan)
    return {
        "time_limit": None if math.isnan(limit) else limit,
        "n_jobs": None if part.any("n_jobs") is None else part.whole("n_jobs", -(2**31)),
        "random_state": None if part.any("random_state") is None else part.whole("random_state", 0),
        "allow_missing_columns": part.flag("allow_missing_columns"),
        "verbose": part.whole("verbose", 0),
        "kinds": encoder.kinds,
        "negations": encoder.negations,
        "thresholds": encoder.thresholds,
        "missing_values": tuple(encoder.missing_values),
        "monotonic_cst": encoder.monotonic_cst,
    }


def read_fitted(
    top: JsonFields, model: Any, encoder: LiteralEncoder, rule: Rule, version: int
) -> None:
    """Read what :func:`fitted_document` wrote into a classifier; the terms are the rule's."""
    model.encoder_ = encoder
    model.n_features_in_ = len(encoder.columns_)
    if top.flag("named_columns"):
        model.feature_names_in_ = np.array(encoder.columns_, dtype=object)
    model.prior_, model.effect_ = _read_prior(top), _read_effect(top)
    model.labels_ = _read_labels(top, version)
    several = has_several_classes(top)
    if several:
        if not 2 < len(model.labels_) <= MOST_CLASSES:
            must = f"from 3 to {MOST_CLASSES} labels when 'positive' is null"
            top.fail("field 'classes'", must, top.any("classes"))
        model.classes_, model.positive_, model.negative_ = model.labels_, None, None
    else:
        model.classes_, positive = one_against_rest(model.labels_, _index(top, model.labels_))
        model.positive_, model.negative_ = model.classes_[positive], model.classes_[1 - positive]
    # Copies of their own: set_params must not reach what was fitted.
    model.set_params(
        prior=_read_prior(top), effect=_read_effect(top), positive=plain(model.positive_)
    )
    model.rules_ = _read_rules(top, rule, model.classes_.tolist() if several else None)
    model.counts_ = None if several else read_counts(top.part("counts"))
    model.strata_ = None if version < 4 else _read_strata(top)
    model.record_ = NO_RECORD if version == 1 else read_record(top.part("record"), version)


def has_several_classes(top: JsonFields) -> bool:
    """Return whether more than two classes are told apart: no label is positive."""
    return top.any("positive") is None


def _terms(rules: pd.DataFrame) -> list[dict[str, Any]]:
    records = rules.to_dict("records")
    return [
        {str(k): finite(v) if isinstance(v, float) else v for k, v in record.items()}
        for record in records
    ]


def _prior_document(prior: Prior) -> dict[str, Any]:
    values = {name: plain(value) for name, value in prior.get_params().items()}
    for name in ("count", "size"):
        values[name] = _distribution_document(name, values[name])
    if isinstance(prior.weights, Mapping):
        values["weights"] = {str(k): plain(v) for k, v in prior.weights.items()}
    elif prior.weights is not None:
        values["weights"] = [plain(v) for v in prior.weights]
    return values


def _distribution_document(name: str, distribution: Any) -> dict[str, Any]:
    kind = type(distribution)
    if _DISTRIBUTIONS.get(kind.__name__) is not kind:
        raise InputError(
            f"The prior's {name}, {distribution!r:.60}, cannot be written to a model file; use "
            f"one of {', '.join(_DISTRIBUTIONS)}."
        )
    settings = {k: plain(v) for k, v in dataclasses.asdict(distribution).items()}
    return {"name": kind.__name__, **settings}


def _read_prior(top: JsonFields) -> Prior:
    part = top.part("prior")
    names = Prior._names()
    part.expect(*names)
    settings = {name: part.any(name) for name in names}
    settings["count"] = _read_distribution(part, "count")
    settings["size"] = _read_distribution(part, "size")
    weights = settings["weights"]
    if weights is not None:
        if not isinstance(weights, (list, dict)):
            part.fail("field 'prior.weights'", "null, a list or an object", weights)
        _require_numbers(part, "prior.weights", weights)
    return top.make("prior", lambda: Prior(**settings))


def _read_distribution(part: JsonFields, name: str) -> Distribution:
    fields = part.part(name)
    kind = _DISTRIBUTIONS[fields.text("name", tuple(_DISTRIBUTIONS))]
    own = [field.name for field in dataclasses.fields(kind)]
    fields.expect("name", *own)
    settings = {key: fields.any(key) for key in own}
    if "truncate" in settings:
        fields.flag("truncate")
    if "weights" in settings:
        if not isinstance(settings["weights"], list):
            part.fail(f"field 'prior.{name}.weights'", "a list", settings["weights"])
        _require_numbers(part, f"prior.{name}.weights", settings["weights"])
    return part.make(name, lambda: kind(**settings))


def _require_numbers(part: JsonFields, name: str, values: list[Any] | dict[str, Any]) -> None:
    for value in values.values() if isinstance(values, dict) else values:
        usable = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not usable or not abs(value) < 1e300:
            part.fail(f"field '{name}'", "made of finite numbers", value)


def _read_effect(top: JsonFields) -> Effect:
    part = top.part("effect")
    part.expect(*Effect._names())
    settings = {name: part.any(name) for name in Effect._names()}
    return top.make("effect", lambda: Effect(**settings))


def _read_labels(top: JsonFields, version: int) -> NDArray[Any]:
    labels, kind = top.any("classes"), top.text("label_type", _LABEL_TYPES)
    n_labels = "two labels" if version < 5 else "two labels or more"
    expected: type | tuple[type, ...] = {"o": str, "s": str, "b": bool}.get(kind[0], (int, float))
    if (
        not isinstance(labels, list)
        or len(labels) < 2
        or (len(labels) > 2 and version < 5)
        or not all(isinstance(label, expected) for label in labels)
        or (kind != "bool" and any(isinstance(label, bool) for label in labels))
        or not all(one < other for one, other in pairwise(labels))
    ):
        top.fail("field 'classes'", f"{n_labels} of type {kind} in rising order", labels)
    # A label that its type cannot hold becomes infinite or another number, which the comparison
    # below tells.
    with np.errstate(over="ignore"):
        classes = top.make(
            "classes", lambda: np.array(labels, dtype=None if kind == "str" else kind)
        )
    if classes.tolist() != labels:
        top.fail("field 'classes'", f"{n_labels} that {kind} can hold", labels)
    return classes


def _index(top: JsonFields, classes: NDArray[Any]) -> int:
    positive = top.any("positive")
    # Stricter than find_label: a file that says 1.0 or true where 1 was written has been changed.
    for index, label in enumerate(classes.tolist()):
        if type(label) is type(positive) and label == positive:
            return index
    top.fail("field 'positive'", "one of 'classes'", positive)


def _read_strata(top: JsonFields) -> tuple[Value, ...] | None:
    labels = top.any("strata")
    if labels is None:
        return None
    must = f"null or a list of at most {MOST_STRATA} labels, all texts or all numbers, rising"
    kinds = {str if isinstance(x, str) else float for x in labels} if _plain_list(labels) else set()
    if len(kinds) != 1 or len(labels) > MOST_STRATA:
        top.fail("field 'strata'", must, labels)
    if not all(one < other for one, other in pairwise(labels)):
        top.fail("field 'strata'", must, labels)
    return tuple(labels)


def _plain_list(labels: Any) -> bool:
    return isinstance(labels, list) and all(isinstance(x, (str, int, float)) for x in labels)


def _read_rules(top: JsonFields, rule: Rule, classes: list[Value] | None) -> pd.DataFrame:
    parts = top.parts("terms")
    terms = placed_terms(rule)
    if len(parts) != len(terms):
        top.fail("field 'terms'", f"a list of {len(terms)}, one for each term", top.any("terms"))
    layered = isinstance(rule, RuleList)
    columns = LIST_COLUMNS if classes is None else LIST_TERM_COLUMNS
    rows: list[tuple[Any, ...]] = []
    for part, (layer, term) in zip(parts, terms, strict=True):
        part.expect(*columns[0 if layered else 1 :])
        if layered:
            part.whole("layer", layer, layer)
        text = part.text("rule", (" AND ".join(map(str, term)),))
        part.whole("size", len(term), len(term))
        n = part.whole("rows", 0, _MOST_ROWS)
        own = part.whole("positives" if classes is None else "of_class", 0, n)
        for name in ("rate", "low", "high"):  # for people; worked out again from the counts
            part.number(name, 0, 1, null=math.nan)
        gain = part.number("log_gain", null=math.inf)
        if classes is None:
            rows.append((layer, text, len(term), n, own, gain))
            continue
        label = part.any("class")
        if not any(type(label) is type(known) and label == known for known in classes):
            part.fail("field 'class'", "one of 'classes'", label)
        rows.append((layer, text, len(term), n, label, own, gain))
    return as_table(rows, layered) if classes is None else class_terms(rows, layered)


def _label_type(classes: NDArray[Any]) -> str:
    if classes.dtype.kind in "OT":
        return "object"
    return "str" if classes.dtype.kind == "U" else classes.dtype.name


def plain(value: Any) -> Any:
    """Return Python's own number for one of numpy's."""
    return value.item() if isinstance(value, np.generic) else value


def finite(value: float) -> float | None:
    """JSON has no infinity; each field says what null stands for."""
    return float(value) if math.isfinite(value) else None
