"""Tables, and models fitted to them."""

import pandas as pd
import pytest

from bayesdnf import (
    BitMatrix,
    DNFClassifier,
    Posterior,
    PosteriorDNFClassifier,
    Prior,
    simulate,
)
from tests.estimators.mixed_table import COLUMNS, LABELS
from tests.estimators.planted_list import confounded, planted
from tests.estimators.quick_posterior import quick


@pytest.fixture
def table():
    return pd.DataFrame(COLUMNS)


@pytest.fixture
def model(table):
    return DNFClassifier(positive="bad", random_state=0).fit(table, LABELS)


@pytest.fixture(scope="session")
def mixed():
    return quick(positive="bad", thin=5).fit(pd.DataFrame(COLUMNS), LABELS)


@pytest.fixture(scope="session")
def four():
    """A table of four columns, a model with many draws of it, and the exact posterior."""
    X, y, _ = simulate(80, 4, terms=(2,), pi0=0.3, pi1=0.7, random_state=4)
    model = PosteriorDNFClassifier(
        prior=Prior(), negations=False, layers=1, draws=6000, warmup=200, thin=15, random_state=1
    ).fit(X, y)
    return X, y, model, Posterior(BitMatrix.from_table(X), y).enumerate()


@pytest.fixture(scope="session")
def fitted():
    """A list of layers, and the rows that it was fitted to."""
    X, y = planted()
    return DNFClassifier(layers=4, positive="ill", random_state=0).fit(X, y), X, y


@pytest.fixture(scope="session")
def listed():
    X, y = planted(600)
    return X, y, quick(layers=4, positive="ill").fit(X, y)


@pytest.fixture(scope="session")
def stratified():
    X, y, site = confounded(400)
    return X, y, site, quick(layers=2).fit(X, y, strata=site)
