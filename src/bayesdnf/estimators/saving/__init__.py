"""Files of fitted classifiers: a rule as JSON, a posterior as NetCDF with a JSON document."""
