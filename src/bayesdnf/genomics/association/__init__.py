"""Association: tests and regressions of variants and terms, and adjustment for confounders."""
