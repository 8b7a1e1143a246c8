"""Markov chain Monte Carlo over Boolean functions and rule lists."""
