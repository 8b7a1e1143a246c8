"""A Boolean function in other languages: LaTeX, SQL, Python and JSON."""

from __future__ import annotations

from collections.abc import Collection

from .algebra import Terms
from .languages.cells import Cells, Orders
from .languages.json_text import FUNCTION_FORMAT, json_document, json_terms
from .languages.latex import latex_condition
from .languages.python_source import python_condition, python_function
from .languages.sql import sql_condition
from .literal import Value


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

    def to_sql(self, orders: Orders | None = None, missing_values: Collection[Value] = ()) -> str:
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
        missing_values : list of texts and numbers, optional
            Values of the table that count as missing beside NULL and empty texts, as
            ``model.missing_values`` has them.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> print(BooleanFunction("odor = f OR sex != m AND age >= 45").to_sql())
        ("odor" = 'f') OR ("age" >= 45 AND NULLIF("sex", '') <> 'm')
        >>> print(BooleanFunction("NOT x3").to_sql())
        (NULLIF(CAST("x3" AS CHAR(20)), '') NOT IN ('1', '1.0', 'True', 'true', 'TRUE'))
        >>> print(BooleanFunction("size >= M").to_sql({"size": ["S", "M", "L"]}))
        ("size" IN ('M', 'L'))
        >>> print(BooleanFunction("sex != m AND age < 45").to_sql(missing_values=["?", -9]))
        (NULLIF("age", -9) < 45 AND NULLIF(NULLIF("sex", ''), '?') <> 'm')
        """
        cells = Cells.read_as(orders, missing_values, "to_sql")
        return sql_condition(self.literal_terms, cells)

    def to_python(
        self,
        name: str = "rule",
        orders: Orders | None = None,
        missing_values: Collection[Value] = (),
    ) -> str:
        """Return the source of a function that takes a row as a mapping.

        It needs no imports. None, NaN and absent keys are missing values, which
        satisfy nothing.

        Parameters
        ----------
        name : str, default "rule"
            Name of the function.
        orders, missing_values : optional
            As for :meth:`to_sql`.

        Examples
        --------
        >>> from bayesdnf import BooleanFunction
        >>> namespace = {}
        >>> exec(BooleanFunction("odor = f OR x3 AND age >= 45").to_python(), namespace)
        >>> namespace["rule"]({"odor": "n", "x3": 1, "age": 60})
        True
        """
        cells = Cells.read_as(orders, missing_values, "to_python")
        body = f"return {python_condition(self.literal_terms, cells)}"
        return python_function(name, str(self), body, cells)

    def to_json(self, orders: Orders | None = None, missing_values: Collection[Value] = ()) -> str:
        """Return readable JSON, with the types of values kept.

        Parameters
        ----------
        orders, missing_values : optional
            As for :meth:`to_sql`; written too, of orders those that the function needs.

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
        cells = Cells.read_as(orders, missing_values, "to_json")
        body = json_terms(self.literal_terms, "  ")
        return json_document(FUNCTION_FORMAT, "terms", body, self.literal_terms, cells)
