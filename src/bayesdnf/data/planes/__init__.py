"""Packed bits: where rows lie in a plane, and planes that arrive in pieces."""
