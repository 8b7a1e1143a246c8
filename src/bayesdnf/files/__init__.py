"""Atomic writes, and reading with every field checked."""
