#!/usr/bin/env bash
# The tests for every change: format, lints, unit tests and golden bytes, a real Redis, a cluster and Sentinels, the
# operator's tool, and the newest Redisson, both ways. Needs Rust, and installs everything else.
# `tests/all.sh` runs everything there is.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
. tests/steps.sh

need_for_tests

check format cargo fmt --all --check
step build "test programs" cargo test "${workspace[@]}" --no-run --lib --bins --tests
step build lints cargo clippy "${workspace[@]}" --all-targets -- -D warnings
step build "Java peer with Redisson 4.7.0" need_redisson 4.7.0

# From here on nothing is compiled. Tests wait more than they compute, so more of them run than there are processors.
export RDQ=$PWD/target/debug/rdq
without_redis_suite() {
  tests "Redisson 4.7.0, both ways" 4 --test classes --test contract --test failovers --test oracle --test parity \
    --test random --test sequence -- redisson_4_7_0
  tests "units and golden bytes" 4 --lib --bins --test allocations --test catalog --test codecs --test fuzz --test guides \
    --test members --test spans --test vectors
  tests "cluster and Sentinels" 4 --test topology --test bed
}
in_background without_redis_suite
tests Redis 8 --test redis
tests rdq 4 --test cli --test museum --test serve
await_background
