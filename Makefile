# Everything runs in a .venv that make sets up itself; a machine needs Python 3.11+, make and g++.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(shell find native -name '*.?pp' -o -name CMakeLists.txt) CMakeLists.txt
PACKAGE := $(shell find src -type d -not -name __pycache__)  # changes when a module comes or goes
CMAKE = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DBAYESDNF_TESTS=ON

.PHONY: demo test lint native-test sanitize bench bench-search docs stub clean

demo: $(VENV)/.installed
	$(BIN)/bayesdnf demo

test: lint native-test
	$(BIN)/python -m pytest

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

native-test: $(VENV)/.tools
	$(CMAKE) -B build/native-tests -DCMAKE_BUILD_TYPE=Release
	$(BIN)/cmake --build build/native-tests
	$(BIN)/ctest --test-dir build/native-tests/native --output-on-failure

# The C++ tests under the address and undefined-behaviour sanitizers.
sanitize: $(VENV)/.tools
	$(CMAKE) -B build/sanitize -DCMAKE_BUILD_TYPE=Debug -DBAYESDNF_SANITIZE=ON
	$(BIN)/cmake --build build/sanitize
	$(BIN)/ctest --test-dir build/sanitize/native --output-on-failure

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks.sweep

bench-search: $(VENV)/.installed
	set -e; for name in regret mushroom recovery noise; do $(BIN)/python -m benchmarks.$$name --quick; done

# The native module's type stub is generated, and checked in so that editors and mypy find it.
stub: $(VENV)/.installed
	$(BIN)/python -m nanobind.stubgen -q -m bayesdnf._native -o src/bayesdnf/_native.pyi

docs:
	@echo "The documentation is README.md, CONTRIBUTING.md and the docstrings; there are no pages to build yet."

clean:
	rm -rf build $(VENV)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.tools: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"  # dependency groups
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

$(VENV)/.installed: $(NATIVE) $(PACKAGE) pyproject.toml $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --no-build-isolation -e . -Cbuild-dir=build/editable
	@touch $@
