"""Errors and warnings: what they derive from, and their wording."""

import inspect

import pytest

from bayesdnf import errors
from bayesdnf.errors import (
    BayesDNFError,
    FileFormatError,
    InputError,
    MissingExtraError,
    ParameterError,
    did_you_mean,
    shown,
)

ALL = [value for _, value in inspect.getmembers(errors, inspect.isclass)]


@pytest.mark.parametrize(
    "error", [e for e in ALL if issubclass(e, Exception) and e.__name__.endswith("Error")]
)
def test_every_error_is_one_of_ours_and_one_of_pythons(error):
    assert issubclass(error, BayesDNFError)
    python = {ValueError, RuntimeError, MemoryError, ImportError}
    assert error is BayesDNFError or python & set(error.__mro__)
    assert error.__doc__


def test_values_are_shown_whole_unless_they_are_long():
    assert shown("a'b") == '"a\'b"'
    assert shown([1, 2]) == "[1, 2]"
    assert len(shown("x" * 1000)) == 201
    assert shown("x" * 1000).endswith("…")
    assert shown(2**10_000) == "a huge whole number"  # Python refuses to write its digits
    assert shown(-(2**10_000)) == "a huge whole number"


def test_wordings():
    assert str(ParameterError.of("p", "Geometric", "below 1", 2)) == (
        "The 'p' parameter of Geometric must be below 1. Got 2 instead."
    )
    assert str(FileFormatError.at("a.vcf", "line 3", "no tab")) == (
        "Cannot read a.vcf, line 3: no tab."
    )
    assert (
        str(FileFormatError.at("a.vcf", None, "it is empty")) == "Cannot read a.vcf: it is empty."
    )
    assert str(MissingExtraError.of("Plots need matplotlib", "plot")) == (
        "Plots need matplotlib: pip install 'bayesdnf[plot]'."
    )
    assert issubclass(ParameterError, InputError)


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("odour", ["odor", "age"], " Did you mean 'odor'?"),
        ("AGE", ["odor", "age"], " Did you mean 'age'?"),
        ("x", ["odor", "age"], ""),
        ("x", [], ""),
        (3, [30, "x"], " Did you mean '30'?"),
    ],
)
def test_close_names_are_suggested(name, known, said):
    assert did_you_mean(name, known) == said


def test_of_endless_names_the_first_are_compared():
    names = (f"column{i}" for i in range(10**9))
    assert did_you_mean("column12", names) == " Did you mean 'column12'?"
