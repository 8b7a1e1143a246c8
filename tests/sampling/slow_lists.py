"""Rule lists as plain data, and the places where a term can stand in them.

A list is a tuple of layers, layer 1 first and the one that is asked first last; a layer is a
frozenset of terms, a term a frozenset of literal numbers. () is the null function, (terms,) a
function.

A place is a height: layer g has the height 2g - 1, the gap above it, where a term makes a layer of
its own, the height 2g; 0 is the gap below all layers.
"""

from __future__ import annotations

import itertools


def terms_of(rules):
    """The terms of all layers."""
    return frozenset().union(*rules)


def all_lists(terms, layers):
    """Every way to put all of these terms into at most so many layers, none of them empty."""
    if not terms:
        yield ()
    for n_layers in range(1, layers + 1):
        for numbers in itertools.product(range(n_layers), repeat=len(terms)):
            filled = [set() for _ in range(n_layers)]
            for term, number in zip(terms, numbers, strict=True):
                filled[number].add(term)
            if all(filled):
                yield tuple(map(frozenset, filled))


def places(rules, layers):
    """Heights at which one more term can be put, where at most so many layers are allowed."""
    heights = range(2 * len(rules) + 1)
    return [height for height in heights if height % 2 == 1 or len(rules) < layers]


def put(rules, term, height):
    """The list with a term at a height, whatever else stands there."""
    below, above = rules[: height // 2], rules[(height + 1) // 2 :]
    beside = rules[height // 2] if height % 2 == 1 else frozenset()
    return (*below, beside | {term}, *above)


def take_out(rules, term):
    """The list without a term, and the height at which it would have to be put back."""
    [g] = [g for g, layer in enumerate(rules) if term in layer]
    left = rules[g] - {term}
    if left:
        return (*rules[:g], left, *rules[g + 1 :]), 2 * g + 1
    return (*rules[:g], *rules[g + 1 :]), 2 * g


# What moves propose: None where a term would stand twice ------------------------------------------


def with_term(rules, term, height):
    return None if term in terms_of(rules) else put(rules, term, height)


def replaced(rules, out, added):
    """Terms of one layer make way for others there; None too where they are of several layers."""
    for g, layer in enumerate(rules):
        if layer >= set(out):
            changed = (*rules[:g], layer - set(out) | set(added), *rules[g + 1 :])
            expected = len(terms_of(rules)) - len(out) + len(added)
            return changed if len(terms_of(changed)) == expected else None
    return None
