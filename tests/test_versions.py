"""What is installed, for bug reports."""

import platform

import numpy as np

import bayesdnf
from bayesdnf import _native, versions


def test_versions_are_those_that_are_imported():
    found = versions.versions()
    assert found["bayesdnf"] == bayesdnf.__version__
    assert found["python"] == platform.python_version()
    assert found["numpy"] == np.__version__
    assert found["simd"].startswith(_native.simd())
    assert all(name in found["simd"] for name in _native.available_simd())


def test_what_is_not_installed_is_said(monkeypatch, capsys):
    monkeypatch.setattr(versions, "_PACKAGES", ("numpy", "no such package"))
    versions.show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "no such package not installed"
    assert lines[0] == f"bayesdnf      {bayesdnf.__version__}"
