"""
Markers from PLINK files
========================

A geneticist has cases, controls and variants, and suspects that mutations act together.
This page goes from PLINK files to a combination of mutations, to the doubts about it,
and to its test in another cohort. The study is made up, so that the truth is known.
"""

# %%
# A study with a known answer
# ---------------------------
#
# Thirty regions on six chromosomes, six linked variants in each. The risk is raised by
# carrying allele A of ``rs13`` *and* of ``rs127``, or by two copies of it at ``rs91``.
# Six hundred cases and six hundred controls go into ``study.bed``, ``.bim`` and
# ``.fam``; as many others are a second cohort.

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
# Read, filter, look for structure
# --------------------------------
#
# Every filter says what it left out. The quantiles of the single-variant tests tell
# whether the study as a whole is inflated.

study = read_study(folder / "study").filtered(Filters(maf=0.05))
print(*study.history, sep="\n")

# %%
# Find the markers
# ----------------
#
# One in twenty of the population is ill, half of the sample is: the model is told both,
# and gives risks on the scale of the population.

effect = Effect(prevalence=0.05, sampling="case-control")
found = find_markers(study, effect=effect, random_state=0, n_jobs=2)
print(found.function)
found.terms[["TERM", "CASES", "CONTROLS", "PROB", "PROB_EXACT"]].round(2)

# %%
# Both combinations are found. ``PROB_EXACT`` is the probability of the term as it
# stands; ``PROB`` adds the linked variants that could stand in its place.

_ = plots.qq(found)

# %%
# Along the genome, rings are the probability that something in the place matters, dots
# that it is this very variant.

_ = plots.manhattan(found)

# %%
# Which variant is it?
# --------------------
#
# Neighbours say nearly the same as the variant that matters. The region of the second
# term, with everything that could take the place of its literals:

_ = plots.region(found, 1)

# %%
# How sure is it?
# ---------------

print(f"no marker at all: {found.null_probability:.2g}")
print(found.adjustment.verdict)
print(*found.searched.sentences, sep="\n")
print(found.draws.diagnose().verdict)

# %%
# Another cohort
# --------------
#
# The folder that ``save_markers`` writes has tables, pictures, a report and the model.
# The model reads the genotypes of other people, matches variants by place and alleles,
# and says on whom the marker holds.

files = save_markers(found, folder / "results")
print(*sorted(file.name for file in files))
model = MarkerModel.load(folder / "results" / "model.json")
other = read_study(folder / "other")
answers = model.predict(model.read(folder / "other"))
marked = answers["MARKED"].to_numpy() == 1
shares = [marked[other.y].mean(), marked[~other.y].mean()]

fig, ax = plt.subplots(figsize=(6, 1.8), layout="constrained")
ax.barh(["cases", "controls"], shares, color=["C3", "C0"])
for place, share in enumerate(shares):
    ax.text(share + 0.01, place, f"{share:.0%}", va="center")
ax.set(xlim=(0, 1), xlabel="share of the second cohort on whom the marker holds")
ax.invert_yaxis()

# %%
# The marker holds on about as many cases and controls of the second cohort as in the
# first. :doc:`/markers` is the reference: covariates and components, VCF files, scans
# of all pairs, limits; :doc:`/power` and :doc:`/null-studies` say how often markers are
# found, and how often one is named where there is none.
