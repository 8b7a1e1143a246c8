"""A PosteriorDNFClassifier of few draws, of functions unless layers are asked for."""

from bayesdnf import PosteriorDNFClassifier

QUICK = {"layers": 1, "draws": 100, "warmup": 50, "chains": 2, "thin": 20}


def quick(**parameters):
    return PosteriorDNFClassifier(**{**QUICK, "random_state": 0, **parameters})
