"""Boolean functions as people write them: literals, terms, an OR of ANDs."""

from .function import BooleanFunction
from .literal import Literal, Relation
from .table import Table, as_table, set_table_reader

__all__ = ["BooleanFunction", "Literal", "Relation", "Table", "as_table", "set_table_reader"]
