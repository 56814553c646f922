#!/usr/bin/env bash
# How late other delayed queues are: the figures of docs/which-delayed-queue.md.
#
#   bash tests/others.sh            in five minutes
#   bash tests/others.sh --quick    checks in a minute that it still runs
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
need redis-server redis-server
need sqlite3 sqlite3
need_rabbitmq
need_programs
exec target/debug/others "$@"
