"""Averages over drawn rules, and the one rule that stands for them."""
