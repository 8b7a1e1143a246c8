"""The command line speaks of options, not of parameters."""

import inspect

import pytest

from bayesdnf.cli import app
from bayesdnf.cli.shell_words import OPTIONS, in_shell_words


def test_every_option_exists():
    commands = [command.callback for command in app.registered_commands]
    names = {name for command in commands for name in inspect.signature(command).parameters}
    assert {option[2:].replace("-", "_") for option in OPTIONS.values()} <= names


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Fit with negations=True (--negations).", "Fit with --negations."),
        ("Fit with negations=False.", "Fit with --no-negations."),
        ("Use kernel='tempered'.", "Use --kernel tempered."),
        (
            "To offer it: kinds={'a (cm)': 'x'} (--kind 'a (cm)=x').",
            "To offer it: --kind 'a (cm)=x'.",
        ),
        (
            "The 'n_jobs' parameter of A must be 1, or None. Got 0 instead.",
            "--jobs must be 1. Got 0 instead.",
        ),
        ("draws=300 and size=3", "--draws 300 and size=3"),
        ("The 'p' parameter of Geometric must be small.", "--count-p must be small."),
        ("The 'p' parameter of describe must be small.", None),
    ],
)
def test_parameters_become_options(sentence, words):
    assert in_shell_words(sentence) == (sentence if words is None else words)


def test_seeds_of_the_shell_are_numbers(run, plants):
    ran = run("fit", "plants.csv", "--target", "class", "--seed", -1)
    ran.assert_one_sentence(["--seed must be a whole number, 0 or more. Got -1 instead."])


def test_flags_show_no_type_and_commands_come_in_order_of_work(run):
    shown = run("--help").out
    assert "<bool>" not in shown + run("fit", "--help").out
    places = [shown.index(f"\u2502 {name} ") for name in ("fit", "predict", "report", "sample")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--jobs", 0), "--jobs"),
        (("--time-limit", -1), "--time-limit"),
        (("--size-mean", -1), "--size-mean"),
        (("--monotonic", "agee=1"), "--monotonic"),
        (("--monotonic", "odor=1"), "categorical"),
        (("--monotonic", "age=1", "--layers", 2), "more than one layer"),
    ],
)
def test_errors_name_options(run, plants, arguments, named):
    ran = run("fit", "plants.csv", "--target", "class", *arguments)
    ran.assert_one_sentence([named])
    assert "parameter" not in ran.err


def test_fit_without_a_file_to_write(run, plants):
    ran = run("fit", "plants.csv", "--target", "class", "--monotonic", "age=-1")
    assert ran.status == 0
    assert "Rule for p" in ran.out
    assert "age >=" not in ran.out
    assert "written" not in ran.out


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--pcs", 50, "--pcs must be at most 30, the number of unlinked common variants. Got 50"),
        ("--pcs", -1, "--pcs must be a whole number, 0 or more. Got -1"),
        ("--permutations", -5, "--permutations must be a whole number, 0 or more. Got -5"),
        ("--prevalence", 1.5, "--prevalence must be between 0 and 1, both excluded. Got 1.5"),
        ("--variants-kept", 0, "--variants-kept must be a whole number, 1 or more. Got 0"),
        ("--codings", "additive", "some of dominant, recessive, heterozygous. Got 'additive'"),
        ("--maf", 3, "--maf must be between 0 and 0.5. Got 3.0"),
        ("--missing", "zero", "--missing must be 'keep'"),
        ("--king-cutoff", 3, "--king-cutoff must be above 0 and at most 0.5. Got 3.0"),
    ],
)
def test_options_of_markers_are_named(run, plink, option, value, said):
    ran = run("markers", "study", "--out", "results", option, value)
    ran.assert_one_sentence([said])


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--test-share", 1.5, "--test-share must be above 0 and below 1. Got 1.5 instead."),
        ("--cv", 1, "--cv must be a number from 2 to "),
        ("--strata", "age", "Error: --strata holds "),
    ],
)
def test_options_of_fit_are_named(run, plants, option, value, said):
    ran = run("fit", "plants.csv", "--target", "class", option, value)
    ran.assert_one_sentence([said])


def test_a_part_of_a_scan_is_named_as_its_option_does(run, plink):
    assert run("scan", "study", "--part", "1/3", "--out", "p1.tsv").status == 0
    ran = run("markers", "study", "--out", "results", "--scan", "p1.tsv")
    ran.assert_one_sentence(["part 1 of 3 of a scan; merge all parts"])
