# Two commands do all the set-up: `make demo` runs the main job on the embedded example, `make test` passes the tests.
# They need Python 3.10 or newer, make and a package index. PYTHON=python3.12 make ... takes another Python.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := demo
ASKED := examples/polish-questions.jsonl
SYSTEMS := lookup.jsonl neighbours.jsonl typed.jsonl templates.jsonl

LOWEST := .venv-lowest
OF_DEMO := en,retrieval
OF_CI := $(OF_DEMO),test,docs

# uv takes a third of the time that pip takes, or less; where it cannot be had, or only pip knows the index, pip installs.
install = $(BIN)/uv pip install --quiet --python $(BIN)/python -e ".[$(1)]" || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$(1)]"

.PHONY: demo test collected core-alone test-plugins test-lowest test-extras record options lint docs pictures constraints benchmarks \
  release-check clean

demo: $(VENV)/.installed
	@rm -rf $(OUT) && mkdir $(OUT)
	$(BIN)/qaldgen annotate examples/questions.json --kg examples/graph.ttl --r1-compat -o $(OUT)/features.ttl
	$(BIN)/qaldgen select $(OUT)/features.ttl -q listing-1.2 --dropped
	$(BIN)/qaldgen sample $(OUT)/features.ttl -q listing-1.2 -m feasible-exmp -n 25 --seed 7 --title "qaldgen example, 25 questions" \
	  -o $(OUT)/bench.ttl -o $(OUT)/bench.json -o $(OUT)/bench.csv --plots $(OUT)/plots
	$(BIN)/qaldgen sample $(OUT)/features.ttl -q listing-1.2 -n 25 --compare-methods
	for run in $(SYSTEMS); do \
	  $(BIN)/qaldgen ask examples/questions.json --system $${run%.jsonl} --kg examples/graph.ttl -o $(OUT)/$$run || exit 1; done
	$(BIN)/qaldgen ask examples/one-hop.tsv --system act:examples/training.tsv --kg examples/graph.ttl -o $(OUT)/act.jsonl
	$(BIN)/qaldgen ask examples/one-hop.tsv --system act:examples/training.tsv --kg examples/graph.ttl --ablation
	for run in $(SYSTEMS); do \
	  $(BIN)/qaldgen ask examples/one-hop.tsv --system $${run%.jsonl} --kg examples/graph.ttl -o $(OUT)/one-hop-$$run || exit 1; done
	$(BIN)/qaldgen score examples/one-hop.tsv $(OUT)/act.jsonl $(addprefix $(OUT)/one-hop-,$(SYSTEMS)) --measure hit-at-1
	$(BIN)/qaldgen score examples/one-hop.tsv $(OUT)/act.jsonl --outcomes --kg examples/graph.ttl
	$(BIN)/qaldgen score examples/questions.json $(addprefix $(OUT)/,$(SYSTEMS))
	$(BIN)/qaldgen compare examples/questions.json $(addprefix $(OUT)/,$(SYSTEMS)) --by answerType -o $(OUT)/tests.txt
	$(BIN)/qaldgen report examples/questions.json $(addprefix $(OUT)/,$(SYSTEMS)) --title "qaldgen example" -o $(OUT)/report.html
	$(BIN)/qaldgen passages retrieve $(ASKED) examples/passages.jsonl --analyser prefix -n 20 -o $(OUT)/bm25.trec
	$(BIN)/qaldgen score $(ASKED) $(OUT)/bm25.trec --match passages --lang pl --by informationSought --measure accuracy@5
	$(BIN)/qaldgen passages read $(ASKED) examples/passages.jsonl --run $(OUT)/bm25.trec -n 5 -o $(OUT)/read.jsonl
	$(BIN)/qaldgen passages read $(ASKED) examples/passages.jsonl -o $(OUT)/read-gold.jsonl
	$(BIN)/qaldgen passages losses $(ASKED) $(OUT)/bm25.trec $(OUT)/read.jsonl --on-gold $(OUT)/read-gold.jsonl -n 5 --by informationSought
	$(BIN)/qaldgen report $(ASKED) $(OUT)/read.jsonl --match poleval --lang pl --by informationSought \
	  --retrieved $(OUT)/bm25.trec --passages 5 --title "qaldgen example, passages" -o $(OUT)/passages.html
	$(BIN)/qaldgen slices $(ASKED) $(OUT)/read.jsonl --match poleval --lang pl
	$(BIN)/qaldgen annotate $(ASKED) --lang pl -o $(OUT)/polish.ttl
	$(BIN)/qaldgen sample $(OUT)/polish.ttl -q text -n 40 --seed 7 -o $(OUT)/polish-bench.ttl
	@echo
	@echo "The benchmark is in $(OUT)/bench.ttl (RDF), $(OUT)/bench.json (for GERBIL) and $(OUT)/bench.csv; pictures are in $(OUT)/plots."
	@echo "A retriever and a reader answered $(ASKED); the table above shows which of them missed."
	@echo "Four small systems answered the questions; open $(OUT)/report.html to see where each of them fails."

# Each core has a process of its own: threads of a process would only wait for each other.
test: $(VENV)/.installed-test
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal --ignore tests/record

# Compile the tests, which takes each process that runs them a third of a minute otherwise.
collected: $(VENV)/.installed-test
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --collect-only -qq >/dev/null

# All plug-ins taken out together: every module of the core imports, and the demo's core steps run.
core-alone: $(VENV)/.installed
	$(BIN)/python .ci/without_plugins.py --all

# Every plug-in taken out in turn, and all of them together with the core's tests.
test-plugins: $(VENV)/.installed-test
	$(BIN)/python .ci/without_plugins.py
	$(BIN)/python .ci/without_plugins.py --all -- -n auto --dist worksteal

# The oldest versions that setup.cfg allows, in an environment of their own.
test-lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/python -m pytest -n auto --dist worksteal --ignore tests/record

# Every extra on the newest and the oldest versions that it allows; torch takes long. EXTRAS="act yaml" for some.
test-extras: $(VENV)/.installed-test
	$(BIN)/python .ci/extras.py $(EXTRAS)

# Record what the command line does, before code is moved; see tests/record/test_record.py.
record: $(VENV)/.installed-test
	QALDGEN_RECORD=write $(BIN)/python -m pytest tests/record -q -n auto --dist worksteal

# Write what the verbs of the command line take, from the signatures of public functions.
options: $(VENV)/.installed-test
	$(BIN)/python .ci/options.py

# Record the versions that the tests pass with; see docs/installing.md.
constraints: $(VENV)/.installed-test
	(echo "# The versions that the tests last passed with on Python 3.11: pip install -e '.[en,test]' -c constraints.txt"; \
	  echo "# Made by: make constraints"; \
	  $(BIN)/uv pip compile setup.cfg --extra en --extra test --python-version 3.11 --quiet --no-header --no-annotate) >$@.new
	mv $@.new $@.txt

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The docs as a site; a link that leads nowhere ends the build.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -E -c docs -b html -n -W --keep-going -q . build/docs
	@echo "Open build/docs/index.html."

# The pictures in README, from the demo; they need chromium.
pictures: $(VENV)/.installed-test demo
	$(BIN)/python docs/pictures/take.py $(OUT)/report.html docs/pictures/report.png

# What a release uploads, built and used on each Python that is present; see docs/releasing.md.
release-check: $(VENV)/.installed-test
	$(BIN)/python .ci/release_check.py

benchmarks: $(VENV)/.installed-test
	$(BIN)/python benchmarks/load_and_select.py
	$(BIN)/python benchmarks/feasible.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/large_pools.py
	$(BIN)/python benchmarks/large_runs.py
	$(BIN)/python benchmarks/null_rates.py
	$(BIN)/python benchmarks/weak_spots.py

clean:
	rm -rf $(VENV) $(LOWEST) .venv-extras $(OUT) build *.egg-info .mypy_cache .pytest_cache .ruff_cache

# The pip that comes with Python 3.11 and older takes a minute to compare all wheels with all platforms.
$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "qaldgen needs Python 3.10 or newer; try: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv $(VENV)
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip uv

$(VENV)/.installed: $(VENV)/bin/python setup.cfg setup.py pyproject.toml $(wildcard qaldgen/plugins/*/plugin.cfg)
	$(call install,$(OF_DEMO))
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(call install,test)
	@touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(call install,docs)
	@touch $@

# The three above at once: each installation builds the project anew.
$(VENV)/.installed-ci: $(VENV)/bin/python setup.cfg setup.py pyproject.toml $(wildcard qaldgen/plugins/*/plugin.cfg)
	$(call install,$(OF_CI))
	@touch $(VENV)/.installed $(VENV)/.installed-test $(VENV)/.installed-docs $@

$(LOWEST)/.installed: setup.cfg setup.py pyproject.toml $(wildcard qaldgen/plugins/*/plugin.cfg)
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct -e ".[en,test]"
	@touch $@
