"""Whether the draws of a run can be trusted: numbers, comparisons of chains, and a verdict."""
