"""The model: priors on functions, priors on rates, and the score they give a function."""
