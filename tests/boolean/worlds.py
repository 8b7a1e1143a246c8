"""Random functions, rule lists and tables with odd names and values, and a slow obvious table."""

import math

import numpy as np
from hypothesis import strategies as st

from bayesdnf.boolean import BooleanFunction, Literal, RuleList

ODD = [
    "", " ", " padded ", "AND", "or", "Not", "true", "True", "FALSE", "0", "1", "1.0", "-1.5",
    "1e5", "1e+16", "inf",
    "nan", "None", "?", "a-b", "it's", 'say "hi"', "back\\slash", "trailing\\", "new\nline",
    "tab\tcr\r", "é≠ü", "😀", "a=b", "x >= 3", "(", ")", "x') OR 1=1 --", 'x" OR 1=1 --',
    "'''", '"""', "'); DROP TABLE t; --", "__import__('os').abort()", "{x}", "%s", "$a^b_c~#&",
    "\x85", "\u2028", "\x7f", "/* */", "<b>&amp;", "`", "row", "holds", "x10", "x2", "00",
    "if", "elif", "Then", "else", "part", "a) then 0.5 else", "CASE", "when", "END",
]  # fmt: skip
ONES = ["1", "1.0", "True", "true", "TRUE"]  # texts that a 0/1 literal takes for 1
UNSTORABLE = ["\x00", "nul\x00inside", "\ud800", "a\udfff"]
CODINGS = [
    negation + coding
    for negation in ("", "not ")
    for coding in ("dominant", "recessive", "heterozygous")
]
NUMBERS = [0, 1, 2, -3, 45, 0.5, -0.25, 1.0, 0.1, 1e16, 1e-7, 2**53 + 1, -0.0, True, False]


class DictTable:
    """Columns of plain Python values; None, NaN and empty texts are missing."""

    def __init__(self, columns, n_rows):
        self.columns = columns
        self.n_rows = n_rows
        self.asked = []

    def truth(self, literal):
        self.asked.append(literal)
        return np.array([holds(v, literal) for v in self.columns[literal.attribute]], dtype=bool)

    def rows(self):
        names = list(self.columns)
        return [{n: self.columns[n][i] for n in names} for i in range(self.n_rows)]


def holds(value, literal):
    """The meaning of a literal on one value, spelled out."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return False
    wanted = literal.value
    if literal.operator in ("true", "false"):
        return (value in (1, *ONES)) == (literal.operator == "true")
    if literal.operator in CODINGS:
        if literal.operator.endswith("heterozygous"):
            return (value == 1) == (literal.operator == "heterozygous")
        copies = 2 if literal.operator.endswith("recessive") else 1
        return not isinstance(value, str) and (
            (value >= copies) == (literal.operator in ("dominant", "recessive"))
        )
    if literal.operator == "=":
        return value == wanted
    if literal.operator == "!=":
        return value != wanted
    if isinstance(value, str):
        return False
    return value >= wanted if literal.operator == ">=" else value < wanted


def texts(storable=False):
    excluded = {"exclude_characters": "\x00", "exclude_categories": ["Cs"]} if storable else {}
    odd = ODD if storable else ODD + UNSTORABLE
    return st.sampled_from(odd) | st.text(st.characters(**excluded), max_size=5)


def any_literals():
    numbers = (
        st.sampled_from(NUMBERS) | st.integers() | st.floats(allow_nan=False).filter(math.isfinite)
    )
    plain = st.builds(Literal, texts(), st.sampled_from(["true", "false", *CODINGS]))
    valued = st.builds(Literal, texts(), st.sampled_from(["=", "!="]), texts() | numbers)
    ordered = st.builds(
        Literal,
        texts(),
        st.sampled_from([">=", "<"]),
        texts() | numbers.filter(lambda v: not isinstance(v, bool)),
    )
    return plain | valued | ordered


def orders_of(rule):
    """Orders of categories in which a rule can be exported: that of their letters."""
    compared = [x for x in rule.literals if x.operator in (">=", "<") and isinstance(x.value, str)]
    return {x.attribute: sorted({y.value for y in compared}) for x in compared}


def any_functions(min_terms=0):
    term = st.lists(any_literals(), min_size=1, max_size=4)
    return st.builds(BooleanFunction, st.lists(term, min_size=min_terms, max_size=4))


def any_lists():
    return st.lists(any_functions(min_terms=1), max_size=3).map(RuleList)


def literals_of(name, pool, numeric):
    """Literals about one column whose values come from ``pool``."""
    options = [Literal(name, "true"), Literal(name, "false"), Literal(name, "!=", "no such")]
    for value in pool:
        options += [Literal(name, "=", value), Literal(name, "!=", value)]
        if numeric and not isinstance(value, bool):
            options += [Literal(name, coding) for coding in CODINGS]
            options += [Literal(name, ">=", value), Literal(name, "<", value)]
    return options


@st.composite
def tables(draw, storable, missing):
    """Literals, and a table whose columns each hold either numbers or texts."""
    # In SQLite the words TRUE and FALSE mean a column of that name where there is one.
    columns = texts(storable).filter(lambda name: name.lower() not in ("true", "false"))
    names = draw(st.lists(columns, min_size=1, max_size=4, unique_by=str.lower))
    n_rows = draw(st.integers(0, 8))
    options, columns = [], {}
    for name in names:
        numeric = draw(st.booleans())
        texts_ = st.sampled_from([*ONES, "0", "False", "2"]) | texts(storable)
        values = st.sampled_from(NUMBERS) if numeric else texts_
        pool = draw(st.lists(values, min_size=1, max_size=3))
        options += literals_of(name, pool, numeric)
        extra = [7, -9.5] if numeric else ["another", *([""] if missing else [])]
        cells = st.sampled_from(pool + extra + ([None, math.nan] if missing else []))
        columns[name] = draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
    return options, DictTable(columns, n_rows)


@st.composite
def worlds(draw, storable=False, missing=True, max_terms=4, min_terms=0):
    """A function and a table that it can be called on."""
    options, table = draw(tables(storable, missing))
    term = st.lists(st.sampled_from(options), min_size=1, max_size=4)
    return BooleanFunction(draw(st.lists(term, min_size=min_terms, max_size=max_terms))), table


@st.composite
def list_worlds(draw, storable=False, missing=True):
    """A rule list, the risks of its parts and a table that it can be called on."""
    options, table = draw(tables(storable, missing))
    term = st.lists(st.sampled_from(options), min_size=1, max_size=3)
    layer = st.lists(term, min_size=1, max_size=3).map(BooleanFunction)
    rules = RuleList(draw(st.lists(layer, max_size=4)))
    risk = st.floats(0, 1) | st.sampled_from([0, 1, 1e-7, 0.1])
    risks = draw(st.lists(risk, min_size=len(rules) + 1, max_size=len(rules) + 1))
    return rules, risks, table
