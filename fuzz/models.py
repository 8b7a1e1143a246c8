"""Model files: bytes of JSON. What is read must predict, print and be written again."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

import atheris
import pandas as pd

from bayesdnf import DNFClassifier
from bayesdnf.errors import BayesDNFError
from benchmarks.attack import mutated as changed_documents

EXPECTED = (BayesDNFError,)
_FOLDER = tempfile.TemporaryDirectory()
_ROWS = pd.DataFrame({f"x{i}": [0, 1, 1, 0, 1] for i in range(6)})


def attempt(data: bytes) -> None:
    """Read a model file, ask the model everything, and write it again."""
    path = Path(_FOLDER.name) / "model.json"
    path.write_bytes(data)
    model = DNFClassifier.load(path)
    model.predict_proba(_ROWS)
    model.summary()
    model.save(path)
    assert DNFClassifier.load(path).summary() == model.summary()


def mutated(data: bytes, max_size: int, seed: int) -> bytes:
    """Change a value of the JSON document, or bytes as libFuzzer does."""
    rng = random.Random(seed)
    if rng.random() < 0.3:
        return bytes(atheris.Mutate(data, max_size))
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return bytes(atheris.Mutate(data, max_size))
    if not isinstance(document, (dict, list)) or not document:
        return bytes(atheris.Mutate(data, max_size))
    for changed in changed_documents(document, rng, rng.choice([1, 1, 3])):
        document = changed
    found = json.dumps(document).encode()
    return found if len(found) <= max_size else data[:max_size]
