# One verb per chore; .ci/run uses the same ones. `make help` lists them.
PYTHON ?= .venv/bin/python

.PHONY: help venv format lint types test readme check smoke bench

help:  ## list the verbs
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/'

venv:  ## an environment with everything a developer needs
	python3 -m venv .venv && .venv/bin/pip install -e '.[dev]'

format:  ## rewrite the sources in the project's format
	$(PYTHON) -m ruff format .
	$(PYTHON) -m ruff check --fix .

lint:  ## format and lint checks, nothing is rewritten
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .

types:  ## strict types over package and tests
	$(PYTHON) -m pyright --pythonpath $(PYTHON)

test:  ## the whole suite
	$(PYTHON) -m pytest

readme:  ## README's and docs' generated parts are up to date, their examples run
	$(PYTHON) -m pytest -q tests/docs

check: lint types test readme  ## everything that must pass before a change lands

smoke:  ## new environment, run-time dependencies only, one question with no network
	bash .ci/run smoke

bench:  ## print figures; see benchmarks/README.md
	$(PYTHON) -m benchmarks
