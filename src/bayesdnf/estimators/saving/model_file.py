"""Model files: a fitted classifier as JSON, readable by people, free of code.

The file holds plain values only; reading it checks every field and calls nothing it names.
"""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any, TypeVar

from ... import __version__
from ...files.atomic import atomic_path
from ...files.checked_json import JsonFields, as_json, read_json
from ...files.documents import expect_fields, header, read_version
from ...model.rates import Rates
from ...model.rule_fields import read_function, read_risk
from . import fitted_fields

if TYPE_CHECKING:
    from ..classifier import DNFClassifier

    Model = TypeVar("Model", bound=DNFClassifier)

_FORMAT = "bayesdnf.classifier"


def write_model(model: DNFClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier, whole or not at all."""
    document = _document(model)
    with atomic_path(path) as part:
        part.write_bytes(as_json(document) + b"\n")


def read_model(path: str | os.PathLike[str], cls: type[Model]) -> Model:
    """Read what :func:`write_model` wrote; InputError for anything else."""
    top = read_json(path, "model file of bayesdnf")
    version = read_version(top, path, _FORMAT, fitted_fields.VERSION, "the model file")
    own = ("rule", "risks", "search", "function", "parameters")
    expect_fields(top, *own, *fitted_fields.fitted_names(version))
    encoder = fitted_fields.read_encoder(top)
    offered = set(encoder.literals_)
    function = read_function(top, offered.__contains__, "the encoder's literals")
    part = top.part("parameters")
    part.expect("restarts", "agree", "steps", *fitted_fields.PARAMETERS)
    parameters = fitted_fields.read_parameters(part, encoder)
    parameters |= {name: part.whole(name, 1) for name in ("restarts", "agree", "steps")}
    model = cls(**parameters)
    fitted_fields.read_fitted(top, model, encoder, function, version)
    model.function_ = function
    model.rates_ = Rates(model.counts_, model.effect_, null=function.is_null)
    risks = top.part("risks")
    risks.expect("unmarked", "marked")
    model.risks_ = (
        read_risk(risks.part("unmarked")),
        read_risk(risks.part("marked")),
    )
    _read_search(top.part("search"), model, version)
    return model


def _document(model: DNFClassifier) -> dict[str, Any]:
    unmarked, marked = model.risks_
    fitted = fitted_fields.fitted_document(model)
    for_people = ("positive", "classes", "label_type", "terms", "counts")
    return {
        **header(_FORMAT, fitted_fields.VERSION, __version__),
        "rule": str(model.function_),
        "risks": {"marked": marked._asdict(), "unmarked": unmarked._asdict()},
        **{name: fitted.pop(name) for name in for_people},
        "search": {
            "log_posterior": fitted_fields.finite(model.log_posterior_),
            "stopped": model.stopped_,
            "agreement": model.agreement_,
            "restarts": model.restarts_,
            "ways": model.ways_,
            "near": model.near_,
            "proved": model.proved_,
            "seed": model.seed_,
        },
        "function": json.loads(model.function_.to_json()),
        "parameters": {
            "restarts": int(model.restarts),
            "agree": int(model.agree),
            "steps": int(model.steps),
            **fitted_fields.parameters_document(model),
        },
        **fitted,
    }


def _read_search(part: JsonFields, model: DNFClassifier, version: int) -> None:
    newer = () if version < 3 else ("ways", "near")
    part.expect("log_posterior", "stopped", "agreement", "restarts", "proved", "seed", *newer)
    model.log_posterior_ = part.number("log_posterior", null=-math.inf)
    model.stopped_ = part.text("stopped")
    model.agreement_ = part.whole("agreement", 0)
    model.restarts_ = part.whole("restarts", 0)
    model.proved_ = part.flag("proved")
    model.seed_ = part.whole("seed", 0)
    model.ways_, model.near_ = (part.whole(name, 0) for name in newer) if newer else (1, 1)
