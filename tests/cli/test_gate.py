"""Whatever goes wrong on the command line is one sentence and an exit status."""

import datetime
import os
import signal
import subprocess
import sys
import time
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bayesdnf.cli import gate
from bayesdnf.errors import InputError
from tests.files.limits import posix


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("The table is empty."), "The table is empty."),
        (OSError(28, "No space left on device", "a.csv"), "a.csv: No space left on device."),
        (MemoryError(), "Not enough memory"),
        (OverflowError("int too large\nto convert"), "OverflowError: int too large to convert"),
        (RecursionError("maximum recursion depth"), "RecursionError: maximum recursion depth"),
        (KeyError("\x1b[31mred\x07"), r"\x1b[31mred\x07"),
        (ZeroDivisionError(), "(ZeroDivisionError)"),
    ],
)
def test_every_error_is_one_sentence(monkeypatch, capsys, error, said):
    def app(args):
        assert args == ["fit", "a.csv"]
        raise error

    for debug in ([], ["--debug"]):
        monkeypatch.setattr(sys, "argv", ["bayesdnf", "fit", *debug, "a.csv"])
        with pytest.raises(SystemExit) as end:
            gate.run(app)
        assert end.value.code == 1
        shown = capsys.readouterr().err.splitlines()
        assert shown[-1].startswith("Error: ")
        assert said in shown[-1]
        assert shown[-1].endswith(".")
        assert shown[-1].isprintable()
        assert (shown[0] == "Traceback (most recent call last):") == bool(debug)
        assert debug or len(shown) == 1
        expected = isinstance(error, (InputError, OSError, MemoryError))
        assert ("Please report it" in shown[-1]) != expected


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signals_that_end_a_process_interrupt_it(monkeypatch, capsys, name):
    number = getattr(signal, name)
    # Under nohup the tests inherit that it is ignored, and the product leaves it so.
    usual = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
    before = signal.signal(number, usual)

    def app(args):
        os.kill(os.getpid(), number)
        time.sleep(60)

    monkeypatch.setattr(sys, "argv", ["bayesdnf"])
    try:
        with pytest.raises(SystemExit) as end:
            gate.run(app)
        assert end.value.code == 130
        assert capsys.readouterr().err == "Interrupted.\n"
        assert signal.getsignal(number) == usual
    finally:
        signal.signal(number, before)


@posix
def test_a_signal_that_is_ignored_stays_so(monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    monkeypatch.setattr(sys, "argv", ["bayesdnf"])
    try:
        gate.run(lambda args: os.kill(os.getpid(), signal.SIGHUP))
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@posix
@pytest.mark.slow
def test_a_scheduler_that_ends_a_run_gets_the_draws(run, plants, tmp_path):
    options = ["--target", "class", "--draws", "9000000", "--thin", "999", "--chains", "2"]
    kept = ["--out", "draws.nc", "--checkpoint", "state", "--checkpoint-every", "0.2"]
    child = subprocess.Popen(
        [sys.executable, "-m", "bayesdnf", "sample", "plants.csv", *options, *kept],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        stdout=subprocess.DEVNULL,
    )
    for _ in range(1200):
        if (tmp_path / "state.0").exists() or child.poll() is not None:
            break
        time.sleep(0.1)
    child.send_signal(signal.SIGTERM)
    _, told = child.communicate()
    assert child.returncode == 130
    assert told.endswith("Interrupted: these are the draws so far.\n")
    shown = run("show", "draws.nc", "--json").json()
    assert shown["stopped"] == "interrupted"


@pytest.mark.parametrize("command", ["fit", "sample"])
def test_a_wrong_table_to_test_on_is_told_before_the_search(run, plants, tmp_path, command):
    plants.drop(columns="age").to_csv("narrow.csv", index=False)
    plants.assign(**{"class": "q"}).to_csv("strange.csv", index=False)
    plants.drop(columns="class").to_csv("unlabelled.csv", index=False)
    # So many draws and restarts that a search would not end within the test.
    out = {"fit": ["--out", "m.json"], "sample": ["--draws", "2000000", "--out", "d.nc"]}[command]
    for test, named in {
        "nope.csv": ["nope.csv: there is no such file"],
        "narrow.csv": ["narrow.csv has no column 'age'"],
        "strange.csv": ["strange.csv holds q in line 2", "'e', 'p'"],
        "unlabelled.csv": ["unlabelled.csv has no column 'class'"],
    }.items():
        ran = run(command, "plants.csv", "--target", "class", *out, "--test", test)
        ran.assert_one_sentence(named)
        assert not (tmp_path / out[-1]).exists()


def test_an_unknown_stratum_of_the_table_to_test_on_is_told_before_the_search(run, plants):
    plants.replace({"noise": {"no": "yes"}}).to_csv("east.csv", index=False)
    options = ["--target", "class", "--strata", "noise", "--out", "m.json", "--test", "east.csv"]
    run("fit", "plants.csv", *options).assert_one_sentence(["east.csv holds yes", "'NA', 'no'"])
    assert not os.path.exists("m.json")


@pytest.mark.parametrize("command", ["fit", "sample"])
@pytest.mark.parametrize("limit", ["inf", "nan", "1e400", "0"])
def test_a_time_limit_is_finite(run, plants, command, limit):
    ran = run(command, "plants.csv", "--target", "class", "--out", "m", "--time-limit", limit)
    ran.assert_one_sentence(["--time-limit", "a finite number of seconds above 0"])
    assert not os.path.exists("m")


@pytest.mark.parametrize(
    ("command", "option", "named"),
    [
        *(("fit", f"--{name}", name) for name in ("thresholds", "layers", "jobs")),
        *(("sample", f"--{name}", name) for name in ("draws", "warmup", "chains", "thin", "jobs")),
        *(("simulate", f"--{name}", name) for name in ("rows", "columns")),
    ],
)
def test_whole_numbers_beyond_64_bits_are_refused(run, plants, command, option, named):
    table = [] if command == "simulate" else ["plants.csv", "--target", "class"]
    ran = run(command, *table, "--out", "out", option, 2**70)
    ran.assert_one_sentence([f"--{named} must be", str(2**70)])


def test_draws_that_no_memory_holds_are_refused_before_the_search(run, plants):
    ran = run("sample", "plants.csv", "--target", "class", "--draws", 2**31 - 1, "--chains", 1000)
    ran.assert_one_sentence(["2,147,484,647 draws of each of 1,000 chains", "needs", "Draw fewer"])


def test_the_package_runs_as_a_module(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "bayesdnf", "show", "no.json"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr == "Error: Cannot read no.json: No such file or directory.\n"


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (pa.array([Decimal("0.00"), Decimal("1.00")] * 20), None),
        (pa.array([Decimal(0), Decimal(1)] * 20, pa.decimal256(60, 0)), None),
        (pa.array([0, 2**64 - 1] * 20, pa.uint64()), None),
        (pa.array([True, False] * 20), None),
        (pa.array([10.0**26, 0] * 20), None),
        (
            pa.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)] * 20),
            "2 different dates, from 2020-01-01 to 2021-01-01",
        ),
        (pa.array([datetime.time(1), datetime.time(2)] * 20), "(time) in row 0"),
        (
            pa.array([1, 2] * 20, pa.timestamp("us", "UTC")),
            "from 1970-01-01T00:00:00.000001 to",
        ),
        (pa.array([1, 2] * 20, pa.duration("s")), "a duration, 1 seconds, in row 0"),
        (pa.array([b"a", b"\xff"] * 20), "(bytes) in row 0"),
        (pa.array([[1], [2]] * 20), "in row 0"),
        (pa.array([{"a": 1}, {"a": 2}] * 20), "(dict) in row 0"),
        (pa.array([[("a", 1)], [("b", 2)]] * 20, pa.map_(pa.string(), pa.int64())), "in row 0"),
        (pa.array([0.0, float("inf")] * 20), "holds inf in row 1"),
        (pa.array([0.0, None] * 20), "is missing in row 1"),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_targets_of_every_type_work_or_are_one_sentence(run, labels, said):
    table = pa.table({"odor": ["f", "n"] * 20, "age": list(range(40)), "y": labels})
    pq.write_table(table, "table.parquet")
    ran = run("fit", "table.parquet", "--target", "y", "--out", "m.json")
    if said is None:
        assert ran.status == 0
        assert run("predict", "m.json", "table.parquet", "--out", "a.csv").status == 0
    else:
        ran.assert_one_sentence(["Column 'y' of table.parquet", said])


@pytest.mark.parametrize("cell", ["inf", "1e400"])
def test_cells_beyond_floats(run, plants, cell):
    plants.assign(**{"class": ["0", cell] * 150}).to_csv("t.csv", index=False)
    ran = run("fit", "t.csv", "--target", "class", "--out", "m.json")
    ran.assert_one_sentence(["Column 'class' of t.csv holds inf in line 3", "finite"])


def test_whole_numbers_of_26_digits_are_labels(run, plants):
    plants.assign(**{"class": ["0", "1" * 26] * 150}).to_csv("t.csv", index=False)
    assert run("fit", "t.csv", "--target", "class", "--out", "m.json").status == 0


def test_a_spreadsheet_runs_nothing_of_the_answers(run, plants):
    plants.replace({"class": {"p": "=1+1", "e": "-x"}}).to_csv("t.csv", index=False)
    options = ["--target", "class", "--out", "m.json", "--positive", "=1+1"]
    assert run("fit", "t.csv", *options).status == 0
    for flags, expected in (([], {"=1+1", "-x"}), (["--excel-safe"], {"'=1+1", "'-x"})):
        ran = run("predict", "m.json", "t.csv", "--out", "a.csv", *flags)
        assert ran.status == 0
        answers = pd.read_csv("a.csv")
        assert set(answers["predicted"]) == expected
        assert answers["probability"].dtype == float
