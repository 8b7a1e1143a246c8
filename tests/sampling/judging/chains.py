"""Chains of made draws, and slow twins of what is said of them."""

SWAPPED = ["if x1 elif x2 else", "if x2 elif x1 else", "if x1 AND x3 else", "else"]


FOUR = ["odor = f", "odor = f OR x1", "x1 AND x2", "FALSE"]


def repeated(chains, times):
    """Chains that stay at each function for a while."""
    return [[f for f in chain for _ in range(times)] for chain in chains]
