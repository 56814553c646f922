#!/usr/bin/env bash
# What forwarding to RabbitMQ promises, tested with a real one: each guarantee, examples/forward.rs, and random faults.
#
#   bash tests/amqp.sh [--seconds N] [--seed N]    random faults for N seconds, 60 by default; installs rabbitmq-server
#   bash tests/amqp.sh [--if-installed] short      each fault once, in 40 s; with --if-installed only if RabbitMQ is there
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh

is_installed() {
  [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ] && command -v epmd >/dev/null
}

if [ "${1:-}" = --if-installed ]; then
  shift
  if ! is_installed; then
    echo "rabbitmq-server is not installed: forwarding to it is not tested" >&2
    exit
  fi
fi
need redis-server redis-server
# Its programs are not on the PATH of every user.
is_installed || install_package rabbitmq-server
cargo build --locked --quiet --package interop --bin forwarding
if [ "${1:-}" = short ]; then
  shift
  set -- --seconds 0 "$@"
else
  cargo build --locked --quiet --features amqp --example forward
  target/debug/forwarding example target/debug/examples/forward
fi
exec target/debug/forwarding "$@"
