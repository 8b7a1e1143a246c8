"""LaTeX by hand, and of any function."""

import pytest
from hypothesis import given

from bayesdnf.boolean import BooleanFunction, Literal
from tests.boolean.worlds import any_functions


@pytest.mark.parametrize(
    ("f", "latex"),
    [
        (
            BooleanFunction("odor = f OR NOT x_3 AND age >= 45"),
            r"(\texttt{odor} = \texttt{f}) \lor (\texttt{age} \geq 45 \land \lnot \texttt{x\_3})",
        ),
        (BooleanFunction("age < 1e-07"), r"(\texttt{age} < 1 \times 10^{-7})"),
        (BooleanFunction("a != true"), r"(\texttt{a} \neq \texttt{true})"),
        (BooleanFunction("a = '1'"), r"""(\texttt{a} = \texttt{"1"})"""),
        (
            BooleanFunction([[Literal("50% {a} $b^~#&", "true")]]),
            r"(\texttt{"
            r'"50\%\ \{a\}\ \$b\textasciicircum{}\textasciitilde{}\#\&"})',
        ),
        (
            BooleanFunction([[Literal("a\nb\x00", "true")]]),
            r'(\texttt{"a\textbackslash{}nb\textbackslash{}x00"})',
        ),
        (BooleanFunction(), r"\texttt{FALSE}"),
    ],
)
def test_latex_by_hand(f, latex):
    assert f.to_latex() == latex


@given(any_functions())
def test_latex_is_one_printable_line_with_balanced_braces(f):
    latex = f.to_latex()
    assert latex.isprintable()
    bare = latex.replace("\\{", "").replace("\\}", "")
    assert bare.count("{") == bare.count("}")
    for sign in "$&#_%":
        assert sign not in latex.replace("\\" + sign, "")
