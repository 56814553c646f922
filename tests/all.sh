#!/usr/bin/env bash
# Everything that can be tested here. Installs what it needs.
#
#   bash tests/all.sh          begins with tests/run.sh
#   bash tests/all.sh --rest   leaves that out
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
case ${*:-} in
  "" | --rest) ;;
  *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

need_for_tests
need curl curl
need chromium chromium
need promtool prometheus
need ip iproute2
need_pip
need_rabbitmq
need_cargo cargo-deny
[ "${1:-}" = --rest ] || bash tests/run.sh
. tests/steps.sh

# Builds each published package from its own files: users lack every file that a package leaves out.
packages() {
  # Cargo unpacks a package only once for each version, and would build its old files again.
  rm -rf target/packages "${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/redisson-* &&
    cargo package --workspace --exclude interop --exclude codec-alone --exclude queue-alone \
      --exclude queue-renamed --exclude sim --exclude testbed --locked --allow-dirty --quiet --target-dir target/packages
}

# A test program that neither command names would be built and never run.
all_are_named() {
  local path name status=0
  for path in tests/*.rs tests/*/main.rs tests/*/tests/*.rs */tests/*.rs */tests/*/main.rs; do
    name=${path%/main.rs}
    name=$(basename "$name" .rs)
    grep -qE -e "--test $name( |\$)" tests/run.sh tests/all.sh || { echo "$path is not named"; status=1; }
  done
  return $status
}

check "test programs are named" all_are_named
check "licences and sources" cargo deny --locked check bans licenses sources
# The first Redisson with each layout, API and set of codecs, and the versions that most services run.
attempt build "Java peers with all Redissons" need_redisson 3.17.7 3.20.1 3.21.1 3.23.4 3.52.0 4.3.1 4.7.0
attempt build "Java example" mvn -q -B -f examples/java/pom.xml process-classes
attempt build "programs of other servers" bash tests/servers.sh --fetch
attempt build "test programs and examples" cargo test "${workspace[@]}" --no-run
attempt build "browser tests" cargo test "${workspace[@]}" --no-run --test browser
attempt build "lints of the browser tests" cargo clippy "${workspace[@]}" --test browser -- -D warnings
attempt build "lints without features" cargo clippy --no-default-features --tests --locked -- -D warnings
attempt build "packages that use one crate" cargo check --tests --locked \
  --package codec-alone --package queue-alone --package queue-renamed
attempt build "rdq with its own features" cargo test --package rdq --locked --no-run
attempt build benchmark cargo check --manifest-path interop/bench/Cargo.toml --locked --target-dir target
attempt build documentation env RUSTDOCFLAGS="-D warnings" cargo doc "${workspace[@]}" --no-deps
attempt build packages packages
is_shallow=$(git rev-parse --is-shallow-repository)
if [ "$is_shallow" = true ]; then
  echo "this clone is shallow: without an older revision, no rolling upgrade is tested" >&2
else
  attempt build "an older revision" bash tests/upgrade.sh --build
fi

# From here on only doc tests are compiled.
export RDQ=$PWD/target/debug/rdq
with_redisson() {
  tests "other Redissons, both ways" 4 --test classes --test contract --test failovers --test oracle --test parity \
    --test random --test sequence -- --skip redisson_4_7_0
  tests "rdq, guides and tables with Redisson" 4 --test migration --test operator --test protocol --test shards \
    --test table --test upgrade
}
in_background with_redisson
check "other servers" bash tests/servers.sh
await_background
# Those left out look at the address of the server, or count what passes in a time.
FRONT=tair RUST_TEST_THREADS=8 check "scripts as a managed cluster takes them" \
  cargo test "${workspace[@]}" --test redis -- --skip network:: --skip refusal:: --skip herd:: --skip cancellation::
RUST_TEST_THREADS=8 check "rdq with its own features" cargo test --package rdq --locked
SEQUENCES=200 tests "the simulated Redis beside a real one" 2 --test differential
tests "costs and a schedule of the simulation" 2 --test costs --test schedules
check "schedules of the simulation" target/debug/sim --first "$SEED" --schedules 400
check "defects that the simulation finds" target/debug/sim --defects
check "examples of the documentation" cargo test "${workspace[@]}" --doc
check examples bash tests/examples.sh
# Runs `--test browser`.
check browser bash tests/browser.sh
check RabbitMQ bash tests/amqp.sh short
check "other delayed queues" bash tests/others.sh --quick
check alerts bash tests/alerts.sh
# On a busy machine a stall may be 1.5 s longer.
check faults bash tests/faults.sh short --margin 1500
check crashes bash tests/crashes.sh short
[ "$is_shallow" = true ] || check "a rolling upgrade" bash tests/upgrade.sh --seconds 20
