# The commands of CONTRIBUTING.md by name, for https://just.systems. `just` lists them.

_list:
    @just --list

# The tests for every change, the newest Redisson included
test:
    bash tests/run.sh

# Everything there is; `just all --rest` leaves out what `just test` runs
all *args:
    bash tests/all.sh {{args}}

# A Java and a Rust service on one queue
demo:
    bash examples/demo.sh

# Format, lints and documentation
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features --locked

# Unit tests and golden bytes, without Redis
unit:
    cargo test --all-features --lib --test guides --test members --test vectors --test codecs

# Against a real Redis: all, or one topic, as in `just redis transfer::`
redis topic="":
    RUST_TEST_THREADS=4 cargo test --all-features --test redis {{topic}}

# On other servers than the installed one: all, or some, as in `just servers redis-6.2 transfer::`
servers *args:
    bash tests/servers.sh {{args}}

# Against real Redisson: all, or one test file, as in `just redisson --test parity`
redisson *args:
    cargo test --package interop {{args}}

# A minute of mutated payloads for each decoder except that of prost
fuzz:
    FUZZ_MS=60000 cargo test --all-features --test fuzz

# Processes of the last revision and of this one on one queue
upgrade *args:
    bash tests/upgrade.sh {{args}}

# What faults cost: all, or as in `just faults restart --seconds 10`
faults *args:
    bash tests/faults.sh {{args}}

# What kills and pauses of consumers cost: all, or as in `just crashes short`
crashes *args:
    bash tests/crashes.sh {{args}}

# Forwarding to a real RabbitMQ under faults
amqp *args:
    bash tests/amqp.sh {{args}}

# How often the elements of a killed consumer come twice
kills *args:
    bash tests/kills.sh {{args}}

# The figures of docs/performance.md beside Redisson, on an idle machine
bench *args:
    cargo run --release --manifest-path interop/bench/Cargo.toml -- {{args}}

# Licences and sources of the dependencies
deny:
    cargo deny --locked check bans licenses sources

# Each package, built from what is in it
package:
    cargo package --workspace --locked --allow-dirty

# rdq for users without Cargo: builds the packages in target/dist, and tries them
rdq-packages:
    bash rdq/deploy/package.sh
    bash rdq/deploy/try.sh
