"""From tables to packed bits: reading, encoding, canonical rows, simulated and bundled data."""
