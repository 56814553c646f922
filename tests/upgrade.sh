#!/usr/bin/env bash
# A rolling upgrade: processes of an older revision and of this tree on one queue. Needs the git history.
#
#   bash tests/upgrade.sh [REVISION] [OPTION...]
#   bash tests/upgrade.sh [REVISION] --build        only builds both
#
# REVISION is the older revision, by default the one below. OPTIONs go to interop/src/bin/upgrade:
# --seconds N and --seed N of the load, --only cells|load.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
. tests/revision.sh
need redis-server redis-server

# The oldest revision that may run beside this tree. When you begin work that older processes must survive,
# move it on to the commit before that work.
BASE=8ac8e2308ee363ee9707704f8cce116066b02926

revision=$BASE
case ${1:---} in
  --*) ;;
  *)
    revision=$1
    shift
    ;;
esac

old=$(caller_of "$revision")
need_programs
[ "${1:-}" != --build ] || exit 0
echo "old: $(git log -1 --format='%h %s' "$revision")"
echo "new: this tree, $(git log -1 --format='%h %s')"
target/debug/upgrade --old "$old" --new target/debug/caller "$@"
