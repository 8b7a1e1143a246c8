"""A checkpoint of find_markers: steps that have ended are not done again."""

import numpy as np
import pandas as pd
import pytest

from bayesdnf.errors import InputError, ParameterError
from bayesdnf.files.states import read_state, write_state
from bayesdnf.genomics import family_wise, find_markers
from bayesdnf.genomics.markers.step_files import StepFiles
from tests.genomics.planted import QUICK, study

KIND, MARK = "bayesdnf.permutation-test-checkpoint", ".state"
RUN = {**QUICK, "keep": 12, "permutations": 3, "layers": 2}


class Stopped(Exception):
    """What a test raises in the middle of a run."""


def test_a_run_that_was_stopped_goes_on_to_the_same(tmp_path):
    whole, heard = find_markers(study(), **RUN), set()

    def listen(what, done, total):
        if what == "permutations":
            raise Stopped

    with pytest.raises(Stopped):
        find_markers(study(), checkpoint=tmp_path / "kept", progress=listen, **RUN)
    again = find_markers(
        study(), checkpoint=tmp_path / "kept", progress=lambda what, *_: heard.add(what), **RUN
    )
    assert heard == {"search", "layers", "permutations"}  # searches tell what they kept
    for name in ("terms", "variants", "pairs", "regions"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(whole, name), check_exact=True)
    assert (again.draws.index == whole.draws.index).all()
    assert again.layered.rule == whole.layered.rule
    assert again.history == whole.history


def test_a_checkpoint_of_another_study_or_without_a_seed_is_refused(tmp_path):
    quick = {**QUICK, "triples": 0, "draws": 5, "warmup": 0}
    find_markers(study(), checkpoint=tmp_path, **quick)
    with pytest.raises(InputError, match=r"pairs-and\.state is of another scan: its cases is"):
        find_markers(study(1), checkpoint=tmp_path, **quick)
    with pytest.raises(ParameterError, match="'random_state' parameter of find_markers"):
        find_markers(study(), checkpoint=tmp_path, **{**quick, "random_state": None})


def test_permutations_go_on_from_those_that_are_done(tmp_path):
    given, kept = study(n=100, variants=10), tmp_path / "kept"
    run = {"permutations": 6, "random_state": 0}
    wanted = family_wise(given.genotypes, given.y, **run)
    told = []

    def interrupt(done, total):
        told.append(done)
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        family_wise(given.genotypes, given.y, checkpoint=kept, progress=interrupt, **run)
    told.clear()
    again = family_wise(
        given.genotypes, given.y, checkpoint=kept, progress=lambda done, _: told.append(done), **run
    )
    assert told == [5, 6]
    assert (again == wanted).all()
    state = read_state(kept, KIND, 1)
    for wrong in (wanted - 999, wanted * np.inf, wanted[:, :1], wanted.astype(np.float32)):
        write_state(tmp_path / "forged", KIND, 1, state.head, {"largest": wrong})
        with pytest.raises(InputError, match="is damaged: its contents are not as expected"):
            family_wise(given.genotypes, given.y, checkpoint=tmp_path / "forged", **run)
    with pytest.raises(InputError, match="is of another permutation test: its seed is"):
        family_wise(given.genotypes, given.y, checkpoint=kept, permutations=6, random_state=1)


def test_only_states_are_removed(tmp_path):
    files = StepFiles(tmp_path / "kept")
    own = [files(name) for name in ("pairs-and", "pairs-cells", "triples", "permutations")]
    own += [files(name, 1) for name in ("search", "layers", "chains")]
    for end in (".0", ".1", ".search"):
        own.append(files("chains", 1).with_suffix(f"{MARK}{end}"))
    own.append(files.folder / f".pairs-and.bayesdnf-part-x_1{MARK}")
    own.append(files.folder / f".{files('chains', 1).name}.bayesdnf-part-x_1{MARK}.0")
    others = [files.folder / name for name in ("us.states.csv", "texas.state", "search.state.txt")]
    for file in (*own, *others):
        file.touch()
    files.remove()
    assert sorted(files.folder.iterdir()) == sorted(others)
    for file in others:
        file.unlink()
    files.remove()
    assert not (tmp_path / "kept").exists()
    StepFiles(None).remove()


def test_a_place_where_nothing_can_be_written_is_told_at_once(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="Cannot make the folder"):
        StepFiles(tmp_path / "file")
