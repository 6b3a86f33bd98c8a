# Every command is described in CONTRIBUTING.md.

PYTHON ?=
export PYTHON

PY := .venv/bin/python
TEMPLATES := $(wildcard templates)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help install migrate static setup setup-dev run test coverage golden pictures check bench bench-peers chaos format lock audit clean

help:
	@echo "make run        start Attest (sets itself up first)"
	@echo "make setup      install, prepare the database and the static files"
	@echo "make test       the whole suite on SQLite, the database's part again on PostgreSQL"
	@echo "make coverage   make test, and what share of the code the tests reach"
	@echo "make golden     what the demo gives out, compared with the golden files"
	@echo "make pictures   draws the documents' pictures of pages anew"
	@echo "make check      style, types, layers, migrations, templates, compose file, docs"
	@echo "make bench      measurements of speed and memory"
	@echo "make bench-peers  what an answer costs beside other tools for annotation"
	@echo "make format     rewrite the code in house style"
	@echo "make chaos      a scene under kills, compared with itself undisturbed"
	@echo "make lock       hashes of all packages, after the lists have changed"
	@echo "make audit      which packages are outdated, and which known to be vulnerable"
	@echo "make setup-dev  what tests and checks need"
	@echo "make clean      remove .venv and caches; data in var/ stays"

install:
	@scripts/install requirements.txt

migrate: install
	@$(PY) manage.py migrate --verbosity 0

static: install
	@$(PY) manage.py collectstatic --no-input --verbosity 0

setup: install migrate static

setup-dev:
	@scripts/install requirements-dev.txt

# `serve` migrates and collects static files itself, in one process: a second start takes seconds.
# `exec` lets signals to make's child reach `serve` and not a shell.
run: install
	@exec $(PY) manage.py serve

test: setup-dev
	@exec $(PY) -m tests.run $(ARGS)

coverage: setup-dev
	@exec $(PY) -m tests.run --coverage $(ARGS)

pictures: setup-dev
	@exec $(PY) -m pytest tests/browser/test_pictures.py tests/browser/test_journeys.py --pictures docs/images $(ARGS)

golden: setup-dev
	@exec $(PY) -m tests.golden.capture $(ARGS)

check: setup-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -c "from importlinter.cli import lint_imports_command; lint_imports_command()"
	$(PY) manage.py makemigrations --check --dry-run
	$(PY) manage.py spectacular --validate --fail-on-warn --file /dev/null
	$(PY) -m djlint --lint --quiet $(TEMPLATES)
	$(PY) -m check_jsonschema --builtin-schema vendor.compose-spec docker-compose.yml

bench: setup-dev
	@$(PY) -m bench $(ARGS)

# Other tools bring hundreds of packages, which are theirs: they have an environment of their own.
.venv-peers/installed: bench/peers/requirements.txt | setup-dev
	$(PY) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

bench-peers: setup-dev .venv-peers/installed
	@exec $(PY) -m bench peers $(ARGS)

format: setup-dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

chaos: setup-dev
	@exec $(PY) -m tests.chaos $(ARGS)

lock:
	@scripts/lock

audit: setup-dev
	@scripts/audit

clean:
	rm -rf .venv .venv-peers .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
