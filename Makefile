# `make demo` shows what rtbas does, `make test` is what CI runs; both install the solver if it is
# missing. Given are Rust, a C compiler and Python 3 with `venv`.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
PYTHON      ?= python3

.PHONY: demo test bench fmt lint doc unit

demo: .z3
	@examples/demo

test: fmt lint doc unit

# The peers that we measure against live in a workspace of their own. RTBAS_TRACES may name a
# folder of recorded sessions to replay.
bench: .z3
	cargo build --locked --release -p rtbasc
	cargo bench --locked --manifest-path benches/Cargo.toml

fmt:
	cargo fmt --all --check

lint: .z3
	cargo clippy --locked --workspace --all-targets -- -D warnings

doc: .z3
	RUSTDOCFLAGS=-Dwarnings cargo doc --locked --workspace --no-deps

unit: .z3
	cargo test --locked --workspace

# The link hides Python's version from `.cargo/config.toml`. It comes last, so that an installation
# that broke off is begun again; touching what it leads to makes it newer than the list.
.z3: requirements.txt
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo 'make: Python 3 with `venv` is missing; on Debian: apt-get install python3-venv' >&2; exit 1; }
	@echo 'Installing the solver into .venv'
	@$(PYTHON) -m venv --clear .venv
	@.venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@ln -sfn .venv/lib/python3*/site-packages/z3/lib .z3
	@touch .z3
