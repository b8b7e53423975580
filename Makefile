# make tables: set up and make the exhibits again    make test: set up and run the tests
# make book: set up and build the book, at build/book/index.html
# make browser: every page of the book in a browser (Chromium)
# make replay: the rest of them, which find again what takes long of the ledger
# make quick: the tests that are done in a minute and a half    make bench: the benchmarks, with their figures
# make types: mypy on an installed copy, for it does not follow the rooms of a checkout
# make claim KEY=paper/number: verify a claim, keep what is found, and run all that is tested of it
# make ledger: verify everything again, say what comes out otherwise, and keep it
# make module NAME=word: all that is tested of a module of the calculus, by a word of its name
# make fuzz: twenty thousand calls of the command, made from its table; SEED=1 makes others
# make docs: the README and the guides again, with what their commands print

PYTHON ?= python3
SEED ?= 0
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml setup.py constraints.txt
ROOMS := front symbolic numeric verify paper_tables
PYTEST := $(BIN)/python -m pytest
EVIDENCE := $(patsubst paper_tables/%/table.md,%,$(wildcard paper_tables/*/evidence/table.md))
TWO := -n 2 --dist worksteal --ignore=tests/benchmarks

CONTRACTS := tests/symbolic/test_registry.py tests/symbolic/test_latex.py tests/numeric/test_forms.py \
  tests/numeric/test_mutations.py tests/numeric/test_grids.py tests/numeric/test_samples.py \
  tests/verify/test_contracts.py tests/verify/test_matrix.py tests/verify/errata

.PHONY: tables test book browser replay quick types bench claim ledger module docs fuzz clean

tables: $(VENV)/all.done
	$(BIN)/maurey tables

test: $(VENV)/test.done
	$(BIN)/ruff check .
	$(PYTEST) $(TWO) -m "not replay and not browser"

book: $(VENV)/book.done
	$(BIN)/python -m maurey.book.explorer.runtime
	$(BIN)/maurey book

browser: $(VENV)/test.done $(VENV)/browser.done
	$(BIN)/python -m maurey.book.explorer.runtime
	$(PYTEST) -m browser tests/browser

replay: $(VENV)/test.done
	$(PYTEST) $(TWO) -m replay

quick: $(VENV)/test.done
	$(PYTEST) $(TWO) -m "not slow"

types: $(VENV)/test.done
	rm -rf build/types
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --target build/types .
	$(BIN)/python -m mypy --config-file pyproject.toml build/types/maurey

bench: $(VENV)/test.done
	@$(BIN)/python -m compileall -q $(ROOMS)
	$(PYTEST) -rP tests/benchmarks

claim: $(VENV)/test.done
	$(BIN)/maurey verify $(KEY) --commit
	$(PYTEST) $(CONTRACTS) --claim $(KEY)
	$(foreach one,$(filter $(dir $(KEY))%,$(EVIDENCE)),$(BIN)/maurey tables $(one) --commit)
	$(BIN)/maurey tables --list --commit > /dev/null
	$(BIN)/python tests/documents.py README.md docs/claims.md

ledger: $(VENV)/test.done
	$(BIN)/maurey verify --replay --commit
	$(BIN)/maurey tables $(EVIDENCE) --commit
	$(BIN)/maurey tables --list --commit > /dev/null

module: $(VENV)/test.done
	$(PYTEST) tests/verify/attack -k "$(NAME)"

fuzz: $(VENV)/test.done
	$(BIN)/python tests/fuzz.py --calls 20000 --seed $(SEED) --seconds 1

docs: $(VENV)/test.done
	$(BIN)/python tests/documents.py

clean:
	rm -rf $(VENV) build *.egg-info

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "On Debian, the venv module is in the package python3-venv"; exit 1; }

$(VENV)/%.done: $(VENV)/pyvenv.cfg $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$*]'
	@$(BIN)/python -m compileall -q $(ROOMS)
	@touch $@
