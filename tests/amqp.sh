#!/usr/bin/env bash
# What forwarding to RabbitMQ promises, tested with a real one: each guarantee, examples/forward.rs, and random faults.
#
#   bash tests/amqp.sh [--seconds N] [--seed N]    random faults for N seconds, 60 by default
#   bash tests/amqp.sh short                       each fault once, in 40 s
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
need redis-server redis-server
need_rabbitmq
need_programs

if [ "${1:-}" = short ]; then
  shift
  set -- --seconds 0 "$@"
fi
target/debug/forwarding example target/debug/examples/forward
exec target/debug/forwarding "$@"
