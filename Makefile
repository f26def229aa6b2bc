# Two commands do everything on a fresh machine: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Without bytecode on disk each of hundreds of processes would compile all sources anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo edit test slow check bench pictures clean

setup: $(READY)

$(READY): pyproject.toml tools/setup.sh
	PYTHON="$(PYTHON)" VENV="$(VENV)" sh tools/setup.sh
	touch $@

demo: $(READY)
	$(BIN)/rck demo

edit: $(READY)
	$(BIN)/rck edit

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

slow: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/rck bench

pictures: $(READY)
	$(BIN)/python tools/pictures.py

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
