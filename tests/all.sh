#!/usr/bin/env bash
# Everything that can be tested here. Begins with tests/run.sh, which `--rest` leaves out. Installs what it needs.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "${1:-}" = --rest ] || bash tests/run.sh
. tests/need.sh
. tests/steps.sh

need redis-server redis-server
need faketime faketime
need openssl openssl
need_library openssl libssl-dev
need curl curl
need chromium chromium
need promtool prometheus
need_rabbitmq
need_cargo cargo-deny
# The oldest Redisson for each layout, API and codec that changed, and those of most services.
redissons=(3.17.7 3.20.1 3.21.1 3.23.4 3.52.0 4.7.0)
step build "all versions of Redisson" need_redisson "${redissons[@]}"
step build "other servers" bash tests/servers.sh --fetch

# Builds each published package from its own files: users lack every file that a package leaves out.
packages() {
  # Cargo unpacks a package once for each path and version, and would build its old files again.
  rm -rf target/packages "${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/redisson-*
  cargo package --workspace --exclude interop --exclude codec-alone --exclude queue-alone \
    --exclude queue-renamed --exclude testbed --locked --allow-dirty --quiet --target-dir target/packages
}

step run "licences and sources" cargo deny --locked check bans licenses sources
build
build --test browser
step build "lints of the browser's test" cargo clippy "${workspace[@]}" --test browser -- -D warnings
step build "lints without features" cargo clippy --no-default-features --tests --locked -- -D warnings
step build "users of one crate" cargo check --tests --locked \
  --package codec-alone --package queue-alone --package queue-renamed
# A workspace of its own, which no other step compiles.
step build "the benchmark" cargo check --manifest-path interop/bench/Cargo.toml --locked
step build documentation env RUSTDOCFLAGS="-D warnings" cargo doc "${workspace[@]}" --no-deps
step build packages packages

# From here on hardly anything is compiled.
export RDQ=$PWD/target/debug/rdq
others() {
  tests "other Redissons, both ways" 4 --test contract --test failovers --test oracle --test parity --test random \
    --test sequence -- --skip redisson_4_7_0
  tests "Redisson beside rdq and the guides" 4 --test migration --test operator --test protocol --test shards \
    --test table --test upgrade
}
beside others
check "other servers" bash tests/servers.sh
join
check "examples of the documentation" cargo test "${workspace[@]}" --doc
check examples bash tests/examples.sh
check browser bash tests/browser.sh
check RabbitMQ bash tests/amqp.sh short
check alerts bash tests/alerts.sh
# A machine with other work may add that much to a stall.
check faults bash tests/faults.sh short --margin 1500
check crashes bash tests/crashes.sh short
check "a rolling upgrade" bash tests/upgrade.sh --seconds 20
