"""Convergence diagnostics: numbers, comparisons of chains, and a verdict."""
