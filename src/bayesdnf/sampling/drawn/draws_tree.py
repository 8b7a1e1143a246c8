"""Draws for other libraries: as a table with one row per draw, and as an ArviZ DataTree.

Chains and draws are counted from 1, as in diagnostics.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import __version__
from ...data.memory import available_memory, require_memory, size_text
from ...errors import InputError, MissingExtraError, OutOfMemoryError, ParameterError
from ...model.posterior import Posterior
from ...model.rule import layers_of

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from ..draws import Draws

Group = dict[str, tuple[list[str], Any]]
"""Arrays by name, each with its dimensions."""


def to_dataframe(draws: Draws) -> pd.DataFrame:
    """Return one row for each draw; see :meth:`Draws.to_dataframe`."""
    import pandas as pd

    flat = draws.index.ravel()
    texts = text_array(map(draws.text, range(draws.n_functions)))
    layers = {"layers": draws.n_layers[flat]} if draws.layers > 1 else {}
    rates = {"pi0": draws.pi0.ravel(), "pi1": draws.pi1.ravel()} if draws.simple else {}
    return pd.DataFrame(
        {
            "chain": np.repeat(np.arange(1, draws.n_chains + 1), draws.n_draws),
            "draw": np.tile(np.arange(1, draws.n_draws + 1), draws.n_chains),
            "function": texts[flat],
            "terms": draws.n_terms[flat],
            "literals": draws.n_literals[flat],
            **layers,
            **rates,
            "log_posterior": draws.log_score[flat],
        }
    )


def to_datatree(
    draws: Draws,
    posterior: Posterior | None = None,
    log_likelihood: bool = False,
    predictive: bool = False,
) -> xr.DataTree:
    """Convert the draws to an ArviZ DataTree; see :meth:`Draws.to_datatree`."""
    if (log_likelihood or predictive) and posterior is None:
        asked = "log_likelihood" if log_likelihood else "predictive"
        raise ParameterError(
            "The 'posterior' parameter of to_datatree must be what was sampled when "
            f"{asked}=True: draws do not hold the rows. Got None instead."
        )
    if posterior is not None and draws.settings.get("data") != posterior.fingerprint:
        raise InputError("The posterior given is not the one that these draws are of.")
    library = require_arviz()
    groups = sampled_groups(draws)
    n_literals = len(draws.literals)
    require_memory(draws.index.size * n_literals, "The inclusion of each literal at each draw")
    inclusion = draws.holding(np.arange(n_literals)).T.astype(np.int8)[draws.index]
    groups["posterior"]["inclusion"] = (["chain", "draw", "literal"], inclusion)
    coordinates = coordinates_of(draws) | {"literal": text_array(map(str, draws.literals))}
    if posterior is not None:
        rows = np.flatnonzero(_stored_row(posterior) >= 0)
        coordinates["row"] = rows
        groups["observed_data"] = {"y": (["row"], _outcome(posterior)[rows])}
        if log_likelihood:
            values = _pointwise(draws, posterior, rows)
            groups["log_likelihood"] = {"y": (["chain", "draw", "row"], values)}
        if predictive:
            groups["posterior_predictive"] = {
                "y": (["chain", "draw", "row"], _replicated(draws, posterior, rows))
            }
            groups["prior"] = _prior(draws, posterior)
    tree: xr.DataTree = library.from_dict(
        {name: {k: v for k, (_, v) in group.items()} for name, group in groups.items()},
        dims={
            key: [dim for dim in dims if dim not in ("chain", "draw")]
            for group in groups.values()
            for key, (dims, _) in group.items()
        },
        coords=coordinates,
        sample_dims=["chain", "draw"],
        check_conventions=False,  # more chains than draws are not an error here
        attrs={"/": attributes_of(draws), **{name: origin() for name in groups}},
    )
    return tree


def sampled_groups(draws: Draws) -> dict[str, Group]:
    """Return all arrays by draw with their dimensions, in ArviZ's groups."""
    each = ["chain", "draw"]
    score = draws.log_score[draws.index]
    moved = np.zeros(draws.index.shape, dtype=np.bool_)
    moved[:, 1:] = draws.index[:, 1:] != draws.index[:, :-1]
    by_class = ["outcome"] if draws.n_classes > 2 else []
    rates: Group = {"rates": ([*each, "stratum", "part", *by_class], draws.rates)}
    if draws.simple:
        rates = {"pi0": (each, draws.pi0), "pi1": (each, draws.pi1)}
    layers: Group = {"layers": (each, draws.n_layers[draws.index])} if draws.layers > 1 else {}
    return {
        "posterior": {
            **rates,
            "terms": (each, draws.n_terms[draws.index]),
            "literals": (each, draws.n_literals[draws.index]),
            **layers,
            "log_posterior": (each, score),
        },
        "sample_stats": {
            "function": (each, draws.index),  # an identifier, not to be averaged
            "lp": (each, score),
            "moved": (each, moved),
            "likelihoods": ([*each, "inverse_temperature"], draws.likelihoods),
        },
    }


def coordinates_of(draws: Draws) -> dict[str, Any]:
    """Return the coordinates of the dimensions of these arrays."""
    coordinates: dict[str, Any] = {
        "chain": np.arange(1, draws.n_chains + 1),
        "draw": np.arange(1, draws.n_draws + 1),
        "inverse_temperature": np.array(draws.betas),
        "part": np.arange(draws.layers + 1),
    }
    if draws.strata:
        coordinates["stratum"] = text_array(map(str, draws.strata))
    return coordinates


def text_array(texts: Iterable[str]) -> NDArray[np.object_]:
    """Make an object array of texts: numpy's text type drops trailing NUL characters."""
    listed = list(texts)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _stored_row(posterior: Posterior) -> NDArray[np.int64]:
    """Return the row of each sample in the packed table; -1 for samples of weight 0."""
    order = posterior.bits.row_order
    assert order is not None  # a posterior's rows are sorted
    return order


def _outcome(posterior: Posterior) -> NDArray[np.int64]:
    """Return 1 for positive samples and 0 for others; or the class number of each."""
    # Stored rows are sorted by class, so the class of a row is the number of classes that end at or
    # before it. Of two classes the positive one comes first.
    by_class = np.reshape(posterior.bits.segments, (posterior.n_classes, -1)).sum(axis=1)
    number = np.searchsorted(np.cumsum(by_class), _stored_row(posterior), side="right")
    return np.asarray(1 - number if posterior.n_classes == 2 else number, dtype=np.int64)


def _pointwise(draws: Draws, posterior: Posterior, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute log P(y_i | function, rates) by chain, draw and row."""
    _require_own_rates(posterior)
    if posterior.n != len(rows):
        raise InputError(
            "Rows that count several times have no likelihood one by one; "
            "repeat the rows in place of sample_weight."
        )
    n_bytes, free = draws.index.size * len(rows) * 8, available_memory()
    if free is not None and 2 * n_bytes > free:  # LOO makes another such array
        raise OutOfMemoryError(
            f"The log likelihoods of {draws.index.size:,} draws on {len(rows):,} rows need "
            f"{size_text(n_bytes)} and as much again to use them, and {size_text(free)} are free; "
            "draw fewer, with a larger thin."
        )
    outcome = _outcome(posterior)[rows]
    values = np.empty((draws.index.size, len(rows)))
    with np.errstate(divide="ignore"):  # a rate may be 0 or 1
        for drawn, rate in _rates_by_row(draws, posterior, rows):
            if draws.n_classes > 2:
                own = np.take_along_axis(rate, outcome[None, :, None], axis=2)[:, :, 0]
            else:
                own = np.where(outcome == 1, rate, 1 - rate)
            values[drawn] = np.log(own)
    return values.reshape(*draws.index.shape, len(rows))


def _replicated(draws: Draws, posterior: Posterior, rows: NDArray[np.int64]) -> NDArray[np.int8]:
    """Draw replicated outcomes by chain, draw and row; equal for equal draws."""
    _require_own_rates(posterior)
    require_memory(draws.index.size * len(rows), "An outcome of each row at each draw")
    # Seeded by the data: the same draws have the same replicates, in this process and the next.
    rng = np.random.default_rng(int(posterior.fingerprint[:16], 16))
    values = np.empty((draws.index.size, len(rows)), dtype=np.int8)
    for drawn, rate in _rates_by_row(draws, posterior, rows):
        if draws.n_classes > 2:
            uniform = rng.random((*rate.shape[:2], 1))
            # Inversion: the class is the number of cumulative shares below u. The last one is left
            # out, because rounding may leave it below 1.
            values[drawn] = (uniform > np.cumsum(rate[..., :-1], axis=2)).sum(axis=2)
        else:
            values[drawn] = rng.random(rate.shape) < rate
    return values.reshape(*draws.index.shape, len(rows))


def _require_own_rates(posterior: Posterior) -> None:
    if posterior.effect.prevalence is not None:
        raise InputError(
            "With a known prevalence the rates are those of the population, not of the table: "
            "its rows have no likelihood one by one."
        )


def _rates_by_row(
    draws: Draws, posterior: Posterior, rows: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Yield for each function the numbers of its draws, and the rate of each row at these.

    With more than two classes a last axis has the share of each.
    """
    stratum = 0 if posterior.strata is None else posterior.strata.number[rows]
    n_parts = draws.rates.shape[3]
    # By stratum and part; of more than two classes by class as well.
    cells = draws.rates.reshape(draws.index.size, -1, *draws.rates.shape[4:])
    # The parts of a function are computed once for all its draws, which this sort makes adjacent.
    by_function = np.argsort(draws.index, axis=None, kind="stable")
    ends = np.cumsum(draws.counts.sum(axis=0))
    for number, part in enumerate(_parts(draws, posterior)):
        drawn = by_function[ends[number - 1] if number else 0 : ends[number]]
        yield drawn, cells[drawn][:, n_parts * stratum + part[rows]]


def _prior(draws: Draws, posterior: Posterior) -> Group:
    """Draw as many functions from the restricted prior, and return their sizes."""
    seed = int(posterior.fingerprint[:16], 16)
    drawn = posterior.prior.sample(
        posterior.bits, draws.index.size, layers=draws.layers, among=posterior.among,
        random_state=seed,
    )  # fmt: skip
    each = ["chain", "draw"]
    sizes = {"terms": [sum(len(f.terms) for f in layers_of(rule)) for rule in drawn]}
    sizes["literals"] = [rule.n_literals for rule in drawn]
    if draws.layers > 1:
        sizes["layers"] = [len(layers_of(rule)) for rule in drawn]
    shape = draws.index.shape
    return {name: (each, np.reshape(values, shape)) for name, values in sizes.items()}


def _parts(draws: Draws, posterior: Posterior) -> Iterator[NDArray[np.intp]]:
    """Yield for each function or list the part that each sample is in."""
    view, table = posterior.bits.view(), posterior.bits.table
    on_offer = np.array([table.index_of(x) for x in draws.literals], dtype=np.int32)
    term_starts, literal_starts, literals, layers = draws.functions
    for first, last in pairwise(term_starts.tolist()):
        starts = literal_starts[first : last + 1]
        held = on_offer[literals[starts[0] : starts[-1]]]
        masks = view.term_masks(np.ascontiguousarray(starts - starts[0]), held)
        part = np.zeros(posterior.bits.n_rows, dtype=np.intp)
        for layer in np.unique(layers[first:last]):  # ascending: the highest one wins
            marked = np.bitwise_or.reduce(masks[layers[first:last] == layer], axis=0)
            part[posterior.bits.unpack(marked)] = layer
        yield part


def origin() -> dict[str, str]:
    """Return ArviZ's attributes for the library and its version."""
    return {"inference_library": "bayesdnf", "inference_library_version": __version__}


def attributes_of(draws: Draws) -> dict[str, Any]:
    """Return how the draws were made: version, seed, hash of the data, all settings."""
    return {
        **origin(),
        "seed": str(draws.settings.get("seed", "")),
        "data_hash": str(draws.settings.get("data", "")),
        "settings": _settings_text(draws),
    }


def _settings_text(draws: Draws) -> str:
    try:
        return json.dumps(draws.settings, sort_keys=True, allow_nan=False, default=np.generic.item)
    except (TypeError, ValueError) as error:
        raise InputError(f"The settings of these draws cannot be written: {error}.") from error


def require_arviz() -> Any:
    """Import ArviZ, and check the libraries that trees and files need."""
    try:
        for name in ("h5py", "h5netcdf"):  # h5netcdf does not install h5py
            import_module(name)
        return import_module("arviz_base")
    except ImportError as error:
        raise MissingExtraError.of(
            "ArviZ trees and files of draws need arviz-base, h5netcdf and h5py", "posterior"
        ) from error
