"""What exports are told of cells."""

import re

import pytest

from bayesdnf.boolean import BooleanFunction, Literal
from bayesdnf.boolean.languages.cells import Cells
from bayesdnf.errors import InputError, ParameterError

SIZES = ["small", "unknown", "large"]


def test_missing_values_are_plain_and_in_one_order():
    assert Cells.read_as(None, {"?", "NA", -9, 0.5}, "f").missing == (-9, 0.5, "?", "NA")
    with pytest.raises(ParameterError, match="The 'missing_values' parameter of to_sql must be a"):
        BooleanFunction("a").to_sql(missing_values="NA")


@pytest.mark.parametrize("orders", ["SML", ["?"], {"size": "SML"}, {"size": None}])
def test_orders_are_lists_by_column(orders):
    said = "The 'orders' parameter of to_json must be a dict from columns to lists of their categor"
    with pytest.raises(ParameterError, match=said):
        BooleanFunction("a").to_json(orders)


def test_a_missing_value_has_no_place_in_an_order():
    cells = Cells.read_as({"size": SIZES}, ["unknown"], "f")
    assert cells.categories_of(Literal("size", "<", "large")) == ("small",)
    assert cells.categories_of(Literal("size", "!=", "small")) == ("large",)
    assert cells.categories_of(Literal("size", "=", "small")) is None
    assert cells.categories_of(Literal("age", ">=", 3)) is None
    with pytest.raises(InputError, match=re.escape("with 'unknown' in it")):
        cells.categories_of(Literal("size", ">=", "unknown"))
