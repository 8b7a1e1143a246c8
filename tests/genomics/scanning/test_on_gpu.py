"""Which scans a GPU does, and who is told why not."""

import numpy as np
import pytest

from bayesdnf.errors import InputError, MissingExtraError, ParameterError
from bayesdnf.genomics import scan
from bayesdnf.genomics.scanning import on_gpu
from bayesdnf.gpu.device import cupy
from tests.genomics.scanning.paired import study


def test_wrong_wishes_are_one_sentence(monkeypatch):
    genotypes, y = study(50, 50)
    for more in ({}, {"size": 1}, {"size": 3, "among": range(5)}, {"client": object()}):
        with pytest.raises(ParameterError, match="'device' parameter of scan"):
            scan(genotypes, y, device="gpu", **more)
    monkeypatch.setattr("bayesdnf.gpu.device.cupy", lambda: None)  # as if there were a GPU
    for more in ({"measure": "cells"}, {"codings": ["not dominant"]}):
        with pytest.raises(InputError, match="ANDs without negated literals only"):
            scan(genotypes, y, size=3, among=range(5), device="cuda", **more)
    with pytest.raises(InputError, match="within 40 strata at most; use device='cpu'"):
        scan(genotypes, y, strata=np.arange(50) % 41, device="cuda")
    monkeypatch.setattr(on_gpu, "_MOST_SAMPLES", 50)
    with pytest.raises(InputError, match="counts fewer than 50 samples"):
        scan(genotypes, y, device="cuda")


def test_without_cupy_it_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    cupy.cache_clear()
    genotypes, y = study(5, 50)
    for more in (
        {},
        {"strata": np.arange(50) % 2},
        {"size": 3, "among": range(4)},
        {"size": 1},
        {"client": object()},
    ):
        with pytest.raises(MissingExtraError, match="cuda12"):
            scan(genotypes, y, device="cuda", **more)
    cupy.cache_clear()


def test_small_scans_stay_on_the_processor():
    genotypes, y = study(5, 50)
    asked = []
    as_it_is = on_gpu.wants_gpu

    def wants(device, caller, reason, worth_it):
        asked.append((reason, worth_it))
        return as_it_is("cpu", caller, reason, worth_it)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_gpu, "wants_gpu", wants)
        scan(genotypes, y)
        patch.setattr(on_gpu, "WORTH_A_GPU", 10 * 50)
        scan(genotypes, y)
        patch.setattr(on_gpu, "WORTH_A_GPU", 10 * 50 + 1)
        scan(genotypes, y)
    assert asked == [(None, False), (None, True), (None, False)]
