"""What importing loads, and what the front door offers."""

import inspect
import json
import subprocess
import sys
from importlib.metadata import version

import pytest

import bayesdnf

HEAVY = ["sklearn", "scipy", "pandas", "matplotlib", "arviz", "arviz_base", "arviz_stats", "xarray"]
HEAVY += ["cyvcf2", "joblib", "pgenlib"]

HELP = """
import contextlib, io
from bayesdnf.cli import main
sys.argv = ["bayesdnf", *{arguments!r}]
with contextlib.redirect_stdout(io.StringIO()) as out:
    try:
        main()
    except SystemExit as end:
        assert end.code == 0, end.code
assert "Usage" in out.getvalue(), out.getvalue()
"""


def loaded_by(code):
    """Top-level modules that are loaded after running ``code`` in a fresh interpreter."""
    tail = "\nprint(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-c", "import json, sys\n" + code + tail],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "code",
    [
        "import bayesdnf; dir(bayesdnf)",
        "import bayesdnf.genomics, bayesdnf.plots",
        "import bayesdnf; bayesdnf.BooleanFunction('a AND b').to_sql()",
        HELP.format(arguments=["--help"]),
        HELP.format(arguments=["simulate", "--help"]),
    ],
    ids=["dir", "genomics and plots", "a function", "--help", "simulate --help"],
)
def test_no_heavy_library_is_loaded(code):
    loaded = loaded_by(code)
    assert "bayesdnf" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_the_list_of_loaded_modules_can_tell():
    assert "pandas" in loaded_by("import bayesdnf; bayesdnf.datasets.load_mushroom()")


def test_every_public_name_resolves_and_is_listed():
    assert len(set(bayesdnf.__all__)) == len(bayesdnf.__all__)
    for name in bayesdnf.__all__:
        assert getattr(bayesdnf, name) is not None
    assert set(dir(bayesdnf)) >= {*bayesdnf.__all__, "__version__"}
    assert [name for name in dir(bayesdnf) if not hasattr(bayesdnf, name)] == []


def test_dir_offers_nothing_private():
    private = [name for name in dir(bayesdnf) if name.startswith("_")]
    assert private == ["__version__"]


def test_public_names_are_the_objects_of_their_modules():
    for name in bayesdnf.__all__:
        value = getattr(bayesdnf, name)
        if not inspect.ismodule(value):
            assert value.__name__ == name
            assert value.__module__.startswith("bayesdnf.")


def test_an_unknown_name_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError, match="module 'bayesdnf' has no attribute 'no_such_name'"):
        _ = bayesdnf.no_such_name


def test_one_version_everywhere():
    assert bayesdnf.__version__ == version("bayesdnf")


STOPPED = """
import sys
class Stopped:
    def find_spec(self, name, *_):
        if name == {name!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Stopped())
sys.argv = ["bayesdnf", "--version"]
from bayesdnf.__main__ import main
main()
"""


@pytest.mark.parametrize("name", ["bayesdnf.cli", "typer"])
def test_an_interruption_while_it_loads_is_one_sentence(name):
    code = STOPPED.format(name=name)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


def test_the_package_itself_loads_no_library():
    assert "numpy" not in loaded_by("import bayesdnf")
