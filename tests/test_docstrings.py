"""Every public name says what it is, and every public function and class shows itself at work."""

import inspect
import re
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest

MODULES = [
    "bayesdnf",
    "bayesdnf.datasets",
    "bayesdnf.experiments",
    "bayesdnf.genomics",
    "bayesdnf.plots",
    "bayesdnf.qca",
    "bayesdnf.report",
]


def public(module):
    """(name, object) of what a module says is public, its modules left out."""
    home = import_module(module)
    named = [(f"{module}.{name}", getattr(home, name)) for name in home.__all__]
    return [(name, value) for name, value in named if not inspect.ismodule(value)]


NAMES = [pytest.param(*pair, id=pair[0]) for module in MODULES for pair in public(module)]
CALLABLE = [param for param in NAMES if callable(param.values[1])]
CLASSES = [param for param in CALLABLE if inspect.isclass(param.values[1])]


def members(cls):
    """Public methods and properties of a class, those that other libraries give it left out."""
    for name, value in inspect.getmembers_static(cls):
        owner = next(base for base in cls.__mro__ if name in vars(base))
        if name.startswith("_") or not owner.__module__.startswith("bayesdnf"):
            continue
        if isinstance(value, staticmethod | classmethod):
            value = value.__func__
        if inspect.isfunction(value) or isinstance(value, property | cached_property):
            yield name, value


def test_modules_say_what_they_are():
    assert [module for module in MODULES if not import_module(module).__doc__] == []


@pytest.mark.parametrize(("name", "value"), CALLABLE)
def test_a_docstring_with_an_example(name, value):
    text = inspect.getdoc(value) or ""
    assert text, f"{name} has no docstring"
    assert ">>> " in text, f"the docstring of {name} has no example"


@pytest.mark.parametrize(("name", "value"), CLASSES)
def test_methods_have_docstrings(name, value):
    silent = [member for member, code in members(value) if not code.__doc__]
    assert silent == [], f"{name} has methods without a docstring"


def test_inherited_methods_are_looked_at_and_foreign_ones_are_not():
    found = {name for name, _ in members(import_module("bayesdnf").DNFClassifier)}
    assert {"fit", "predict", "marked"} <= found
    assert "get_params" not in found


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_on_the_api_page(module):
    page = (Path(__file__).parents[1] / "docs" / "api.md").read_text()
    listed = set(re.findall(r"^   (?:datasets\.)?(\w+)$", page, re.MULTILINE))
    names = {name.rpartition(".")[2] for name, value in public(module) if callable(value)}
    assert names - listed == set()
