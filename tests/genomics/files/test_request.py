"""What the readers have in common: parameters, their checks, and one place that explains them."""

import inspect

import numpy as np
import pytest

from bayesdnf.errors import ParameterError
from bayesdnf.genomics import (
    Genotypes,
    read_genotypes,
    read_pgen,
    read_plink,
    read_study,
    read_vcf,
    write_plink,
)

READERS = [read_genotypes, read_plink, read_pgen, read_vcf, read_study]


def shared_parameters(reader):
    parameters = inspect.signature(reader).parameters.values()
    return [p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]


@pytest.mark.parametrize("reader", READERS[1:], ids=lambda reader: reader.__name__)
def test_readers_share_their_parameters_and_say_where_they_are_explained(reader):
    assert shared_parameters(reader) == shared_parameters(read_genotypes)
    assert "As in :func:`read_genotypes`" in reader.__doc__


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
@pytest.mark.parametrize(
    ("name", "value", "must"),
    [
        ("allele", "major", "'minor', 'first' or 'second'"),
        ("n_jobs", True, "a whole number, 1 or more"),
        ("n_jobs", 1.5, "a whole number, 1 or more"),
        ("n_jobs", 0, "a whole number, 1 or more"),
        ("regions", [], "None or at least one region"),
    ],
)
def test_values_are_refused_before_any_file_is_opened(reader, name, value, must):
    sentence = f"The '{name}' parameter of {reader.__name__} must be {must}"
    with pytest.raises(ParameterError, match=sentence):
        reader("no_such_study", **{name: value})


def test_the_number_of_threads_may_come_from_numpy(tmp_path):
    write_plink(Genotypes.from_copies([[0, 1, 2], [2, 2, 1]]), tmp_path / "study")
    one, two = (read_genotypes(tmp_path / "study", n_jobs=n) for n in (1, np.int32(2)))
    assert (one.planes == two.planes).all()
