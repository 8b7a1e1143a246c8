"""Settings of the whole suite."""

import os

from hypothesis import settings

# Property-based tests explore on every run at a desk; the gate before landing repeats one choice of
# examples, so that it answers for the change and not for the day's luck.
settings.register_profile("gate", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("gate")
