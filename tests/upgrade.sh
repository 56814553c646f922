#!/usr/bin/env bash
# A rolling upgrade: processes of an older revision and of this tree on one queue. Needs the history.
#
#   bash tests/upgrade.sh [REVISION] [OPTION...]
#
# REVISION is where an upgrade begins, by default the one below. OPTIONs go to interop/src/bin/upgrade:
# --seconds N and --seed N of the load, --only cells|load.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
. tests/revision.sh
need redis-server redis-server

# The last revision that others may run beside this one. Whoever begins work that they must survive
# moves it on to the commit before.
BASE=e9bafaf08477aa844705ae062e34dd583b677fae

revision=$BASE
case ${1:---} in
  --*) ;;
  *)
    revision=$1
    shift
    ;;
esac

old=$(caller_of "$revision")
cargo build --locked --quiet --package interop --bin caller --bin upgrade
echo "old: $(git log -1 --format='%h %s' "$revision")"
echo "new: this tree, $(git log -1 --format='%h %s')"
target/debug/upgrade --old "$old" --new target/debug/caller "$@"
