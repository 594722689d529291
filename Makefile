# Every job has one name. `make` alone lists them.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
TOOLASSAY := $(VENV)/bin/toolassay
STAMP := $(VENV)/.made
LOCK := requirements/dev.txt

# Which tests `make test` runs, and how many at a time.
T :=
J := 2
# The implementation that `make demo` shows to be broken, and where it is.
BROKEN := python:broken_agent:make
BROKEN_PATH := examples
# What `make cli` runs.
A :=

# Sources outside `src` and `tests` that are type-checked where they exist.
TYPED := $(wildcard benchmarks adapters/*.py)

.DEFAULT_GOAL := help
.PHONY: help setup lint format environments test demo peers peers-table bench fill mutants cli lock clean

help: ## Show this list.
	@echo "usage: make TARGET    (PYTHON=python3.12 picks the interpreter for the first setup)"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

setup: $(STAMP) ## Make .venv with the locked dependencies and toolassay itself, once.

$(VENV)/.locked: $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "make: toolassay needs Python 3.11 or newer, and '$(PYTHON)' is none;" \
	         "say which to use: make setup PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Making $(VENV) with the locked dependencies, once: about half a minute ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PY) -m pip install --quiet --require-hashes -r $(LOCK)
	@touch $@

$(STAMP): $(VENV)/.locked pyproject.toml
	@$(PY) -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

lint: $(STAMP) ## Check style, format and types (ruff, mypy).
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy src tests $(TYPED)

format: $(STAMP) ## Let ruff format the code and mend what it safely can.
	$(PY) -m ruff check --fix-only .
	$(PY) -m ruff format .

environments: $(STAMP) ## Make the environments of the real implementations, once.
	@$(PY) adapters/peers.py --setup

test: lint environments ## Run lint, then all tests; T=tests/test_x.py runs those alone, J=0 without workers.
	$(PY) -m pytest -n $(J) $(T)

demo: $(STAMP) ## Judge the simulator, then a broken agent, then real implementations.
	@echo "toolassay plays scenarios to an implementation and says which clause of the tool-call contract"
	@echo "it breaks. The lines after a $$ work in your shell too, after: . $(VENV)/bin/activate"
	@echo
	@echo "== 1. The reference simulator keeps the contract:"
	@echo "$$ toolassay run sim"
	@$(TOOLASSAY) run sim
	@echo
	@echo "== 2. An agent with two planted faults does not: it runs calls whose arguments are no JSON,"
	@echo "==    and asks for permission when the tool has run (examples/broken_agent.py):"
	@echo "$$ PYTHONPATH=$(BROKEN_PATH) toolassay run $(BROKEN)"
	@PYTHONPATH=$(BROKEN_PATH) $(TOOLASSAY) run $(BROKEN); \
	  code=$$?; test $$code -eq 1 || { echo "make: expected exit code 1, got $$code" >&2; exit 1; }
	@echo
	@echo "== 3. Two of the implementations that others wrote, each with a list of known failures (xfail):"
	@$(PY) adapters/peers.py pydantic-ai looprig
	@echo
	@echo "make peers judges them all. The README goes on from here: your own agent, in five minutes."

peers: $(STAMP) ## Judge the real implementations that the repository has adapters for, and compare them.
	@$(PY) adapters/peers.py

peers-table: $(STAMP) ## Do the same, and renew the table in README.md.
	@$(PY) adapters/peers.py --write

bench: $(STAMP) ## Measure what the kit costs, as ratios.
	$(PY) benchmarks/run.py

fill: $(STAMP) ## Compile vectors/ and the clauses to packs.
	$(TOOLASSAY) fill

mutants: $(STAMP) ## Plant each known fault and see that a vector of its clause finds it.
	$(TOOLASSAY) mutants

cli: $(STAMP) ## Run any verb: make cli A="run sim --profile strict"; A=--help lists the verbs.
	@$(TOOLASSAY) $(A)

lock: ## Renew requirements/dev.txt (needs uv).
	uv pip compile --universal --python-version 3.11 --generate-hashes --upgrade \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links --quiet \
	  -o $(LOCK) pyproject.toml requirements/dev.in

clean: ## Remove .venv and everything else that can be made again.
	rm -rf $(VENV) build dist out htmlcov .coverage .coverage.* \
	  .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
