"""Sweeps on a GPU: the same counts, and so the same searches and draws, as on the CPU.

The door to another device, the places of words and those of counts have tests that run everywhere.
"""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bayesdnf import BitMatrix, Posterior, hunt, sample, simulate
from bayesdnf.errors import InputError, ParameterError
from bayesdnf.gpu import sweeping
from bayesdnf.gpu.sweeping import AT_ONCE, GpuPlanes, Layout, SharedLaunches, on_device
from tests.gpu.present import needs_gpu


def bits_of(n, p, seed=0, missing=0.0, weights=False):
    """Bits of two segments, with unknown values or with weights."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, p)) < 0.5).astype(float)
    X[rng.random((n, p)) < missing] = np.nan
    y = rng.random(n) < 0.4
    y[:2] = [True, False]
    weight = rng.integers(1, 9, n) if weights else None
    return Posterior(BitMatrix.from_table(X), y, sample_weight=weight).bits


class SlowDevice:
    """Another device, of numpy."""

    def __init__(self, bits):
        self.bits = bits

    def sweep(self, masks, counts):
        both = masks[:, None] & self.bits.planes[None, :, : masks.shape[1]]
        by_word = np.bitwise_count(both).astype(np.int32)
        for s, (first, last) in enumerate(itertools.pairwise(self.bits.offsets)):
            counts[s] = by_word[..., first:last].sum(axis=2)

    def select(self, masks, of_masks, ruled_out, selected):
        table = self.bits.table
        counts = np.empty((2, len(masks), len(self.bits.planes)), dtype=np.int32)
        self.sweep(masks, counts)
        known = np.where(table.valid < 0, of_masks[..., None], counts[..., table.valid])
        held = counts[..., table.plane]
        first, second = np.where(table.complement, known - held, held)
        span = ruled_out[first]
        out = (second >= span[..., 0]) & (second <= span[..., 1])
        mask, literal = np.nonzero(~out & (first + second > 0))
        found = np.stack([mask, literal, first[mask, literal], second[mask, literal]], axis=1)
        n = min(len(found), len(selected))
        selected[:n] = found[::-1][:n]  # in any order
        return len(found)


def masks_of(bits, n_masks, seed=0):
    view = bits.view()
    rng = np.random.default_rng(seed)
    noise = rng.integers(0, 2**64, (n_masks, view.n_words), dtype=np.uint64)
    return noise & view.all_rows()


@pytest.mark.parametrize("n", [2, 63, 64, 65, 127, 128, 700])
@pytest.mark.parametrize("weights", [False, True])
def test_a_view_takes_counts_from_another_device(n, weights):
    bits = bits_of(n, 9, missing=0.1, weights=weights)
    view, masks = bits.view(), masks_of(bits, 3)
    ours = view.literal_counts(masks), view.sweep(masks)
    view.use(SlowDevice(bits))
    np.testing.assert_array_equal(view.literal_counts(masks), ours[0])
    np.testing.assert_array_equal(view.sweep(masks), ours[1])
    wrong = SlowDevice(bits)
    wrong.sweep = lambda masks, counts: counts.fill(5)
    view.use(wrong)
    assert (view.sweep(masks) != ours[1]).any()  # it is really asked
    view.use(None)
    np.testing.assert_array_equal(view.literal_counts(masks), ours[0])


def spans_of(view, seed=0):
    """Spans of rows of the second segment, some empty, for every number of rows of the first."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, view.totals[1] + 1, (view.totals[0] + 1, 2)).astype(np.int32)


def selected_by_counts(view, masks, spans):
    """What is selected, from the counts of all literals."""
    counts = view.literal_counts(masks)
    return [
        (mask, literal, *rows)
        for mask, literal in np.ndindex(counts.shape[1:])
        for rows in [counts[:, mask, literal].tolist()]
        if sum(rows) > 0 and not spans[rows[0], 0] <= rows[1] <= spans[rows[0], 1]
    ]


@pytest.mark.parametrize("n", [2, 64, 65, 300])
def test_a_device_selects_literals_by_their_counts(n):
    bits = bits_of(n, 9, missing=0.1)
    view, masks = bits.view(), masks_of(bits, 11)
    spans = spans_of(view)
    wanted = selected_by_counts(view, masks, spans)
    view.use(SlowDevice(bits))
    assert [tuple(row) for row in view.select(masks, spans).tolist()] == wanted
    view.use(None)
    with pytest.raises(ValueError, match="only a device selects"):
        view.select(masks, spans)


@pytest.mark.parametrize("layers", [1, 2])
def test_a_search_and_chains_on_another_device_are_the_same(layers):
    X, y, _ = simulate(200, 12, terms=(2, 2), random_state=2)
    posterior = Posterior(BitMatrix.from_table(X), y, layers=layers)

    def run():
        found = hunt(posterior, restarts=4, agree=4, n_jobs=2, random_state=0)
        drawn = sample(
            posterior, draws=20, warmup=5, chains=2, thin=5, n_jobs=2, random_state=0,
            starts=[found.function] * 2,
        )  # fmt: skip
        return found.function, found.log_posterior, drawn.functions, drawn.rates

    ours = run()
    view = posterior.bits.view()
    view.use(SlowDevice(posterior.bits))
    theirs = run()
    view.use(None)
    assert ours[:2] == theirs[:2]
    for one, other in zip((*ours[2], ours[3]), (*theirs[2], theirs[3]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_wide_beams_on_another_device_are_the_same():
    """Beams of several blocks, where the device tells only of literals that may matter."""
    X, y, _ = simulate(120, 3000, terms=(2, 2), random_state=1)
    posterior = Posterior(BitMatrix.from_table(X), y)
    assert posterior.bits.counts is None
    ours = hunt(posterior, restarts=10, agree=10, n_jobs=2, random_state=0)
    device = SlowDevice(posterior.bits)
    told = []
    select = device.select
    device.select = lambda masks, *rest: told.append((len(masks), n := select(masks, *rest))) or n
    posterior.bits.view().use(device)
    theirs = hunt(posterior, restarts=10, agree=10, n_jobs=2, random_state=0)
    posterior.bits.view().use(None)
    assert theirs == ours
    masks, selected = np.sum(told, axis=0)
    assert 0 < selected < masks * 3000 / 20


def test_what_a_device_raises_ends_the_search():
    X, y, _ = simulate(100, 5, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y)

    def broken(masks, counts):
        raise RuntimeError("the device is gone")

    device = SlowDevice(posterior.bits)
    device.sweep = broken
    posterior.bits.view().use(device)
    with pytest.raises(RuntimeError, match="the device is gone"):
        hunt(posterior, n_jobs=2, random_state=0)
    posterior.bits.view().use(None)


@pytest.mark.parametrize("offsets", [[0, 0], [0, 1], [0, 7, 8], [0, 8, 16], [0, 9, 9, 30]])
def test_segments_begin_at_whole_pieces(offsets):
    layout = Layout(offsets)
    words = np.arange(1, offsets[-1] + 1, dtype=np.uint64)
    there = np.zeros((1, layout.n_words), dtype=np.uint64)
    layout.spread(words[None], there)
    starts = [0, *layout.ends[:-1]]
    assert layout.n_words % 8 == 0
    for (first, last), start, end in zip(
        itertools.pairwise(offsets), starts, layout.ends, strict=True
    ):
        piece = there[0, start * 8 : end * 8]
        np.testing.assert_array_equal(piece[: last - first], words[first:last])
        assert not piece[last - first :].any()


def counts_are_right(sweep, bits, threads, times):
    """Whether sweeps that threads ask for at the same time count what the slow one counts."""
    slow = SlowDevice(bits).sweep

    def one(seed):
        masks = masks_of(bits, 1 + seed % 11, seed)
        counts = np.empty((2, len(masks), len(bits.planes)), dtype=np.int32)
        wanted = np.empty_like(counts)
        sweep(masks, counts)
        slow(masks, wanted)
        return np.array_equal(counts, wanted)

    with ThreadPoolExecutor(threads) as pool:
        return all(pool.map(one, range(times)))


class Slow:
    """Memory for the counts of a slow device, which is asked by one thread at a time."""

    def __init__(self, bits):
        self._sweep, self._n_planes = SlowDevice(bits).sweep, len(bits.planes)
        self._found = None
        self.busy = threading.Lock()

    def launch(self, masks, slot):
        assert self.busy.acquire(blocking=False)
        together = np.concatenate(masks)
        assert 1 <= len(together) <= AT_ONCE
        slot._found = np.empty((2, len(together), self._n_planes), dtype=np.int32)
        self._sweep(together, slot._found)
        self.busy.release()

    def counts(self):
        return self._found


@pytest.mark.parametrize("n_slots", [1, 3])
@pytest.mark.parametrize("threads", [1, 8])
def test_threads_share_launches_and_get_their_own_counts(n_slots, threads):
    bits = bits_of(300, 20)
    device = Slow(bits)
    shared = SharedLaunches(device.launch, [Slow(bits) for _ in range(n_slots)])
    assert counts_are_right(shared.sweep, bits, threads, 120)


def test_a_launch_that_fails_fails_for_all_who_wait_for_it():
    bits = bits_of(80, 4)

    def broken(masks, slot):
        raise InputError("no memory")

    shared = SharedLaunches(broken, [Slow(bits)])
    counts = np.empty((2, 1, len(bits.planes)), dtype=np.int32)

    def one(seed):
        with pytest.raises(InputError, match="no memory"):
            shared.sweep(masks_of(bits, 1, seed), counts)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(20)))


def test_the_counts_of_threads_are_those_of_a_product():
    """Fragments of m16n8k256: counts 0, 1 at row lane / 4, columns 2 (lane % 4) and one more."""
    seen = {
        (lane // 4 + k // 2 * 8, 2 * (lane % 4) + k % 2)
        for lane, k in itertools.product(range(32), range(4))
    }
    assert seen == set(itertools.product(range(16), range(8)))


def test_wrong_wishes_are_one_sentence():
    X, y, _ = simulate(60, 4, random_state=0)
    posterior = Posterior(BitMatrix.from_table(X), y)
    for work in (hunt, sample):
        with pytest.raises(ParameterError, match=f"'device' parameter of {work.__name__}"):
            work(posterior, device="gpu")


def test_auto_leaves_small_tables_to_the_processor(monkeypatch):
    monkeypatch.setattr(sweeping, "GpuPlanes", None)
    with on_device(bits_of(50, 3), "auto", "hunt"):
        pass


@needs_gpu
@pytest.mark.parametrize("n", [2, 63, 64, 65, 511, 512, 513, 5000])
@pytest.mark.parametrize("p", [1, 15, 16, 17, 127, 128, 129, 300])
def test_the_gpu_counts_what_the_processor_counts(n, p):
    bits = bits_of(n, p, seed=n + p, missing=0.05)
    planes, slow = GpuPlanes(bits), SlowDevice(bits).sweep
    for n_masks in (1, 2, 7, 8, 9, 20):
        masks = masks_of(bits, n_masks, seed=n_masks)
        counts = np.empty((2, n_masks, len(bits.planes)), dtype=np.int32)
        wanted = np.empty_like(counts)
        planes.sweep(masks, counts)
        slow(masks, wanted)
        np.testing.assert_array_equal(counts, wanted)


@needs_gpu
@pytest.mark.parametrize("n", [2, 65, 512, 5000])
@pytest.mark.parametrize("p", [40, 129, 300])
def test_the_gpu_selects_what_the_counts_say(n, p):
    bits = bits_of(n, p, seed=n + p, missing=0.05)
    view, masks = bits.view(), masks_of(bits, 13)
    spans = spans_of(view)
    wanted = selected_by_counts(view, masks, spans)
    with on_device(bits, "cuda", "hunt"):
        assert [tuple(row) for row in view.select(masks, spans).tolist()] == wanted


@needs_gpu
def test_threads_share_the_gpu():
    bits = bits_of(3000, 400)
    assert counts_are_right(GpuPlanes(bits).sweep, bits, 12, 300)


@needs_gpu
def test_searches_and_chains_on_the_gpu_are_those_of_the_processor():
    X, y, _ = simulate(400, 30, terms=(2, 3), random_state=2)
    for layers in (1, 2):
        posterior = Posterior(BitMatrix.from_table(X), y, layers=layers)
        results = []
        for device in ("cpu", "cuda"):
            found = hunt(posterior, restarts=16, n_jobs=4, random_state=0, device=device)
            drawn = sample(posterior, draws=50, warmup=10, n_jobs=4, random_state=0, device=device)
            results.append((found.function, found.log_posterior, drawn.functions.literals.tolist()))
        assert results[0] == results[1]
