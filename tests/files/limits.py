"""Limits that make the system refuse to write, as a full disk does."""

import contextlib
import os

import pytest


@contextlib.contextmanager
def largest_file(n_bytes):
    """Let no file grow beyond so many bytes: the system then refuses as a full disk does."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


posix = pytest.mark.skipif(os.name != "posix", reason="POSIX")
