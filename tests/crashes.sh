#!/usr/bin/env bash
# Consumers that are killed at each step, or stand still for longer than their leases: what each costs.
# docs/crashes.md describes the tables.
#
#   bash tests/crashes.sh            all, in ten minutes
#   bash tests/crashes.sh short      some of it, in half a minute
#   bash tests/crashes.sh matrix     only the kills
#   bash tests/crashes.sh fences     only what is handled one at a time
#
# OPTIONs go to interop/src/bin/crashes: --elements N in each row, --late N that outlive their leases, --seed N.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
need redis-server redis-server

need_programs
exec target/debug/crashes "$@"
