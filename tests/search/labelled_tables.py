"""Tables and labels for the searches of the smallest function."""

import itertools

import numpy as np
import pandas as pd
from hypothesis import strategies as st

ORDERS = {"terms": lambda m, k: (m, k), "literals": lambda m, k: (k, m)}


def antichains(p):
    """Every set of terms none of which contains another: all monotone functions but true."""
    terms = [frozenset(s) for k in range(1, p + 1) for s in itertools.combinations(range(p), k)]

    def extend(chosen, rest):
        yield chosen
        for i, term in enumerate(rest):
            if not any(term <= other or other <= term for other in chosen):
                yield from extend([*chosen, term], rest[i + 1 :])

    return extend([], terms)


ANTICHAINS = {p: list(antichains(p)) for p in range(1, 5)}


def brute_force(X, y, minimize):
    """Size of the smallest function that fits, first number first; None when there is none."""
    best = None
    for terms in ANTICHAINS[X.shape[1]]:
        marked = np.zeros(len(X), dtype=bool)
        for term in terms:
            marked |= X[:, sorted(term)].all(axis=1)
        if (marked == y).all():
            size = ORDERS[minimize](len(terms), sum(map(len, terms)))
            best = size if best is None or size < best else best
    return best


def sizes(found, minimize):
    return ORDERS[minimize](found.n_terms, found.n_literals)


def endgames():
    """Final boards of tic-tac-toe when x begins, and whether x has won."""
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    boards, seen = {}, set()

    def play(board, player):
        if board in seen:
            return
        seen.add(board)
        for who in "xo":
            if any(all(board[i] == who for i in line) for line in lines):
                boards[board] = who == "x"
                return
        if "b" not in board:
            boards[board] = False
            return
        for i in range(9):
            if board[i] == "b":
                play(board[:i] + player + board[i + 1 :], "o" if player == "x" else "x")

    play("b" * 9, "x")
    table = pd.DataFrame([list(board) for board in boards], columns=[f"s{i}" for i in range(9)])
    return table, np.array(list(boards.values()))


@st.composite
def small_tables(draw, most_literals=4):
    p = draw(st.integers(1, most_literals))
    rows = draw(st.lists(st.integers(0, 2**p - 1), min_size=1, max_size=14))
    X = np.array([[row >> j & 1 for j in range(p)] for row in rows], dtype=bool)
    if draw(st.booleans()):  # mostly tables that some function fits
        truth = draw(st.sampled_from(ANTICHAINS[min(p, 4)]))
        y = np.zeros(len(X), dtype=bool)
        for term in truth:
            y |= X[:, sorted(term)].all(axis=1)
    else:
        y = np.array(draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    return X, y
