"""
From cases to conditions
========================

Qualitative comparative analysis finds combinations of conditions that are sufficient
for an outcome, from a few well-known cases. The example is Lipset's: which European
democracies survived between the wars? The data were dichotomized by Rihoux and De Meur
(2009).
"""

# %%
# The cases
# ---------
#
# There are eighteen countries and five conditions: economic development, urbanization,
# literacy, industrialization, a stable government.

import matplotlib.pyplot as plt
import pandas as pd

from bayesdnf import PosteriorDNFClassifier, plots, qca

rows = """AU101100 BE111111 CZ111111 EE001010 FI101011 FR101111 DE111100 GR000000
          HU001000 IE101011 IT000010 NL111111 PL001000 PT000000 RO000010 ES000000
          SE101111 UK111111"""
cases = pd.DataFrame(
    [[int(digit) for digit in row[2:]] for row in rows.split()],
    index=[row[:2] for row in rows.split()],
    columns=["DEV", "URB", "LIT", "IND", "STB", "SURV"],
)

# %%
# The truth table
# ---------------
#
# The truth table has one row for each observed configuration. ``OUT`` is its outcome.

table = qca.truth_table(cases, "SURV", n_cut=1, incl_cut=0.8)
table.frame.drop(columns="PRI")

# %%
# Nine of 32 configurations have cases. The other 23 are logical remainders, about which
# minimization may make assumptions.

conditions = list(table.conditions)
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for place, row in enumerate(table.frame.itertuples()):
    colour = {"1": "C0", "0": "C3"}[row.OUT]
    for column, name in enumerate(conditions):
        face = colour if getattr(row, name) else "white"
        ax.scatter(column, place, s=140, facecolor=face, edgecolor=colour)
    ax.text(len(conditions) - 0.4, place, row.cases, va="center")
ax.set(
    xticks=range(len(conditions)),
    xticklabels=conditions,
    yticks=[],
    xlim=(-0.5, len(conditions) + 1.5),
    title="filled: present; blue: survived, red: did not",
)
ax.invert_yaxis()
ax.spines[:].set_visible(False)

# %%
# Three solutions
# ---------------
#
# The complex solution makes no assumption about configurations without cases.

complex_solution = qca.minimize(table, "complex")
print(complex_solution)
complex_solution.models[0].terms[["consistency", "raw_coverage", "unique_coverage"]]

# %%
# The parsimonious solution makes any assumption that simplifies it, and lists these
# assumptions.

parsimonious = qca.minimize(table, "parsimonious")
print(parsimonious)
parsimonious.assumptions()

# %%
# The intermediate solution makes only assumptions that agree with theory: here, that
# the presence of each condition contributes to the outcome.

print(qca.minimize(table, "intermediate", expectations=conditions))

# %%
# These are the published solutions. If several models tie, all are listed.
#
# Which conditions are necessary?

qca.necessity(cases, "SURV", expressions=["DEV", "LIT", "STB", "DEV*STB"]).round(3)

# %%
# Uncertainty with eighteen cases
# -------------------------------
#
# Minimization treats the table as certain. The Bayesian model allows each country to be
# an exception, and estimates the probability of each combination from the same cases.
# Both a condition and its absence are on offer.

posterior = PosteriorDNFClassifier(layers=1, random_state=0)
posterior.fit(cases[conditions], cases["SURV"])
print(f"no combination at all: {posterior.null_probability_:.3f}")
posterior.functions_[["function", "probability", "same_rows"]].head(6).round(3)

# %%
# The parsimonious solution is the most probable, the intermediate one is second. They
# mark the same countries, so only the prior distinguishes them: ``same_rows`` is their
# total probability. The inclusion probabilities of the literals:

_ = plots.inclusion(posterior.draws_)

# %%
# DEV and STB are in about nine of ten functions; the cases have little information
# about the other conditions. These results need no assumptions about logical
# remainders. The diagnostics of the chains:

print(posterior.diagnostics_.verdict)
