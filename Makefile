# Everything runs in a .venv that make sets up itself; a machine needs Python 3.11+, make and a C++20 compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PEERS := build/peers
SUDO := $(shell test "$$(id -u)" = 0 || echo sudo)
NATIVE := $(shell find native -name '*.?pp' -o -name '*.cu' -o -name '*.in' -o -name CMakeLists.txt) CMakeLists.txt
PACKAGE := $(shell find src -type d -not -name __pycache__)  # changes when a module comes or goes

# Bytecode is written as modules are imported, whatever the caller's environment says: pip leaves it
# out, and without it each of the many processes of the tests would compile scikit-learn again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick lint native-test sanitize sanitize-threads tidy coverage smoke sdist wheel workflow-check calibrate attack fuzz fuzz-corpus test-lowest browser bench bench-search profile-search bench-folds bench-peers bench-averaging bench-genomics power null-studies reproduce docs pictures house longest stub clean bench-cluster figures plink gpu-kernels

demo: $(VENV)/.installed
	@mkdir -p build
	$(BIN)/bayesdnf demo --report build/mushroom.html

# Two processes of tests share two cores: threads of numpy's and scikit-learn's loops only wait.
test quick: export OPENBLAS_NUM_THREADS = 1
test quick: export OMP_NUM_THREADS = 1

# UNITY=1 compiles each folder of the core as one source: half the time where nothing is built yet.
# Lint takes one core, so the C++ tests are compiled beside it.
test: $(VENV)/.installed
	@$(MAKE) --no-print-directory -j2 --output-sync=target lint native-test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not long"

# What a change is most likely to break, in under two minutes on two cores; no lint, no C++ tests.
quick: $(VENV)/.installed
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not slow" tests

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(filter %.cpp %.hpp %.cu,$(NATIVE))

native-test: $(VENV)/.installed
	+$(BIN)/cmake --build build/editable --target native_tests
	$(BIN)/ctest --test-dir build/editable/native --output-on-failure

# The module with deliberate mistakes in it, which tests/sampling/test_faults.py must notice. The
# stamp says of which sources it was built; the test compares.
build/faults/.built: $(NATIVE) $(VENV)/.installed tests/sampling/fault_build.py
	@rm -rf $(@D) && mkdir -p $(@D)
	@$(PYTHON) tests/sampling/fault_build.py > $@.new
	$(BIN)/cmake -DCMAKE_UNITY_BUILD=OFF build/editable  # it replaces objects of single sources
	$(BIN)/cmake --build build/editable --target native_faults
	@cp build/editable/faults/_native* $(@D)
	@mv $@.new $@

# Malformed files of all kinds, hostile names, writers that fail, 200 kills: half an hour. Writes the
# table of docs/trust.md; fails when something was not handled.
attack: $(VENV)/.installed
	$(BIN)/python -W ignore -m benchmarks.attack $(if $(QUICK),--quick)

# libFuzzer on arguments of the core, PLINK files and model files: the core compiled by clang with the
# address and undefined-behaviour sanitizers, driven by Atheris, in an environment of its own. Ten
# minutes a target, or MINUTES=1; TARGETS=core takes one. What is found lies in build/fuzz/found; new
# inputs lie in build/fuzz/corpus, and fuzz/corpus keeps the best of them (make fuzz-corpus).
FUZZ := build/fuzz
FUZZ_PYTHON = LD_PRELOAD=$$(echo $(abspath $(FUZZ))/lib/python3.*/site-packages/asan_with_fuzzer.so) \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_odr_violation=0 \
	UBSAN_OPTIONS=print_stacktrace=1 $(FUZZ)/bin/python -m fuzz
TARGETS ?= core genotypes models
MINUTES ?= 10

fuzz: $(FUZZ)/.installed
	@mkdir -p $(FUZZ)/found $(addprefix $(FUZZ)/corpus/,$(TARGETS))
	set -e; for name in $(TARGETS); do $(FUZZ_PYTHON) $$name -max_total_time=$$((60 * $(MINUTES))) \
		-timeout=60 -rss_limit_mb=4096 -len_control=0 -max_len=16384 -print_final_stats=1 \
		-artifact_prefix=$(FUZZ)/found/ $(FUZZ)/corpus/$$name fuzz/corpus/$$name; done

# The smallest inputs that reach all that is reached, 60 a target at most.
fuzz-corpus: $(FUZZ)/.installed
	set -e; for name in $(TARGETS); do \
		rm -rf $(FUZZ)/least && mkdir $(FUZZ)/least; \
		$(FUZZ_PYTHON) $$name -merge=1 $(FUZZ)/least $(FUZZ)/corpus/$$name fuzz/corpus/$$name; \
		rm -rf fuzz/corpus/$$name && mkdir -p fuzz/corpus/$$name; \
		for file in $$(ls -Sr $(FUZZ)/least | head -60); do cp $(FUZZ)/least/$$file fuzz/corpus/$$name; \
		done; done

# Not editable: Atheris does not see the coverage of modules that a loader of their own imports.
$(FUZZ)/.installed: $(NATIVE) $(shell find src -name '*.py') pyproject.toml
	command -v clang++ > /dev/null || { $(SUDO) apt-get update -qq && $(SUDO) env \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends clang libclang-rt-dev; }
	test -x $(FUZZ)/bin/python || $(PYTHON) -m venv $(FUZZ)
	$(FUZZ)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(FUZZ)/bin/python -m pip install --quiet --group fuzz
	$(FUZZ)/bin/python -m pip install --quiet --no-build-isolation . -Cbuild-dir=build/wheel-fuzz \
		-Ccmake.define.CMAKE_CXX_COMPILER=clang++ -Ccmake.build-type=RelWithDebInfo \
		"-Ccmake.define.CMAKE_CXX_FLAGS=-fsanitize=fuzzer-no-link,address,undefined \
		-fno-sanitize=vptr,function -fno-sanitize-recover=all -fno-omit-frame-pointer -g1"
	@touch $@

# The tests that touch every library once.
SMOKE := -m "not slow" tests/test_package.py tests/cli/test_labelled.py tests/cli/test_sampling.py \
	tests/cli/test_reporting.py tests/sampling/drawn/test_draws_file.py tests/estimators/test_classifier.py

smoke: $(VENV)/.installed
	$(BIN)/python -m pytest -q $(SMOKE)

# The lowest versions that pyproject.toml declares, in an environment of their own. Old libraries
# warn of what they use of newer ones.
test-lowest: $(VENV)/.installed
	$(PYTHON) -m venv build/lowest
	build/lowest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PYTHON) tools/lowest.py > build/lowest/requirements.txt
	build/lowest/bin/python -m pip install --quiet -r build/lowest/requirements.txt --group build \
		"pytest>=8" "hypothesis>=6.100" pyarrow h5py
	build/lowest/bin/python -m pip install --quiet --no-build-isolation --no-deps -e . \
		-Cbuild-dir=build/editable-lowest
	build/lowest/bin/python -m pytest -q -p no:cacheprovider -W ignore::DeprecationWarning $(SMOKE)

# Kernels for GPUs compiled by NVRTC of CUDA 12 and 13, for GPUs of all kinds; no GPU is needed.
gpu-kernels: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group gpu-kernels
	$(BIN)/python -m pytest -q -n 2 tests/gpu/test_compiled.py

# Chromium and its driver, for the tests of reports; without them these tests are skipped.
browser:
	test -x /usr/bin/chromium && test -x /usr/bin/chromedriver || { \
		$(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install \
		-y -qq --no-install-recommends chromium chromium-driver fonts-dejavu-core; }

CLANG ?= clang++
comma := ,

# CMake in a folder of its own: $(call configure,folder,build type,options)
configure = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -B $(1) \
	-DCMAKE_BUILD_TYPE=$(2) -DPython_EXECUTABLE=$(abspath $(BIN))/python $(3)

# The C++ tests under the address and undefined-behaviour sanitizers.
sanitize: $(VENV)/.tools
	$(call configure,build/sanitize,Debug,-DBAYESDNF_TESTS=ON -DBAYESDNF_SANITIZE=address$(comma)undefined)
	$(BIN)/cmake --build build/sanitize --target native_tests
	$(BIN)/ctest --test-dir build/sanitize/native --output-on-failure

# The C++ tests, then search, chains and scans from Python on four threads, under g++'s thread
# sanitizer. It wants addresses that are not random (setarch -R), and its library before Python's.
sanitize-threads: $(VENV)/.installed
	$(call configure,build/sanitize-threads,RelWithDebInfo,-DBAYESDNF_TESTS=ON -DBAYESDNF_SANITIZE=thread \
		-DCMAKE_CXX_COMPILER=g++)
	$(BIN)/cmake --build build/sanitize-threads --target native_tests _native
	setarch -R $(BIN)/ctest --test-dir build/sanitize-threads/native --output-on-failure
	LD_PRELOAD=$$(g++ -print-file-name=libtsan.so) TSAN_OPTIONS=halt_on_error=1:exitcode=66 \
		OPENBLAS_NUM_THREADS=1 BAYESDNF_NATIVE=build/sanitize-threads/native \
		setarch -R $(BIN)/python -m tests.native.many_threads

# clang-tidy on the core and its bindings; .clang-tidy says which checks, and why not the others.
tidy: $(VENV)/.checks
	$(call configure,build/tidy,Release,-DCMAKE_CXX_COMPILER=$(CLANG) -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
	$(BIN)/python $(BIN)/run-clang-tidy.py -quiet -clang-tidy-binary $(BIN)/clang-tidy -p build/tidy \
		'/native/(bindings|data|genomics|model|sampling|search)/[^/]*[.]cpp$$'

# Lines of Python that the tests of make quick run, and lines of the core that the C++ tests run
# (g++ and gcov). TESTS=tests/model takes a part of the former.
coverage: $(VENV)/.checks
	COVERAGE_FILE=build/coverage.python $(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not slow" \
		--cov=bayesdnf --cov-report=term:skip-covered $(or $(TESTS),tests)
	$(call configure,build/coverage,Debug,-DBAYESDNF_TESTS=ON -DCMAKE_CXX_COMPILER=g++ \
		"-DCMAKE_CXX_FLAGS=--coverage -fprofile-update=atomic" -DCMAKE_UNITY_BUILD=ON)
	$(BIN)/cmake --build build/coverage --target native_tests
	find build/coverage -name '*.gcda' -delete
	$(BIN)/ctest --test-dir build/coverage/native --output-on-failure
	$(BIN)/gcovr -r native build/coverage --exclude native/tests --sort uncovered-percent

# The source distribution, and a wheel for this machine: repaired by auditwheel to say which Linux it
# needs, installed into an empty environment, and run there with nothing else on PATH, no compiler.
sdist: $(VENV)/.checks
	$(BIN)/python -m build --sdist --no-isolation --outdir dist

wheel: $(VENV)/.checks
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel/linux . \
		$(if $(UNITY),-Ccmake.define.CMAKE_UNITY_BUILD=ON)
	PATH=$(abspath $(BIN)):$$PATH $(BIN)/auditwheel repair -w dist build/wheel/linux/*.whl
	$(PYTHON) -m venv build/wheel/empty
	build/wheel/empty/bin/python -m pip install --quiet dist/$$(ls -t dist | grep whl | head -1)
	cd build/wheel/empty && env -i PATH=$$PWD/bin bin/bayesdnf demo

# The form of what only a forge or another package index reads; the targets of the tests are ours.
workflow-check: $(VENV)/.checks
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	make -n $$(sed -n 's/ workflow-check//; s/.*target: \(.*\) }.*/\1/p' .github/workflows/tests.yml) > /dev/null
	$(BIN)/python tools/recipes.py

# Simulation-based calibration of the sampler in full, its exactness on every combination of priors
# and supports, and mistakes planted in the core; short forms of the first two are among the tests.
# Minutes.
calibrate: $(VENV)/.installed build/faults/.built
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m long
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "hypothesis and not long" --hypothesis-profile thorough
	$(BIN)/python -m pytest -v tests/calibration/full.py
	BAYESDNF_EXHAUSTIVE=1 $(BIN)/python -m pytest -q tests/sampling/test_exactness.py
	BAYESDNF_BOUNDS=2000 $(BIN)/python -m pytest -q -n 2 tests/search/test_boxes.py tests/search/test_priced.py tests/search/test_term_sets.py
	BAYESDNF_KILLS=50 $(BIN)/python -m pytest -q tests/sampling/test_checkpoint.py -k kills

# The sweep, and the samplers: a quarter of an hour.
bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks.sweep
	$(BIN)/python -m benchmarks.sampling --jobs 2

# What the search is measured by. RIPPER is timed beside it, in the environment of the peers.
# FULL=1 takes full counts and goes on for hours.
bench-search: $(VENV)/.installed $(PEERS)/.installed
	set -e; for name in tree_regret real_regret list_regret agreement mushroom recovery noise search_profile; do \
		$(BIN)/python -m benchmarks.$$name $(if $(FULL),,--quick); done
	$(PEERS)/bin/python -m benchmarks.search_time $(if $(FULL),,--quick)

# Where the time inside a restart goes: the core with symbols and frame pointers, under Linux's perf.
profile-search: $(VENV)/.installed
	$(call configure,build/profile,RelWithDebInfo,-DCMAKE_CXX_FLAGS=-fno-omit-frame-pointer)
	$(BIN)/cmake --build build/profile --target _native
	$(BIN)/python -m benchmarks.search_phases $(if $(FULL),,--quick)

# Other learners, in an environment of their own: two pages of one table. What is measured stays in
# benchmarks/results/peers.jsonl, and a run goes on from there; FLAGS="--folds 2" takes fewer folds.
bench-folds: $(PEERS)/.installed
	PYTHONHASHSEED=0 $(PEERS)/bin/python -m benchmarks.peers $(FLAGS)

bench-peers: bench-folds
	$(PEERS)/bin/python -m benchmarks.comparison

bench-averaging: bench-folds
	$(PEERS)/bin/python -m benchmarks.averaging

# Reading, the scan beside PLINK 1.9 (Debian package plink1.9), and rules of drug resistance of HIV.
bench-genomics: $(VENV)/.installed
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.scan
	$(BIN)/python -m benchmarks.hiv

# Speed-up on 1, 2 and 4 local Dask processes, the cost of a task, memory of a worker, into
# docs/cluster.md. Minutes, on four free cores.
bench-cluster: $(VENV)/.installed
	$(BIN)/python -m benchmarks.cluster $(if $(QUICK),--quick)

# Power to find markers, beside PLINK 1.9 (Debian package plink1.9): 20 sets a cell, 100 with FULL=1.
# Half an hour, or two; what is measured stays in benchmarks/results/power.jsonl, and an interrupted
# run goes on from there.
power: $(VENV)/.installed
	$(BIN)/python -m benchmarks.power $(if $(FULL),--sets 100)

# Studies without a marker, structured or not: 100 sets of each kind. A quarter of an hour; what is
# measured stays in benchmarks/results/null_studies.jsonl, and an interrupted run goes on from there.
null-studies: $(VENV)/.installed
	$(BIN)/python -m benchmarks.null_studies

plink:
	command -v plink1.9 > /dev/null || { $(SUDO) apt-get update -qq && $(SUDO) env \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends plink1.9; }

# The paper's tables and figures, in full, with the page about them. Minutes.
reproduce: $(VENV)/.installed
	$(BIN)/bayesdnf reproduce all --jobs 2 --out docs/reproduction
	$(BIN)/python -m benchmarks.writing docs/reproduction/index.md "make reproduce"

# Every page of figures by the commands that the pages name, at one commit: JOBS=2 pages at a time.
# Raw results of older code are removed first; KEEP=1 goes on where an interrupted run stopped.
FIGURES := bench-peers bench-averaging $(addprefix figures-,defaults steadiness verdicts gaps hiv \
	chain_weights) power null-studies attack reproduce figures-wide
figures: $(VENV)/.installed $(PEERS)/.installed plink
	$(if $(KEEP),,rm -f $(addprefix benchmarks/results/,peers.jsonl power.jsonl null_studies.jsonl))
	+$(MAKE) --no-print-directory -j$(or $(JOBS),2) --output-sync=target $(FIGURES)

FLAGS_gaps := --seconds 12
FLAGS_chain_weights := --quick
figures-%: $(VENV)/.installed
	$(BIN)/python -m benchmarks.$* $(FLAGS_$*)

# The native module's type stub is generated, and checked in so that editors and mypy find it.
stub: $(VENV)/.installed
	$(BIN)/python -m nanobind.stubgen -q -m bayesdnf._native -o src/bayesdnf/_native.pyi

# Which package imports which, for docs/developing; an arrow that points up is an error.
house: $(VENV)/.installed
	$(BIN)/python tools/house.py docs/developing/house.svg

# The longest files and functions, with a reason each.
longest: $(VENV)/.installed
	$(BIN)/python tools/longest.py docs/developing/longest.md

# The site, in build/docs. A warning is an error; the walk-throughs are run, in about a minute.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees docs build/docs
	@echo "Open build/docs/index.html."

# The pictures that show our own output: README's rule, the site's first page, reports.
pictures: $(VENV)/.installed browser
	$(BIN)/python tools/rule_picture.py docs/rule.svg
	$(BIN)/python tools/overview.py docs/overview.html
	$(BIN)/python tools/report_pictures.py docs

clean:
	rm -rf build $(VENV) docs/generated docs/walkthroughs

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.tools: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"  # dependency groups
	$(BIN)/python -m pip install --quiet --no-compile --group dev  # bytecode: as it is imported
	@touch $@

$(VENV)/.installed: $(NATIVE) $(PACKAGE) pyproject.toml $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --no-compile --no-build-isolation -e . -Cbuild-dir=build/editable \
		-Ccmake.define.BAYESDNF_TESTS=ON $(if $(UNITY),-Ccmake.define.CMAKE_UNITY_BUILD=ON)
	@touch $@

$(VENV)/.checks: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group checks
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

$(PEERS)/bin/python:
	$(PYTHON) -m venv $(PEERS)

$(PEERS)/.installed: $(NATIVE) $(PACKAGE) pyproject.toml | $(PEERS)/bin/python
	$(PEERS)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PEERS)/bin/python -m pip install --quiet --group peers
	$(PEERS)/bin/python -m pip install --quiet --no-deps fasterrisk==0.1.10  # it pins scikit-learn 1.2
	sed -i 's/\.tostring()/.tobytes()/' $(PEERS)/lib/python*/site-packages/fasterrisk/*.py  # numpy 2.3
	$(PEERS)/bin/python -m pip install --quiet --no-build-isolation -e . -Cbuild-dir=build/editable-peers \
		$(if $(UNITY),-Ccmake.define.CMAKE_UNITY_BUILD=ON)
	@touch $@
