"""Random tables of literals about categories, numbers and flags, with missing values."""

import numpy as np
from hypothesis import strategies as st

from bayesdnf import BitMatrix, Literal
from bayesdnf.data.literal_table import LiteralTable
from tests import reference

COLOURS = ["r", "g", "b"]
OFFERS = [
    *[Literal("colour", "=", c) for c in COLOURS],
    *[Literal("colour", "!=", c) for c in COLOURS],
    *[Literal("age", ">=", t) for t in (1, 2, 3)],
    *[Literal("age", "<", t) for t in (1, 2, 3)],
    *[Literal("age", op, t) for op in ("=", "!=") for t in (1, 2)],
    *[Literal(name, op) for name in ("x0", "x1", "x2", "x3") for op in ("true", "false")],
]


def holds(literal, value):
    """Truth of a literal on one value; None is missing."""
    if value is None:
        return False
    wanted = 1 if literal.value is None else literal.value
    if literal.operator in ("=", "true"):
        return value == wanted
    if literal.operator in ("!=", "false"):
        return value != wanted
    return value >= wanted if literal.operator == ">=" else value < wanted


class LiteralWorld:
    """Values, the truth of each literal on them, the packed table, outcomes and weights."""

    def __init__(self, seed, n_rows, literals, share_missing, weighted):
        rng = np.random.default_rng(seed)
        self.literals = literals
        self.values = {
            "colour": [COLOURS[i] for i in rng.integers(0, 3, n_rows)],
            "age": rng.integers(0, 5, n_rows).tolist(),
            **{f"x{j}": (rng.random(n_rows) < 0.4).astype(int).tolist() for j in range(3)},
        }
        self.values["x3"] = list(self.values["x2"])  # an equal column
        for column in self.values.values():
            for i in np.flatnonzero(rng.random(n_rows) < share_missing):
                column[i] = None
        self.columns = {
            literal: np.array([holds(literal, v) for v in self.values[literal.attribute]])
            for literal in literals
        }
        self.y = rng.random(n_rows) < 0.4
        self.y[:2] = [True, False]
        self.weights = rng.integers(0, 4, n_rows) if weighted else None
        if weighted:
            self.weights[:2] = 1, 2

    def bits(self):
        """Pack it: negations are complements where the literal itself is on offer."""
        planes, plane, complement = [], [], []
        for literal in self.literals:
            partner = self.literals.index(~literal) if ~literal in self.literals else -1
            complement.append(0 <= partner < len(plane) and not complement[partner])
            if complement[-1]:
                plane.append(plane[partner])
            else:
                plane.append(len(planes))
                planes.append(self.columns[literal])
        attributes = list(dict.fromkeys(literal.attribute for literal in self.literals))
        known = {a: [v is not None for v in self.values[a]] for a in attributes}
        partly = [a for a in attributes if not all(known[a])]
        valid = [
            len(planes) + partly.index(x.attribute) if x.attribute in partly else -1
            for x in self.literals
        ]
        planes += [known[a] for a in partly]
        n = len(self.y)
        table = LiteralTable.of_literals(self.literals, plane, complement, valid)
        return BitMatrix(reference.lay_out(planes, [n], [0], -(-n // 64)), table, [n])

    def counted(self):
        """The columns on rows that count, which is where equal columns are judged."""
        keep = slice(None) if self.weights is None else self.weights > 0
        return {literal: column[keep] for literal, column in self.columns.items()}

    def counted_weights(self):
        return None if self.weights is None else self.weights[self.weights > 0]


def literal_worlds(max_rows=40):
    return st.builds(
        LiteralWorld,
        seed=st.integers(0, 2**32),
        n_rows=st.integers(2, max_rows),
        literals=st.lists(st.sampled_from(OFFERS), min_size=1, max_size=14, unique=True),
        share_missing=st.sampled_from([0, 0, 0.2]),
        weighted=st.booleans(),
    )


def terms_of(world, max_terms=4):
    """Random sets of terms on a world's literals."""
    term = st.lists(st.sampled_from(world.literals), min_size=1, max_size=3, unique=True)
    return st.lists(term.map(frozenset), max_size=max_terms, unique=True)
