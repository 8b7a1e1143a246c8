"""A Boolean function in other languages: LaTeX, SQL, Python and JSON."""

from __future__ import annotations

import builtins
import json
import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from ..errors import InputError, ParameterError, ParseError
from .algebra import Term, Terms
from .literal import FALSE, MEANING, ONE_TEXTS, TRUE, Literal, Value, comparison, quote, value_text

_FORMAT = "bayesdnf.boolean-function"
_VERSION = 1

Orders: TypeAlias = Mapping[str, Sequence[str]]
"""Categories of columns of texts, lowest first."""

_QUOTE = "'"
_LATEX_OPERATORS = {"=": "=", "!=": r"\neq", ">=": r"\geq", "<": "<"}
_LATEX_ESCAPES = {
    **{sign: "\\" + sign for sign in "{}$&#_% "},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": "{`}",  # alone: LaTeX has ligatures for ?` and !`
}

_PYTHON = """\
def {name}(row):
    {description}

    def holds(attribute, operator, value):
        found = row.get(attribute)
        if found is None or found != found or isinstance(found, str) and found == "":
            return False  # a missing value satisfies nothing
        if operator == "is one":
            return (found in (1, {ones})) == value
        if operator == "=":
            return bool(found == value)
        if operator == "!=":
            return bool(found != value)
        if operator == "in":
            return found in value
        if not hasattr(found, "__float__"):
            return False  # only numbers are ordered
        return bool(found >= value if operator == ">=" else found < value)

    {body}
"""


class Exports:
    """The ``to_...`` methods of a Boolean function."""

    __slots__ = ()
    literal_terms: Terms

    def to_text(self) -> str:
        """Return the text that :meth:`parse` reads; the same as ``str``.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> BooleanFunction("NOT odor = f or x3").to_text()
        '(odor != f) OR (x3)'
        """
        return str(self)

    def to_latex(self) -> str:
        r"""Return LaTeX for math mode.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> print(BooleanFunction("odor = f OR NOT x_3 AND age >= 45").to_latex())
        (\texttt{odor} = \texttt{f}) \lor (\texttt{age} \geq 45 \land \lnot \texttt{x\_3})
        """
        return latex_condition(self.literal_terms)

    def to_sql(self, orders: Orders | None = None) -> str:
        """Return the condition of a WHERE clause in standard SQL.

        Put it in parentheses to combine it with other conditions. Names and
        texts that hold a NUL character or a lone surrogate cannot be written. A 0/1 literal such
        as ``x3`` looks at the column's text, so that the column may hold numbers, bools or texts.
        Bools are compared with TRUE and FALSE; SQLite takes these words for a column when the
        table has one of that name.

        Parameters
        ----------
        orders : dict, optional
            The categories, lowest first, of columns of texts that have an order, as
            ``model.encoder_.orders_`` has them: what satisfies ``>=``, ``<`` and ``!=``.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> print(BooleanFunction("odor = f OR sex != m AND age >= 45").to_sql())
        ("odor" = 'f') OR ("age" >= 45 AND NULLIF("sex", '') <> 'm')
        >>> print(BooleanFunction("NOT x3").to_sql())
        (NULLIF(CAST("x3" AS CHAR(20)), '') NOT IN ('1', '1.0', 'True', 'true', 'TRUE'))
        >>> print(BooleanFunction("size >= M").to_sql({"size": ["S", "M", "L"]}))
        ("size" IN ('M', 'L'))
        """
        return sql_condition(self.literal_terms, orders)

    def to_python(self, name: str = "rule", orders: Orders | None = None) -> str:
        """Return the source of a function that takes a row as a mapping.

        It needs no imports. None, NaN and absent keys are missing values, which
        satisfy nothing.

        Parameters
        ----------
        name : str, default "rule"
            Name of the function.
        orders : dict, optional
            As for :meth:`to_sql`.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> namespace = {}
        >>> exec(BooleanFunction("odor = f OR x3 AND age >= 45").to_python(), namespace)
        >>> namespace["rule"]({"odor": "n", "x3": 1, "age": 60})
        True
        """
        body = f"return {python_condition(self.literal_terms, orders)}"
        return python_function(name, str(self), body)

    def to_json(self, orders: Orders | None = None) -> str:
        """Return readable JSON, with the types of values kept.

        Parameters
        ----------
        orders : dict, optional
            As for :meth:`to_sql`; those that the function needs are written too.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> print(BooleanFunction("x3 AND age >= 45").to_json())
        {
          "format": "bayesdnf.boolean-function",
          "version": 1,
          "terms": [
            [{"attribute": "age", "operator": ">=", "value": 45},
             {"attribute": "x3", "operator": "true"}]
          ]
        }
        """
        body = json_terms(self.literal_terms, "  ")
        return json_document(_FORMAT, "terms", body, needed_orders(self.literal_terms, orders))


def categories_in(literal: Literal, orders: Orders | None) -> tuple[str, ...] | None:
    """Return the categories that satisfy an ordered comparison; None for other literals."""
    operator, value = comparison(literal)
    if operator == "=" or not isinstance(value, str):
        return None
    order = tuple((orders or {}).get(literal.attribute, ()))
    if operator == "!=":
        # Of an order a text that is not in it, such as one that counts as missing, satisfies none.
        return tuple(text for text in order if text != value) if value in order else None
    if value not in order:
        raise InputError(
            f"The literal '{literal}' needs the order of the categories of {literal.attribute!r}: "
            f"pass orders, such as model.encoder_.orders_, with {value!r} in it."
        )
    place = order.index(value)
    return order[place:] if operator == ">=" else order[:place]


def latex_condition(terms: Terms) -> str:
    r"""Write math-mode LaTeX with ``\land``, ``\lor`` and ``\lnot``."""
    if not terms:
        return r"\texttt{FALSE}"
    return r" \lor ".join(
        "(" + r" \land ".join(_latex_literal(literal) for literal in term) + ")" for term in terms
    )


def _latex_literal(literal: Literal) -> str:
    name = latex_text(quote(literal.attribute))
    if literal.operator in MEANING:
        word = "" if literal.operator in (TRUE, FALSE) else literal.operator.split()[-1]
        said = rf"{name}\ \text{{{word}}}" if word else name
        negated = literal.operator == FALSE or literal.operator.startswith("not ")
        return rf"\lnot {said}" if negated else said
    value = value_text(literal.value)
    is_word = isinstance(literal.value, (str, bool))
    value = latex_text(value) if is_word else latex_number(value)
    return f"{name} {_LATEX_OPERATORS[literal.operator]} {value}"


def latex_number(text: str) -> str:
    """Write a number, given as Python writes it, for math mode."""
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else text


def latex_text(text: str) -> str:
    """Write a text in typewriter letters for math mode."""
    visible = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return r"\texttt{" + "".join(_LATEX_ESCAPES.get(c, c) for c in visible) + "}"


def sql_condition(terms: Terms, orders: Orders | None = None) -> str:
    """Write the condition of a WHERE clause in standard SQL."""
    if not terms:
        return "1 = 0"
    return " OR ".join(
        "(" + " AND ".join(_sql_literal(literal, orders) for literal in term) + ")"
        for term in terms
    )


def _sql_literal(literal: Literal, orders: Orders | None) -> str:
    operator, value = comparison(literal)
    name = _sql_quoted(literal.attribute, '"')
    if (categories := categories_in(literal, orders)) is not None:
        if not categories:  # below the lowest: databases refuse an empty list
            return f"{_filled(name)} <> {name}"  # false, and unknown of what is missing
        return f"{name} IN ({', '.join(_sql_quoted(text, _QUOTE) for text in categories)})"
    if literal.operator in (TRUE, FALSE):
        # As text: databases refuse, or misjudge, a bool or a text compared with the number 1.
        name = f"CAST({name} AS CHAR(20))"
        ones = ", ".join(f"'{one}'" for one in ONE_TEXTS)
        return (
            f"{name} IN ({ones})"
            if literal.operator == TRUE
            else f"{_filled(name)} NOT IN ({ones})"
        )
    if isinstance(value, str):
        name = _filled(name) if operator == "!=" or value == "" else name
    return f"{name} {'<>' if operator == '!=' else operator} {sql_value(value)}"


def sql_value(value: Value) -> str:
    """Write a text, a bool or a number."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return _sql_quoted(value, "'") if isinstance(value, str) else value_text(value)


def _filled(name: str) -> str:
    # An empty text is missing: it differs from nothing.
    return f"NULLIF({name}, '')"


def _sql_quoted(text: str, mark: str) -> str:
    # Databases cut the statement at NUL, and lone surrogates have no encoding.
    if re.search("[\x00\ud800-\udfff]", text):
        raise InputError(
            f"SQL text cannot hold NUL characters or lone surrogates, "
            f"so {text!r} cannot be written; rename it first."
        )
    return mark + text.replace(mark, mark + mark) + mark


def python_function(name: str, description: str, body: str) -> str:
    """Write a standalone function of a mapping ``row``; nothing in it is executable data."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ParameterError.of("name", "to_python", "a Python identifier", name)
    if keyword.iskeyword(name) or hasattr(builtins, name):
        raise ParameterError.of("name", "to_python", "neither a keyword nor a builtin", name)
    # repr() escapes whatever could end the docstring or the line.
    ones = ", ".join(f'"{one}"' for one in ONE_TEXTS)
    return _PYTHON.format(name=name, description=repr(description), ones=ones, body=body)


def python_condition(terms: Terms, orders: Orders | None = None) -> str:
    """Write an expression for the body of :func:`python_function`."""
    parts = [_python_term(term, orders) for term in terms]
    if len(parts) > 1:
        return "(\n        " + "\n        or ".join(parts) + "\n    )"
    return parts[0] if parts else "False"


def _python_term(term: Term, orders: Orders | None) -> str:
    calls = []
    for literal in term:
        operator: str
        value: Any
        operator, value = comparison(literal)
        if (categories := categories_in(literal, orders)) is not None:
            operator, value = "in", categories
        if literal.operator in (TRUE, FALSE):
            operator, value = "is one", literal.operator == TRUE
        calls.append(f"holds({literal.attribute!r}, {operator!r}, {value!r})")
    return f"({' and '.join(calls)})" if len(calls) > 1 else calls[0]


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


def needed_orders(terms: Terms, orders: Orders | None) -> dict[str, list[str]]:
    """Return the orders of the columns whose categories are compared by other than ``=``."""
    if orders is None:
        return {}
    compared = [x for term in terms for x in term if categories_in(x, orders) is not None]
    return {x.attribute: list(orders[x.attribute]) for x in compared}


def json_document(form: str, key: str, body: str, orders: Orders | None = None) -> str:
    """Write a JSON object that names its format and holds one thing, and orders of categories."""
    text = f'{{\n  "format": "{form}",\n  "version": {_VERSION},\n  "{key}": {body}'
    text += f',\n  "orders": {json.dumps(orders, ensure_ascii=False)}\n}}' if orders else "\n}"
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
    return read_terms(read_document(text, "Boolean function", _FORMAT, "terms"), "'terms'")


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
    # Orders are for other programs that read the text; here they are read over.
    extra = {"orders"} if isinstance(document, dict) and "orders" in document else set()
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
