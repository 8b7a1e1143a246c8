"""Exports at work: SQL asked of a real database, Python compiled; and what JSON cannot hold."""

import contextlib
import itertools
import sqlite3


def asked(table, expression):
    """The value of an SQL expression on each row."""
    names = list(table.columns)
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        base.execute(f"CREATE TABLE t ({columns})")
        marks = ", ".join("?" * len(names))
        rows = [tuple(row[name] for name in names) for row in table.rows()]
        base.executemany(f"INSERT INTO t VALUES ({marks})", rows)
        return [x for (x,) in base.execute(f"SELECT {expression} FROM t ORDER BY _rowid_")]


def compiled(source, name="rule"):
    """The one function that a source defines."""
    namespace = {}
    exec(compile(source, "<rule>", "exec"), namespace)
    assert set(namespace) == {"__builtins__", name}
    return namespace[name]


def paired_surrogates(rule):
    """Whether a name or value of a function or list holds a pair of surrogates."""
    texts = [x.attribute for x in rule.literals] + [
        x.value for x in rule.literals if isinstance(x.value, str)
    ]
    return any(
        "\ud800" <= a <= "\udbff" and "\udc00" <= b <= "\udfff"
        for text in texts
        for a, b in itertools.pairwise(text)
    )
