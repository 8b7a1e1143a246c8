"""Files of a posterior classifier: its draws, and a document with the model they belong to."""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ... import __version__
from ...errors import InputError
from ...files.checked_json import JsonFields, as_json, parse_json
from ...files.documents import expect_fields, header, read_version
from ...model.effect import Effect
from ...model.rule import Rule, layers_of
from ...model.rule_fields import (
    counts_of,
    read_cells,
    read_class_cells,
    read_counts,
    read_function,
    read_list,
)
from ...sampling.bayes_factor import BayesFactor
from ...sampling.drawn.draws_file import read, save
from ...sampling.draws import Draws
from ..averaging.representative import Representative, outcomes_of, own_means
from . import fitted_fields

if TYPE_CHECKING:
    from ..posterior_classifier import PosteriorDNFClassifier

    Model = TypeVar("Model", bound=PosteriorDNFClassifier)

_FORMAT = "bayesdnf.posterior"
_LEAST = {"draws": 1, "warmup": 0, "chains": 1, "thin": 1}
_STOPPED = ("done", "time limit", "interrupted")


def write_posterior(model: PosteriorDNFClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier and its draws to one file, whole or not at all."""
    found = [model._representatives[most] for most in sorted(model._representatives)]
    document = {
        **header(_FORMAT, fitted_fields.VERSION, __version__),
        "parameters": {
            **{name: int(getattr(model, name)) for name in _LEAST},
            "kernel": model.kernel,
            "layers": None if model.layers is None else int(model.layers),
            "max_literals": model._max_literals,
            **fitted_fields.parameters_document(model),
        },
        "seed": model.seed_,
        "bayes_factor": _factor_document(model.bayes_factor_),
        "one_layer_bayes_factor": _factor_document(model.one_layer_bayes_factor_),
        "representatives": [_representative_document(shown) for shown in found],
        **fitted_fields.fitted_document(model),
    }
    save(model.draws_, path, as_json(document))


def _factor_document(factor: BayesFactor | None) -> dict[str, Any] | None:
    if factor is None:
        return None
    return {**factor._asdict(), "spread": fitted_fields.finite(factor.spread)}


def _representative_document(shown: Representative) -> dict[str, Any]:
    return {
        "rule": str(shown.rule),
        "function": json.loads(shown.rule.to_json()),
        "max_literals": shown.max_literals,
        "loss": shown.loss,
        "base_loss": shown.base_loss,
        "predicted": shown.predicted.tolist(),
        "counts": None if shown.shares else counts_of(shown.cells)._asdict(),
        "cells": shown.cells.tolist(),
    }


def read_posterior(path: str | os.PathLike[str], cls: type[Model]) -> Model:
    """Read what :func:`write_posterior` wrote; InputError for anything else."""
    fields, document = read(path)
    drawn = Draws(**fields)
    if not document:
        raise InputError(
            f"{path} holds draws but no classifier; Draws.load reads them, and the save method of "
            f"{cls.__name__} writes both."
        )
    top = parse_json(document, f"The document in {path}", "posterior of bayesdnf")
    version = read_version(top, path, _FORMAT, fitted_fields.VERSION, "the classifier's document")
    own = ("parameters", "seed", "bayes_factor")
    newer = ("one_layer_bayes_factor", "representatives") if version > 3 else ()
    expect_fields(top, *own, *newer, *fitted_fields.fitted_names(version))
    encoder = fitted_fields.read_encoder(top)
    for literal in set(drawn.literals) - set(encoder.literals_):
        top.fail("field 'encoder'", "one that offers the literals of all draws", str(literal))
    for name, known in (("kernel", None), ("stopped", _STOPPED)):
        value = drawn.settings.get(name)
        if not isinstance(value, str) or (known is not None and value not in known):
            raise InputError(f"{path} is damaged: its settings have no {name} that is known.")
    model = cls(**_read_parameters(top, encoder, drawn, version))
    rule = drawn.function(int(np.argmax(drawn.log_score)))
    fitted_fields.read_fitted(top, model, encoder, rule, version)
    _check_strata(top, model, drawn)
    model._store_draws(drawn)
    model.seed_ = top.whole("seed", 0)
    model.bayes_factor_ = _read_factor(top, "bayes_factor")
    model.one_layer_bayes_factor_ = None
    model._representatives, model._max_literals = {}, int(model.max_literals)
    if version > 3:
        model.one_layer_bayes_factor_ = _read_factor(top, "one_layer_bayes_factor")
        parts = top.parts("representatives")
        shown = [_read_representative(part, model, version) for part in parts]
        model._representatives = {one.max_literals: one for one in shown}
    return model


def _check_strata(top: JsonFields, model: PosteriorDNFClassifier, drawn: Draws) -> None:
    """Refuse strata that are not those of the draws, and an effect that no such fit could use."""
    layers, n_strata = drawn.layers, int(drawn.cells.shape[1])
    if len(model.strata_ or (None,)) != n_strata:
        must = f"the labels of the {n_strata} strata of the draws" if n_strata > 1 else "null"
        top.fail("field 'strata'", must, top.any("strata"))
    if len(model.classes_) != drawn.n_classes:
        must = f"the labels of the {drawn.n_classes} classes of the draws"
        top.fail("field 'classes'", must, top.any("classes"))
    top.make("effect", lambda: model.effect_.resolved(layers, n_strata, drawn.n_classes))
    # What ordered=None meant is None again, so that the next fit may have other layers or strata.
    if model.effect_.ordered == Effect().resolved(layers, n_strata, drawn.n_classes).ordered:
        model.set_params(effect__ordered=None)


def _read_representative(
    part: JsonFields, model: PosteriorDNFClassifier, version: int
) -> Representative:
    newer = ("predicted",) if version > 5 else ()
    part.expect("rule", "function", "max_literals", "loss", "base_loss", "counts", "cells", *newer)
    drawn, offered = model.draws_, set(model.encoder_.literals_).__contains__
    made_of = "the encoder's literals"
    rule: Rule
    if drawn.layers == 1:
        rule = read_function(part, offered, made_of)
    else:
        rule = read_list(part, offered, made_of, drawn.layers)
    n_strata, n_parts = int(drawn.cells.shape[1]), len(layers_of(rule)) + 1
    if drawn.n_classes > 2:
        cells = read_class_cells(part, n_strata, n_parts, drawn.n_classes)
        # Every rule parts all rows, so that the rows of each class in each stratum are those of any
        # draw.
        rows = drawn.cells[0].sum(axis=1)
        if part.any("counts") is not None or (cells.sum(axis=1) != rows).any():
            part.fail("field 'cells'", "of as many rows as the draws", cells.tolist())
    else:
        counts = read_counts(part.part("counts"))
        if model.counts_ is None or counts[:2] != model.counts_[:2]:
            part.fail("field 'counts'", "those of as many rows as 'counts' of the model", counts)
        cells = read_cells(part, n_strata, n_parts, counts)
    return Representative(
        rule=rule,
        max_literals=part.whole("max_literals", rule.n_literals),
        loss=part.number("loss", 0),
        base_loss=part.number("base_loss", 0),
        predicted=_read_predicted(part, cells.shape)
        if version > 5
        else own_means(model.effect_, cells, drawn.simple),
        cells=cells,
        **outcomes_of(model.effect_, cells, drawn.simple),
    )


def _read_predicted(part: JsonFields, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Read what a rule predicts: probabilities by stratum, part and class."""
    given = part.any("predicted")
    try:
        read = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):  # no numbers, or lists of different lengths
        read = np.empty(0)
    if read.shape != shape or not (read.min() >= 0 and np.allclose(read.sum(axis=-1), 1)):
        must = f"probabilities: {' by '.join(map(str, shape))}, nested in lists"
        part.fail("field 'predicted'", must, given)
    return read


def _read_parameters(top: JsonFields, encoder: Any, drawn: Draws, version: int) -> dict[str, Any]:
    part = top.part("parameters")
    newer = ("layers", "max_literals") if version > 3 else ()
    part.expect(*_LEAST, "kernel", *newer, *fitted_fields.PARAMETERS)
    parameters: dict[str, Any]
    parameters = {name: part.whole(name, least) for name, least in _LEAST.items()}
    parameters |= {"kernel": part.text("kernel")} | fitted_fields.read_parameters(part, encoder)
    parameters["layers"] = 1  # before there were lists
    if version > 3:
        parameters["max_literals"] = part.whole("max_literals", 0)
        parameters["layers"] = None
        if part.any("layers") is not None:
            parameters["layers"] = part.whole("layers", drawn.layers, drawn.layers)
    return parameters


def _read_factor(top: JsonFields, name: str) -> BayesFactor | None:
    if top.any(name) is None:
        return None
    part = top.part(name)
    part.expect(*BayesFactor._fields)
    return BayesFactor(
        part.number("log"),
        part.text("bound", ("", ">", "<")),
        part.number("spread", 0, null=math.nan),
        part.text("source", ("draws", "evidence", "scores")),
    )
