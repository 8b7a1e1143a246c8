"""Averages over drawn rules, and the representative rule."""
