"""Restarts of a search: their strategies, their results, and their agreement."""
