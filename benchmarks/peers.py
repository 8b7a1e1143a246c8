"""bayesdnf beside other learners: one table of figures by set, fold and method.

Each fit is a process of its own with a limit on CPU seconds and on memory; a method that breaks a
limit on one fold is "unfinished" on that set, and its other folds are not tried. Sets of more than
4000 training rows are cut to 4000 of them, the same for every method.

Every line of ``results/peers.jsonl`` is what one method reached on one fold of one set: log loss
(a risk of 0 or 1 counts as one in a million), Brier score, AUC, accuracy at a risk of one half,
literals, CPU seconds of ``fit``, and the rows in bins of predicted risk. The first folds of all
sets come first, then the second ones. A run goes on where the last one stopped: what stands in the
file is not measured again. ``benchmarks.comparison`` and ``benchmarks.averaging`` write pages
of it.
"""

from __future__ import annotations

import datetime
import multiprocessing
import os
import resource
import signal
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from multiprocessing.connection import Connection
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from .folds import GROUPS, Rows, Set, breast_cancer, sets
from .methods import METHODS, Floats, Method, installed
from .writing import RESULTS, append_lines, arguments, commit, read_lines, show

FILE = RESULTS / "peers.jsonl"
CPU_SECONDS = 120  # limit for a fit and its predictions
CLOCK_SECONDS = 1200  # limit for processes that hang, or on a busy machine
MEMORY = 6 * 2**30
MOST_ROWS = 4000
BINS = 20  # of predicted risk, of equal width
QUICK = ("tic-tac-toe", "monks-1", "titanic")
FORK = multiprocessing.get_context("fork")  # child processes inherit the imported libraries


def every_set() -> Iterator[Set]:
    """Read all sets, the numeric one last."""
    for group in GROUPS:
        yield from sets(group)
    yield breast_cancer()


def training_rows(train: Rows) -> Rows:
    """Cut training rows to as many as every method can do with."""
    if len(train) <= MOST_ROWS:
        return train
    return np.sort(np.random.default_rng(0).choice(train, MOST_ROWS, replace=False))


def judge(y: NDArray[np.int64], risk: Floats) -> dict[str, Any]:
    """Compare risks with outcomes."""
    given = np.clip(np.where(y == 1, risk, 1 - risk), 1e-6, 1)
    bins = np.minimum((risk * BINS).astype(int), BINS - 1)
    counts = [np.bincount(bins, weights, BINS) for weights in (None, y, risk)]
    return {
        "log_loss": float(-np.log(given).mean()),
        "brier": float(np.mean((risk - y) ** 2)),
        "auc": float(roc_auc_score(y, risk)),
        "accuracy": float(((risk > 0.5) == y).mean()),
        "predicted_positive": float((risk > 0.5).mean()),
        "bins": [np.round(count, 4).tolist() for count in counts],
    }


def measure(method: Method, data: Set, train: Rows, test: Rows) -> dict[str, dict[str, Any]]:
    """Fit on the training rows and judge every answer on the test rows."""
    model = method.make()
    X_train, X_test = (data.X.iloc[rows].reset_index(drop=True) for rows in (train, test))
    start = time.process_time()
    model.fit(X_train, data.y[train])
    seconds = time.process_time() - start
    found = {}
    for name, answer in method.answers.items():
        start = time.process_time()
        if answer.prepare is not None:
            answer.prepare(model)
        prepared = time.process_time() - start
        found[name] = {
            **judge(data.y[test], answer.risks(model, X_test)),
            **(answer.size(model) if answer.size else {}),
            "seconds": seconds + prepared,
        }
    return found


def child(sender: Connection, errors: IO[bytes], *work: Any) -> None:
    """Measure under the limits, in a process of its own whose messages go to a file."""
    os.dup2(errors.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    np.random.seed(0)  # noqa: NPY002  (some draw from the global generator)
    with threadpool_limits(1):
        sender.send(measure(*work))


def attempt(*work: Any) -> dict[str, dict[str, Any]] | str:
    """Measure one fold, or say why there is nothing to measure."""
    receiver, sender = FORK.Pipe(duplex=False)
    with tempfile.TemporaryFile() as errors:
        process = FORK.Process(target=child, args=(sender, errors, *work))
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
            return f"unfinished after {CPU_SECONDS} CPU s"
        errors.seek(0)
        told = errors.read().decode(errors="replace").strip().splitlines()
        last = told[-1] if told else f"exit status {process.exitcode}"
        return f"unfinished in {MEMORY >> 30} GiB" if "MemoryError" in last else f"failed: {last}"


def describe(data: Set) -> dict[str, Any]:
    """Describe the size of a set."""
    train, test = data.folds[0]
    return {
        "rows": len(data.X),
        "columns": data.X.shape[1],
        "levels": int(data.X.nunique().sum()),
        "positives": int(data.y.sum()),
        "folds": len(data.folds),
        "train_rows": len(training_rows(train)),
        "test_rows": len(test),
    }


def is_measured(name: str, fold: int, method: str) -> bool:
    """Return whether the file has this fold, or an unfinished fold of the set for the method."""
    return any(
        line["set"] == name
        and line["method"] == method
        and (line["fold"] == fold or line["status"] != "done")
        for line in read_lines(FILE)
    )


def names_of(text: str, known: list[str]) -> list[str]:
    """Read names with semicolons between, and refuse those that nobody knows."""
    names = [name.strip() for name in text.split(";")]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"Not known: {'; '.join(unknown)}. Known are {'; '.join(known)}.")
    return names


def main() -> None:
    """Measure what is not in the file yet, print each line and append it."""
    parser = arguments(__doc__, sets=False)
    parser.add_argument("--only", help="only these sets, with semicolons between")
    parser.add_argument("--methods", help="only these, with semicolons between")
    parser.add_argument("--folds", type=int, default=5, help="the first folds of each set")
    options = parser.parse_args()
    tables = list(every_set())
    known = [data.name for data in tables]
    chosen = names_of(options.only, known) if options.only else QUICK if options.quick else known
    methods = installed(names_of(options.methods, list(METHODS)) if options.methods else METHODS)
    for fold in range(options.folds):
        for data in (data for data in tables if data.name in chosen and fold < len(data.folds)):
            for name in methods:
                if not is_measured(data.name, fold, name):  # another run may have measured it
                    lines = measure_fold(data, fold, name)
                    append_lines(FILE, lines)
                    show_lines(lines)


def measure_fold(data: Set, fold: int, name: str) -> list[dict[str, Any]]:
    """Measure a method on one fold: a line for each of its answers."""
    method = METHODS[name]
    train, test = data.folds[fold]
    answer = attempt(method, data, training_rows(train), test)
    common = {
        "set": data.name,
        "fold": fold,
        "of": describe(data),
        "version": {method.package: version(method.package)},
        "commit": commit(),
        "measured": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    if isinstance(answer, str):
        return [{**common, "method": each, "status": answer} for each in method.answers]
    return [
        {**common, "method": each, "status": "done", **figures} for each, figures in answer.items()
    ]


def show_lines(lines: list[dict[str, Any]]) -> None:
    """Print what was measured."""
    columns = {
        "set": "set",
        "fold": "fold",
        "method": "method",
        "log_loss": "log loss|.4f",
        "auc": "AUC|.4f",
        "accuracy": "accuracy|.4f",
        "literals": "literals|d",
        "seconds": "CPU s|.2f",
        "status": "status",
    }
    show(columns, lines)


if __name__ == "__main__":
    main()
