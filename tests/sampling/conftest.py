"""Draws, files of them, and the posteriors they are from."""

import pytest

from bayesdnf import (
    BitMatrix,
    LiteralEncoder,
    Posterior,
    sample,
    simulate,
)
from tests.sampling.draw_files import mixed_table, strata_of


@pytest.fixture(scope="module")
def posterior():
    X, y, _ = simulate(120, 6, random_state=0)
    return Posterior(BitMatrix.from_table(X), y)


@pytest.fixture(scope="module")
def drawn(posterior):
    return sample(posterior, draws=60, warmup=20, chains=3, random_state=0)


@pytest.fixture(scope="module")
def lists():
    """A posterior of lists, with strata and missing values, and draws from it."""
    table, y = mixed_table()
    bits = LiteralEncoder(negations=True).fit_encode(table)
    posterior = Posterior(bits, y, positive="ill", layers=3, strata=strata_of(table))
    return posterior, sample(posterior, draws=40, warmup=20, chains=2, thin=20, random_state=0)


@pytest.fixture(scope="module")
def saved(drawn, tmp_path_factory):
    path = tmp_path_factory.mktemp("draws") / "draws.nc"
    drawn.save(path)
    return path.read_bytes()


@pytest.fixture
def file(saved, tmp_path):
    (tmp_path / "draws.nc").write_bytes(saved)
    return tmp_path / "draws.nc"


@pytest.fixture(scope="module")
def saved_lists(lists, tmp_path_factory):
    path = tmp_path_factory.mktemp("lists") / "lists.nc"
    lists[1].save(path)
    return path.read_bytes()


@pytest.fixture
def file_of_lists(saved_lists, tmp_path):
    (tmp_path / "lists.nc").write_bytes(saved_lists)
    return tmp_path / "lists.nc"
