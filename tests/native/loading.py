"""Another build of the native module in the place of the installed one.

As a plugin (``-p tests.native.loading``) it takes the build of the folder BAYESDNF_NATIVE.
"""

import importlib.util
import os
import sys
from pathlib import Path


def load(path):
    """Load a module before anything loads the installed one."""
    name = "bayesdnf._native"
    assert name not in sys.modules
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])


if folder := os.environ.get("BAYESDNF_NATIVE"):
    [module] = Path(folder).glob("_native*.so")
    load(module)
