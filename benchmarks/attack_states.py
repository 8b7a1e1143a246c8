"""Checkpoints under attack: forged, damaged and foreign ones, and runs that are killed.

Four kinds of runs keep one: chains, a search, a scan of pairs and a permutation test. A search for
markers keeps one of each.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bayesdnf import BitMatrix, Posterior, hunt, sample, simulate
from bayesdnf.errors import BayesDNFError, InputError
from bayesdnf.files import states
from bayesdnf.files.seals import opened, seal
from bayesdnf.genomics import Genotypes, Study, family_wise, find_markers, scan

from .mutations import flipped, mutated, written


class KeptRun(NamedTuple):
    """A run that keeps a checkpoint."""

    what: str
    kind: str
    """The word in the seal of its file."""
    file: str
    """What the file's name has beside the checkpoint's."""
    result: Callable[[Path | None, int], bytes]
    """From a checkpoint and a seed to all that was found, as bytes."""


def kept_runs(size: int) -> list[KeptRun]:
    """Return a run of each kind, quick ones at size 1."""
    X, y, _ = simulate(100 + 100 * size, 6 + size, random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y)
    rng = np.random.default_rng(0)
    calls = Genotypes.from_copies(rng.binomial(2, 0.3, (10 + 10 * size, 100 + 100 * size)))
    cases = rng.random(calls.n_samples) < 0.4

    def chains(kept: Path | None, seed: int) -> bytes:
        drawn = sample(
            posterior, draws=20 * size**3, warmup=0, thin=5, chains=2, starts=["x0", "x1"],
            random_state=seed, checkpoint=kept, checkpoint_every=1e-3,
        )  # fmt: skip
        return drawn.index.tobytes() + drawn.rates.tobytes()

    def search(kept: Path | None, seed: int) -> bytes:
        found = hunt(
            posterior, restarts=6 * size**2, agree=10**6, random_state=seed, starts=["x0"],
            checkpoint=kept,
        )  # fmt: skip
        return repr(found).encode()

    def pairs(kept: Path | None, seed: int) -> bytes:
        found = scan(calls, np.roll(cases, seed), checkpoint=kept, n_jobs=2)
        return found.findings.to_csv().encode()

    def permuted(kept: Path | None, seed: int) -> bytes:
        largest = family_wise(
            calls, cases, permutations=6 * size**3, random_state=seed, checkpoint=kept
        )
        return largest.tobytes()

    return [
        KeptRun("chains", "bayesdnf.checkpoint", ".0", chains),
        KeptRun("search", "bayesdnf.search-checkpoint", "", search),
        KeptRun("scan", "bayesdnf.scan-checkpoint", "", pairs),
        KeptRun("permutations", "bayesdnf.permutation-test-checkpoint", "", permuted),
    ]


def checkpoints(folder: Path, rng: random.Random, n: int) -> Iterator[Callable[[], str]]:
    """Forge checkpoints: wrong fields and arrays, sealed as if they had been written so.

    Also wrong bytes under the old seal, and files of other runs and of the same run with another
    seed.
    """
    runs = kept_runs(1)
    contents = {}
    for run in runs:
        run.result(folder / run.what, 0)
        contents[run.what] = (folder / f"{run.what}{run.file}").read_bytes()
    for run in runs:
        alone = run.result(None, 0)
        own = contents[run.what]
        run.result(folder / f"other-{run.what}", 1)
        foreign = [content for what, content in contents.items() if what != run.what]
        foreign += [(folder / f"other-{run.what}{run.file}").read_bytes(), b""]
        for content in (*foreign, *flipped(own, rng, n // 16)):
            if content != own:
                yield lambda run=run, content=content: _refused(run, folder, content)
        for content in _forged(own, run.kind, rng, n // 4 - n // 16):
            yield lambda run=run, content=content: _resumed(run, folder, content)
        yield (
            lambda run=run, own=own, alone=alone: (
                "handled" if _result(run, folder, own) == alone else "another result"
            )
        )


def _forged(content: bytes, kind: str, rng: random.Random, n: int) -> Iterator[bytes]:
    held = opened(content, kind)
    assert held is not None
    with np.load(io.BytesIO(held.content)) as archive:
        arrays = dict(archive)
    head = json.loads(str(arrays.pop("head")))
    for i, wrong in enumerate(mutated(head, rng, n)):
        changed = dict(arrays)
        if i % 2 and changed:
            name = rng.choice(list(changed))
            values = changed[name]
            changed[name] = rng.choice([
                values[:-1], values - 999, values * 2 + 7, values.astype(np.float32), np.zeros(0),
                np.array("x"), np.zeros_like(values) - 1, values[None],
                np.full(values.shape, np.nan), np.full(values.shape, np.inf),
            ])  # fmt: skip
            wrong = head
        image = io.BytesIO()
        np.savez(image, head=np.array(json.dumps(wrong)), **changed)
        yield seal(image.getvalue(), kind, held.version)


def _result(run: KeptRun, folder: Path, content: bytes) -> bytes:
    for old in folder.glob("state*"):
        old.unlink()
    written(folder / f"state{run.file}", content)
    return run.result(folder / "state", 0)


def _resumed(run: KeptRun, folder: Path, content: bytes) -> str:
    """Go on from a forged state: an error of ours in one line, or a result."""
    try:
        _result(run, folder, content)
    except BayesDNFError as error:
        return "handled" if "\n" not in str(error) else f"two lines: {error}"
    except Exception as error:  # noqa: BLE001  what is looked for
        return f"{run.what}: {type(error).__name__}: {error}"
    return "handled"


def _refused(run: KeptRun, folder: Path, content: bytes) -> str:
    """Go on from what is no state of this run, which must be refused."""
    try:
        _result(run, folder, content)
    except InputError as error:
        return "handled" if "\n" not in str(error) else f"two lines: {error}"
    except Exception as error:  # noqa: BLE001  what is looked for
        return f"{run.what}: {type(error).__name__}: {error}"
    return f"{run.what}: accepted a file that is not its own"


def full_disks(folder: Path) -> Iterator[Callable[[], str]]:
    """Let no file grow beyond a size: one sentence, the last state whole, nothing left behind."""

    def limited(run: KeptRun, most: int) -> str:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
        try:
            found = _told(run, folder / "full")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        left = [path.name for path in folder.iterdir()]
        return found if not left else f"{run.what}: left behind: {left}"

    for run in kept_runs(1):
        for most in (0, 100, 300):
            yield lambda run=run, most=most: limited(run, most)


def _told(run: KeptRun, kept: Path) -> str:
    try:
        run.result(kept, 0)
    except InputError as error:
        right = str(kept) in str(error) and "\n" not in str(error)
        return "handled" if right else f"{run.what}: {error}"
    except Exception as error:  # noqa: BLE001  what is looked for
        return f"{run.what}: {type(error).__name__}: {error}"
    return f"{run.what}: did not tell that nothing could be written"


def kills(folder: Path, rng: random.Random, n: int) -> Iterator[Callable[[], str]]:
    """Kill runs again and again; they end with the bytes of runs left alone."""
    runs = [*kept_runs(6), KeptRun("markers", "", "", _markers)]
    for run in runs:
        yield from _kills(run, folder / run.what, rng, n // len(runs))


def _markers(kept: Path | None, seed: int) -> bytes:
    rng = np.random.default_rng(0)
    calls = rng.binomial(2, 0.3, (40, 300))
    risk = np.where((calls[3] > 0) & (calls[7] > 0), 0.7, 0.2)
    study = Study(Genotypes.from_copies(calls), rng.random(300) < risk)
    found = find_markers(
        study, checkpoint=kept, random_state=seed, draws=400, warmup=100, chains=2, triples=8,
        keep=15, permutations=200, layers=2,
    )  # fmt: skip
    tables = found.terms.to_csv() + found.variants.to_csv() + str(found.layered.rule)
    return tables.encode() + found.draws.index.tobytes() + found.draws.rates.tobytes()


def _kills(run: KeptRun, kept: Path, rng: random.Random, n: int) -> Iterator[Callable[[], str]]:
    seed = 0

    def killed() -> str:
        """Kill it after some time; when it ended before that, compare, and begin another."""
        nonlocal seed
        child = os.fork()
        if child == 0:
            status = 1
            with contextlib.suppress(BaseException):
                states._SAVE_EVERY = 1e-3
                run.result(kept, seed)
                status = 0
            os._exit(status)
        deadline = time.monotonic() + rng.uniform(0.01, 0.5)
        while time.monotonic() < deadline:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                seed += 1
                return compared(seed - 1) if status == 0 else f"{run.what}: status {status}"
            time.sleep(0.005)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "handled"

    def compared(seed: int) -> str:
        same = run.result(kept, seed) == run.result(None, seed)
        left = [path.name for path in kept.parent.rglob("*bayesdnf-part*")]
        for old in kept.parent.glob(f"{kept.name}*"):
            if old.is_dir():
                shutil.rmtree(old)
            else:
                old.unlink()
        return "handled" if same and not left else f"{run.what}: another result, or left: {left}"

    for _ in range(n - 1):
        yield killed

    def last() -> str:
        found = killed()
        return compared(seed) if found == "handled" else found

    yield last
