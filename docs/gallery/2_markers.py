"""
Markers from PLINK files
========================

This page searches a case-control study in PLINK files for combinations of variants that
act together (epistasis), estimates their posterior probabilities, and tests them in
another cohort. The study is simulated, so the true combinations are known.
"""

# %%
# A study with a known answer
# ---------------------------
#
# The study has thirty regions on six chromosomes, with six linked variants each. The
# risk is raised by allele A of both ``rs13`` *and* ``rs127``, or by two copies of
# allele A of ``rs91``. ``study.bed``, ``.bim`` and ``.fam`` have six hundred cases and
# six hundred controls; a second cohort has the same numbers.

import pathlib
import tempfile

import matplotlib.pyplot as plt
import numpy as np

from bayesdnf import Effect, plots
from bayesdnf.genomics import (
    Filters,
    Genotypes,
    MarkerModel,
    find_markers,
    read_study,
    write_plink,
)
from bayesdnf.report import save_markers

folder = pathlib.Path(tempfile.mkdtemp())
rng = np.random.default_rng(11)
n = 12_000
calls, places = [], []
for region in range(30):
    core = rng.random((2, n)) < rng.uniform(0.25, 0.4)  # the two haplotypes of each
    start = int(rng.integers(1, 150)) * 1_000_000
    for k in range(6):
        fresh = rng.random((2, n)) < core.mean()
        same = rng.random((2, n)) < (1, 0.998, 0.9, 0.8, 0.6, 0.4)[k]
        calls.append(np.where(same, core, fresh).sum(axis=0))
        place = start + (0, 9, -15, 31, -52, 80)[k] * 1000
        places.append((str(1 + region // 5), place))
calls = np.array(calls)
ill = ((calls[12] >= 1) & (calls[126] >= 1)) | (calls[90] == 2)
case = rng.random(n) < np.where(ill, 0.25, 0.04)


def write(name, first):
    own = [np.flatnonzero(case == kind)[first : first + 600] for kind in (True, False)]
    people = np.sort(np.concatenate(own))
    names = [f"rs{v + 1}" for v in range(180)]
    genotypes = Genotypes.from_copies(calls[:, people], ids=names)
    genotypes.variants["CHR"], genotypes.variants["POS"] = zip(*places, strict=True)
    genotypes.variants["A1"], genotypes.variants["A2"] = "A", "G"
    write_plink(genotypes, folder / name, y=case[people])


write("study", 0)
write("other", 600)

# %%
# Read and filter
# ---------------
#
# Every filter reports the number of samples or variants that it removes.

study = read_study(folder / "study").filtered(Filters(maf=0.05))
print(*study.history, sep="\n")

# %%
# Find the markers
# ----------------
#
# The prevalence in the population is one in twenty, but half of the sample are cases.
# The model accounts for this and gives risks on the scale of the population.

effect = Effect(prevalence=0.05, sampling="case-control")
found = find_markers(study, effect=effect, random_state=0, n_jobs=2)
print(found.function)
found.terms[["TERM", "CASES", "CONTROLS", "PROB", "PROB_EXACT"]].round(2)

# %%
# Both combinations are found. Linked variants carry nearly the same information, so a
# term may name a neighbour of the causal variant. ``PROB_EXACT`` is the probability of
# the term with exactly these variants, ``PROB`` includes neighbours that could replace
# them.
#
# A Q-Q plot of the tests of single variants:

_ = plots.qq(found)

# %%
# In the Manhattan plot, rings are the inclusion probability of a slot, dots that of a
# single variant.

_ = plots.manhattan(found)

# %%
# Which variant is causal?
# ------------------------
#
# The region of the recessive term, with the variants that could take its place:

_ = plots.region(found, 1)

# %%
# Uncertainty
# -----------

print(f"no marker at all: {found.null_probability:.2g}")
print(found.adjustment.verdict)
print(*found.searched.sentences, sep="\n")
print(found.draws.diagnose().verdict)

# %%
# Another cohort
# --------------
#
# ``save_markers`` writes a folder with tables, plots, a report and the model. The model
# reads the genotypes of another cohort, matches variants by position and alleles, and
# predicts the samples for which the marker holds.

files = save_markers(found, folder / "results")
print(*sorted(file.name for file in files))
model = MarkerModel.load(folder / "results" / "model.json")

fig, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
for k, name in enumerate(("study", "other")):
    y = read_study(folder / name).y
    marked = model.predict(model.read(folder / name))["MARKED"].to_numpy() == 1
    for place, kind in enumerate((True, False)):
        share = marked[y == kind].mean()
        at = place + 0.4 * k
        ax.barh(at, share, 0.36, color=("C3", "C0")[place], alpha=(0.5, 1)[k])
        ax.text(share + 0.01, at, f"{share:.0%}, {name}", va="center", fontsize=9)
ax.set(
    xlim=(0, 1.15),
    yticks=[0.2, 1.2],
    yticklabels=["cases", "controls"],
    xlabel="share for which the marker holds",
)
ax.invert_yaxis()

# %%
# The marker separates cases from controls in the second cohort about as well as in the
# first. :doc:`/markers` is the reference: covariates and components, VCF files, scans
# of all pairs, limits. :doc:`/power` measures power, :doc:`/null-studies` false
# positives.
