"""Python source marks the rows of the function, and holds nothing but it."""

import math

import pytest
from hypothesis import given

from bayesdnf.boolean import BooleanFunction
from bayesdnf.errors import ParameterError
from tests.boolean.running import compiled
from tests.boolean.worlds import any_functions, orders_of, worlds


@pytest.mark.slow
@given(worlds())
def test_python_marks_the_same_rows(world):
    f, table = world
    rule = compiled(f.to_python())
    assert rule.__doc__ == str(f)
    expected = f(table).tolist()
    assert [rule(row) for row in table.rows()] == expected
    absent = [{k: v for k, v in row.items() if v is not None} for row in table.rows()]
    assert [rule(row) for row in absent] == expected


@given(any_functions())
def test_python_source_of_any_function_compiles(f):
    source = f.to_python("is_marked", orders_of(f))
    source.encode()
    assert compiled(source, "is_marked")({}) is False


def test_python_answers_are_bools_and_texts_are_not_ordered():
    rule = compiled(BooleanFunction("age >= 45 OR x3").to_python())
    assert rule({"age": "99"}) is False
    assert rule({"age": math.nan, "x3": True}) is True
    assert rule({"age": 45.0}) is True
    assert compiled(BooleanFunction().to_python())({}) is False


@pytest.mark.parametrize("name", ["", "a b", "class", "print", "1x", "x()", None, "__debug__"])
def test_python_names_are_checked(name):
    with pytest.raises(ParameterError, match="'name' parameter"):
        BooleanFunction("a").to_python(name)
