"""The machine that runs kernels where there is no GPU: it does what they say, mistakes included."""

import numpy as np
import pytest

from bayesdnf import _native
from bayesdnf.genomics import scan
from tests.genomics.scanning.paired import study
from tests.gpu.present import needs_emulation

from .emulated import cupy
from .emulated.kernels import without_asm

pytestmark = needs_emulation

WAIT = 'asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3));'
MEET = "__syncthreads();\n                        feed"
MISTAKES = {
    "a stage is read before it came": (WAIT, ""),
    "a stage is waited for too late": (WAIT, WAIT.replace("STAGES - 3", "STAGES - 2")),
    "threads do not wait for each other": (MEET, "feed"),
    "a stage is overwritten in use": ("slot = slot + 1 == STAGES", "slot = slot == STAGES"),
    "halves of a fragment are exchanged": ("(matrix & 1) * 8", "(matrix >> 1) * 8"),
}


def test_instructions_become_calls():
    text = 'asm volatile("a.b::c.d {%0}, [%1], 16;" : "=r"(x[0]) : "r"(y), "l"(f(z, 1)));'
    assert without_asm(text) == "emulated::a_b__c_d(x[0], y, f(z, 1), 16);"
    assert without_asm('asm("stop;");') == "emulated::stop();"
    assert without_asm('asm volatile("" ::: "memory");') == 'asm volatile("" ::: "memory");'


def findings(device):
    genotypes, y = study(130, 5000)
    return scan(genotypes, y, top=30, device=device).findings


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_of_a_kernel_show(gpu, monkeypatch, mistake):
    right, wrong = MISTAKES[mistake]
    assert right in _native.CUDA_PRODUCTS
    monkeypatch.setattr(_native, "CUDA_PRODUCTS", _native.CUDA_PRODUCTS.replace(right, wrong))
    expected = findings("cpu")
    try:
        same = all(findings("cuda").equals(expected) for _ in range(4))  # all orders of the threads
    except (AssertionError, ValueError):  # counts that cannot be are refused
        same = False
    assert not same


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("__ballot_sync(~0u, true); __syncthreads();", None),
        ("if (threadIdx.x % 32 < 9) __ballot_sync(~0u, true);", "wait for each other"),
        ("copy(threadIdx.x * 4 + 64, out);", r"thread \d+ of block 0: address \d+ of 128"),
        ("copy(threadIdx.x % 4 * 4 + 2, out);", r"thread \d+ of block 0: address \d+ of 128"),
    ],
)
def test_wrong_kernels_are_refused(gpu, body, message):
    source = f"""
        typedef unsigned int u32;
        inline void copy(u32 to, const void* from) {{
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
        }}
        extern "C" __global__ void kernel(int* out) {{ {body} }}
    """
    kernel, out = cupy.RawKernel(source, "kernel"), cupy.zeros(4, np.int32)
    if message is None:
        kernel((2,), (64,), (out,), shared_mem=128)
        return
    with pytest.raises(AssertionError, match=f"kernel: {message}|kernel: threads {message}"):
        kernel((2,), (64,), (out,), shared_mem=128)
