"""From tables to packed bits: reading, encoding, canonical rows, simulated and built-in data."""
