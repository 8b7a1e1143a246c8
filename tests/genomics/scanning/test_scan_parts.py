"""All pairs scored, beside the scan."""

import numpy as np
import pytest

from bayesdnf import Effect, _native
from bayesdnf.errors import InputError
from bayesdnf.files.states import read_state, write_state
from bayesdnf.genomics import scan
from tests.fewer import first
from tests.genomics.markers.scanned import many
from tests.genomics.scanning.paired import counted, study, table_of


@pytest.mark.parametrize("n", [63, 64, 65, 127, 128, 300])
@pytest.mark.parametrize("measure", ["and", "cells"])
def test_scoring_all_pairs_is_scanning_them(n, measure):
    genotypes, y = study(20, n, missing=0.05 if measure == "and" else 0)
    table = table_of(genotypes, y, measure=measure, top=50)
    for n_jobs in (1, 2):
        best, scanned = _native.Findings(50), _native.Findings(50)
        table.score(counted(genotypes, y)[::-1].copy(), n_jobs, best)
        table.scan(0, table.n_tasks, 1, 1, _native.StopFlag(), scanned)
        assert best.least == scanned.least
        for one, other in zip(best.arrays(), scanned.arrays(), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("ordered", first([True, False]))
@pytest.mark.parametrize("measure", ["and", "cells"])
def test_the_screen_leaves_the_best_of_many_samples(measure, ordered):
    """Scoring does without the screen, which is in single precision."""
    genotypes, y = study(40, 150_000, seed=1)  # rows are screened 16 at a time
    table = table_of(genotypes, y, measure=measure, top=8, effect=Effect(ordered=ordered))
    best, scanned = _native.Findings(8), _native.Findings(8)
    table.score(counted(genotypes, y), 1, best)
    table.scan(0, table.n_tasks, 1, 1, _native.StopFlag(), scanned)
    for one, other in zip(best.arrays(), scanned.arrays(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_pairs_that_cannot_be_are_refused():
    genotypes, y = study(10, 40)
    table, best = table_of(genotypes, y), _native.Findings(1)
    pairs = counted(genotypes, y)
    for pair in ([3, 3], [4, 2], [0, 10], [-1, 2]):
        with pytest.raises(ValueError, match="must rise and be in the table"):
            table.score(np.array([[*pair, *[0] * 8]], dtype=np.int32), 1, best)
    for place in range(2, 10):
        wrong = pairs[:1].copy()
        wrong[0, place] += 41
        with pytest.raises(ValueError, match="counts that cannot be"):
            table.score(wrong, 1, best)
    gaps = table_of(*study(10, 40, missing=0.2), measure="cells")
    with pytest.raises(ValueError, match="all calls must be known"):
        gaps.score(pairs, 1, best)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("parts", lambda _: 2**31),  # would take gigabytes of numbers
        ("parts", lambda _: 0),
        ("done", lambda done: [*done, -1]),
        ("done", lambda _: None),
        ("0", lambda variants: variants - 999),
        ("0", lambda variants: variants + 999),
        ("1", lambda what: what + 36),
        ("2", lambda rows: rows - 999),
        ("3", lambda factor: factor * np.inf),
        ("4", lambda gain: gain * np.nan),
        ("4", lambda gain: gain[:-1]),
    ],
)
def test_a_forged_checkpoint_is_refused(tmp_path, name, change):
    genotypes, y = many(n_variants=30)
    kept, kind = tmp_path / "kept", "bayesdnf.scan-checkpoint"
    found = scan(genotypes, y, checkpoint=kept).findings
    assert scan(genotypes, y, checkpoint=kept).findings.equals(found)
    head, arrays = read_state(kept, kind, 1)
    held = arrays if name in arrays else head
    held[name] = change(held[name])
    write_state(kept, kind, 1, head, arrays)
    with pytest.raises(InputError, match="is damaged: its contents are not as expected; remove it"):
        scan(genotypes, y, checkpoint=kept)
