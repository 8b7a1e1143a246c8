"""Search for the best function: ours (hunt), the paper's annealing, proofs where possible."""
