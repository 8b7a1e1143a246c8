"""Boolean functions as JSON, and reading it with every part checked."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from ...errors import InputError, ParameterError, ParseError
from ..algebra import Terms
from ..literal import MEANING, Literal
from .cells import Cells

FUNCTION_FORMAT = "bayesdnf.boolean-function"
_VERSION = 1


def json_terms(terms: Terms, indent: str) -> str:
    """Write a JSON list with one term a line, readable and with the types of values kept."""
    lines = []
    for term in terms:
        members = []
        for literal in term:
            member: dict[str, object] = {
                "attribute": literal.attribute,
                "operator": literal.operator,
            }
            if literal.value is not None:
                member["value"] = literal.value
            members.append(member)
        lines.append(json.dumps(members, ensure_ascii=False))
    return json_list(lines, indent)


def json_list(members: list[str], indent: str) -> str:
    """Write a JSON list with one member a line, deeper than ``indent``."""
    if not members:
        return "[]"
    return f"[\n{indent}  " + f",\n{indent}  ".join(members) + f"\n{indent}]"


def json_document(form: str, key: str, body: str, terms: Terms, cells: Cells) -> str:
    """Write a JSON object that names its format and holds one thing, and how cells are read."""
    more: dict[str, object] = {"missing_values": list(cells.missing)}
    if (orders := cells.orders) is not None:  # without any the literals are written as they are
        compared = [x for term in terms for x in term if cells.categories_of(x) is not None]
        more["orders"] = {x.attribute: list(orders[x.attribute]) for x in compared}
    text = f'{{\n  "format": "{form}",\n  "version": {_VERSION},\n  "{key}": {body}'
    for name, value in more.items():
        text += f',\n  "{name}": {json.dumps(value, ensure_ascii=False)}' if value else ""
    text += "\n}"
    if re.search("[\ud800-\udbff][\udc00-\udfff]", text):
        raise InputError(
            "JSON cannot tell a pair of surrogates from the character they encode; "
            "rename the attribute or value that holds one."
        )
    # Lone surrogates are escaped, so that the text can always be stored as UTF-8.
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match.group()):04x}", text)


def read_json(text: str) -> list[list[Literal]]:
    """Parse the JSON of a Boolean function, checking every part of it."""
    if not isinstance(text, str):
        raise ParameterError.of("text", "BooleanFunction.from_json", "a string", text)
    return read_terms(read_document(text, "Boolean function", FUNCTION_FORMAT, "terms"), "'terms'")


def read_document(text: str, what: str, form: str, key: str) -> Any:
    """Parse the output of :func:`json_document` and return its one object."""
    try:
        document = json.loads(text, parse_constant=_not_json, object_pairs_hook=_distinct_keys)
    except ParseError:
        raise
    except RecursionError:
        raise ParseError(f"The JSON text of a {what} is nested too deeply.") from None
    except ValueError as error:
        raise ParseError(f"The text of a {what} is not JSON: {error}.") from None
    # How cells are read is for other programs that read the text; here it is read over.
    extra = {"orders", "missing_values"} & set(document) if isinstance(document, dict) else set()
    _expect_keys(document, "the document", {"format", "version", key} | extra)
    if document["format"] != form:
        raise ParseError(f"'format' must be {form!r}. Got {_shown(document['format'])} instead.")
    version = document["version"]
    if isinstance(version, bool) or version != _VERSION:
        raise ParseError(f"'version' must be {_VERSION}. Got {_shown(version)} instead.")
    return document[key]


def read_terms(terms: Any, where: str, within: str = "") -> list[list[Literal]]:
    """Read what :func:`json_terms` writes; ``within`` says in errors whose terms they are."""
    return [
        [
            _read_literal(member, f"literal {j} of term {i}{within}")
            for j, member in enumerate(expect_list(term, f"term {i}{within}"))
        ]
        for i, term in enumerate(expect_list(terms, where))
    ]


def _read_literal(member: Any, where: str) -> Literal:
    valued = isinstance(member, dict) and member.get("operator") not in tuple(MEANING)
    _expect_keys(member, where, {"attribute", "operator"} | ({"value"} if valued else set()))
    if not isinstance(member["operator"], str):
        raise ParseError(f"The operator of {where} must be a string. Got {member['operator']!r}.")
    try:
        return Literal(member["attribute"], member["operator"], member.get("value"))
    except ParameterError as error:
        raise ParseError(f"In {where} of the JSON text: {error}") from None


def _expect_keys(part: Any, where: str, keys: set[str]) -> None:
    if not isinstance(part, dict):
        raise ParseError(f"In the JSON text {where} must be an object. Got {_shown(part)} instead.")
    if set(part) != keys:
        raise ParseError(
            f"In the JSON text {where} must have exactly the keys {', '.join(sorted(keys))}. "
            f"Got {', '.join(sorted(map(repr, part))) or 'none'} instead."
        )


def expect_list(part: Any, where: str) -> list[Any]:
    """Return a part of the JSON text, which must be a list."""
    if not isinstance(part, list):
        raise ParseError(f"In the JSON text {where} must be a list. Got {_shown(part)} instead.")
    return part


def _shown(part: Any) -> str:
    text = repr(part)
    return text if len(text) <= 60 else text[:57] + "..."


def _not_json(constant: str) -> NoReturn:
    raise ParseError(f"A value in the JSON text must be a finite number. Got {constant} instead.")


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ParseError(f"An object in the JSON text repeats a key: {_shown(dict(pairs))}.")
    return found
