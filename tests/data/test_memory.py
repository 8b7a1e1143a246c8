"""Free memory is read right, and too large a table is refused before it is made."""

from __future__ import annotations

import pytest

from bayesdnf.data import memory
from bayesdnf.errors import OutOfMemoryError

GIB = 2**30
MEMINFO = "MemTotal:       33554432 kB\nMemFree: 5 kB\nMemAvailable:   16777216 kB\n"  # 16 GiB


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A pretend machine: write its system files, then ask it."""
    monkeypatch.setattr(memory, "_ROOT", tmp_path)

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return write


def group_v2(folder, limit, used, cache=0):
    base = f"sys/fs/cgroup/{folder}"
    return {
        f"{base}/memory.max": f"{limit}\n",
        f"{base}/memory.current": f"{used}\n",
        f"{base}/memory.stat": f"anon 1\ninactive_file {cache}\n",
    }


def test_unknown_machine(machine):
    assert memory.available_memory() is None


def test_memavailable(machine):
    machine({"proc/meminfo": MEMINFO})
    assert memory.available_memory() == 16 * GIB


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(4 * GIB, 3 * GIB), (64 * GIB, 16 * GIB), (GIB // 2, 0), ("max", 16 * GIB)],
)
def test_cgroup_v2_counts_where_it_is_lower(machine, limit, expected):
    machine({"proc/meminfo": MEMINFO, "proc/self/cgroup": "0::/\n", **group_v2("", limit, GIB)})
    assert memory.available_memory() == expected


def test_file_cache_counts_as_free(machine):
    machine({"proc/self/cgroup": "0::/job\n", **group_v2("job", 4 * GIB, 3 * GIB, cache=2 * GIB)})
    assert memory.available_memory() == 3 * GIB


def test_limit_of_a_group_above(machine):
    machine(
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "0::/slice/job\n",
            **group_v2("slice/job", "max", GIB),
            **group_v2("slice", 3 * GIB, GIB),
        }
    )
    assert memory.available_memory() == 2 * GIB


@pytest.mark.parametrize("folder", ["host/path", ""])
def test_cgroup_v1(machine, folder):
    # Inside a container the path is the host's, while the files lie at the mount.
    base = f"sys/fs/cgroup/memory/{folder}"
    machine(
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/host/path\n",
            f"{base}/memory.limit_in_bytes": str(2 * GIB),
            f"{base}/memory.usage_in_bytes": str(GIB),
        }
    )
    assert memory.available_memory() == GIB


def test_require_memory_at_the_edge(machine):
    machine({"proc/meminfo": MEMINFO})
    memory.require_memory(16 * GIB, "A table")
    with pytest.raises(OutOfMemoryError) as caught:
        memory.require_memory(16 * GIB + 1, "A table of 3 rows")
    assert str(caught.value) == (
        "A table of 3 rows needs 16.0 GiB, and 16.0 GiB are free. Use fewer rows or columns."
    )
    assert isinstance(caught.value, MemoryError)


def test_require_memory_where_free_memory_is_unknown(machine):
    memory.require_memory(2**50, "A table")
    with pytest.raises(OutOfMemoryError, match=r"needs 1,024\.0 EiB, and no machine has that much"):
        memory.require_memory(2**70, "A table")


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (10**14, "90.9 TiB"),
        (2**60, "1.0 EiB"),
    ],
)
def test_size_text(n_bytes, text):
    assert memory.size_text(n_bytes) == text


def test_size_text_of_absurd_numbers():
    assert memory.size_text(10**400).endswith(" EiB")
