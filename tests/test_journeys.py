"""The call sequences of docs/developing/house.md are true, and so is its picture."""

import re
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayesdnf
from bayesdnf import cli, simulate
from bayesdnf.genomics import Genotypes, write_plink

ROOT = Path(__file__).resolve().parents[1]
SOURCE = Path(bayesdnf.__file__).parent
DEVELOPING = ROOT / "docs" / "developing"
QUICK = {
    "fit": ["--seed", "1"],
    "sample": ["--seed", "1", "--draws", "30", "--layers", "1"],
    "markers": ["--seed", "1", "--draws", "10", "--chains", "2", "--variants-kept", "4"],
}


def journeys():
    """The command of each journey, and the functions it lists."""
    page = (DEVELOPING / "house.md").read_text(encoding="utf-8")
    for section in page.split("### ")[1:]:
        command = re.match(r"`bayesdnf ([^`]+)`", section)[1]
        yield command, re.findall(r"^\d+\. `([\w.]+)`:", section, re.M)


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    """The files that the commands read."""
    monkeypatch.chdir(tmp_path)
    X, y, _ = simulate(100, 6, random_state=1)
    pd.DataFrame(np.column_stack([X, y]), columns=[*"abcdef", "y"]).to_csv("table.csv", index=False)
    rng = np.random.default_rng(2)
    copies = rng.binomial(2, 0.3, (20, 200))
    cases = rng.random(200) < np.where((copies[3] >= 1) & (copies[7] >= 1), 0.8, 0.1)
    write_plink(Genotypes.from_copies(copies), tmp_path / "study", cases)


def called_by(arguments, monkeypatch):
    """Functions of the library in the order of their calls, threads included."""
    names, source, before = [], str(SOURCE), sys.gettrace()

    def note(frame, event, _):  # returns no tracer of lines, so that calls alone are told
        code = frame.f_code
        if code.co_filename.startswith(source):
            module = Path(code.co_filename).relative_to(SOURCE).with_suffix("").parts
            module = [part for part in module if part != "__init__"]
            names.append(".".join([*module, code.co_qualname]))

    monkeypatch.setattr(sys, "argv", ["bayesdnf", *arguments])
    threading.settrace(note)
    sys.settrace(note)
    try:
        with pytest.raises(SystemExit) as end:
            cli.main()
    finally:
        sys.settrace(before)
        threading.settrace(before)
    assert end.value.code == 0
    return names


def marked():
    """The journeys; tracing that of markers takes a third of a minute."""
    for command, listed in journeys():
        marks = [pytest.mark.long] if command.startswith("markers") else []
        yield pytest.param(command, listed, marks=marks)


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(("command", "listed"), list(marked()), ids=QUICK)
def test_data_pass_each_function_once_and_in_order(command, listed, monkeypatch):
    assert len(listed) > 10
    words = command.split()
    called = called_by([*words, *QUICK[words[0]]], monkeypatch)
    times = Counter(called)
    assert {name: times[name] for name in listed} == dict.fromkeys(listed, 1)
    assert sorted(listed, key=called.index) == listed


def test_the_picture_shows_the_imports_of_today(tmp_path):
    tool = [sys.executable, ROOT / "tools" / "house.py"]
    subprocess.run([*tool, tmp_path / "house.svg"], check=True)
    drawn = (tmp_path / "house.svg").read_text(encoding="utf-8")
    assert drawn == (DEVELOPING / "house.svg").read_text(encoding="utf-8"), "run make house"
