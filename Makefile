# `make demo` shows what rtbas does, `make test` is what CI runs; both install the solver if it is
# missing. Given are Rust, a C compiler and Python 3 with `venv`.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
PYTHON      ?= python3

.PHONY: demo test bench fuzz fmt lint doc unit

demo: .z3
	@examples/demo

test: fmt lint doc unit

# The peers that we measure against live in a workspace of their own. RTBAS_TRACES may name a
# folder of recorded sessions to replay.
bench: .z3
	cargo build --locked --release -p rtbasc
	cargo bench --locked --manifest-path benches/Cargo.toml --target-dir target

# Looks for inputs that break what must hold of all, TARGET by TARGET for as many SECONDS; needs
# `cargo install cargo-fuzz --locked`. A finding is kept in fuzz/artifacts, what was learnt in
# fuzz/corpus. No sanitizer, since there is no unsafe code to watch, and so no nightly compiler:
# cargo-fuzz only asks for flags that the stable one keeps behind this variable.
TARGET  ?= parse format skeleton regions artifact pattern
SECONDS ?= 600

fuzz: .z3
	@sed -n 's/^kw_[a-z_]* *= @{ *\("[^"]*"\).*/\1/p' grammar/src/pol.pest > fuzz/pol.dict
	@for target in $(TARGET); do \
	  case $$target in \
	    parse | format) seeds='tests/suite examples' flags='-dict=fuzz/pol.dict -max_len=16384' ;; \
	    skeleton) seeds='docs/tools examples' flags=-max_len=16384 ;; \
	    artifact) seeds=tests/suite/artifact flags='-max_len=16384 -mutate_depth=2' ;; \
	    *) seeds=fuzz/seeds/$$target flags= ;; \
	  esac; \
	  mkdir -p fuzz/corpus/$$target; \
	  RUSTC_BOOTSTRAP=1 cargo fuzz run -s none $$target fuzz/corpus/$$target $$seeds -- \
	    $$flags -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048; \
	done

fmt:
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check

lint: .z3
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo clippy --locked --manifest-path fuzz/Cargo.toml --target-dir target --no-default-features -- -D warnings

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
