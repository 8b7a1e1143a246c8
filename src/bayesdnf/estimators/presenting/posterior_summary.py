"""A fitted posterior as text and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...boolean import RuleList
from ...display import markup
from ...display.draws_html import functions_html
from ...display.offer import not_offered
from ...display.wording import count, plural, text_list, with_interval
from ...errors import InputError, MissingExtraError
from ...model.rule import layers_of, one_line
from ...sampling.draws import Draws
from ...sampling.judging.chain_limits import LEAST_SHARE
from ..averaging.representative import Representative
from ..class_shares import class_parts_table
from ..rules import parts_table
from .rule_summary import column_lines, risk_lines, told_apart
from .rule_tables import class_text, part_name, rules_text, table_text

if TYPE_CHECKING:
    import pandas as pd

    from ..posterior_classifier import PosteriorDNFClassifier

MOST_FUNCTIONS = 5
_MOST_ITEMS = 10
_HALF = 0.5
_LEAST_SHOWN = 0.05
_LEAST_NEVER_DRAWN = 0.005

_STOPPED = {
    "done": "all draws were made",
    "time limit": "the time limit was reached",
    "interrupted": "it was interrupted",
}


def summary(model: PosteriorDNFClassifier) -> str:
    """Most probable rules, the representative one, inclusion, risks and trust, as text."""
    doubt = model.draws_.doubt
    parts = [*([doubt] if doubt else []), title(model), *column_lines(model)]
    if lead := none_stands_out(model):
        shown = [lead, *representative(model)]
        parts.append("\n".join([*shown, "", table_text(literal_certainty(model))]))
    parts.append(_functions_text(model))
    if not model.map_.is_null:
        noun = model.draws_.noun
        best = f"Terms of the drawn {noun} of highest log posterior:\n{rules_text(model.rules_)}"
        parts.append(best)
    if len(included := top_inclusion(model)):
        parts.append(f"Probability that the rule contains:\n{table_text(included)}")
    if not lead and (shown := representative(model)):
        parts.append("\n".join(shown))
    parts.append("\n".join([*no_rule(model), *risks(model)]))
    parts.append("\n".join(trust(model)))
    return "\n\n".join(parts)


def as_html(model: PosteriorDNFClassifier) -> str:
    """Return the same for a notebook, shorter."""
    doubt, lead = model.draws_.doubt, none_stands_out(model)
    shown = [functions_html(model.draws_), *_representative_html(model)]
    if lead:
        sure = literal_certainty(model)
        cells = [[str(x), *(f"{p:.3f}" for p in rest)] for x, *rest in sure.to_numpy().tolist()]
        shown = [
            markup.paragraph([lead]),
            *shown[1:],
            markup.table(tuple(sure.columns), cells, wide=0),
            shown[0],
        ]
    return markup.block(
        *([markup.paragraph([doubt], strong=True)] if doubt else []),
        markup.paragraph([title(model)], strong=True),
        *([markup.paragraph(said)] if (said := column_lines(model)) else []),
        *shown,
        markup.paragraph([*no_rule(model), *risks(model), *trust(model)]),
    )


def title(model: PosteriorDNFClassifier) -> str:
    """Describe what was sampled, and how much."""
    drawn = model.draws_
    return (
        f"Posterior of the rule for {told_apart(model)}: {drawn.n_chains} "
        f"{plural(drawn.n_chains, 'chain')} of {drawn.n_draws:,} draws, "
        f"{count(drawn.n_functions, f'distinct {drawn.noun}')}"
    )


def none_stands_out(model: PosteriorDNFClassifier) -> str | None:
    """Warn when no rule has half of the probability, as comes before any of them."""
    drawn = model.draws_
    shares = drawn.answers.probability if drawn.settled else np.sort(drawn.frequency)[::-1]
    if drawn.only_null or len(shares) == 0 or shares[0] >= _HALF:
        return None
    # What was never drawn has a share, too: those that were may not reach a half together.
    needed = min(int(np.searchsorted(np.cumsum(shares), _HALF)) + 1, len(shares))
    half = "half of the probability" if drawn.settled else "half of the draws"
    return (
        f"No rule stands out: {count(needed, f'{drawn.noun}')} share {half}. The rule that "
        f"represents their average comes first, then the probabilities of its literals."
    )


def literal_certainty(model: PosteriorDNFClassifier) -> pd.DataFrame:
    """Return how probable it is that the rule holds each literal of the representative one.

    Returns
    -------
    DataFrame
        ``literal``, in the order of the rule; ``probability`` that the rule holds it; and that it
        uses its ``column`` at all, in whatever literal.
    """
    import pandas as pd

    try:
        rule = model.representative().rule
    except InputError:
        rule = model.map_
    shares = {
        kind: dict(zip(own.names, own.probability.tolist(), strict=True))
        for kind in ("literal", "attribute")
        for own in [model.draws_.inclusion_by_chain(kind)]
    }
    terms = [term for layer in reversed(layers_of(rule)) for term in layer.literal_terms]
    literals = list(dict.fromkeys(literal for term in terms for literal in term))
    return pd.DataFrame(
        {
            "literal": [str(x) for x in literals],
            "probability": [shares["literal"].get(str(x), 0.0) for x in literals],
            "column": [shares["attribute"].get(x.attribute, 0.0) for x in literals],
        }
    )


def representative(model: PosteriorDNFClassifier) -> list[str]:
    """Show the rule that stands for the average, the risks of its parts, and what is lost by it."""
    try:
        shown = model.representative()
    except InputError as error:
        return [str(error)]
    rule = shown.rule
    if isinstance(rule, RuleList):
        lines = rule.to_text(outcomes(model, shown)).splitlines()
    else:
        lines = str(rule).splitlines()
    parts = [f"  {name} ({rows}): {said}" for name, rows, said in _parts(model, shown)]
    return [_representative_title(shown), *(f"  {line}" for line in lines), *parts, _lost(shown)]


def outcomes(model: PosteriorDNFClassifier, shown: Representative) -> list[Any]:
    """Return what the representative rule predicts in each part, part 0 first.

    Risks, or with more than two classes dicts of each class's probability.
    """
    [own] = model._own_probabilities(shown, None)
    if shown.shares is not None:
        labels = model.classes_.tolist()
        return [dict(zip(labels, part, strict=True)) for part in own.tolist()]
    return [float(risk) for risk in own[:, model._positive_index]]


def _representative_html(model: PosteriorDNFClassifier) -> list[str]:
    try:
        shown = model.representative()
    except InputError as error:
        return [markup.paragraph([str(error)])]
    outcomes = [said for _, _, said in _parts(model, shown)]
    layers = [layer.terms for layer in reversed(layers_of(shown.rule))]
    return [
        markup.paragraph([_representative_title(shown)], strong=True),
        markup.rule_list(layers, outcomes),
        markup.paragraph([_lost(shown)]),
    ]


def _representative_title(shown: Representative) -> str:
    n = shown.rule.n_literals
    return f"Representative rule ({count(n, 'literal')}, at most {shown.max_literals}):"


def _parts(model: PosteriorDNFClassifier, shown: Representative) -> list[tuple[str, str, str]]:
    """Name, rows, and probabilities of each part; the else comes last.

    What it predicts, the risk by its own rows, and whether that is raised or lowered. With more
    than two classes the most probable one and the shares of others.
    """
    cells, labels = shown.cells.sum(axis=0), model.classes_.tolist()
    if shown.shares is not None:
        table = class_parts_table(shown.rule, cells, shown.shares, labels)
        said = [class_text(part, ".4g") for part in table.to_dict("records")]
    else:
        table = parts_table(shown.rule, cells, shown.risks, model._base_risk())
        predicted = reversed(outcomes(model, shown))
        said = [
            f"predicted {own:.4g}, by its rows "
            f"{with_interval(part['rate'], part['low'], part['high'], '.4g')}, {part['risk']}"
            for own, part in zip(predicted, table.to_dict("records"), strict=True)
        ]
    names = {} if isinstance(shown.rule, RuleList) else {0: "elsewhere", 1: "where it holds"}
    return [
        (
            names.get(part, part_name(part)),
            f"{rows:,} of {shown.cells.sum():,} rows",
            text,
        )
        for part, rows, text in zip(table["part"], table["rows"], said, strict=True)
    ]


def _lost(shown: Representative) -> str:
    return (
        f"Log loss compared with the average: {shown.loss:.2g} nats per row more; without a rule "
        f"{shown.base_loss:.2g} more."
    )


def no_rule(model: PosteriorDNFClassifier) -> list[str]:
    """Describe how probable it is that there is no rule, and what the outcome alone says of it."""
    drawn = model.draws_
    share = "in none" if drawn.null_frequency == 0 else f"in {drawn.null_frequency:.4g}"
    none = f"{drawn.null_probability:.4g}" if drawn.settled else f"at most {drawn.null_at_most:.4g}"
    lines = [f"Probability of no rule: {none} ({share} of {drawn.index.size:,} draws)"]
    if model.bayes_factor_ is not None:
        lines.append(f"Bayes factor of some rule against none: {model.bayes_factor_}")
    if model.one_layer_bayes_factor_ is not None:
        factor = model.one_layer_bayes_factor_
        lines.append(f"Bayes factor of one layer against several: {factor}")
    if model.map_.is_null:
        lines += not_offered(model.encoder_)
    return lines


def _functions_text(model: PosteriorDNFClassifier) -> str:
    shown, noun = model.draws_.top(MOST_FUNCTIONS), model.draws_.noun
    alike = {"function": "mark the same rows of the table"}.get(noun, "have the same partition")
    # Probabilities first, in the order in which the table is sorted: functions may be long.
    own = "probability" if model.draws_.settled else "at_most"
    first = [own, "same_rows"] if noun == "function" else ["same_rows", own]
    shown = shown[[*first, "log_posterior", "function"]]
    shown = shown.assign(function=[one_line(rule) for rule in shown["function"]])
    lines = [
        f"Most probable {noun}s:",
        table_text(shown.rename(columns={"function": noun})),
        f"same_rows: probability of all {noun}s that {alike}.",
    ]
    if (more := functions_left(model, len(shown))) is not None:
        lines.insert(2, more)
    return "\n".join(lines)


def functions_left(model: PosteriorDNFClassifier, shown: int) -> str | None:
    """Describe how many functions, or answers of lists, are not shown, and their probability."""
    draws = model.draws_
    rest = draws.answers.probability[shown:]
    more = [f"… and {len(rest):,} more, together {rest.sum():.4g}"] if len(rest) else []
    if draws.layers == 1 and draws.never_drawn >= _LEAST_NEVER_DRAWN:
        more.append(f"functions never drawn about {draws.never_drawn:.2g}")
    return "; ".join(more) or None


def top_inclusion(model: PosteriorDNFClassifier) -> pd.DataFrame:
    """Return what is in the rule with some probability: literals and terms, most probable first."""
    table = model.inclusion_
    shown = table[table["kind"].isin(["literal", "term"]) & (table["probability"] >= _LEAST_SHOWN)]
    shown = shown.groupby("kind", sort=False).head(_MOST_ITEMS)
    return shown if (shown["equal"] != "").any() else shown.drop(columns="equal")


def risks(model: PosteriorDNFClassifier) -> list[str]:
    """Describe both risks, averaged; lists, strata and classes have more than two."""
    if model.draws_.only_null:
        return risk_lines(model)
    return risk_lines(model, "") if model.draws_.simple else pooled(model)


def pooled(model: PosteriorDNFClassifier) -> list[str]:
    """Describe over how many strata risks are pooled, if there are any."""
    if model.strata_ is None:
        return []
    strata = count(len(model.strata_), "stratum", "strata")
    return [f"Risks are pooled over {strata}; predict_proba takes strata."]


def trust(model: PosteriorDNFClassifier) -> list[str]:
    """Explain why sampling ended, how much moved, what the evidence is, and the verdict."""
    lines = [
        f"Sampling ({model.draws_.settings['kernel']}): {_STOPPED[model.stopped_]}; "
        f"{accepted(model):.1%} of proposed changes accepted."
    ]
    if model.evidence_ is not None:
        mean, spread = model.evidence_
        lines.append(f"Log evidence {mean:.4f}, standard deviation between chains {spread:.2g}.")
    lines += _left_out(model.draws_)
    if not model.draws_.doubt:  # which stands at the top
        lines.append(verdict(model))
    return lines


def _left_out(drawn: Draws) -> list[str]:
    """Describe which chains do not count in averages."""
    out = [str(i + 1) for i in range(drawn.n_chains) if i not in drawn.counted]
    if not out:
        return []
    chains = f"{plural(len(out), 'chain')} {text_list(out, 'and')}"
    return [
        f"Averages exclude {chains}: by exact scores, the functions drawn there have less than "
        f"{LEAST_SHARE:g} of the posterior."
    ]


def accepted(model: PosteriorDNFClassifier) -> float:
    """Share of the proposed changes that were made, warm-up included."""
    return float(model.draws_.changed.sum() / max(1, model.draws_.tried.sum()))


def verdict(model: PosteriorDNFClassifier) -> str:
    """Describe whether the draws can be trusted, or what is needed to tell."""
    try:
        return str(model.draws_.diagnose().verdict)
    except MissingExtraError as error:
        return str(error)
