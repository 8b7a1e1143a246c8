"""Steps of find_markers, taken one by one."""

from bayesdnf import BooleanFunction, Effect, Prior
from bayesdnf.genomics.markers.tasks import MarkerSettings
from tests.genomics.planted import TRUTH

SETTINGS = MarkerSettings(
    prior=Prior(), effect=Effect(), codings=("dominant", "recessive", "heterozygous"),
    negations=True, keep=12, triples=8, gap=0, components=0, strata=(), adjust=True, build=None,
    r_squared=0.5, layers=1, permutations=0, holdout=0.0, draws=150, warmup=150, chains=2,
    time_limit=None, n_jobs=1, device="auto",
)  # fmt: skip


NULL = BooleanFunction()


FOUND = BooleanFunction.parse(TRUTH)
