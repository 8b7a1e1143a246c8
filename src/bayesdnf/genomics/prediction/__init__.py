"""Prediction: apply a marker model to another cohort, with variants matched by alleles."""
