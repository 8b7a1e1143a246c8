"""A fitted posterior as text and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..display import markup
from ..display.draws_html import functions_html
from ..display.offer import not_offered
from ..display.wording import count, plural
from ..errors import MissingExtraError
from .presentation import risk_lines, rules_text, table_text

if TYPE_CHECKING:
    import pandas as pd

    from .posterior_classifier import PosteriorDNFClassifier

MOST_FUNCTIONS = 5
_MOST_ITEMS = 10
_LEAST_SHOWN = 0.05

_STOPPED = {
    "done": "all draws were made",
    "time limit": "the time limit was reached",
    "interrupted": "it was interrupted",
}


def summary(model: PosteriorDNFClassifier) -> str:
    """Most probable rules, terms of the best one, inclusion, risks and trust, as text."""
    parts = [title(model), _functions_text(model)]
    if not model.map_.is_null:
        best = f"Terms of the drawn function of highest log posterior:\n{rules_text(model.rules_)}"
        parts.append(best)
    if len(included := top_inclusion(model)):
        parts.append(f"Probability that the rule holds:\n{table_text(included)}")
    parts.append("\n".join([*no_rule(model), *risks(model)]))
    parts.append("\n".join(trust(model)))
    return "\n\n".join(parts)


def as_html(model: PosteriorDNFClassifier) -> str:
    """Return the same for a notebook, shorter."""
    return markup.block(
        markup.paragraph([title(model)], strong=True),
        functions_html(model.draws_),
        markup.paragraph([*no_rule(model), *risks(model), *trust(model)]),
    )


def title(model: PosteriorDNFClassifier) -> str:
    """Say what was sampled, and how much."""
    drawn = model.draws_
    return (
        f"Posterior of the rule for {model.positive_!s}: {drawn.n_chains} "
        f"{plural(drawn.n_chains, 'chain')} of {drawn.n_draws:,} draws, "
        f"{count(drawn.n_functions, 'distinct function')}"
    )


def no_rule(model: PosteriorDNFClassifier) -> list[str]:
    """Say how probable it is that there is no rule, and what the outcome alone says of it."""
    never = model.null_probability_ == 0
    where = f" (in none of {model.draws_.index.size:,} draws)" if never else ""
    lines = [f"Probability that there is no rule at all: {model.null_probability_:.4g}{where}"]
    if model.bayes_factor_ is not None:
        lines.append(f"Bayes factor of some rule against none: {model.bayes_factor_}")
    if model.map_.is_null:
        lines += not_offered(model.encoder_)
    return lines


def _functions_text(model: PosteriorDNFClassifier) -> str:
    shown = model.draws_.top(MOST_FUNCTIONS)
    # Probabilities first: functions may be long.
    shown = shown[["probability", "same_rows", "log_posterior", "function"]]
    lines = [
        "Most probable functions:",
        table_text(shown),
        "same_rows: probability of all functions that mark the same rows of the table.",
    ]
    if (more := functions_left(model, len(shown))) is not None:
        lines.insert(2, more)
    return "\n".join(lines)


def functions_left(model: PosteriorDNFClassifier, shown: int) -> str | None:
    """Say how many functions are not shown, and their probability."""
    rest = model.draws_.probability[shown:]
    return f"… and {len(rest):,} more, together {rest.sum():.4g}" if len(rest) else None


def top_inclusion(model: PosteriorDNFClassifier) -> pd.DataFrame:
    """Return what is in the rule with some probability: literals and terms, most probable first."""
    table = model.inclusion_
    shown = table[table["kind"].isin(["literal", "term"]) & (table["probability"] >= _LEAST_SHOWN)]
    shown = shown.groupby("kind", sort=False).head(_MOST_ITEMS)
    return shown if (shown["equal"] != "").any() else shown.drop(columns="equal")


def risks(model: PosteriorDNFClassifier) -> list[str]:
    """Say both risks, over functions and rates."""
    return risk_lines(model, "" if model.null_probability_ < 1 else None)


def trust(model: PosteriorDNFClassifier) -> list[str]:
    """Say why sampling ended, how much moved, what the evidence is, and the verdict."""
    lines = [
        f"Sampling ({model.draws_.settings['kernel']}): {_STOPPED[model.stopped_]}; "
        f"{accepted(model):.1%} of proposed changes accepted."
    ]
    if model.evidence_ is not None:
        mean, spread = model.evidence_
        lines.append(f"Log evidence {mean:.4f}, standard deviation between chains {spread:.2g}.")
    lines.append(verdict(model))
    return lines


def accepted(model: PosteriorDNFClassifier) -> float:
    """Share of the proposed changes that were made, warm-up included."""
    return float(model.draws_.changed.sum() / max(1, model.draws_.tried.sum()))


def verdict(model: PosteriorDNFClassifier) -> str:
    """Say whether the draws can be trusted, or what is needed to tell."""
    try:
        return str(model.draws_.diagnose().verdict)
    except MissingExtraError as error:
        return str(error)
