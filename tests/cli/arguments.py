"""Arguments of a fit, and the files that a command leaves."""

import os


def files(folder="."):
    return sorted(os.listdir(folder))


def fit(*arguments, table="plants.csv", target="class", out="model.json"):
    return ("fit", table, "--target", target, "--out", out, *arguments)
