"""Kernels of native/cuda as functions of this processor: their text, compiled by g++.

machine.hpp says what it needs. In the text only what g++ cannot read is replaced: each inline PTX
instruction becomes a call of a function with the instruction's name.
"""

import ctypes
import hashlib
import os
import re
import subprocess
import tempfile
import threading
from functools import cache
from pathlib import Path

import numpy as np

HEADER = Path(__file__).with_name("machine.hpp")
BUILT = Path(__file__).parents[3] / "build" / "emulated"
DYNAMIC = re.compile(r"extern __shared__ (?:__align__\(\d+\) )?unsigned char (\w+)\[\];")
ASM = re.compile(r"\basm(?: volatile)?\s*\((?=\s*\"[^\"])")
LAUNCHER = """
extern "C" const char* launch_emulated(const unsigned* grid, const unsigned* block,
                                       std::size_t bytes, void** given) {
    static void** arguments;
    arguments = given;
    return emulated::launch(grid, block, bytes, [] {
        const auto run = []<class... A>(void (*kernel)(A...)) {
            emulated::call(kernel, arguments, std::index_sequence_for<A...>{});
        };
        run(%s);
    });
}
"""


def parts_of(text, separator):
    """Cut a text where a separator stands outside of brackets and strings."""
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter in "([{") - (letter in ")]}")
        if letter == separator and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def without_asm(source):
    """Replace inline PTX instructions by calls.

    >>> without_asm('asm volatile("a.b::c.d {%0}, [%1], 16;" : "=r"(x[0]) : "r"(y), "l"(f(z)));')
    'emulated::a_b__c_d(x[0], y, f(z), 16);'
    """
    made = ""
    while found := ASM.search(source):
        end, depth = found.end(), 1
        while depth:
            depth += (source[end] == "(") - (source[end] == ")")
            end += 1
        text, *operands = parts_of(source[found.end() : end - 1], ":")
        opcode, _, rest = "".join(re.findall(r'"([^"]*)"', text)).rstrip(";").partition(" ")
        given = [
            operand.strip().partition("(")[2].removesuffix(")")
            for group in operands
            for operand in parts_of(group, ",")
            if operand.strip()
        ]
        given += re.findall(r"(?:^|, )(\d+)(?=$|,)", rest)
        name = re.sub(r"[.:]", "_", opcode)
        made += f"{source[: found.start()]}emulated::{name}({', '.join(given)})"
        source = source[end:]
    return made + source


@cache
def compiled(source, name, options):
    """Compile a kernel, or take what an earlier run compiled."""
    text = DYNAMIC.sub(r"unsigned char* const \1 = emulated::shared_memory;", without_asm(source))
    text = f'#include "{HEADER}"\n{text}\n{LAUNCHER % name}'
    macros = [option for option in options if option.startswith("-D")]
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-w", "-shared", "-fPIC", *macros]
    key = hashlib.sha256("\n".join([text, HEADER.read_text(), *command]).encode()).hexdigest()
    library = BUILT / f"{name}-{key[:16]}.so"
    if not library.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILT) as folder:
            file = Path(folder) / "kernel.cpp"
            file.write_text(text)
            built = file.with_suffix(".so")
            subprocess.run([*command, "-o", built, file], check=True)
            built.rename(library)
    function = ctypes.CDLL(str(library)).launch_emulated
    function.restype = ctypes.c_char_p
    return function


class RawKernel:
    """A kernel as CuPy has it."""

    one_at_a_time = threading.Lock()  # the machine is one

    def __init__(self, source, name, options=()):
        self.name = name
        self.function = compiled(source, name, options)
        self.max_dynamic_shared_size_bytes = 48 << 10

    def __call__(self, grid, block, arguments, shared_mem=0):
        assert shared_mem <= self.max_dynamic_shared_size_bytes
        sizes = [(ctypes.c_uint * 3)(*size, *[1] * (3 - len(size))) for size in (grid, block)]
        # Numbers are given by value, arrays by their address.
        values = [
            np.array(x.ctypes.data, np.uintp) if isinstance(x, np.ndarray) else np.array(x)
            for x in arguments
        ]
        given = (ctypes.c_void_p * len(values))(*(value.ctypes.data for value in values))
        with self.one_at_a_time:
            wrong = self.function(*sizes, ctypes.c_size_t(shared_mem), given)
        assert not wrong, f"{self.name}: {wrong.decode()}"
