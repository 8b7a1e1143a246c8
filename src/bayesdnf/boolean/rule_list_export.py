"""A rule list in other languages: LaTeX, SQL, Python and JSON."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError
from .languages.cells import Cells, Orders
from .languages.json_text import (
    expect_list,
    json_document,
    json_list,
    json_terms,
    read_document,
    read_terms,
)
from .languages.latex import latex_condition, latex_number, latex_text
from .languages.python_source import python_condition, python_function
from .languages.sql import sql_condition, sql_value

if TYPE_CHECKING:
    from .function import BooleanFunction
    from .literal import Literal, Value

Risks = Collection[float] | Collection[Mapping["Value", float]]
"""The risk of each part, or the share of every class in it by label; those of part 0 first."""

_FORMAT = "bayesdnf.rule-list"
_MOST_SHARES = 4  # maximum number of classes in a line of text
_WIDTH = 72  # a longer layer is written with one term a line


class RuleListExports:
    """The ``to_...`` methods of a rule list."""

    __slots__ = ()
    layers: tuple[BooleanFunction, ...]

    def to_text(self, risks: Risks | None = None) -> str:
        """Return the text that :meth:`parse` reads; without risks the same as ``str``.

        A layer of more than 72 characters has a line for each term.

        Parameters
        ----------
        risks : sequence of float or of mappings, optional
            The risk of each part, that of part 0 first; shown in four digits, in
            place of the numbers of the parts. Or the shares of several classes by
            their labels, of which the largest are shown; ``parse`` does not read these.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> rules = RuleList(["odor = f OR bruises = t AND gill-size = n", "age >= 45"])
        >>> print(rules.to_text(risks=[0.02, 0.43, 0.98]))
        if   (odor = f) OR (bruises = t AND gill-size = n)   then 0.98
        elif (age >= 45)                                     then 0.43
        else                                                      0.02
        >>> print(RuleList(["a"]).to_text([{"x": 0.1, "y": 0.9}, {"x": 0.8, "y": 0.2}]))
        if   (a)   then x 0.8, y 0.2
        else            y 0.9, x 0.1
        """
        shown = [_shown(outcome) for outcome in _outcomes(self.layers, risks, "to_text")]
        *outcomes, otherwise = [f"part {text}" for text in shown] if risks is None else shown
        broken = [_lines(function) for function in self.layers]
        # One layer that is too long must not push the outcomes of all others to the right.
        width = max((len(lines[-1]) for lines in broken if len(lines[-1]) <= _WIDTH), default=0)
        text = []
        for number, (lines, outcome) in enumerate(zip(broken, outcomes, strict=True)):
            lines[-1] = f"{lines[-1]:<{width}}   then {outcome}"
            text += [f"{'elif' if number else 'if':<4} {lines[0]}"]
            text += [f"     {line}" for line in lines[1:]]
        indent = " " * (width + len("   then ")) if broken else ""
        return "\n".join([*text, f"else {indent}{otherwise}"])

    def to_latex(self, risks: Risks | None = None) -> str:
        r"""Return LaTeX for math mode: the ``cases`` of amsmath.

        Parameters
        ----------
        risks : sequence of float or of mappings, optional
            The risk of each part, that of part 0 first; shown in four digits, in
            place of the numbers of the parts. Or the shares of several classes by
            their labels.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> print(RuleList(["odor = f OR x_3", "age >= 45"]).to_latex())
        \begin{cases}
        2 & \text{if } (\texttt{odor} = \texttt{f}) \lor (\texttt{x\_3}) \\
        1 & \text{else if } (\texttt{age} \geq 45) \\
        0 & \text{otherwise}
        \end{cases}
        """
        outcomes = _outcomes(self.layers, risks, "to_latex")
        *numbers, otherwise = [_latex_outcome(outcome) for outcome in outcomes]
        words = ["if", *["else if"] * (len(self.layers) - 1)]
        lines = [
            rf"{number} & \text{{{word} }} {latex_condition(function.literal_terms)} \\"
            for number, word, function in zip(numbers, words, self.layers, strict=False)
        ]
        lines.append(rf"{otherwise} & \text{{otherwise}}")
        return "\n".join([r"\begin{cases}", *lines, r"\end{cases}"])

    def to_sql(
        self,
        risks: Risks | None = None,
        orders: Orders | None = None,
        missing_values: Collection[Value] = (),
    ) -> str:
        """Return an expression in standard SQL whose value is the part of a row.

        :meth:`BooleanFunction.to_sql` describes names and texts.

        Parameters
        ----------
        risks : sequence of float or of mappings, optional
            The risk of each part, that of part 0 first; the expression's values, in
            place of the numbers of the parts. Of shares of several classes by their
            labels, the values are the most probable class; for the share of one class
            give its shares as risks.
        orders, missing_values : optional
            As for :meth:`BooleanFunction.to_sql`.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> print(RuleList(["odor = f", "age >= 45"]).to_sql(risks=[0.02, 0.43, 0.98]))
        CASE
          WHEN ("odor" = 'f') THEN 0.98
          WHEN ("age" >= 45) THEN 0.43
          ELSE 0.02
        END
        >>> print(RuleList(["a = 7"]).to_sql([{"x": 0.1, "y": 0.9}, {"x": 0.8, "y": 0.2}]))
        CASE
          WHEN ("a" = 7) THEN 'x'
          ELSE 'y'
        END
        """
        *outcomes, otherwise = [
            _sql_outcome(outcome) for outcome in _outcomes(self.layers, risks, "to_sql")
        ]
        if not self.layers:
            return otherwise  # CASE needs a WHEN
        cells = Cells.read_as(orders, missing_values, "to_sql")
        lines = [
            f"  WHEN {sql_condition(function.literal_terms, cells)} THEN {outcome}"
            for function, outcome in zip(self.layers, outcomes, strict=True)
        ]
        return "\n".join(["CASE", *lines, f"  ELSE {otherwise}", "END"])

    def to_python(
        self,
        risks: Risks | None = None,
        orders: Orders | None = None,
        missing_values: Collection[Value] = (),
        name: str = "rules",
    ) -> str:
        """Return the source of a function from a row, given as a mapping, to its part.

        It needs no imports. None, NaN and absent keys are missing values, which
        satisfy nothing.

        Parameters
        ----------
        risks : sequence of float or of mappings, optional
            The risk of each part, that of part 0 first; the function's answers, in
            place of the numbers of the parts. Of shares of several classes the answers
            are dicts from label to share, the most probable class first.
        orders, missing_values : optional
            As for :meth:`BooleanFunction.to_sql`.
        name : str, default "rules"
            Name of the function.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> namespace = {}
        >>> exec(RuleList(["odor = f OR x3", "age >= 45"]).to_python(), namespace)
        >>> namespace["rules"]({"odor": "n", "x3": 0, "age": 60})
        1
        """
        cells = Cells.read_as(orders, missing_values, "to_python")
        *outcomes, otherwise = _outcomes(self.layers, risks, "to_python")
        tests = [
            f"if {python_condition(function.literal_terms, cells)}:\n        return {outcome!r}\n"
            for function, outcome in zip(self.layers, outcomes, strict=True)
        ]
        body = "    ".join([*tests, f"return {otherwise!r}"])
        return python_function(name, self.to_text(risks), body, cells)

    def to_json(self, orders: Orders | None = None, missing_values: Collection[Value] = ()) -> str:
        """Return readable JSON, the highest layer first, with the types of values kept.

        Parameters
        ----------
        orders, missing_values : optional
            As for :meth:`BooleanFunction.to_json`.

        Examples
        --------
        >>> from bayesdnf import RuleList
        >>> print(RuleList(["odor = f OR x3", "age >= 45"]).to_json())
        {
          "format": "bayesdnf.rule-list",
          "version": 1,
          "layers": [
            [
              [{"attribute": "odor", "operator": "=", "value": "f"}],
              [{"attribute": "x3", "operator": "true"}]
            ],
            [
              [{"attribute": "age", "operator": ">=", "value": 45}]
            ]
          ]
        }
        """
        layers = [json_terms(function.literal_terms, "    ") for function in self.layers]
        terms = tuple(term for function in self.layers for term in function.literal_terms)
        cells = Cells.read_as(orders, missing_values, "to_json")
        return json_document(_FORMAT, "layers", json_list(layers, "  "), terms, cells)


def read_layers_json(text: str) -> list[list[list[Literal]]]:
    """Parse the JSON of a rule list, checking every part of it."""
    if not isinstance(text, str):
        raise ParameterError.of("text", "RuleList.from_json", "a string", text)
    layers = read_document(text, "rule list", _FORMAT, "layers")
    return [
        read_terms(terms, f"layers[{i}]", f" of layers[{i}]")
        for i, terms in enumerate(expect_list(layers, "'layers'"))
    ]


def _lines(function: BooleanFunction) -> list[str]:
    text = str(function)
    if len(text) <= _WIDTH:
        return [text]
    terms = [f"({' AND '.join(term)})" for term in function.terms]
    return [terms[0], *[f"OR {term}" for term in terms[1:]]]


def _outcomes(
    layers: tuple[BooleanFunction, ...], risks: Risks | None, owner: str
) -> list[int] | list[float] | list[dict[Value, float]]:
    """Return the outcomes of the parts in the order of the layers; part 0 is last.

    Shares of classes come as dicts, the largest first.
    """
    highest = len(layers)
    if risks is None:
        return list(range(highest, -1, -1))
    given: list[Any] = list(risks) if isinstance(risks, Collection) else []
    if len(given) == highest + 1 and all(map(_are_shares, given)):
        return [_largest_first(part) for part in reversed(given)]
    if len(given) != highest + 1 or not all(map(_is_share, given)):
        must = f"a list of {highest + 1} numbers from 0 to 1, from part 0 to part {highest}"
        if not layers:
            must = "a list of one number from 0 to 1"
        raise ParameterError.of("risks", owner, must, risks)
    return [float(risk) for risk in reversed(given)]


def _is_share(value: Any) -> bool:
    return isinstance(value, Real) and 0 <= float(value) <= 1


def _are_shares(part: Any) -> bool:
    return (
        isinstance(part, Mapping)
        and len(part) > 0
        and all(isinstance(label, (str, Real)) for label in part)
        and all(map(_is_share, part.values()))
    )


def _largest_first(part: Mapping[Value, float]) -> dict[Value, float]:
    # numpy's labels and numbers are written as Python's own.
    plain = [(getattr(x, "item", lambda x=x: x)(), float(share)) for x, share in part.items()]
    return dict(sorted(plain, key=lambda pair: -pair[1]))


def _shown(outcome: float | dict[Value, float]) -> str:
    if isinstance(outcome, dict):
        shares = [f"{label} {share:.4g}" for label, share in outcome.items()]
        return ", ".join([*shares[:_MOST_SHARES], *(["…"] if len(shares) > _MOST_SHARES else [])])
    return str(outcome) if isinstance(outcome, int) else f"{outcome:.4g}"


def _latex_outcome(outcome: float | dict[Value, float]) -> str:
    if not isinstance(outcome, dict):
        return latex_number(_shown(outcome))
    return r",\ ".join(
        rf"{latex_text(str(label))}\ {latex_number(_shown(share))}"
        for label, share in outcome.items()
    )


def _sql_outcome(outcome: float | dict[Value, float]) -> str:
    if not isinstance(outcome, dict):
        return repr(outcome)
    return sql_value(next(iter(outcome)))
