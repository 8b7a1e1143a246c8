"""Which of the checks of the samplers fails for which deliberate mistake.

Run as ``python -m tests.sampling.planted_faults MODULE``, with the native module of a build with
BAYESDNF_FAULTS; it prints, as JSON, what was noticed of each fault, no fault first.
"""

import importlib.util
import json
import sys

import numpy as np


def load(path):
    """Put a native module in the place of the installed one."""
    name = "bayesdnf._native"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def first_failure(problems, models):
    """Name the first check that fails, or None: scores, then steps of each kernel.

    A quarter of the steps, from a few lists, shows most faults, so these come first.
    """
    from tests.sampling.agreement import LEVEL, STEPS, score_error, step_p_value

    posteriors = [problem.posterior() for problem in problems]
    for posterior, model in zip(posteriors, models, strict=True):
        if score_error(posterior, model) > 1e-8:
            return "scores"
    tried = [
        (name, kernel, model)
        for posterior, model in zip(posteriors, models, strict=True)
        for name, kernel in kernels(posterior, model).items()
    ]

    def steps_fail(first, n):
        for name, kernel, model in tried:
            for i, rules in list(enumerate(model.scores))[first::6]:
                if step_p_value(kernel, model, [rules], [0, i], n=n) < LEVEL:
                    return name
        return None

    return (
        steps_fail(2, STEPS // 4)
        or ("tempered" if exchanges_fail(posteriors[-1], models[-1]) else None)
        or steps_fail(0, STEPS)
    )


def kernels(posterior, model):
    from bayesdnf.sampling.kernel import MoveKernel
    from bayesdnf.sampling.run import KERNELS

    listed = {(0,): 1.0, (1, 2): 3.0, (0, 2): 0.5}
    mix = {"listed birth": 0.7, "flip": 0.3}
    found = {name: KERNELS[name](posterior) for name in ("informed", "reversible_jump")}
    found["listed"] = MoveKernel("listed", posterior, mix, listed=listed)
    for move in ("jump", "respell"):
        found[move] = MoveKernel(move, posterior, {move: 0.7, "flip": 0.3})
    if model.layers > 1:
        for move in ("layer", "grown birth"):
            found[move] = MoveKernel(move, posterior, {move: 0.7, "flip": 0.3})
    return found


def exchanges_fail(posterior, model):
    from bayesdnf.sampling.kernel import MoveKernel
    from bayesdnf.sampling.tempered import tempered
    from tests.sampling.agreement import LEVEL, step_p_value

    betas, rng = (1.0, 0.3, 0.0), np.random.default_rng(0)
    jumping = MoveKernel("jump", posterior, {"jump": 0.7, "flip": 0.3}, betas=betas)
    for kernel, lists in ((tempered(posterior, betas), [*model.scores]), (jumping, model.known)):
        for i in range(4):
            starts = [lists[j] for j in rng.integers(0, len(lists), 3)]
            if step_p_value(kernel, model, starts, [1, i], step=19) < LEVEL:
                return True
    return False


def main(path):
    native = load(path)
    from tests.sampling.problems import Problem

    # Lists, some of which would leave no row to part 0, show most faults; functions those of
    # ordered rates.
    problems = [
        Problem(columns="negated", layers=3, strata=2),
        Problem(),
        Problem(seed=3, n_literals=5, columns="respelled", restriction={"max_terms": 2}),
    ]
    models = [problem.slow() for problem in problems]
    noticed = []
    for fault in range(native.N_FAULTS + 1):
        native.plant_fault(fault)
        noticed.append(first_failure(problems, models))
    print(json.dumps(noticed))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
