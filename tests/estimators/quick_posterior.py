"""A PosteriorDNFClassifier of few draws."""

from bayesdnf import PosteriorDNFClassifier

QUICK = {"draws": 100, "warmup": 50, "chains": 2, "thin": 20}


def quick(**parameters):
    return PosteriorDNFClassifier(**{**QUICK, "random_state": 0, **parameters})
