"""Draws in a notebook."""

from bayesdnf.display.draws_html import as_html, functions_html
from tests.sampling.made_draws import made


def test_the_most_probable_functions_come_with_their_probability():
    draws = made([["a"] * 6 + ["b"] * 3 + ["a AND b"]] * 2)
    page = as_html(draws)
    assert "2 chains of 10 draws, 3 distinct functions" in page
    assert page.index("0.600") < page.index("0.300") < page.index("0.100")
    assert "no rule" in page


def test_one_of_each_is_singular():
    page = as_html(made([["a"]]))
    assert "1 chain of 1 draw, 1 distinct function<" in page


def test_of_many_functions_five_are_listed_and_the_rest_is_counted():
    names = [f"x{i}" for i in range(9)]
    page = functions_html(made([names]))
    assert sum(f">{name}<" in page or f"({name})" in page for name in names) == 5
    assert "4 " in page


def test_names_are_texts():
    page = as_html(made([["'<script>alert(1)</script>' = 1"]]))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
