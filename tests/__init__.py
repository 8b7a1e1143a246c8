"""Tests; modules beside them are imported as ``tests.boolean.worlds`` and the like."""
