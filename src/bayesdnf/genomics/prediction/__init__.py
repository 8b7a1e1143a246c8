"""Prediction: whom a marker marks in another cohort, its variants found allele by allele."""
