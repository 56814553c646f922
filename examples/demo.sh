#!/usr/bin/env bash
# A Java service with Redisson and a Rust service send each other orders on one delayed queue; prints how late each came.
# Uses the Redis of REDIS_URL, or starts one of its own. Needs Rust, and installs everything else.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
[ -n "${REDIS_URL:-}" ] || need redis-server redis-server
need_jdk
echo "building, which takes minutes the first time" >&2
exec cargo run --quiet --release --locked --package interop --bin demo
