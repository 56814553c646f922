#!/usr/bin/env bash
# All checks and tests, real Redisson included. Needs Rust, and installs what else is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/need.sh
need redis-server redis-server
need faketime faketime
need java openjdk-17-jdk-headless
need mvn maven

cargo fmt --all --check
cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
cargo clippy --no-default-features --locked -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features --locked
cargo test --all-features --locked
cargo test --locked --package interop
