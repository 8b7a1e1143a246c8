"""The command line, run inside the test's process and in an empty folder."""

import json
import sys

import pytest

from bayesdnf.cli import main


class Ran:
    """Exit status and what was printed."""

    def __init__(self, status, captured):
        self.status, self.out, self.err = status, captured.out, captured.err

    def json(self):
        """Parse standard output, which must hold one JSON object and nothing else."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run ``bayesdnf`` with arguments in an empty folder, inside this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["bayesdnf", *map(str, arguments)])
        capsys.readouterr()
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code
        return Ran(status or 0, capsys.readouterr())

    return run
