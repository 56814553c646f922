#!/usr/bin/env bash
# All checks and tests, real Redisson included. Needs Rust, and installs what else is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh

# step COMMAND...: runs it, and notes how long it took.
times=
step() {
  local begin=$SECONDS
  echo "== $*" >&2
  "$@"
  times+=$(printf '%5d s  %s' $((SECONDS - begin)) "$*")$'\n'
}
trap 'printf "%s%5d s  in all\n" "$times" "$SECONDS" >&2' EXIT

need redis-server redis-server
need faketime faketime
need_jdk

step cargo fmt --all --check
if need_cargo cargo-deny; then
  step cargo deny --locked check bans licenses sources
else
  echo "cargo-deny cannot be installed: licences and sources are not checked" >&2
fi
step cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
step cargo clippy --no-default-features --locked -- -D warnings
step cargo check --no-default-features --tests --locked
# A workspace of its own, which no other step compiles.
step cargo check --manifest-path interop/bench/Cargo.toml --target-dir target --locked
step env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features --locked
# They wait for Redis and for moments more than they compute.
step env RUST_TEST_THREADS=4 cargo test --all-features --locked
step cargo test --locked --package interop --package codec-alone --package queue-alone --package queue-renamed
# What a package leaves out is missing to its users; this builds each from what is in it.
step cargo package --workspace --locked --allow-dirty --quiet
