"""Fixtures."""

import json

import pytest

from tests.estimators.saving.documents import MODEL


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.json"
    MODEL.save(path)
    return json.loads(path.read_text("utf-8"))
