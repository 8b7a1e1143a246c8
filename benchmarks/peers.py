"""Accuracy, size and seconds of bayesdnf beside other learners, on the same folds in one run.

Every method has its own default settings (the exceptions stand in METHODS), seed 0 and one thread.
Those that do not take texts get every level of every column as a 0/1 column. Each fit is a process
of its own with a limit on CPU seconds and on memory; a method that breaks a limit on one fold is
"unfinished" on that set, and its other folds are not tried.

AUC is computed from ``predict_proba``, or from the predicted classes where a method has none or
takes seconds for it. Seconds are CPU seconds of ``fit``, the coding of the columns included.

Literals are the conditions that have to be read. In a set of rules: the conditions of all rules,
and RuleFit's linear terms. A tree is written as an OR of ANDs: the conditions on the paths to all
leaves that predict 1. In a sum of trees (FIGS) every leaf counts, as every leaf adds to the answer.
EBM and the random forest have none.

``make bench-peers`` sets up the environment and runs this. Results are saved after every set; with
``--methods`` or ``--sets`` only those entries of the saved results are measured again.
"""

from __future__ import annotations

import datetime
import json
import multiprocessing
import os
import random
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.metadata import version
from multiprocessing.connection import Connection
from typing import IO, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from bayesdnf import DNFClassifier, Prior

from .folds import GROUPS, Rows, Set, sets
from .writing import RESULTS, arguments, show, write

CPU_SECONDS = 60  # of a fit and its predictions
CLOCK_SECONDS = 900  # for a process that waits instead of working, or a busy machine
MEMORY = 6 * 2**30
QUICK = ("tic-tac-toe", "monks-1", "titanic")
LEAVES = (2, 4, 8, 16, 32, 64, 128)
MEASURES = ("auc", "accuracy", "literals", "splits", "predicted_positive", "seconds")
FORK = multiprocessing.get_context("fork")  # children find everything imported already


class Method(NamedTuple):
    """A learner: how to make it, and how to count its literals (and splits) once fitted."""

    package: str
    make: Callable[[int], Any]  # from a number of threads
    size: Callable[[Any], dict[str, int]] | None
    probabilities: bool = True


class Wittgenstein:
    """RIPPER or IREP with the calls of scikit-learn."""

    def __init__(self, name: str) -> None:
        self.learner = getattr(import_module("wittgenstein"), name)(random_state=0)

    def fit(self, X: pd.DataFrame, y: NDArray[np.int64]) -> Wittgenstein:
        """Learn rules for class 1; it wants the labels as a list."""
        self.learner.fit(X, y.tolist(), pos_class=1)
        return self

    def predict(self, X: pd.DataFrame) -> NDArray[np.int64]:
        """Return 1 where a rule holds."""
        return np.asarray(self.learner.predict(X)).astype(np.int64)


def one_hot(estimator: Any) -> Any:
    """Give an estimator a 0/1 column for every level; a level not seen in training is all 0."""
    return make_pipeline(OneHotEncoder(handle_unknown="ignore", sparse_output=False), estimator)


def imodels(name: str, **settings: Any) -> Callable[[int], Any]:
    """Make a maker of a learner of imodels."""
    return lambda jobs: one_hot(getattr(import_module("imodels"), name)(**settings))


def ebm(jobs: int) -> Any:
    """Make an explainable boosting machine."""
    glassbox = import_module("interpret.glassbox")
    return glassbox.ExplainableBoostingClassifier(random_state=0, n_jobs=jobs)


def pruned_tree(jobs: int) -> Any:
    """Make a tree whose number of leaves is chosen by five inner folds, the fewest of equals."""
    tree = one_hot(DecisionTreeClassifier(random_state=0))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)  # some tables are sorted
    return GridSearchCV(tree, {"decisiontreeclassifier__max_leaf_nodes": LEAVES}, cv=folds)


def size_of_tree(pipeline: Any) -> dict[str, int]:
    """Count conditions on the paths to leaves that predict 1, and splits."""
    tree = pipeline[-1].tree_
    literals, splits, nodes = 0, 0, [(0, 0)]
    while nodes:
        node, depth = nodes.pop()
        if tree.children_left[node] >= 0:
            splits += 1
            nodes += [(tree.children_left[node], depth + 1), (tree.children_right[node], depth + 1)]
        elif tree.value[node, 0, 1] > tree.value[node, 0, 0]:
            literals += depth
    return {"literals": literals, "splits": splits}


def size_of_figs(pipeline: Any) -> dict[str, int]:
    """Count conditions on the paths to all leaves of all trees, and splits."""
    literals, splits = 0, 0
    nodes = [(tree, 0) for tree in pipeline[-1].trees_]
    while nodes:
        node, depth = nodes.pop()
        if node.left is not None:
            splits += 1
            nodes += [(node.left, depth + 1), (node.right, depth + 1)]
        else:
            literals += depth
    return {"literals": literals, "splits": splits}


def size_of_dnf(model: Any) -> dict[str, int]:
    """Count the literals of our function."""
    return {"literals": model.function_.n_literals}


def size_of_ripper(model: Any) -> dict[str, int]:
    """Count the conditions of RIPPER or IREP."""
    return {"literals": sum(len(rule.conds) for rule in model.learner.ruleset_.rules)}


def size_of_boa(pipeline: Any) -> dict[str, int]:
    """Count the conditions of BOA."""
    return {"literals": sum(map(len, pipeline[-1].rules_))}


def size_of_weighted_rules(pipeline: Any) -> dict[str, int]:
    """Take what RuleFit and SkopeRules count: conditions, and linear terms that are not zero."""
    return {"literals": int(pipeline[-1].complexity_)}


METHODS = {
    "bayesdnf": Method(
        "bayesdnf",
        lambda jobs: DNFClassifier(negations=False, random_state=0, n_jobs=jobs),
        size_of_dnf,
    ),
    "bayesdnf with negations": Method(
        "bayesdnf",
        lambda jobs: DNFClassifier(negations=True, random_state=0, n_jobs=jobs),
        size_of_dnf,
    ),
    "RIPPER": Method("wittgenstein", lambda jobs: Wittgenstein("RIPPER"), size_of_ripper, False),
    "IREP": Method("wittgenstein", lambda jobs: Wittgenstein("IREP"), size_of_ripper, False),
    # Its default of ten literals a rule cannot be used: it enumerates them all.
    "BOA": Method("imodels", imodels("BayesianRuleSetClassifier", maxlen=3), size_of_boa, False),
    "SkopeRules": Method(
        "imodels", imodels("SkopeRulesClassifier", random_state=0), size_of_weighted_rules
    ),
    "RuleFit": Method(
        "imodels", imodels("RuleFitClassifier", random_state=0), size_of_weighted_rules
    ),
    "FIGS": Method("imodels", imodels("FIGSClassifier", random_state=0), size_of_figs),
    "tree": Method(
        "scikit-learn", lambda jobs: one_hot(DecisionTreeClassifier(random_state=0)), size_of_tree
    ),
    "tree sized by CV": Method(
        "scikit-learn", pruned_tree, lambda model: size_of_tree(model.best_estimator_)
    ),
    "EBM": Method("interpret-core", ebm, None),
    "random forest": Method(
        "scikit-learn",
        lambda jobs: one_hot(RandomForestClassifier(random_state=0, n_jobs=jobs)),
        None,
    ),
}


def measure(method: Method, jobs: int, data: Set, train: Rows, test: Rows) -> dict[str, float]:
    """Fit on the training rows and judge on the test rows."""
    model = method.make(jobs)
    X_train, X_test = (data.X.iloc[rows].reset_index(drop=True) for rows in (train, test))
    start = time.process_time()
    model.fit(X_train, data.y[train])
    seconds = time.process_time() - start
    classes = np.asarray(model.predict(X_test))
    risks = model.predict_proba(X_test)[:, 1] if method.probabilities else classes
    return {
        "auc": float(roc_auc_score(data.y[test], risks)),
        "accuracy": float((classes == data.y[test]).mean()),
        **(method.size(model) if method.size else {}),
        "predicted_positive": float(classes.mean()),
        "seconds": seconds,
    }


def child(sender: Connection, errors: IO[bytes], jobs: int, *work: Any) -> None:
    """Measure under the limits, in a process of its own whose messages go to a file."""
    os.dup2(errors.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS * jobs, CPU_SECONDS * jobs + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    random.seed(0)  # BOA draws from the global generators, whatever its random_state
    np.random.seed(0)  # noqa: NPY002
    method, *rest = work
    with threadpool_limits(jobs):
        sender.send(measure(method, jobs, *rest))


def attempt(jobs: int, *work: Any) -> dict[str, float] | str:
    """Measure one fold, or say why there is nothing to measure."""
    receiver, sender = FORK.Pipe(duplex=False)
    with tempfile.TemporaryFile() as errors:
        process = FORK.Process(target=child, args=(sender, errors, jobs, *work))
        process.start()
        sender.close()
        late = not receiver.poll(CLOCK_SECONDS)
        if late:
            process.kill()
        try:
            return receiver.recv()
        except EOFError:
            pass
        finally:
            process.join()
        if late:
            return f"unfinished after {CLOCK_SECONDS} s by the clock"
        if process.exitcode == -signal.SIGXCPU:
            return f"unfinished after {CPU_SECONDS * jobs} CPU s"
        errors.seek(0)
        told = errors.read().decode(errors="replace").strip().splitlines()
        last = told[-1] if told else f"exit status {process.exitcode}"
        return f"unfinished in {MEMORY >> 30} GiB" if "MemoryError" in last else f"failed: {last}"


def cross_validate(name: str, data: Set, jobs: int) -> dict[str, Any]:
    """Measure a method on every fold of a set, until one fails."""
    folds: list[dict[str, float]] = []
    result: dict[str, Any] = {"set": data.name, "method": name, "status": "done"}
    for train, test in data.folds:
        answer = attempt(jobs, METHODS[name], data, train, test)
        if isinstance(answer, str):
            return {**result, "status": answer, "folds": folds}
        folds.append(answer)
    means = {
        key: float(np.mean([fold[key] for fold in folds])) for key in MEASURES if key in folds[0]
    }
    return {**result, **means, "folds": folds}


def marks(name: str) -> dict[str, str]:
    """Tell what gave a result: the package's version, and of ours also the default prior."""
    package, prior = METHODS[name].package, Prior()
    ours = {"prior": f"count {prior.count}, size {prior.size}"} if package == "bayesdnf" else {}
    return {package: version(package), **ours}


def describe(data: Set) -> dict[str, Any]:
    """Tell the size of a set."""
    return {
        "name": data.name,
        "rows": len(data.X),
        "columns": data.X.shape[1],
        "levels": int(data.X.nunique().sum()),
        "positives": int(data.y.sum()),
        "folds": len(data.folds),
        "test_rows": len(data.folds[0][1]),
    }


def save(name: str, found: dict[str, Any]) -> None:
    """Write the results whole or not at all."""
    write(f"{name}.part", found)
    (RESULTS / f"{name}.part.json").replace(RESULTS / f"{name}.json")


def merge(old: Iterable[dict[str, Any]], new: list[dict[str, Any]], *keys: str) -> list[Any]:
    """Let new entries replace old ones with the same keys, in their place."""
    merged = {tuple(entry[key] for key in keys): entry for entry in [*old, *new]}
    return list(merged.values())


def installed(names: Iterable[str]) -> list[str]:
    """Import what the methods need, so that the children have it; tell of those left out."""
    found = []
    for name in names:
        try:
            METHODS[name].make(1)
            found.append(name)
        except ModuleNotFoundError as error:
            print(f"{name} is left out: {error}.")
    return found


def names_of(text: str, known: Iterable[str]) -> list[str]:
    """Read a list such as ``tree,RIPPER``."""
    wanted = [name.strip() for name in text.split(",")]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"Not known: {', '.join(unknown)}. There is: {', '.join(known)}.")
    return [name for name in known if name in wanted]


def main() -> None:
    """Measure set by set, print a table of each, write JSON."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--sets", help="only these, with commas between")
    parser.add_argument("--methods", help="only these, with commas between")
    options = parser.parse_args()
    chosen = names_of(options.sets, GROUPS["categorical"]) if options.sets else None
    methods = installed(names_of(options.methods, METHODS) if options.methods else METHODS)
    file = "peers-quick" if options.quick else "peers"
    found: dict[str, Any] = {"sets": [], "results": []}
    if (chosen or options.methods) and (RESULTS / f"{file}.json").exists():
        found = json.loads((RESULTS / f"{file}.json").read_text())
        del found["versions"]
    run = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    for data in sets("categorical", chosen or (QUICK if options.quick else None)):
        print(f"\n{data.name}: {len(data.X):,} rows, {data.X.shape[1]} columns", flush=True)
        results = []
        for name in methods:
            result = cross_validate(name, data, options.jobs)
            results.append({**result, "run": run, "jobs": options.jobs, "versions": marks(name)})
        show(
            {
                "method": "method",
                "auc": "AUC|.4f",
                "accuracy": "accuracy|.4f",
                "literals": "literals|.1f",
                "splits": "splits|.1f",
                "seconds": "CPU s|.3f",
                "status": "status",
            },
            results,
        )
        found["sets"] = merge(found["sets"], [describe(data)], "name")
        found["results"] = merge(found["results"], results, "set", "method")
        save(file, {**found, "limits": {"cpu_seconds": CPU_SECONDS, "bytes": MEMORY}})


if __name__ == "__main__":
    main()
