"""Packed bits: the layout of planes, and planes that are read in chunks."""
