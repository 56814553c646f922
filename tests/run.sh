#!/usr/bin/env bash
# All checks and tests, real Redisson included. Needs Rust, and installs everything else.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh

# step COMMAND...: runs the command and notes how long it took.
times=$(mktemp)
step() {
  local begin=$SECONDS
  echo "== $*" >&2
  "$@"
  printf '%5d s  %s\n' $((SECONDS - begin)) "$*" >>"$times"
}

# tests ARG...: runs `cargo test ARG...`, and once more, alone, up to five tests that failed: on a busy machine a server
# may take longer to start than a test waits. What fails alone, too, is broken. The last lines name what failed once.
tests() {
  local output failed
  output=$(mktemp)
  cargo test --no-fail-fast "$@" 2>&1 | tee "$output" && rm "$output" && return
  mapfile -t failed < <(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/; T; s/ - should panic$//; p' "$output" | sort -u)
  rm "$output"
  [[ ${#failed[@]} -ge 1 && ${#failed[@]} -le 5 ]] || return 1
  printf 'failed once: %s\n' "${failed[@]}" >>"$times"
  [[ " $* " == *" -- "* ]] || set -- "$@" --
  RUST_TEST_THREADS=1 cargo test "$@" --exact "${failed[@]}"
}

finish() {
  [ -z "$linting" ] || kill -- "-$linting" 2>/dev/null || true
  cat "$times" >&2
  printf '%5d s  in all\n' "$SECONDS" >&2
  rm -f "$times" "$said"
}
linting=
said=$(mktemp)
trap finish EXIT

# Enough for backtraces, and a third less to compile and to link.
export CARGO_PROFILE_DEV_DEBUG=line-tables-only
# A fresh clone builds each crate once: notes for the next build cost time and a third of the disk.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0

need redis-server redis-server
need faketime faketime
need openssl openssl
need_library openssl libssl-dev
need_jdk

# Builds each published package from its own files: users lack every file that a package leaves out.
packages() {
  # Cargo unpacks a package once for each path and version, and would build its old files again.
  rm -rf target/packages "${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/redisson-*
  cargo package --workspace --exclude interop --exclude codec-alone --exclude queue-alone \
    --exclude queue-renamed --exclude testbed --locked --allow-dirty --quiet --target-dir target/packages
}

# What compiles and runs nothing.
lints() {
  renice --priority 19 --pid "$BASHPID" >/dev/null
  export CARGO_TARGET_DIR=target/lints
  step cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
  step cargo clippy --package rdq --test browser --locked -- -D warnings
  step cargo clippy --no-default-features --tests --locked -- -D warnings
  # The benchmark is a workspace of its own, which no other step compiles.
  step cargo check --manifest-path interop/bench/Cargo.toml --locked
  step env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features --locked
  step packages
}

step cargo fmt --all --check
if need_cargo cargo-deny; then
  step cargo deny --locked check bans licenses sources
else
  echo "cargo-deny cannot be installed: licences and sources are not checked" >&2
fi
# Tests wait more than they compute, so the lints compile meanwhile: in a folder of their own, because Cargo locks each,
# and in a process group of their own, which `finish` can end.
set -m
lints >"$said" 2>&1 &
linting=$!
set +m
# Four threads on two cores, because tests wait more than they compute.
RUST_TEST_THREADS=4 step tests --all-features --locked
RUST_TEST_THREADS=4 step tests --locked --package rdq --package testbed
# The oldest and the newest servers, unless there is no network to fetch them.
step bash tests/servers.sh --short --if-fetched redis-6.2 redis-8.2
# The short form: `cargo test -p interop` mixes both languages with Redisson 3.21.1, 3.23.4 and 3.52.0, too.
step tests --locked --package interop --package codec-alone --package queue-alone --package queue-renamed \
  -- --skip redisson_3_21_1 --skip redisson_3_23_4 --skip redisson_3_52_0
step bash tests/examples.sh
step bash tests/amqp.sh --if-installed short
step bash tests/browser.sh
# The machines of CI are busy: a stall may be longer there.
step bash tests/faults.sh short --margin 1500
step bash tests/crashes.sh short
wait "$linting" || {
  linting=
  cat "$said" >&2
  exit 1
}
linting=
