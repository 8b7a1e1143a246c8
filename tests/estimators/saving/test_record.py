"""By which rows a fit is known again."""

import numpy as np
import pytest

from bayesdnf import LiteralEncoder
from bayesdnf.estimators.saving.record import RowContent, record_of
from tests.report.reported import mixed


@pytest.fixture(scope="module")
def rows():
    X, y = mixed(300)
    return LiteralEncoder().fit(X), X, y == "ill"


def content(rows, order):
    encoder, X, ill = rows
    return RowContent.of(encoder.encode(X.iloc[order]), ill[order])


def test_the_order_of_rows_does_not_matter(rows):
    order = np.random.default_rng(0).permutation(300)
    one, other = content(rows, np.arange(300)), content(rows, order)
    assert one.digest() == other.digest()
    assert one.sample() == other.sample()


def test_a_row_more_or_another_label_is_another_table(rows):
    encoder, X, ill = rows
    whole = content(rows, np.arange(300))
    assert whole.digest() != content(rows, np.arange(299)).digest()
    other = ill.copy()
    other[7] = ~other[7]
    assert whole.digest() != RowContent.of(encoder.encode(X), other).digest()


def test_parts_are_the_content_of_their_rows(rows):
    some = np.arange(300) % 3 == 0
    part = content(rows, np.arange(300)).part(some)
    assert part.digest() == content(rows, np.flatnonzero(some)).digest()


def test_how_much_of_a_sample_is_found_again(rows):
    fit = content(rows, np.arange(200))
    assert fit.share(fit.sample()) == 1
    assert content(rows, np.arange(300)).share(fit.sample()) == 1
    none = RowContent.of(rows[0].encode(rows[1][:50]), ~rows[2][:50])
    assert none.share(fit.sample()) < 0.2
    assert fit.share(()) == 0
    assert len(fit.sample()) == len(set(fit.sample())) == 64


def test_a_record_names_what_it_was_made_with(rows):
    fit = content(rows, np.arange(200))
    record = record_of(fit, "abc")
    assert (record.content, record.sample, record.posterior) == (fit.digest(), fit.sample(), "abc")
    assert "numpy" in record.versions
    assert record.source is None
