"""The mixed table and a model fitted to it."""

import pandas as pd
import pytest

from bayesdnf import DNFClassifier
from estimators.mixed_table import COLUMNS, LABELS


@pytest.fixture
def table():
    return pd.DataFrame(COLUMNS)


@pytest.fixture
def model(table):
    return DNFClassifier(positive="bad", random_state=0).fit(table, LABELS)
