"""Studies in packed files."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf.errors import InputError
from bayesdnf.files.packed import write_packed
from bayesdnf.genomics import Genotypes, Study
from bayesdnf.genomics.packing import KIND, open_parts, save_study


def made(**changes):
    rng = np.random.default_rng(0)
    genotypes = Genotypes.from_copies(rng.integers(-1, 3, (5, 70)))
    covariates = pd.DataFrame(
        {"age": rng.normal(50, 9, 70), "site": ["north", None] * 35, "n": np.arange(70)}
    )
    given = {"covariates": covariates, "families": np.arange(70) // 2, "history": ("Read.",)}
    return Study(genotypes, np.arange(70) % 3 == 0, **(given | changes))


def test_everything_comes_back(tmp_path):
    study = made()
    save_study(study, tmp_path / "s.pack")
    parts = open_parts(tmp_path / "s.pack")
    assert (parts["genotypes"].planes == study.genotypes.planes).all()
    pd.testing.assert_frame_equal(
        parts["genotypes"].variants, study.genotypes.variants, check_dtype=False
    )
    pd.testing.assert_frame_equal(parts["covariates"], study.covariates, check_dtype=False)
    assert parts["covariates"]["site"].isna().sum() == 35
    assert (parts["y"] == study.y).all()
    assert (parts["families"] == study.families).all()
    assert parts["history"] == ("Read.",)


def test_what_a_study_does_not_have(tmp_path):
    save_study(made(covariates=None, families=None), tmp_path / "s.pack")
    parts = open_parts(tmp_path / "s.pack")
    assert parts["covariates"] is None
    assert parts["families"] is None


def test_the_same_study_has_the_same_hash(tmp_path):
    first, again = (save_study(made(), tmp_path / name) for name in ("a", "b"))
    assert first == again
    assert first != save_study(made(history=("Other.",)), tmp_path / "c")


FACTS = {
    "n_samples": 2, "n_variants": 0, "columns": {"samples": {}, "variants": {}}, "families": False,
    "history": [], "warnings": [], "genotypes_history": [],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n_samples": 0}, "n_samples"),
        ({"history": "one"}, "a list of texts"),
        ({"columns": {"samples": []}}, "columns of tables"),
        ({"columns": {}}, "no whole study"),
        ({"columns": {"samples": {"IID": "number"}, "variants": {}}}, "3 entries and not 2"),
    ],
)
def test_forged_facts_are_refused(tmp_path, change, said):
    arrays = {
        "y": np.zeros(2, bool),
        "planes": np.zeros((0, 3, 1), np.uint64),
        "samples IID": np.arange(3),
    }
    write_packed(tmp_path / "s.pack", KIND, FACTS | change, arrays)
    with pytest.raises(InputError, match=said):
        open_parts(tmp_path / "s.pack")
