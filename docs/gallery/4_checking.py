"""
Checking the posterior
======================

Four checks for statisticians: draws against exact probabilities, chains against each
other, simulation-based calibration, and posterior predictive checks.
"""

# %%
# Against enumeration
# -------------------
#
# On five literals there are 7580 functions, and ``Posterior.enumerate`` scores all of
# them. With forty rows the posterior is spread over many functions.

import matplotlib.pyplot as plt
import numpy as np

from bayesdnf import (
    BitMatrix,
    Posterior,
    PosteriorDNFClassifier,
    Prior,
    plots,
    sample,
    simulate,
)

X, y, truth = simulate(40, 5, terms=(2, 2), pi0=0.2, pi1=0.8, random_state=2)
posterior = Posterior(BitMatrix.from_table(X), y)
exact = posterior.enumerate()
drawn = sample(posterior, draws=5000, thin=20, random_state=0, n_jobs=2)
exact.head()

# %%
# The picture shows the share of draws of every function against its exact probability;
# the band is two standard errors of independent draws.

top = drawn.top()
share = dict(zip(map(str, top["function"]), top["probability"], strict=True))
shown = exact[exact["probability"] > 1e-4]
p = shown["probability"].to_numpy()
found = np.array([share.get(str(function), 0.0) for function in shown["function"]])
every = drawn.index.size

fig, ax = plt.subplots(figsize=(5, 4.5), layout="constrained")
grid = np.geomspace(p.min(), p.max(), 100)
spread = 2 * np.sqrt(grid * (1 - grid) / every)
ax.fill_between(grid, np.maximum(grid - spread, 1e-5), grid + spread, color="0.85")
ax.plot(grid, grid, color="0.5", lw=1)
ax.scatter(p, np.maximum(found, 1e-5), s=8)
ax.set(xscale="log", yscale="log", xlabel="exact probability", ylabel="share of draws")

distance = np.abs(found - p).sum() / 2
print(f"total variation on these {len(p)} functions: {distance:.4f}")

# %%
# The draws of a chain are autocorrelated, so points leave the band a little more often
# than with independent draws. The tests do the same for every kernel and for every
# single move (:doc:`/sampling`).
#
# Chains against each other
# -------------------------
#
# Larger problems have no exact answer. Agreement of chains with different starting
# points is the next best evidence.

X, y, truth = simulate(300, 60, terms=(2, 3), random_state=1)
model = PosteriorDNFClassifier(layers=1, random_state=0, n_jobs=2).fit(X, y)
print(model.diagnostics_.verdict)
_ = plots.trace(model.draws_)

# %%
# The same table with chains that are much too short. There is no error; only the
# verdict shows the problem:

hasty = PosteriorDNFClassifier(
    layers=1, draws=200, warmup=0, thin=1, random_state=0
).fit(X, y)
print(hasty.diagnostics_.verdict)

# %%
# Simulation-based calibration
# ----------------------------
#
# Draw a function and rates from the prior and an outcome from them, and sample the
# posterior given this outcome. If the computation is correct, the rank of the true
# function among the sampled functions is uniform, for any statistic. Here the statistic
# is the log score, which is sensitive to errors in prior and likelihood. Ties are
# frequent on a discrete space and are broken at random.

rng = np.random.default_rng(0)
table = simulate(60, 6, random_state=0).X
bits = BitMatrix.from_table(table)
prior = Prior()
ranks = []
while len(ranks) < 300:
    [function] = prior.sample(bits, random_state=rng)
    low, high = np.sort(rng.random(2))  # two uniform rates, in order
    if function.is_null:
        low = high = rng.random()  # the null function has one rate
    outcome = rng.random(60) < np.where(function(table), high, low)
    if outcome.all() or not outcome.any():
        continue  # would be refused; leaving it out changes no other posterior
    given = Posterior(bits, outcome, prior)
    chain = sample(
        given, draws=99, warmup=20, thin=20, chains=1, random_state=len(ranks)
    )
    scores = chain.log_score[chain.index[0]]
    own = given.log_score(function)
    lower, equal = (scores < own - 1e-9).sum(), (np.abs(scores - own) <= 1e-9).sum()
    ranks.append(lower + rng.integers(equal + 1))

fig, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
ax.hist(ranks, bins=np.arange(0, 101, 10), color="C0", edgecolor="white")
ax.axhspan(30 - 2 * np.sqrt(27), 30 + 2 * np.sqrt(27), color="0.85", zorder=0)
ax.set(
    xlabel="rank of the true function's score among 99 draws", ylabel="of 300 repeats"
)

# %%
# The histogram is flat, with about one bar in twenty outside the band by chance: the
# sampler is calibrated. ``make calibrate`` does longer runs, for several quantities and
# priors.
#
# The model against the data
# --------------------------
#
# Posterior predictive checks test whether the model could have generated the data. Here
# the risk increases with the *number* of symptoms, and no rule is right.

table = simulate(600, 8, random_state=3).X
symptoms = np.asarray(table).sum(axis=1)
risk = 1 / (1 + np.exp(-(1.5 * symptoms - 5.5)))
outcome = rng.random(600) < risk
model = PosteriorDNFClassifier(layers=1, random_state=0, n_jobs=2).fit(table, outcome)
replicated = model.posterior_predictive(table, size=500, random_state=0)

fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
levels = np.unique(symptoms)
rates = np.array([replicated[:, symptoms == level].mean(axis=1) for level in levels])
ax.fill_between(
    levels,
    *np.quantile(rates, [0.025, 0.975], axis=1),
    color="0.85",
    label="predicted, 95 %",
)
ax.plot(
    levels,
    [outcome[symptoms == level].mean() for level in levels],
    "o",
    label="observed",
)
ax.set(xlabel="number of symptoms", ylabel="share of positives")
ax.legend()

# %%
# The check detects the misfit: with few symptoms there are fewer positives than
# predicted, with many symptoms more. The average over rules increases too, but not
# steeply enough. An additive model is better here.
#
# ``to_datatree(log_likelihood=True)`` converts the draws for ArviZ: leave-one-out
# cross-validation and more.
