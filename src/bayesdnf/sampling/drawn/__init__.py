"""What draws are made of: their arrays, probabilities and shares, and their files."""
