"""The wheel: it builds, holds what it should and nothing else, and works where it is installed."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

import bayesdnf
from bayesdnf import _native

ROOT = Path(__file__).parents[1]


def _missing():
    """What a build without isolation needs and this machine does not have."""
    wanted = {name: find_spec(name) for name in ("pip", "scikit_build_core", "nanobind")}
    wanted |= {name: find_spec(name) or shutil.which(name) for name in ("cmake", "ninja")}
    compilers = [os.environ.get("CXX", ""), "c++", "g++", "clang++", "cl"]
    wanted["a C++ compiler"] = any(shutil.which(name) for name in compilers if name)
    wanted["pyproject.toml"] = (ROOT / "pyproject.toml").exists()
    return [name for name, found in wanted.items() if not found]


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(_missing()), reason=f"not here to build a wheel with: {', '.join(_missing())}"
    ),
]


def run(*command, cwd, **environment):
    # Without PYTHONPATH: what is installed must work, not what lies in src/.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir")
    options = ("--no-deps", "--no-build-isolation", "--no-index")
    # Where make has built already, objects are the same: what is compiled was tested by the rest.
    built = ROOT / "build" / "editable"
    build = built if (built / "CMakeCache.txt").exists() else folder / "build"
    run(*pip, "wheel", ROOT, *options, "-w", folder, f"-Cbuild-dir={build}", cwd=folder)
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Python of a fresh environment that holds the wheel, and can see our dependencies."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    run(*pip, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    # A path in a .pth comes after the environment's own packages, and .pth files found along it
    # are not read: the editable install beside the dependencies stays out of sight.
    own = run(
        python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder
    ).strip()
    dependencies = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(own, "dependencies.pth").write_text("\n".join(sorted(dependencies)))
    return python


def test_the_wheel_holds_the_package(wheel):
    names = set(ZipFile(wheel).namelist())
    wanted = {
        "bayesdnf/__init__.py",
        "bayesdnf/cli/__init__.py",
        "bayesdnf/py.typed",
        "bayesdnf/_native.pyi",
        "bayesdnf/data/files/mushroom.csv.xz",
        "bayesdnf/data/files/README.md",
        "bayesdnf/report/templates/report.html",
        "bayesdnf/report/templates/pictures.html",
        "bayesdnf/report/templates/report.css",
        "bayesdnf/report/templates/report.js",
    }
    assert wanted - names == set()
    endings = [name.partition(".dist-info/")[2] for name in names]
    assert "licenses/LICENSE" in endings
    [native] = [n for n in names if n.startswith("bayesdnf/_native.") and not n.endswith(".pyi")]
    assert native.endswith((".so", ".pyd"))
    modules = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    assert modules - names == set()


def test_the_wheel_holds_nothing_else(wheel):
    names = ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    assert top == {"bayesdnf", f"bayesdnf-{bayesdnf.__version__}.dist-info"}
    endings = (".cpp", ".hpp", ".h", ".a", ".o", ".cmake", ".pyc", ".toml")
    assert [name for name in names if name.endswith(endings)] == []
    assert [name for name in names if re.search(r"(^|/)(tests?/|test_|conftest)", name)] == []


def test_from_python_3_12_on_one_wheel_serves_all(wheel):
    tags = wheel.stem.split("-")[2:4]
    number = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert tags == (["cp312", "abi3"] if sys.version_info >= (3, 12) else [number, number])


def test_the_metadata(wheel):
    archive = ZipFile(wheel)
    [metadata] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    head, _, body = archive.read(metadata).decode().partition("\n\n")
    lines = head.splitlines()
    assert "Name: bayesdnf" in lines
    assert f"Version: {bayesdnf.__version__}" in lines
    assert "Requires-Python: >=3.11" in lines
    assert "License-Expression: BSD-3-Clause" in lines
    assert body.strip() == (ROOT / "README.md").read_text().strip()


def test_the_installed_package_works(installed, tmp_path):
    code = "import bayesdnf; print(bayesdnf.__file__); bayesdnf.show_versions()"
    place, *lines = run(installed, "-c", code, cwd=tmp_path).splitlines()
    assert Path(place).is_relative_to(installed.parents[1])
    shown = dict(line.split(maxsplit=1) for line in lines)
    assert shown["bayesdnf"] == bayesdnf.__version__
    assert shown["simd"].startswith(_native.simd())


def test_the_installed_data_and_scores_work(installed, tmp_path):
    code = """
from bayesdnf import LiteralEncoder, Posterior, datasets
X, y = datasets.load_mushroom()
posterior = Posterior(LiteralEncoder().fit_encode(X), y, positive="p")
print(*posterior.counts("odor = f"))
"""
    assert run(installed, "-c", code, cwd=tmp_path).split() == ["8124", "3916", "2160", "2160"]


def test_the_installed_command_works(installed, tmp_path):
    shown = run(installed.with_name("bayesdnf"), "--version", cwd=tmp_path)
    assert shown.split()[:2] == ["bayesdnf", bayesdnf.__version__]
