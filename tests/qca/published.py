"""Published crisp-set data and what was published about them.

LIPSET: survival of democracy in 18 European countries between the wars, by Lipset's conditions as
dichotomized in Rihoux and De Meur, "Crisp-set qualitative comparative analysis (csQCA)", chapter 3
of Rihoux and Ragin (eds), Configurational Comparative Methods, Sage 2009; the data set "LC" of the
R package QCA, whose solutions and figures are those of Duşa, QCA with R, Springer 2019, chapters
6 to 8.

KROOK: representation of women in 22 western parliaments, Krook, "Women's representation in
parliament: a qualitative comparative analysis", Political Studies 58 (2010) 886-908; solutions as
in the same package. Configurations are given by their number in the full truth table of
ES QU WS WM LP, from 1.
"""

import pandas as pd

_LIPSET = """
    AU 1 0 1 1 0 0
    BE 1 1 1 1 1 1
    CZ 1 1 1 1 1 1
    EE 0 0 1 0 1 0
    FI 1 0 1 0 1 1
    FR 1 0 1 1 1 1
    DE 1 1 1 1 0 0
    GR 0 0 0 0 0 0
    HU 0 0 1 0 0 0
    IE 1 0 1 0 1 1
    IT 0 0 0 0 1 0
    NL 1 1 1 1 1 1
    PL 0 0 1 0 0 0
    PT 0 0 0 0 0 0
    RO 0 0 0 0 1 0
    ES 0 0 0 0 0 0
    SE 1 0 1 1 1 1
    UK 1 1 1 1 1 1
"""
_KROOK_WITH = (4, 12, 21, 24, 26, 27, 28, 28, 29, 32, 32)
_KROOK_WITHOUT = (3, 9, 11, 18, 25)


def lipset():
    lines = [line.split() for line in _LIPSET.split("\n") if line.strip()]
    return pd.DataFrame(
        [[int(value) for value in line[1:]] for line in lines],
        index=[line[0] for line in lines],
        columns=["DEV", "URB", "LIT", "IND", "STB", "SURV"],
    )


def krook():
    rows = [
        [*(int(digit) for digit in f"{number - 1:05b}"), outcome]
        for outcome, numbers in ((1, _KROOK_WITH), (0, _KROOK_WITHOUT))
        for number in numbers
    ]
    return pd.DataFrame(rows, columns=["ES", "QU", "WS", "WM", "LP", "WNP"])
