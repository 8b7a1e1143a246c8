"""Work on a cluster: Dask or Ray run tasks, workers map packed files."""
