"""NVIDIA GPUs: CuPy, the kernels of native/cuda, and sweeps of planes in GPU memory."""
