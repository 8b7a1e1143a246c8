"""Association: what tests and regressions say of variants and terms, and of confounders."""
