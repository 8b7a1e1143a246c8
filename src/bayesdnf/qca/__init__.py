"""Crisp-set qualitative comparative analysis, from raw cases to minimal models.

Fuzzy sets are not supported: conditions and outcomes have the values 0 and 1, or the values of a
category.
"""

from .cases import necessity
from .notation import parse_qca, to_qca
from .solution import Model, Solution, minimize
from .truth_table import TruthTable, truth_table

__all__ = [
    "Model",
    "Solution",
    "TruthTable",
    "minimize",
    "necessity",
    "parse_qca",
    "to_qca",
    "truth_table",
]
