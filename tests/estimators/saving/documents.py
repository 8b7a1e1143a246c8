"""Model files as documents."""

import json

import numpy as np
import pandas as pd

from bayesdnf import (
    DNFClassifier,
)

COLUMNS = {
    "odor é": ["f", "n", None, "a", "n"] * 24,
    "age": [30.5, float("nan"), 70.25, 41.0, 12.0] * 24,
    "stage": [1, 2, 3, 1] * 30,
    "ill": [True, False, True] * 40,
    "flag": [0, 1] * 60,
    "same": ["A"] * 120,
}


LABELS = np.array(["bad" if odor == "f" else "fine" for odor in COLUMNS["odor é"]])


def fitted(**settings):
    clf = DNFClassifier(**{"random_state": 0, "restarts": 2, **settings})
    return clf.fit(pd.DataFrame(COLUMNS), LABELS)


MODEL = fitted(negations=True, kinds={"age": "numeric"}, missing_values=["?"])


def read_back(document, path):
    path.write_text(json.dumps(document), "utf-8")
    return DNFClassifier.load(path)
