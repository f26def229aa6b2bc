# On a fresh machine, `make demo` and `make test` set everything up first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
KERNELS := $(VENV)/.kernels

# The tests start hundreds of processes; without bytecode on disk, each would compile all sources.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo edit test slow fuzz check bench pictures validation clean

setup: $(READY)

$(READY): pyproject.toml tools/setup.sh
	PYTHON="$(PYTHON)" VENV="$(VENV)" SYSTEM="$(SYSTEM)" sh tools/setup.sh
	touch $@ $(KERNELS)

# Compile changed kernels once, before the test workers start.
$(KERNELS): $(wildcard rck/kernels/*.py) | $(READY)
	$(BIN)/python -m rck.kernels
	touch $@

demo: $(READY)
	$(BIN)/rck demo

edit: $(READY)
	$(BIN)/rck edit

test: $(READY) $(KERNELS)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

slow: $(READY) $(KERNELS)
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

# Random examples, different in each run. Hypothesis prints each failing one. The number of mutated files.
FUZZ_FILES ?= 20000

fuzz: $(READY) $(KERNELS)
	$(BIN)/python tests/fuzz/run.py --files $(FUZZ_FILES)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" --hypothesis-profile fuzz || \
	  { echo 'To keep a failing example, add the printed @example(...) or @reproduce_failure(...) to its test.'; exit 1; }

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/rck bench

pictures: $(READY)
	$(BIN)/python tools/pictures.py
	$(BIN)/python tools/contact_sheet.py

validation: $(READY) $(KERNELS)
	$(BIN)/python -m pytest -n auto tests/verification --write-validation

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
