"""Kernels compiled by NVRTC for GPUs that are not there, to see what comes of them."""

import ctypes
import importlib.util
import re
from pathlib import Path


def libraries():
    """Find NVRTC of every CUDA that is installed as Python packages, by its major version."""
    package = importlib.util.find_spec("nvidia")
    places = [] if package is None else package.submodule_search_locations
    found = [file for place in places for file in Path(place).rglob("libnvrtc.so.*")]
    return {int(file.suffix[1:]): file for file in found}


class Compiled:
    """A kernel of one compute capability.

    ``registers`` and ``spilled`` are by the assembler's words: registers of a thread, and bytes of
    them that it keeps in memory. ``calls`` names functions that stand for instructions which this
    GPU does not have.
    """

    def __init__(self, library, source, name, options, capability):
        nvrtc = ctypes.CDLL(str(library))
        program = ctypes.c_void_p()
        nvrtc.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None
        )
        options = [*options, f"--gpu-architecture=sm_{capability}", "--ptxas-options=-v"]
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        status = nvrtc.nvrtcCompileProgram(program, len(options), given)
        log = self._read(nvrtc, program, "ProgramLog").decode()
        assert status == 0, f"{name}: {log}"
        code = self._read(nvrtc, program, "CUBIN")
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
        own = log.partition(f"Compiling entry function '{name}'")[2]
        self.registers = int(re.search(r"Used (\d+) registers", own)[1])
        self.spilled = int(re.search(r"(\d+) bytes spill stores", own)[1])
        self.calls = set(re.findall(rb"__cuda_sm_\w+", code))

    @staticmethod
    def _read(nvrtc, program, what):
        size = ctypes.c_size_t()
        getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(nvrtc, f"nvrtcGet{what}")(program, text)
        return text.raw
