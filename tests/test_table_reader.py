"""What ``boolean`` reads tables by."""

import subprocess
import sys

import pytest

from bayesdnf import table_reader
from bayesdnf.boolean import BooleanFunction
from bayesdnf.errors import InputError


def test_without_a_reader_only_tables_are_taken(monkeypatch):
    monkeypatch.setattr(table_reader, "_readers", [])
    assert table_reader.table_reader() is None
    with pytest.raises(InputError, match="is called on a table with n_rows and truth"):
        BooleanFunction("a")({"a": [1, 0]})
    table_reader.set_table_reader(lambda source: source["table"])
    assert table_reader.table_reader()({"table": 7}) == 7


def test_functions_read_tables_however_they_are_imported():
    code = "from bayesdnf.boolean import BooleanFunction as F; print(F('a')({'a': [1, 0]}).sum())"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "1\n"
