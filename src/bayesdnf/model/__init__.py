"""The model: priors on functions and rates, and the log posterior score of a function."""
