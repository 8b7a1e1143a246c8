"""Model files: a fitted classifier as readable JSON.

The file holds plain values only. Reading it checks every field and executes nothing.
"""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any, TypeVar

from ... import __version__
from ...data.encoder import LiteralEncoder
from ...files.atomic import write_bytes
from ...files.checked_json import JsonFields, as_json, read_json
from ...files.documents import expect_fields, header, read_version
from ...model.posterior import MOST_LAYERS
from ...model.rates import Interval, Rates
from ...model.rule import Rule, layers_of
from ...model.rule_fields import (
    cells_of,
    read_cells,
    read_class_cells,
    read_function,
    read_list,
    read_risk,
    read_risks,
)
from . import fitted_fields

if TYPE_CHECKING:
    from ..classifier import DNFClassifier

    Model = TypeVar("Model", bound=DNFClassifier)

_FORMAT = "bayesdnf.classifier"
_SAME = 1e-6  # shares of one table may differ so much between libraries


def write_model(model: DNFClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier, whole or not at all."""
    write_bytes(path, as_json(_document(model)) + b"\n")


def read_model(path: str | os.PathLike[str], cls: type[Model]) -> Model:
    """Read what :func:`write_model` wrote; InputError for anything else."""
    top = read_json(path, "model file of bayesdnf")
    version = read_version(top, path, _FORMAT, fitted_fields.VERSION, "the model file")
    own = ("rule", "risks", "search", "function", "parameters")
    newer = ("cells",) if version > 3 else ()
    expect_fields(top, *own, *newer, *fitted_fields.fitted_names(version))
    encoder = fitted_fields.read_encoder(top)
    parameters = _read_parameters(top.part("parameters"), encoder, version)
    model = cls(**parameters)
    n_classes = 3 if fitted_fields.has_several_classes(top) else 2  # or more
    rule = _read_rule(top, encoder, model._most_layers(n_classes))
    fitted_fields.read_fitted(top, model, encoder, rule, version)
    model.function_ = rule
    _check_effect(top, model)
    _read_risks(top, model, version)
    _read_search(top.part("search"), model, version)
    return model


def _read_parameters(part: JsonFields, encoder: LiteralEncoder, version: int) -> dict[str, Any]:
    counts = ("agree", "steps")
    layers = ("layers",) if version > 3 else ()
    part.expect(
        "restarts", *counts, *layers, *(prove := part.there("prove")), *fitted_fields.PARAMETERS
    )
    parameters = fitted_fields.read_parameters(part, encoder)
    parameters |= {name: part.whole(name, 1) for name in counts}
    parameters |= {name: part.flag(name) for name in prove}
    if part.any("restarts") is not None:
        parameters["restarts"] = part.whole("restarts", 1)
    if layers and part.any("layers") is not None:
        parameters["layers"] = part.whole("layers", 1, MOST_LAYERS)
    return parameters


def _read_rule(top: JsonFields, encoder: LiteralEncoder, layers: int) -> Rule:
    offered, made_of = set(encoder.literals_), "the encoder's literals"
    if layers == 1:
        return read_function(top, offered.__contains__, made_of)
    return read_list(top, offered.__contains__, made_of, layers)


def _check_effect(top: JsonFields, model: DNFClassifier) -> None:
    """Refuse what no fit could have used with so many layers and strata."""
    n_classes, n_strata = len(model.classes_), len(model.strata_ or (None,))
    layers = model._most_layers(n_classes)
    top.make("effect", lambda: model.effect_.resolved(layers, n_strata, n_classes))
    # What ordered=None meant is None again, so that the next fit may have other layers or strata.
    if model.effect_.ordered or layers > 1 or n_strata > 1 or n_classes > 2:
        model.set_params(effect__ordered=None)


def _read_risks(top: JsonFields, model: DNFClassifier, version: int) -> None:
    """Read what is known of the parts: rows, risks and, of two, their posterior."""
    rule, counts = model.function_, model.counts_
    n_strata, n_parts = len(model.strata_ or (None,)), len(layers_of(rule)) + 1
    if counts is None:
        model.cells_ = read_class_cells(top, n_strata, n_parts, len(model.classes_))
        model._set_shares()
        _check_shares(top, model)
        model._tabulate()
        return
    model.shares_ = None
    if version > 3:
        model.cells_ = read_cells(top, n_strata, n_parts, counts)
    else:
        model.cells_ = cells_of(counts, rule.is_null)
    simple = model._two_rates
    model.rates_ = Rates(counts, model.effect_, null=rule.is_null) if simple else None
    if model._is_list:
        model.risks_ = read_risks(top, n_parts)
    else:
        risks = top.part("risks")
        risks.expect("unmarked", "marked")
        model.risks_ = (read_risk(risks.part("unmarked")), read_risk(risks.part("marked")))
    model._tabulate()


def _check_shares(top: JsonFields, model: DNFClassifier) -> None:
    """Compare the shares, which stand there for people, with what the cells say."""
    own = _risks_document(model)
    parts = top.parts("risks")
    if len(parts) != len(own):
        top.fail("field 'risks'", f"a list of {len(own)}, one for each part", top.any("risks"))
    for part, known in zip(parts, own, strict=True):
        part.expect("part", "shares")
        part.whole("part", known["part"], known["part"])
        shares = part.parts("shares")
        if len(shares) != len(known["shares"]):
            must = f"a list of {len(known['shares'])}, one for each class"
            part.fail("field 'shares'", must, part.any("shares"))
        for share, (name, value) in (
            (share, item)
            for share, own_share in zip(shares, known["shares"], strict=True)
            for item in own_share.items()
        ):
            share.expect("class", *Interval._fields)
            if name == "class":
                if share.any("class") != value:
                    share.fail("field 'class'", f"{value!r}", share.any("class"))
            elif abs(share.number(name, 0, 1) - value) > _SAME:
                share.fail(f"field '{name}'", "what 'cells' say", share.any(name))


def _risks_document(model: DNFClassifier) -> Any:
    if model.shares_ is not None:
        labels = [fitted_fields.plain(label) for label in model.classes_]
        by_class = [
            {
                "part": part,
                "shares": [
                    {"class": label, **share._asdict()}
                    for label, share in zip(labels, shares, strict=True)
                ],
            }
            for part, shares in enumerate(model.shares_)
        ]
        return by_class[::-1]
    if not model._is_list:
        unmarked, marked = model.risks_
        return {"marked": marked._asdict(), "unmarked": unmarked._asdict()}
    parts = [{"part": part, **risk._asdict()} for part, risk in enumerate(model.risks_)]
    return parts[::-1]


def _document(model: DNFClassifier) -> dict[str, Any]:
    fitted = fitted_fields.fitted_document(model)
    # Taken out of what follows, to stand at the beginning of the file.
    for_people = ("positive", "classes", "label_type", "terms", "counts", "strata")
    return {
        **header(_FORMAT, fitted_fields.VERSION, __version__),
        "rule": str(model.function_),
        "risks": _risks_document(model),
        **{name: fitted.pop(name) for name in for_people},
        "cells": model.cells_.tolist(),
        "search": {
            "log_posterior": fitted_fields.finite(model.log_posterior_),
            "stopped": model.stopped_,
            "agreement": model.agreement_,
            "restarts": model.restarts_,
            "ways": model.ways_,
            "near": model.near_,
            "proved": model.proved_,
            **({} if model.gap_ is None else {"gap": model.gap_}),
            "seed": model.seed_,
        },
        "function": json.loads(model.function_.to_json()),
        "parameters": {
            "restarts": None if model.restarts is None else int(model.restarts),
            "agree": int(model.agree),
            "steps": int(model.steps),
            **({"prove": True} if model.prove else {}),
            "layers": None if model.layers is None else int(model.layers),
            **fitted_fields.parameters_document(model),
        },
        **fitted,
    }


def _read_search(part: JsonFields, model: DNFClassifier, version: int) -> None:
    newer = () if version < 3 else ("ways", "near")
    own = ("log_posterior", "stopped", "agreement", "restarts", "proved", "seed", *newer)
    part.expect(*own, *(gap := part.there("gap")))
    model.log_posterior_ = part.number("log_posterior", null=-math.inf)
    model.stopped_ = part.text("stopped")
    model.agreement_ = part.whole("agreement", 0)
    model.restarts_ = part.whole("restarts", 0)
    model.proved_ = part.flag("proved")
    model.gap_ = part.number("gap", 0) if gap else None
    model.seed_ = part.whole("seed", 0)
    model.ways_, model.near_ = (part.whole(name, 0) for name in newer) if newer else (1, 1)
