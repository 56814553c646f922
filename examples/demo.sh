#!/usr/bin/env bash
# A Java Redisson service and a Rust service on one delayed queue, each way, with how late each element came.
# Uses the Redis of REDIS_URL, or starts one of its own. Needs Rust, and installs what else is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
[ -n "${REDIS_URL:-}" ] || need redis-server redis-server
need_jdk
echo "building, which takes minutes the first time" >&2
exec cargo run --quiet --release --locked --package interop --bin demo
