"""Rewrite messages of the library for the shell: options instead of parameters."""

from __future__ import annotations

import re

OPTIONS = {
    **{name: f"--{name.replace('_', '-')}" for name in (
        "chains", "checkpoint", "checkpoint_every", "draws", "kernel", "layers",
        "negations", "positive", "prove", "strata", "thin", "thresholds", "time_limit", "warmup",
        "allele", "ambiguous", "among", "build", "codings", "device", "gap", "holdout", "measure",
        "part", "top", "permutations", "prevalence", "call_rate", "sample_call_rate", "maf", "hwe",
    )},
    "kinds": "--kind",
    "missing_values": "--missing",
    "monotonic_cst": "--monotonic",
    "n_columns": "--columns",
    "n_jobs": "--jobs",
    "n_rows": "--rows",
    "random_state": "--seed",
}  # fmt: skip
"""Parameters of the library that commands take as options."""

_OF_OWNERS = {
    ("mean", "Poisson"): "--size-mean",
    ("p", "Geometric"): "--count-p",
    ("components", "find_markers"): "--pcs",
    ("components", "adjust"): "--pcs",
    ("k", "principal_components"): "--pcs",
    ("keep", "find_markers"): "--variants-kept",
    ("kinship", "close_relatives"): "--king-cutoff",
    ("missing", "Filters"): "--missing",
    ("ld_r2", "Filters"): "--ld-r2",
    ("folds", "stratified_folds"): "--cv",
    ("share", "stratified_part"): "--test-share",
}
_NOT_IN_SHELLS = re.compile(r"(, a RandomState or Generator)?, or None(?=\. Got )")
_PARAMETER = re.compile(r"The '(\w+)' parameter(?: of ([\w.]+))?")
# An option beside it may quote a name with spaces or brackets, as the shell needs it.
_SETTING = re.compile(
    r"\b([a-z_]+)=('[^']*'|True|False|[-\d.]*\d|\{.*?\})( \((--(?:'[^']*'|\"[^\"]*\"|[^'\")])+)\))?"
)


def in_shell_words(text: str) -> str:
    """Write options where a sentence names parameters.

    Examples
    --------
    >>> from bayesdnf.cli.shell_words import in_shell_words
    >>> in_shell_words("Run longer or use kernel='tempered'.")
    'Run longer or use --kernel tempered.'
    >>> in_shell_words("The 'n_jobs' parameter of hunt must be 1 or more. Got 0 instead.")
    '--jobs must be 1 or more. Got 0 instead.'
    """
    said = re.sub(r"^strata (?=holds|puts|settles)", "--strata ", _PARAMETER.sub(_parameter, text))
    if said.startswith("--"):
        said = _NOT_IN_SHELLS.sub("", said)
    return _SETTING.sub(_setting, said)


def _parameter(found: re.Match[str]) -> str:
    name, owner = found.groups()
    return _OF_OWNERS.get((name, owner)) or OPTIONS.get(name) or found[0]


def _setting(found: re.Match[str]) -> str:
    name, value, _, beside = found.groups()
    option = OPTIONS.get(name)
    if beside is not None:  # the sentence names the option already
        return str(beside)
    if option is None or value.startswith("{"):
        return found[0]
    if value in ("True", "False"):
        return option if value == "True" else option.replace("--", "--no-")
    return f"{option} {value.strip(chr(39))}"
