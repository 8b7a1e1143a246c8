"""scikit-learn's own checks, all of them, with nothing expected to fail."""

import os
import subprocess
import sys

import pytest
from sklearn.utils.estimator_checks import (
    check_get_feature_names_out_error,
    check_global_output_transform_pandas,
    check_global_set_output_transform_polars,
    check_set_output_transform,
    check_set_output_transform_pandas,
    check_set_output_transform_polars,
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
    parametrize_with_checks,
)

from bayesdnf import DNFClassifier, Effect, LiteralTransformer, PosteriorDNFClassifier, Prior

pytestmark = pytest.mark.slow

# The defaults pass too, in a minute or two.
FEW = {"draws": 50, "warmup": 20, "thin": 10}

ESTIMATORS = [
    DNFClassifier(),
    PosteriorDNFClassifier(**FEW, prior=Prior(max_terms=2), max_literals=4),
    LiteralTransformer(),
]
OTHER_SETTINGS = [
    DNFClassifier(layers=2),
    DNFClassifier(prior=Prior(), effect=Effect(prevalence=0.3), n_jobs=2),
    PosteriorDNFClassifier(
        **FEW, layers=1, kernel="tempered", effect=Effect(prevalence=0.3), n_jobs=2
    ),
    LiteralTransformer(drop_first=True),
]


@parametrize_with_checks(ESTIMATORS)
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.long
@parametrize_with_checks(OTHER_SETTINGS)
def test_estimator_checks_of_other_settings(estimator, check):
    check(estimator)


# These are skipped above unless the variable is set before scipy is loaded.
ARRAY_API = """
from sklearn.utils.estimator_checks import check_array_api_input
from bayesdnf import DNFClassifier, LiteralTransformer, PosteriorDNFClassifier
for estimator in (
    DNFClassifier(), PosteriorDNFClassifier(layers=1, draws=50, warmup=20), LiteralTransformer()
):
    check_array_api_input(
        type(estimator).__name__, estimator, array_namespace="numpy",
        expect_only_array_outputs=False,
    )
"""


def test_array_api_dispatch_changes_nothing():
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", ARRAY_API], env=environment, check=True)


@pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature names:UserWarning")
@pytest.mark.parametrize(
    "check",
    [
        check_get_feature_names_out_error,
        check_global_output_transform_pandas,
        check_global_set_output_transform_polars,
        check_set_output_transform,
        check_set_output_transform_pandas,
        check_set_output_transform_polars,
        check_transformer_get_feature_names_out,
        check_transformer_get_feature_names_out_pandas,
    ],
)
def test_checks_that_scikit_learn_keeps_for_its_own_transformers(check):
    check("LiteralTransformer", LiteralTransformer())
