"""Fuzz targets for libFuzzer, driven by Atheris; run by ``make fuzz``, outside the gate."""
