"""Restarts of a search: how each begins, what it comes to, and whether they agree."""
