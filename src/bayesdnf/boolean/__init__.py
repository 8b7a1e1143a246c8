"""Boolean functions: literals, terms, functions (an OR of ANDs) and rule lists."""

from .function import BooleanFunction
from .literal import Literal, Relation
from .rule_list import RuleList, renumbered_parts, same_partition
from .table import Table, as_table

__all__ = [
    "BooleanFunction",
    "Literal",
    "Relation",
    "RuleList",
    "Table",
    "as_table",
    "renumbered_parts",
    "same_partition",
]
