# What a person types. `make` alone lists the targets; the work itself is in CMakePresets.json and tools/.

JOBS ?= $(shell nproc)
PYTHON ?= python3
FUZZ_SECONDS ?= 600
CLANG_TIDY ?= 19

.DEFAULT_GOAL := help
.PHONY: help deps build program demo picture test test-all bench format format-check lint mutants fuzz clean

help: ## this list
	@echo "Linnet: one engine for text, vectors and voice. On a fresh Debian 12:"
	@echo
	@echo "  make demo     builds the program and asks the model that comes with it"
	@echo "  make test     builds and runs the whole suite"
	@echo
	@echo "All targets (JOBS=$(JOBS) builds in parallel):"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the Debian packages that are missing (needs root or sudo)
	@tools/install_deps.sh build test lint

build: ## the release build of everything; the program is build/linnet
	@tools/install_deps.sh build test
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

# Configured once: what changes later, the build notices itself.
program: ## the release program only: build/linnet, without the tests
	@tools/install_deps.sh build
	@[ -f build/build.ninja ] || cmake --preset release -DLINNET_TESTS=OFF
	@cmake --build --preset release -j $(JOBS) --target linnet_cli

demo: program ## three questions to the built-in model, and what ran where
	@tools/demo.sh build/linnet

picture: program ## docs/img/demo.svg and the demo in README.md, from a real run of it
	@$(PYTHON) tools/terminal_picture.py --document README.md --title "make demo" docs/img/demo.svg tools/demo.sh build/linnet

test: ## the whole suite, sanitizers, fuzz corpora, checks of the tree; ends with one line of totals
	@tools/install_deps.sh build test
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS)

test-all: ## test, then every instruction set under sanitizers, long fuzzing and the mutants
	@tools/install_deps.sh build test
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) --all --fuzz-seconds $(FUZZ_SECONDS)

bench: program ## speed of text and of single ops on this machine (MODEL=file.gguf, else a generated one)
	tools/bench.sh build/linnet build/bench $(MODEL)

format: ## lay the code out as .clang-format says
	@tools/install_deps.sh format
	@$(PYTHON) tools/format.py

format-check: ## say what `make format` would change
	@tools/install_deps.sh format
	@$(PYTHON) tools/format.py --check

lint: ## clang-tidy over src, apps and bench, but for kernels of GPUs: their compiler is another
	@tools/install_deps.sh build test lint
	cmake --preset dev  # where each file is compiled by itself
	run-clang-tidy-$(CLANG_TIDY) -quiet -j $(JOBS) -p build-dev '^$(CURDIR)/(src|apps|bench)/.*[.]cpp$$'

mutants: ## break the code in each of the committed ways; the suite must notice every one
	@tools/install_deps.sh build test
	@$(PYTHON) tools/mutants.py --jobs $(JOBS)

fuzz: ## fuzz each parser for FUZZ_SECONDS (600)
	@tools/install_deps.sh build test
	@$(PYTHON) tools/run_tests.py --jobs $(JOBS) --only fuzz --fuzz-seconds $(FUZZ_SECONDS)

clean: ## remove all build folders
	rm -rf build build-*
