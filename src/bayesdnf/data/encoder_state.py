"""The state of a LiteralEncoder as plain data, for model files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from ..boolean.literal import FALSE, TRUE, Literal, Value
from ..boolean.missing import named_missing
from ..errors import InputError
from .columns.column import BOOLS, NUMBERS, TEXT
from .kinds import KINDS, Attribute, check_kinds, orders_of

_FORMAT = "bayesdnf.literal-encoder"
# In version 1 negations were not written: all of them were on offer, or none. Version 3 has
# directions, and version 4 orders of categories.
_VERSION = 4
_ALL = ("=", "!=", ">=", "<", TRUE, FALSE)
_OPERATORS = {1: ("=", ">=", TRUE), 2: _ALL, 3: _ALL, 4: _ALL}
_PARAMETERS = {"kinds", "negations", "thresholds", "missing_values", "drop_first"}


class State(NamedTuple):
    """The state of a fitted encoder."""

    parameters: dict[str, Any]
    columns: tuple[str, ...]
    attributes: list[Attribute]
    dropped: dict[str, str]


def write_state(
    parameters: dict[str, Any],
    columns: Sequence[str],
    attributes: Sequence[Attribute],
    dropped: Mapping[str, str],
) -> dict[str, Any]:
    """Return a fitted encoder in types that JSON has."""
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "parameters": parameters,
        "columns": list(columns),
        "attributes": [
            {
                "name": attribute.name,
                "kind": attribute.kind,
                "type": attribute.type,
                "literals": [[x.operator, x.value] for x in attribute.literals],
                "order": list(attribute.order),
            }
            for attribute in attributes
        ],
        "dropped": dict(dropped),
    }


def read_state(state: Any) -> State:
    """Check the output of :func:`write_state`, which may be old or damaged."""
    _expect(state, dict, "the state")
    _expect_keys(
        state, {"format", "version", "parameters", "columns", "attributes", "dropped"}, "the state"
    )
    if state["format"] != _FORMAT:
        _fail(f"'format' must be {_FORMAT!r}. Got {state['format']!r} instead")
    version = state["version"]
    if isinstance(version, bool) or version not in tuple(_OPERATORS):
        _fail(f"'version' must be from 1 to {_VERSION}. Got {version!r} instead")
    parameters = _expect(state["parameters"], dict, "'parameters'")
    newer = {"monotonic_cst"} if version > 2 else set()
    _expect_keys(parameters, _PARAMETERS | newer, "'parameters'")
    try:
        check_kinds(parameters["kinds"], "LiteralEncoder")
        missing = named_missing(parameters["missing_values"], "LiteralEncoder")
    except InputError as error:
        _fail(str(error).rstrip("."))
    columns = tuple(
        _expect(name, str, "a name in 'columns'")
        for name in _expect(state["columns"], list, "'columns'")
    )
    attributes = [
        _read_attribute(part, version, missing)
        for part in _expect(state["attributes"], list, "'attributes'")
    ]
    if version == 1 and parameters["negations"]:
        attributes = [
            attribute._replace(literals=tuple(x for y in attribute.literals for x in (y, ~y)))
            for attribute in attributes
        ]
    orders = orders_of(parameters["kinds"])
    for attribute in attributes:
        given = _without(orders.get(attribute.name, ()), missing)
        if attribute.name in orders and given != attribute.order:
            _fail(
                f"the order of {attribute.name!r} must be that of 'kinds', {list(given)!r}. "
                f"Got {list(attribute.order)!r} instead"
            )
    dropped = _expect(state["dropped"], dict, "'dropped'")
    for reason in dropped.values():
        _expect(reason, str, "a reason in 'dropped'")
    named = [attribute.name for attribute in attributes] + list(dropped)
    if sorted(named) != sorted(columns) or len(set(columns)) < len(columns):
        _fail("'attributes' and 'dropped' must name each of 'columns' once")
    if not attributes:
        _fail("'attributes' must hold at least one")
    return State(dict(parameters), columns, attributes, dict(dropped))


def _read_attribute(part: Any, version: int, missing: frozenset[Value]) -> Attribute:
    _expect(part, dict, "an attribute")
    newer = {"order"} if version > 3 else set()
    _expect_keys(part, {"name", "kind", "type", "literals"} | newer, "an attribute")
    name = _expect(part["name"], str, "an attribute's 'name'")
    if part["kind"] not in KINDS:
        _fail(
            f"the kind of {name!r} must be one of {', '.join(KINDS)}. Got {part['kind']!r} instead"
        )
    if part["type"] not in (TEXT, NUMBERS, BOOLS):
        must = f"{TEXT}, {NUMBERS} or {BOOLS}"
        _fail(f"the type of {name!r} must be {must}. Got {part['type']!r} instead")
    order = _expect(part["order"], list, f"the order of {name!r}") if newer else []
    if not all(isinstance(text, str) and text for text in order) or len(set(order)) < len(order):
        _fail(
            f"the order of {name!r} must be a list of different texts, none of them empty. "
            f"Got {order!r} instead"
        )
    if order and (part["kind"], part["type"]) != ("ordinal", TEXT):
        _fail(
            f"the order of {name!r} needs the kind ordinal and the type {TEXT}. "
            f"Got {part['kind']} and {part['type']} instead"
        )
    # States were once written with texts in their orders that count as missing.
    order = _without(order, missing)
    places = set(order)
    literals = []
    for pair in _expect(part["literals"], list, f"the literals of {name!r}"):
        if not isinstance(pair, list) or len(pair) != 2 or pair[0] not in _OPERATORS[version]:
            _fail(f"a literal of {name!r} must be [operator, value]. Got {pair!r} instead")
        try:
            literal = Literal(name, *pair)
        except InputError as error:
            _fail(f"a literal of {name!r} is wrong: {str(error).rstrip('.')}")
        named = literal.operator not in (TRUE, FALSE)
        if named and isinstance(literal.value, str) != (part["type"] == TEXT):
            _fail(f"literal '{literal}' does not suit a column of {part['type']}")
        needs_order = order or literal.operator in (">=", "<")
        if named and isinstance(literal.value, str) and needs_order and literal.value not in places:
            _fail(f"literal '{literal}' names a category that is not in an order of {name!r}")
        literals.append(literal)
    if not literals or len(set(literals)) < len(literals):
        _fail(f"the literals of {name!r} must be different, and at least one")
    return Attribute(name, part["kind"], part["type"], tuple(literals), order)


def _without(order: Sequence[str], missing: frozenset[Value]) -> tuple[str, ...]:
    return tuple(text for text in order if text not in missing)


# Not files.checked_json: this state may come from anywhere, a pickle or a caller's dict, and its
# errors name no file. In a model file JsonFields.make puts the file and the field in front of them.


def _expect(value: Any, type_: type, what: str) -> Any:
    if not isinstance(value, type_):
        _fail(f"{what} must be a {type_.__name__}. Got {value!r} instead")
    return value


def _expect_keys(value: dict[str, Any], keys: set[str], what: str) -> None:
    if set(value) != keys:
        missing, extra = sorted(keys - set(value)), sorted(map(str, set(value) - keys))
        told = f"lacks {missing[0]!r}" if missing else f"has an unknown entry {extra[0]!r}"
        _fail(f"{what} {told}")


def _fail(problem: str) -> NoReturn:
    raise InputError(f"This is not a state of a LiteralEncoder: {problem}.")
