# One command for each thing that is done often. All of them use `.venv/`, which `make setup` makes.

PYTHON ?=
python = .venv/bin/python
# How many test processes; `make test WORKERS=0` runs in one, for a debugger.
WORKERS ?= auto
# The versions that docs/reference/hosts.md is about; `make hosts HOSTS=...` tries others.
HOSTS ?= @anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0

.PHONY: help setup lint format test test-long demo bench orange hosts clean

help:
	@echo "make demo       capture and recall on the sample sessions"
	@echo "make test       lint, then every test but the long ones"
	@echo "make test-long  the long ones, and the property tests with thousands of examples"
	@echo "make lint       ruff, mypy, import contracts"
	@echo "make format     let ruff rewrite what it can"
	@echo "make bench      measure, as ratios within one run"
	@echo "make orange     fetch orange-hyper 1.0.1, with which tests and figures compare where node is present"
	@echo "make hosts      fetch Claude Code and Codex from npm, with which tests drive pith where node is present"
	@echo "make setup      make .venv/ (the others do so by themselves)"
	@echo "make clean      remove what can be made again"

setup:
	@PYTHON="$(PYTHON)" sh requirements/setup

lint: setup
	@$(python) -m ruff check --quiet .
	@$(python) -m ruff format --check --quiet .
	@$(python) -m mypy --no-error-summary
	@.venv/bin/lint-imports --no-logo --no-cache >.venv/lint-imports.txt || { cat .venv/lint-imports.txt; exit 1; }

format: setup
	@$(python) -m ruff check --fix .
	@$(python) -m ruff format .

test: lint
	@sh requirements/browser
	@$(python) -m pytest -n $(WORKERS) -m "not long"

test-long: setup
	@$(python) -m pytest -n $(WORKERS) -m long

demo: setup
	@demo/run

bench: setup
	@$(python) -m bench

orange:
	@mkdir -p build/orange
	@npm install --silent --no-audit --no-fund --no-save --prefix build/orange orange-hyper@1.0.1

hosts:
	@mkdir -p build/hosts
	@npm install --silent --no-audit --no-fund --no-save --prefix build/hosts $(HOSTS)
	@build/hosts/node_modules/.bin/claude --version
	@build/hosts/node_modules/.bin/codex --version

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests bench demo -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
