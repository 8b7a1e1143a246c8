"""NVIDIA GPUs: CuPy, the kernels of native/cuda, and sweeps of planes that lie on a GPU."""
