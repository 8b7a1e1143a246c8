"""Boxes of functions, against scoring every function."""

import math
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from bayesdnf.search import boxes
from bayesdnf.search.bound import bound_by_boxes
from tests.search.small_posteriors import EXAMPLES, all_functions, posteriors


@given(
    posterior=posteriors(),
    limit=st.sampled_from([1e-9, 0.05, 0.3]),
    most_begun=st.sampled_from([1, 5, 5000]),
)
@settings(deadline=None, max_examples=EXAMPLES)
def test_no_function_scores_above_the_bound(posterior, limit, most_begun):
    best = all_functions(posterior)[1].log_score.max()
    # Tables as small as these have too few terms for the way that large ones go.
    with patch.object(boxes, "_MOST_BEGUN", most_begun):
        found = bound_by_boxes(posterior, None, limit)
    assert found.gap >= 0
    assert found.proved == (found.gap == 0) == (found.stopped == "proved")
    assert math.isfinite(found.gap) or found.log_posterior == -math.inf
    assert found.log_posterior == posterior.log_score(found.function)
    assert math.isinf(found.gap) or best <= found.log_posterior + found.gap + 1e-6
