"""Settings by name."""

import pytest

from bayesdnf import Effect, Geometric, Prior
from bayesdnf.errors import ParameterError


def test_settings_are_read_and_changed_by_name():
    effect = Effect(ordered=False)
    assert effect.get_params()["ordered"] is False
    assert effect.set_params(ordered=True) is effect
    assert effect == Effect()
    assert effect.get_params(deep=False) == effect.get_params()


def test_when_one_is_refused_none_changes():
    effect = Effect()
    before = effect.get_params()
    with pytest.raises(ParameterError):
        effect.set_params(a0=5, b0=-1)
    assert effect.get_params() == before


def test_an_unknown_name_is_told_with_those_there_are():
    with pytest.raises(ParameterError, match=r"Effect has no parameter 'a3'; it has .*a0"):
        Effect().set_params(a3=1)


def test_the_text_names_what_is_no_default():
    assert repr(Effect()) == "Effect()"
    assert repr(Effect(ordered=False)) == "Effect(ordered=False)"
    assert eval(repr(Prior(count=Geometric(0.25), max_terms=3))) == Prior(
        count=Geometric(0.25), max_terms=3
    )


def test_equal_settings_are_equal_and_of_other_classes_not():
    assert Prior(max_terms=2) == Prior(max_terms=2) != Prior()
    assert Prior() != Effect()
    with pytest.raises(TypeError, match="unhashable"):
        hash(Prior())
