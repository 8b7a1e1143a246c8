"""
Markers from PLINK files
========================

A geneticist has cases, controls and variants, and suspects that mutations act together.
This page goes from PLINK files to a combination of variants, to its uncertainty,
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
# Read and filter
# ---------------
#
# Every filter says what it left out.

study = read_study(folder / "study").filtered(Filters(maf=0.05))
print(*study.history, sep="\n")

# %%
# Find the markers
# ----------------
#
# One in twenty of the population is ill, half of the sample is: the model takes both
# into account and gives risks on the scale of the population.

effect = Effect(prevalence=0.05, sampling="case-control")
found = find_markers(study, effect=effect, random_state=0, n_jobs=2)
print(found.function)
found.terms[["TERM", "CASES", "CONTROLS", "PROB", "PROB_EXACT"]].round(2)

# %%
# Both combinations are found; linked variants say nearly the same, so that a term may
# name a neighbour of the variant that matters. ``PROB_EXACT`` is the probability of the
# term as it stands, ``PROB`` adds the neighbours that could stand in its place.
#
# The tests of single variants, beside what chance gives:

_ = plots.qq(found)

# %%
# Along the genome, rings are the probability that something in the place matters, dots
# that it is this very variant.

_ = plots.manhattan(found)

# %%
# Which variant is it?
# --------------------
#
# The region of the recessive term, with the variants that could take its place:

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
    xlabel="share on whom the marker holds",
)
ax.invert_yaxis()

# %%
# The marker tells cases from controls in the second cohort about as well as in the one
# it was found in. :doc:`/markers` is the reference: covariates and components, VCF
# files, scans of all pairs, limits; :doc:`/power` and :doc:`/null-studies` say how
# often markers are found, and how often one is named where there is none.
