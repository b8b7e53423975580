# make tables: set up and make the exhibits again    make test: set up and run all the tests

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml setup.py constraints.txt

.PHONY: tables test readme clean

tables: $(VENV)/all.done
	$(BIN)/maurey tables

test: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n 2 --dist worksteal --ignore=tests/benchmarks
	$(BIN)/python -m pytest -rP tests/benchmarks

readme: $(VENV)/test.done
	$(BIN)/python tests/readme.py

clean:
	rm -rf $(VENV) build *.egg-info

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "On Debian, the venv module is in the package python3-venv"; exit 1; }

$(VENV)/%.done: $(VENV)/pyvenv.cfg $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$*]'
	@touch $@
