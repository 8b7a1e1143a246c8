"""Which of the checks of the samplers fails for which deliberate mistake.

Run as ``python -m sampling.planted_faults MODULE``, with the native module of a build with
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


def first_failure(problem, model):
    """Name the first check that fails, or None: scores, then steps of each kernel."""
    from bayesdnf.sampling.kernel import MoveKernel
    from bayesdnf.sampling.run import KERNELS
    from bayesdnf.sampling.tempered import tempered
    from sampling.agreement import LEVEL, score_error, step_p_value

    posterior = problem.posterior()
    if score_error(posterior, model) > 1e-8:
        return "scores"
    functions = list(model.scores)
    listed = {(0,): 1.0, (1, 2): 3.0, (0, 2): 0.5}
    mix = {"listed birth": 0.7, "flip": 0.3}
    kernels = {name: KERNELS[name](posterior) for name in ("informed", "reversible_jump")}
    kernels["listed"] = MoveKernel("listed", posterior, mix, listed=listed)
    for name, kernel in kernels.items():
        for i, function in enumerate(functions):
            if step_p_value(kernel, model, [function], [0, i]) < LEVEL:
                return name
    kernel = tempered(posterior, (1.0, 0.3, 0.0))
    rng = np.random.default_rng(0)
    for i in range(4):
        starts = [functions[j] for j in rng.integers(0, len(functions), 3)]
        if step_p_value(kernel, model, starts, [1, i], step=19) < LEVEL:
            return "tempered"
    return None


def main(path):
    native = load(path)
    from sampling.problems import Problem

    problem = Problem()
    model = problem.slow()
    noticed = []
    for fault in range(native.N_FAULTS + 1):
        native.plant_fault(fault)
        noticed.append(first_failure(problem, model))
    print(json.dumps(noticed))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
