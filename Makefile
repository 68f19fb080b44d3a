# The front door. Each target drives a CMake preset (CMakePresets.json); `make help` lists them.
# The first use on a machine runs tools/setup, which installs what is missing.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 3
ARGS ?=
JOBS := $(shell nproc 2>/dev/null || echo 2)
TEST_JOBS := $(shell expr $(JOBS) + $(JOBS) / 2) # tests wait too: for terminals, time limits, disks
KZ := build/release/bin/kz

.NOTPARALLEL: # each step is parallel inside
.DEFAULT_GOAL := build
.PHONY: help build learn run quick test test-python test-all setup-test test-release build-sanitize test-sanitize test-fuzz test-valgrind peers bench bundle \
        pages format install doctor setup clean

help: ## lists these targets
	@echo "make TARGET, where TARGET is"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | while IFS='|' read -r name text; do \
	    printf '  %-12s %s\n' "$$name" "$$text"; done

build: build/release/.configured ## builds kz and libkz into build/release (the default)
	@cmake --build --preset release -j $(JOBS) --target kz libkz_static libkz_shared

learn: build/release/.configured ## builds kz alone, then opens the course where you left off (ARGS="start fast-track")
	@cmake --build --preset release -j $(JOBS) --target kz
	@$(KZ) learn $(ARGS) || [ $$? = 1 ] # 1: the task is not passed yet

run: build ## builds, then runs and checks every kernel on the devices of this machine
	@$(KZ) check $(ARGS)

quick: setup-test build/release/.configured ## for daily work: unit tests and some of every other kind, under a minute
	@cmake --build --preset quick -j $(JOBS)
	@ctest --preset quick -j $(TEST_JOBS)

test: setup-test test-release test-sanitize test-fuzz ## all tests: CTest, the sanitizers, a short fuzz run

test-python: build ## the rivals in Python, on CPU tensors (fetches PyTorch, or KZ_PYTHON names one that has it)
	@[ -n "$$KZ_PYTHON" ] || tools/setup python
	@cmake --build --preset release -j $(JOBS) --target kz_runner
	@# oneDNN takes AMX where the CPU names it, and dies where the machine does not permit it.
	@PYTHONPATH=peers/python OMP_NUM_THREADS=1 ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 "$${KZ_PYTHON:-.kz/python/bin/python}" -B -m unittest discover tests/python

test-all: ## test, the slow tests, valgrind and ten minutes of fuzzing
	@tools/setup test
	@$(MAKE) --no-print-directory build peers
	@$(MAKE) --no-print-directory test FUZZ_SECONDS=600
	@ctest --preset slow -j $(TEST_JOBS)
	@cmake --build --preset sanitize-kernels -j $(JOBS)
	@ctest --preset sanitize-kernels -j $(TEST_JOBS)
	@$(MAKE) --no-print-directory test-valgrind

setup-test:
	@tools/setup test

test-release: build/release/.configured
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release-once -j $(TEST_JOBS)

test-sanitize: build-sanitize
	@ctest --preset sanitize -j $(TEST_JOBS)

test-fuzz: build-sanitize
	@tools/fuzz $(FUZZ_SECONDS)

build-sanitize:
	@test -f build/sanitize/build.ninja || cmake --preset sanitize
	@cmake --build --preset sanitize -j $(JOBS)

test-valgrind: build/release/.configured
	@cmake --build --preset release -j $(JOBS) --target kz unit_tests
	@tools/valgrind

peers: build/release/.configured ## builds the rivals that kz bench measures kernels beside
	@cmake --build --preset release -j $(JOBS) --target peers

bench: build peers ## measures kernels on the GPU beside their rivals (ARGS="reduce --case ...")
	@$(KZ) bench $(ARGS)

bundle: build ## builds with machine code, and makes build/bundle/out/kernel-zoo.tar.gz for a machine with a GPU
	@test -f build/bundle/build.ninja || cmake --preset bundle
	@cmake --build --preset bundle -j $(JOBS) --target kz peers
	@tools/bundle build/bundle build/bundle/out

pages: build/release/.configured ## writes the pages that a program makes: tables, figures (docs, READMEs)
	@cmake --build --preset release -j $(JOBS) --target pages
	@build/release/tools/pages write
	@tools/reference

format: ## formats the C and CUDA sources
	@tools/format

install: build ## installs into PREFIX (/usr/local), below DESTDIR where given
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

doctor: build ## says what this machine has, what is missing, and the command that gets it
	@$(KZ) doctor $(ARGS)

setup: ## looks again at what the machine lacks, and installs it
	@tools/setup --again run

clean: ## removes build/
	@rm -rf build

# Set-up leaves a stamp under .kz and does nothing the next time. CMake configures by itself again
# when its files change.
build/release/.configured: tools/setup CMakePresets.json
	@tools/setup run
	@cmake --preset release
	@touch $@
