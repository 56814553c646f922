#!/usr/bin/env bash
# How often an element comes twice because its consumer was killed, by the round-trip time to Redis.
#
#   bash tests/kills.sh [REVISION] [OPTION...]
#
# Measures this tree, or another REVISION. OPTIONs go to interop/src/bin/kills: --how take|take_many,
# --with at-most-once=yes, --kills N, --rtt MS,...
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
. tests/revision.sh
need redis-server redis-server

PROFILE=release
cargo build --release --locked --quiet --package interop --bin caller --bin kills
caller=target/release/caller
case ${1:---} in
  --*) ;;
  *)
    caller=$(caller_of "$1")
    shift
    ;;
esac
target/release/kills --caller "$caller" "$@"
