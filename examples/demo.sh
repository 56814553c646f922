#!/usr/bin/env bash
# A Java service with Redisson and a Rust service send each other orders on one delayed queue. Each offers, moves what is
# due and takes for the other, in all eight combinations. Prints how late the orders came.
# Uses the Redis of REDIS_URL, or starts one of its own. Needs Rust, and installs everything else.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
need_linker
[ -n "${REDIS_URL:-}" ] || need redis-server redis-server
need_jdk
echo "building; the first time, Cargo compiles some 300 crates, which takes minutes" >&2
exec cargo run --release --locked --package interop --bin demo
