"""The task of find_markers, shared by all steps: the study, the settings, the clock."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...boolean.literal import CODINGS
from ...checks import seconds, whole
from ...errors import ParameterError
from ...gpu.device import wants_gpu
from ...model.effect import Effect
from ...model.prior import Prior
from ...model.streams import Streams
from ..association.adjustment import Adjustment, adjust
from ..study import Study
from .scoring import Scoring
from .screening import StageProgress
from .step_files import StepFiles

_HOLD = 3  # number of the random stream; results depend on it


@dataclass(frozen=True, kw_only=True)
class MarkerSettings:
    """The settings of :func:`find_markers`."""

    prior: Prior
    effect: Effect
    codings: tuple[str, ...]
    negations: bool
    keep: int
    triples: int
    gap: int
    components: int
    strata: tuple[str, ...]
    adjust: bool
    build: str | None
    r_squared: float
    layers: int
    permutations: int
    holdout: float
    draws: int
    warmup: int
    chains: int
    time_limit: float | None
    n_jobs: int
    device: str

    def checked(self) -> MarkerSettings:
        """Check the numbers before anything is scanned; return them as plain ints."""
        least = {
            "keep": 1, "triples": 0, "gap": 0, "components": 0, "permutations": 0,
            "draws": 1, "warmup": 0, "chains": 1, "n_jobs": 1, "layers": 1,
        }  # fmt: skip
        numbers: dict[str, Any] = {
            name: whole(name, "find_markers", getattr(self, name), low)
            for name, low in least.items()
        }
        if not 0 <= self.holdout <= 0.9:
            raise ParameterError.of("holdout", "find_markers", "between 0 and 0.9", self.holdout)
        seconds("time_limit", "find_markers", self.time_limit)
        if not self.codings or not set(self.codings) <= set(CODINGS):
            must = f"some of {', '.join(CODINGS)}"
            raise ParameterError.of("codings", "find_markers", must, ", ".join(self.codings))
        wants_gpu(self.device, "find_markers", None, worth_it=False)
        return replace(self, **numbers)

    def recorded(self, seed: Any) -> dict[str, Any]:
        """Return the settings on which results depend, for model files and reports."""
        return {
            "prior": repr(self.prior), "effect": repr(self.effect), "codings": list(self.codings),
            "negations": self.negations, "keep": self.keep, "triples": self.triples,
            "gap": self.gap, "components": self.components, "strata": list(self.strata),
            "adjust": self.adjust, "build": self.build, "r_squared": self.r_squared,
            "layers": self.layers, "permutations": self.permutations, "holdout": self.holdout,
            "draws": self.draws, "warmup": self.warmup, "chains": self.chains, "seed": seed,
        }  # fmt: skip


class Clock:
    """Seconds that each step took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.monotonic()

    def note(self, step: str) -> None:
        """Add the time since the last call to a step."""
        now = time.monotonic()
        self.seconds[step] = self.seconds.get(step, 0.0) + now - self._since
        self._since = now


@dataclass(frozen=True, eq=False)
class MarkerTask:
    """The input of every step: the study, its settings and the progress callback.

    Parameters
    ----------
    study : Study
        The data.
    settings : MarkerSettings
        The settings.
    streams : Streams
        Random numbers.
    progress : callable or None
        Called as ``progress(what, done, total)``.
    adjustment : Adjustment
        Covariates, strata, and the inflation of tests.
    scoring : Scoring
        Scores of functions on all variants of the study.
    files : StepFiles
        Files for the states of long steps.
    held : Study or None
        Held-out samples for testing the terms.
    clock : Clock
        Duration of the steps.
    """

    study: Study
    settings: MarkerSettings
    streams: Streams
    progress: StageProgress | None
    adjustment: Adjustment
    scoring: Scoring
    files: StepFiles
    held: Study | None = None
    clock: Clock = field(default_factory=Clock)

    @classmethod
    def of(
        cls,
        study: Study,
        settings: MarkerSettings,
        random_state: int | np.random.SeedSequence | None = None,
        progress: StageProgress | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> MarkerTask:
        """Check the settings, make strata, and get ready to score functions on the study."""
        s, clock = settings.checked(), Clock()
        if checkpoint is not None and random_state is None:
            must = "given when there is a checkpoint, or no later run could resume from it"
            raise ParameterError.of("random_state", "find_markers", must, None)
        files = StepFiles(checkpoint)
        streams = Streams(random_state, "find_markers")
        # Strata, components, scans and search see none of the held-out samples.
        study, held = _split(study, s.holdout, np.random.default_rng(streams.child(_HOLD)))
        adjustment = adjust(
            study.genotypes, study.y, study.covariates, components=s.components,
            columns=s.strata, by_risk=s.adjust, build=s.build,
        )  # fmt: skip
        effect = s.effect
        if adjustment.strata is not None:
            # The retrospective likelihood conditions on the outcome, so the sampling of cases and
            # controls does not matter unless they were matched within strata.
            effect = Effect(**{**effect.get_params(), "sampling": "random"})
            effect = effect.resolved(strata=len(adjustment.strata))
        scoring = Scoring(
            study.genotypes, study.y, s.prior, effect, s.codings, s.negations, s.gap,
            adjustment.numbers,
        )  # fmt: skip
        clock.note("components, strata and inflation")
        return cls(study, s, streams, progress, adjustment, scoring, files, held, clock)


def _split(study: Study, share: float, rng: np.random.Generator) -> tuple[Study, Study | None]:
    """Hold out a share of the cases, of the controls and of the families."""
    if share == 0:
        return study, None
    held = np.zeros(len(study.y), dtype=np.bool_)
    for case in (True, False):
        some = np.flatnonzero(study.y == case)
        held[rng.permutation(some)[: round(share * len(some))]] = True
    if study.families is not None:  # relatives on both sides would not be independent
        held &= study.families == 0
    searched = study.take(~held)
    said = f"{int(held.sum()):,} of {len(held):,} samples were held out of the search."
    return replace(searched, history=(*study.history, said)), study.take(held)
