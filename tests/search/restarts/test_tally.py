"""When restarts agree, and when a search may stop."""

from bayesdnf.search.restarts.tally import End, Tally


def agrees(*ends, unaided=None, small=True):
    """Whether restarts agree; so many of each end, or all, are there before they are rebuilt."""
    tally = Tally(agree=32, small=small)
    for number, (kind, score, times) in enumerate(ends):
        terms = ((1, (number,)),)
        for time in range(times):
            begun = score if unaided is None or time < unaided else score - 1
            tally.add(End(terms, score, kind, begun))
    return tally.agrees()


def test_where_nearly_all_come_to_it_half_as_many_must_agree():
    elsewhere = ("broad", -50, 1)
    assert agrees(("beam", -10, 1), ("free", -10, 7), ("precise", -10, 8))
    assert not agrees(("beam", -10, 1), ("free", -10, 7), ("precise", -10, 7))  # too few
    assert agrees(("free", -10, 8), ("precise", -10, 8), elsewhere)
    assert not agrees(("free", -10, 8), ("precise", -10, 8), elsewhere, ("long", -60, 1))


def test_coming_back_to_a_known_answer_is_no_agreement():
    elsewhere = ("broad", -50, 24)
    back = ("varied", -10, 40)
    assert not agrees(("precise", -10, 8), back, elsewhere)  # one way
    assert agrees(("precise", -10, 7), ("long", -10, 1), back, elsewhere)
    assert not agrees(("precise", -10, 6), ("long", -10, 1), back, elsewhere)  # under a quarter
    assert agrees(("precise", -10, 6), ("long", -10, 2), back, ("broad", -50, 70))  # eight unaided
    assert not agrees(("precise", -10, 6), ("long", -10, 2), back, ("broad", -50, 75))
    assert not agrees(("precise", -10, 7), ("long", -10, 1), ("varied", -10, 23), elsewhere)


def test_ends_seen_once_near_the_best_speak_against_it():
    hits = [("precise", -10, 20), ("free", -10, 18)]
    assert agrees(*hits, ("broad", -50, 1), ("broad", -51, 1))
    assert not agrees(*hits, ("broad", -15, 1))


def test_some_must_have_come_to_it_before_they_were_rebuilt():
    elsewhere = ("broad", -50, 8)
    hits = [("precise", -10, 20), ("free", -10, 18)]
    assert agrees(*hits, elsewhere, unaided=2)  # two of each
    assert not agrees(*hits, elsewhere, unaided=1)
    assert not agrees(("precise", -10, 20), ("varied", -10, 18), elsewhere, unaided=3)  # not both
    assert not agrees(*hits, unaided=0)
    assert agrees(*hits, ("long", -10, 1), unaided=1)
    assert agrees(*hits, unaided=0, small=False)  # on a large table
    assert not agrees(*hits, elsewhere, unaided=1, small=False)


def test_a_better_end_forgets_who_came_to_the_last_one():
    tally = Tally(agree=2)
    for kind in ("precise", "free") * 2:
        tally.add(End(((1, (0,)),), -10, kind, -10))
    assert tally.agrees()
    for kind in ("precise", "free") * 2:
        tally.add(End(((1, (1,)),), -5, kind))
    assert not tally.agrees()


def test_rates_that_did_best_are_kept_best_first():
    tally = Tally(agree=2)
    ends = {(0.1, 0.9): -30, (0.2, 0.8): -10, (0.3, 0.7): -20, (0.1, 0.8): -40, (0.1, 0.7): -50}
    for number, (rates, score) in enumerate(ends.items()):
        tally.add(End(((1, (number,)),), score, "precise", rates=rates))
    tally.add(End(((1, (9,)),), -5, "varied", rates=(0.4, 0.6)))  # it did not start from nothing
    assert tally.promising() == [(0.2, 0.8), (0.3, 0.7), (0.1, 0.9), (0.1, 0.8)]


def test_it_is_known_how_many_restarts_the_best_took():
    tally = Tally(agree=2)
    found = []
    for score in (-10, -12, -8, -8, -9):
        tally.add(End(((1, (-score,)),), score, "free"))
        found.append(tally.found)
    assert found == [1, 1, 3, 3, 3]


def test_a_better_function_that_no_restart_came_to_starts_the_count_anew():
    tally = Tally(agree=2)
    for kind in ("precise", "free") * 2:
        tally.add(End(((1, (0,)),), -10, kind, -10))
    assert not tally.know(End(((1, (0,)),), -10, "given"))
    assert tally.agrees()
    better = End(((1, (1,)),), -5, "given")
    assert tally.know(better)
    assert (tally.terms, tally.agreement, tally.found) == (better.terms, 0, 5)
    assert not tally.agrees()
    for kind in ("precise", "free"):
        tally.add(End(better.terms, better.score, kind, better.score))
    assert tally.agrees()  # by those that followed


def test_a_search_goes_on_while_hardly_an_independent_restart_comes_to_the_best_function():
    def most(*ends, small=True):
        tally = Tally(agree=2, small=small)
        for kind, score, times in ends:
            for _ in range(times):
                tally.add(End(((1, (-score,)),), score, kind))
        return tally.most()

    early = ("joined", -8, 1)
    assert most(early, ("free", -10, 9)) == 256  # it is too early to tell
    assert most(early, ("free", -10, 254)) == 256
    assert most(early, ("free", -10, 255)) == 1024
    assert most(early, ("free", -10, 255), small=False) == 256
    assert most(early, ("free", -8, 2), ("varied", -10, 253)) == 1024
    assert most(early, ("free", -8, 3), ("varied", -10, 253)) == 256
    late = (("free", -10, 199), ("joined", -8, 1), ("free", -9, 100))
    assert most(*late) == 1024
    assert most(*late, small=False) == 400
    assert most(*late, ("sparse", -8, 2), ("beam", -8, 1)) == 400  # now some have
    assert most(("free", -10, 299), ("free", -8, 3)) == 512  # not twice as many
