"""Parts of draws: arrays, probabilities and shares, and their files."""
