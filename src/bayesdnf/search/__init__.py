"""Search for the best function: ours (hunt), the paper's annealing, and proofs on small problems."""
