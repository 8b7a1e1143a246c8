"""Files of a posterior classifier: its draws, and a document that says what they are drawn for."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, TypeVar

from ... import __version__
from ...errors import InputError
from ...files.checked_json import JsonFields, as_json, parse_json
from ...files.documents import expect_fields, header, read_version
from ...sampling.bayes_factor import BayesFactor
from ...sampling.draws import Draws
from ...sampling.draws_file import read, save
from . import fitted_fields

if TYPE_CHECKING:
    from ..posterior_classifier import PosteriorDNFClassifier

    Model = TypeVar("Model", bound=PosteriorDNFClassifier)

_FORMAT = "bayesdnf.posterior"
_LEAST = {"draws": 1, "warmup": 0, "chains": 1, "thin": 1}
_STOPPED = ("done", "time limit", "interrupted")


def write_posterior(model: PosteriorDNFClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted classifier and its draws to one file, whole or not at all."""
    factor = model.bayes_factor_
    document = {
        **header(_FORMAT, fitted_fields.VERSION, __version__),
        "parameters": {
            **{name: int(getattr(model, name)) for name in _LEAST},
            "kernel": model.kernel,
            **fitted_fields.parameters_document(model),
        },
        "seed": model.seed_,
        "bayes_factor": None
        if factor is None
        else factor._replace(spread=fitted_fields.finite(factor.spread))._asdict(),  # type: ignore[arg-type]
        **fitted_fields.fitted_document(model),
    }
    save(model.draws_, path, as_json(document))


def read_posterior(path: str | os.PathLike[str], cls: type[Model]) -> Model:
    """Read what :func:`write_posterior` wrote; InputError for anything else."""
    fields, document = read(path)
    drawn = Draws(**fields)
    if not document:
        raise InputError(
            f"{path} holds draws and no classifier; Draws.load reads them, and the save method of "
            f"{cls.__name__} writes both."
        )
    top = parse_json(document, f"The document in {path}", "posterior of bayesdnf")
    version = read_version(top, path, _FORMAT, fitted_fields.VERSION, "the classifier's document")
    own = ("parameters", "seed", "bayes_factor")
    expect_fields(top, *own, *fitted_fields.fitted_names(version))
    encoder = fitted_fields.read_encoder(top)
    for literal in set(drawn.literals) - set(encoder.literals_):
        top.fail("field 'encoder'", "one that offers the literals of all draws", str(literal))
    for name, known in (("kernel", None), ("stopped", _STOPPED)):
        value = drawn.settings.get(name)
        if not isinstance(value, str) or (known is not None and value not in known):
            raise InputError(f"{path} is damaged: its settings have no {name} that is known.")
    model = cls(**_read_parameters(top, encoder))
    model._store_draws(drawn)
    fitted_fields.read_fitted(top, model, encoder, model.map_, version)
    model.seed_ = top.whole("seed", 0)
    model.bayes_factor_ = None
    if top.any("bayes_factor") is not None:
        model.bayes_factor_ = _read_factor(top.part("bayes_factor"))
    return model


def _read_parameters(top: JsonFields, encoder: Any) -> dict[str, Any]:
    part = top.part("parameters")
    part.expect(*_LEAST, "kernel", *fitted_fields.PARAMETERS)
    lengths = {name: part.whole(name, least) for name, least in _LEAST.items()}
    return lengths | {"kernel": part.text("kernel")} | fitted_fields.read_parameters(part, encoder)


def _read_factor(part: JsonFields) -> BayesFactor:
    part.expect(*BayesFactor._fields)
    return BayesFactor(
        part.number("log"),
        part.text("bound", ("", ">", "<")),
        part.number("spread", 0, null=math.nan),
        part.text("source", ("draws", "evidence")),
    )
