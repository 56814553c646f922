#!/usr/bin/env bash
# Faults of servers, networks and processes: what each costs. docs/reliability.md describes the table.
#
#   bash tests/faults.sh [FAULT...] [OPTION...]    these faults, or all of them
#   bash tests/faults.sh short                     some of them, in less than a minute
#   bash tests/faults.sh soak [--minutes N]        random faults for so long, 30 minutes by default
#
# OPTIONs go to interop/src/bin/faults: --seconds N of each fault, --seed N, --margin MS that a busy machine
# may add to a stall, --java yes lets Redisson take part, --peer redisson lets it replace this crate.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
need redis-server redis-server
need ip iproute2

need_programs
case " $* " in *" --java yes "* | *" --peer redisson "*)
  # Now, because below there is no network to fetch Redisson from.
  need_redisson "$(sed -n 's/^const REDISSON: &str = "\(.*\)";$/\1/p' interop/src/bin/faults/worker.rs)"
  ;;
esac
# In a network namespace of its own, partitions do nobody else any harm.
own_network=
for option in -n -rn; do
  if unshare "$option" ip link set lo up 2>/dev/null; then
    own_network="unshare $option"
    break
  fi
done
if [ -n "$own_network" ]; then
  exec $own_network env FAULTS_NAMESPACE=1 sh -c 'ip link set lo up && exec target/debug/faults "$@"' faults "$@"
fi
exec target/debug/faults "$@"
