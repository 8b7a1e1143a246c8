"""A rule that reports are about."""

import pytest

from bayesdnf import DNFClassifier
from tests.report.reported import mixed


@pytest.fixture(scope="module")
def labelled():
    X, y = mixed()
    return DNFClassifier(positive="ill", negations=True, random_state=0).fit(X, y), X, y


@pytest.fixture(scope="module")
def fitted(labelled):
    model, X, y = labelled
    return model, X, y == "ill"
