"""Files of draws for the tests: compared, refused, forged."""

from dataclasses import fields

import h5py
import numpy as np

from bayesdnf import (
    Draws,
)
from bayesdnf.files.seals import opened, seal
from bayesdnf.sampling.drawn import draws_file


def assert_same(one, two):
    """Every field is equal, arrays bit by bit."""
    for field in fields(Draws):
        a, b = getattr(one, field.name), getattr(two, field.name)
        pairs = zip(a, b, strict=True) if field.name == "functions" else [(a, b)]
        for x, y in pairs:
            if isinstance(x, np.ndarray):
                assert (x.dtype, x.shape) == (y.dtype, y.shape), field.name
                assert x.tobytes() == y.tobytes(), field.name
            else:
                assert x == y or (x != x and y != y), field.name  # NaN: not known
    assert [str(x) for x in one.literals] == [str(x) for x in two.literals]


def mixed_table():
    rng = np.random.default_rng(0)
    odor = rng.choice(["f", "n", "a"], size=80).astype(object)
    odor[::9] = None
    table = {"odor": odor, "age": rng.integers(20, 70, size=80), "x": rng.integers(0, 2, size=80)}
    y = np.where((odor == "f") ^ (rng.random(80) < 0.2), "ill", "well")
    return table, y


def strata_of(table):
    return np.where(table["age"] >= 45, "old", "new")


def forge(path, change):
    """Change the content of a file as its writer could have."""
    path.write_bytes(opened(path.read_bytes(), "bayesdnf.draws").content)
    with h5py.File(path, "r+") as handle:
        change(handle)
    path.write_bytes(seal(path.read_bytes(), "bayesdnf.draws", draws_file._VERSION))
