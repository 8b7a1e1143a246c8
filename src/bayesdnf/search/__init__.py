"""Search for the best function: hunt, the paper's annealing, proofs."""
