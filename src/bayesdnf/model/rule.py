"""Rules: a Boolean function, or a rule list of functions in layers."""

from __future__ import annotations

from collections.abc import Callable

from ..boolean import BooleanFunction, Literal, RuleList

Rule = BooleanFunction | RuleList

MOST_LAYERS = 8
"""Layers at most: a list of more is nothing that a person reads."""


def as_rule(rule: Rule | str) -> Rule:
    """Read a function or a list that is given in words.

    Examples
    --------
    >>> from bayesdnf.model.rule import as_rule
    >>> as_rule("odor = f OR x3")
    BooleanFunction('(odor = f) OR (x3)')
    >>> as_rule("if odor = f elif x3 else")
    RuleList(['(odor = f)', '(x3)'])
    """
    if not isinstance(rule, str):
        return rule
    if rule.split()[:1] in (["if"], ["else"]):
        return RuleList.parse(rule)
    return BooleanFunction.parse(rule)


def layers_of(rule: Rule) -> tuple[BooleanFunction, ...]:
    """Return the layers, the lowest first; of a function itself, of the null function none.

    Examples
    --------
    >>> from bayesdnf import RuleList
    >>> from bayesdnf.model.rule import layers_of
    >>> layers_of(RuleList(["odor = f", "x3"]))
    (BooleanFunction('(x3)'), BooleanFunction('(odor = f)'))
    """
    if isinstance(rule, RuleList):
        return rule.layers[::-1]
    return () if rule.is_null else (rule,)


def one_line(rule: Rule) -> str:
    """Write a function or a list on one line, as :func:`as_rule` reads it.

    Examples
    --------
    >>> from bayesdnf import RuleList
    >>> from bayesdnf.model.rule import one_line
    >>> one_line(RuleList(["odor = f OR x3", "age >= 45"]))
    'if (odor = f) OR (x3) elif (age >= 45) else'
    >>> one_line(RuleList())
    'else'
    """
    if not isinstance(rule, RuleList):
        return str(rule)
    words = ["if", *["elif"] * (len(rule) - 1)]
    return " ".join([*(f"{word} {f}" for word, f in zip(words, rule, strict=False)), "else"])


def renamed(rule: Rule, write: Callable[[Literal], Literal]) -> Rule:
    """Write every literal of a function or a list in another way.

    Examples
    --------
    >>> from bayesdnf import RuleList
    >>> from bayesdnf.boolean import Literal
    >>> from bayesdnf.model.rule import one_line, renamed
    >>> rule = RuleList(["odor = f OR x3", "age >= 45"])
    >>> one_line(renamed(rule, lambda x: Literal("x9", "true")))
    'if (x9) elif (x9) else'
    """
    if isinstance(rule, RuleList):
        return RuleList([renamed_function(layer, write) for layer in rule.layers])
    return renamed_function(rule, write)


def renamed_function(
    function: BooleanFunction, write: Callable[[Literal], Literal]
) -> BooleanFunction:
    """Write every literal of a function in another way.

    Examples
    --------
    >>> from bayesdnf import BooleanFunction
    >>> from bayesdnf.model.rule import renamed_function
    >>> print(renamed_function(BooleanFunction("x1 AND x2"), lambda literal: ~literal))
    (NOT x1 AND NOT x2)
    """
    return BooleanFunction([list(map(write, term)) for term in function.literal_terms])
