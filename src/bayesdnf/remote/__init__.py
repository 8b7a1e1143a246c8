"""Work on a cluster: Dask or Ray carry tasks, workers map packed files."""
