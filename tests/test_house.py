"""Rules of the code base that no linter checks: sizes of packages, names, and nothing printed."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "bayesdnf"
MOST_MODULES = 15  # in a package, besides __init__; more means that packages are missing
NO_IDEA = {"utils", "helpers", "common", "misc"}

# Two modules or classes may share a name only when they are listed here, with all their places.
# The commands of cli/ are named after what they command.
SHARED_MODULES = {}
SHARED_CLASSES = {
    "Run": [  # what one run of an experiment measures
        "experiments/halves.py",
        "experiments/one_term.py",
        "experiments/two_terms.py",
    ],
}


@cache
def modules():
    """Path of a module below the package, and what it says."""
    files = sorted(SRC.rglob("*.py"))
    return {file.relative_to(SRC): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def shared(places):
    """Names that stand in more than one place."""
    found = defaultdict(list)
    for name, place in places:
        found[name].append(place.as_posix())
    return {name: sorted(where) for name, where in found.items() if len(where) > 1}


def printed(tree):
    """Lines on which ``print`` is called."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [x.lineno for x in calls if isinstance(x.func, ast.Name) and x.func.id == "print"]


def public_classes(tree):
    """Classes at the top of a module whose names do not begin with an underscore."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return [node.name for node in classes if not node.name.startswith("_")]


def test_the_modules_are_found():
    assert len(modules()) > 150
    assert {Path("errors.py"), Path("model/prior.py")} <= set(modules())


def test_a_package_has_a_screenful_of_modules():
    rooms = defaultdict(list)
    for path in modules():
        if path.name != "__init__.py":
            rooms[path.parent.as_posix()].append(path.stem)
    crowded = {room: len(names) for room, names in rooms.items() if len(names) > MOST_MODULES}
    assert crowded == {}


def test_no_two_modules_have_one_name():
    places = [(path.stem, path) for path in modules() if path.name != "__init__.py"]
    assert shared(pair for pair in places if pair[1].parts[0] != "cli") == SHARED_MODULES


def test_no_two_public_classes_have_one_name():
    places = [(name, path) for path, tree in modules().items() for name in public_classes(tree)]
    assert len(places) > 100
    assert shared(places) == SHARED_CLASSES


@pytest.mark.parametrize("name", sorted(NO_IDEA))
def test_no_module_is_named_after_nothing(name):
    assert [path.as_posix() for path in modules() if name in {*path.parts, path.stem}] == []


def test_the_library_prints_nothing():
    found = {path.as_posix(): printed(tree) for path, tree in modules().items()}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_what_is_looked_for_is_found():
    tree = ast.parse("class Fit:\n    print(1)\nclass _Own: ...\ndef f():\n    print()")
    assert printed(tree) == [2, 5]
    assert public_classes(tree) == ["Fit"]
    twice = [("Fit", Path("a.py")), ("Wish", Path("a.py")), ("Fit", Path("b/c.py"))]
    assert shared(twice) == {"Fit": ["a.py", "b/c.py"]}


# Modules without a test file of their name, and why.
WITHOUT_THEIR_OWN = {
    "boolean/table.py": "a protocol; data/test_tables.py checks who keeps to it",
    "cli/options.py": "declares options; the tests of the commands pass them",
    "data/literal_table.py": "says what planes mean: data/test_bits.py, data/test_encoder.py",
    "datasets.py": "a name for data/builtin.py",
    "estimators/explaining/averaged.py": "explanations of estimators/test_posterior_answers.py",
    "estimators/saving/record_fields.py": "fields of the files of estimators/saving/",
    "genomics/scanning/sharing.py": "needs a cluster: remote/",
    "gpu/device.py": "needs a GPU: gpu/test_sweeping.py, genomics/scanning/test_cuda_pairs.py",
    "remote/numbered.py": "needs a cluster: remote/test_dask_cluster.py",
    "sampling/remote_chains.py": "needs a cluster: remote/test_dask_cluster.py",
    "search/master.py": "the linear program inside bound: search/test_bound.py",
    "search/result.py": "holds no logic",
}


def test_every_module_has_a_test_of_its_name():
    tests = SRC.parents[1] / "tests"
    logic = [path for path in modules() if path.name not in ("__init__.py", "__main__.py")]
    found = {p.as_posix() for p in logic if not (tests / p.parent / f"test_{p.name}").exists()}
    assert found == set(WITHOUT_THEIR_OWN)
