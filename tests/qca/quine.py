"""Minimization by hand: every cube, the minimal ones among them, every set of these."""

import itertools


def models(levels, positives, negatives):
    """All smallest sets of prime implicants that cover the positives: (primes, models).

    A cube is a tuple with a value, or None for "any", for each condition.
    """
    cubes = [
        cube
        for cube in itertools.product(*[(None, *range(n)) for n in levels])
        if not any(covers(cube, row) for row in negatives)
    ]
    primes = [
        cube
        for cube in cubes
        if any(covers(cube, row) for row in positives)
        and not any(other != cube and contains(other, cube) for other in cubes)
    ]
    for m in range(len(primes) + 1):
        found = [
            frozenset(chosen)
            for chosen in itertools.combinations(primes, m)
            if all(any(covers(cube, row) for cube in chosen) for row in positives)
        ]
        if found:
            return set(primes), set(found)
    raise AssertionError("no cover")


def covers(cube, row):
    return all(value is None or value == cell for value, cell in zip(cube, row, strict=True))


def contains(large, small):
    return all(a is None or a == b for a, b in zip(large, small, strict=True))
