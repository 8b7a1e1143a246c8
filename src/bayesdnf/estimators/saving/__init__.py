"""Fitted classifiers in files: a rule as JSON, a posterior as NetCDF with a document inside."""
