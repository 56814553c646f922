//! What the guides say beside the code that they say it of.

use std::fs;
use std::path::Path;

/// The text of a file of the repository, with a space in the place of each gap.
fn read(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whoever changes one of these lines of code finds here which sentence to correct.
#[test]
fn numbers_in_the_guides_are_those_of_the_code() {
    let mut sentence = "";
    for line in NUMBERS.trim().lines() {
        let (path, text) = line.trim().split_once(": ").expect("a path and a text");
        if !line.starts_with(' ') {
            sentence = line;
        }
        assert!(
            read(path).contains(text),
            "{path} has no `{text}`\n{sentence}"
        );
    }
}

/// Its guarantees name their tests.
#[test]
fn the_tests_of_the_guide_to_forwarding_are_there() {
    let guide = read("docs/forwarding.md");
    let (_, table) = guide.split_once("## Guarantees").unwrap();
    let (_, table) = table.split_once("|---|---|").unwrap();
    let (table, _) = table.split_once("## Limits").unwrap();
    let code = read("interop/src/bin/forwarding/guarantees.rs");
    for name in table
        .split(" | `")
        .skip(1)
        .filter_map(|it| it.split('`').next())
    {
        if !code.contains(&format!("fn {name}(")) {
            // A module is a test, too.
            read(&format!("interop/src/bin/forwarding/{name}.rs"));
        }
    }
}

/// A guide and what it says there; below it, what the code has.
const NUMBERS: &str = r#"
README.md: when its lease (30 s) has run out
    src/options.rs: claim_lease: Duration::from_secs(30),
README.md: checks every queue that it moves once a second
    src/options.rs: safety_poll: Duration::from_secs(1),
README.md: first 10,000, fewer if they are large
    lua/lib/quarantine.lua: local MOST_KEPT, KEPT_BYTES = 10000, 67108864
README.md: So may a payload over 1 MiB
    src/link/connection/size.rs: LARGE: usize = 1024 * 1024;
README.md: A payload has at most 512 MiB - 1 KiB
    src/payload.rs: MAX_PAYLOAD: usize = MAX_ARGUMENT - 1024;
README.md: It needs Rust 1.88 and Tokio
    Cargo.toml: rust-version = "1.88"
rdq/README.md: It needs Rust 1.88 to build
    Cargo.toml: rust-version = "1.88"
docs/concepts.md: keeps the first 10,000, fewer if they are large
    lua/lib/quarantine.lua: local MOST_KEPT, KEPT_BYTES = 10000, 67108864
docs/coming-from-redisson.md: and one command 1,008 MiB
    src/payload.rs: MAX_COMMAND: usize = 2 * MAX_ARGUMENT - 16 * 1024 * 1024;
docs/coming-from-redisson.md: one claim: up to 500 elements or some 256 KiB
    src/delivery/intake/worker/round.rs: BATCH: usize = 500;
    src/wire/chunk.rs: MOST_BYTES: usize = 256 * 1024;
docs/coming-from-redisson.md: for 20 ms if it was claimed ahead of a loop that has ended
    src/delivery/intake/worker/ahead.rs: KEPT: Duration = Duration::from_millis(20);
docs/coming-from-redisson.md: goes after a minute
    src/options.rs: ID_MEMORY: Duration = Duration::from_secs(61);
docs/consumers.md: for the `visibility` time, 30 s,
    src/queue/consumer/builder.rs: visibility: Duration::from_secs(30),
docs/consumers.md: `delivery_limit` is 10
    src/queue/consumer/builder.rs: delivery_limit: 10,
docs/consumers.md: | lease | 30 s, 100 ms to 12 h |
    src/queue/consumer/builder.rs: (Duration::from_millis(100), Duration::from_secs(12 * 3_600));
docs/consumers.md: sends 500 in one command
    src/delivery/intake/worker/round.rs: BATCH: usize = 500;
docs/consumers.md: that of each handler and up to 64 more
    src/queue/consumer/workers.rs: UNCONFIRMED: usize = 64;
docs/consumers.md: 1 s, then twice as long each time, up to 5 minutes
    src/queue/consumer/backoff.rs: Self::exponential(Duration::from_secs(1), Duration::from_secs(300))
docs/consumers.md: waits up to `grace` (30 s)
    src/queue/consumer/workers.rs: GRACE: Duration = Duration::from_secs(30);
docs/consumers.md: If 100,000 wait, no further element is claimed
    src/wire/script/grouping.rs: MOST_WAITING: usize = 100_000;
docs/consumers.md: new elements wait up to 5 s
    src/wire/script/grouping.rs: SORTING: Duration = Duration::from_secs(5);
docs/consumers.md: the last fence; goes after a day
    lua/lib/groups.lua: 'PX', 86400000)
docs/consumers.md: leases and retries end; goes after a week
    lua/lib/steady.lua: NOTICED_US, NOTE_MS = 1000000, 604800000
docs/consumers.md: An acknowledgement sends a token of 46 or 62 bytes
    src/wire/script/lease.rs: ID: usize = 20;
    src/wire/script/lease.rs: LEN: usize = 26;
    src/wire/script/lease.rs: LEN: usize = 16;
docs/forwarding.md: or says nothing for 30 s
    src/amqp/builder.rs: timeout: Duration::from_secs(30),
docs/forwarding.md: up to `max_in_flight`, 64
    src/amqp/builder.rs: max_in_flight: 64,
docs/forwarding.md: waits that grow from 0.1 s to 5 s
    src/amqp/link.rs: FIRST_WAIT: Duration = Duration::from_millis(100);
    src/amqp/link.rs: LONGEST_WAIT: Duration = Duration::from_secs(5);
docs/monitoring.md: A context is kept until an hour after the due time
    src/queue/raw/trace.rs: KEPT: Duration = Duration::from_secs(3_600);
docs/monitoring.md: keeps waiting for half a second
    src/queue/raw/trace.rs: PATIENCE: Duration = Duration::from_millis(500);
docs/monitoring.md: four histograms of 21 lines
    src/metric/names.rs: SECONDS: [f64; 18]
docs/operating.md: | `safety_poll` | 1 s |
    src/options.rs: safety_poll: Duration::from_secs(1),
docs/operating.md: | `claim_lease` | 30 s |
    src/options.rs: claim_lease: Duration::from_secs(30),
docs/operating.md: | `visibility` of a consumer | 30 s |
    src/queue/consumer/builder.rs: visibility: Duration::from_secs(30),
docs/operating.md: | `retry_window` | 5 s |
    src/options.rs: retry_window: Duration::from_secs(5),
docs/operating.md: | `response_timeout` | 2 s |
    src/options.rs: response: Duration::from_secs(2),
docs/operating.md: | `delivery_limit` | 10 |
    src/queue/consumer/builder.rs: delivery_limit: 10,
docs/sharded.md: Elements that nobody takes within 20 ms go back
    src/delivery/intake/worker/ahead.rs: KEPT: Duration = Duration::from_millis(20);
docs/sharded.md: by default 5 s, and a second more for each 4 MiB
    src/link/connection/size.rs: BYTES_A_MS: usize = 4 * 1024;
docs/topologies.md: is not promoted within a second
    src/link/topology/successor.rs: PROMOTED_WITHIN: Duration = Duration::from_secs(1);
docs/topologies.md: No Sentinel names it within 5 s
    src/link/topology/successor.rs: NAMED_WITHIN: Duration = Duration::from_secs(5);
docs/topologies.md: listens for `+switch-master`, and asks once a second
    src/link/topology/sentinels.rs: CHECK: Duration = Duration::from_secs(1);
docs/topologies.md: follows another within 100 ms
    src/link/topology/sentinels.rs: MORE: Duration = Duration::from_millis(100);
docs/topologies.md: a former one are closed within a minute
    src/link/topology/cluster.rs: CHECK: Duration = Duration::from_secs(60);
docs/topologies.md: asks two nodes which slots they know, and up to five
    src/link/topology/cluster.rs: ASKED: usize = 2;
    src/link/topology/cluster.rs: MOST_ASKED: usize = 5;
docs/topologies.md: with pauses that grow to half a second
    src/link/topology/cluster.rs: LONGEST_PAUSE: Duration = Duration::from_millis(500);
docs/topologies.md: | `SUBSCRIBE` | asks again every 30 s;
    src/delivery/transfer/subscription.rs: RESUBSCRIBE: Duration = Duration::from_secs(30);
docs/topologies.md: | 30 s, or the response timeout if that is longer |
    src/link/endpoint.rs: KEEPALIVE: Duration = Duration::from_secs(30);
docs/topologies.md: is asked every second, others every 10 s
    src/link/connection/purpose.rs: MOST_IDLE: Duration = Duration::from_secs(10);
docs/topologies.md: pauses of up to 250 ms for a server that does not answer and up to 1 s
    src/link/connection/redial.rs: LONGEST_PAUSE: Duration = Duration::from_millis(250);
    src/link/connection/redial.rs: LONGEST_IN_VAIN: Duration = Duration::from_secs(1);
docs/topologies.md: more than a second behind what it was
    src/link/clock.rs: NOTICED: Duration = Duration::from_secs(1);
docs/topologies.md: two thirds of a lease or more
    src/delivery/intake/worker/round_trip.rs: if took >= lease * 2 / 3
docs/internals.md: up to 500 elements share a script
    src/offer/mod.rs: MOST: usize = 500;
docs/internals.md: a `WAIT` of 50 ms at most
    src/link/connection/waits.rs: LONGEST: Duration = Duration::from_millis(50);
docs/internals.md: in `rdq1_settled:{orders}` for 61 s
    src/options.rs: ID_MEMORY: Duration = Duration::from_secs(61);
docs/internals.md: after one of more than 80 ms
    src/delivery/transfer/pace.rs: LONG: Duration = Duration::from_millis(80);
docs/internals.md: wait for 10 to 30 ms
    src/delivery/peers/herd.rs: GRACE: Duration = Duration::from_millis(10);
    src/delivery/peers/herd.rs: SPREAD: Duration = Duration::from_millis(20);
docs/internals.md: at least a third of the lease is left
    src/delivery/intake/worker/station.rs: self.terms.lease / 3
docs/reliability.md: a run moves 100 of them, and up to 1,000
    src/delivery/transfer/pace.rs: FIRST: usize = 100;
    src/delivery/transfer/pace.rs: MOST: usize = 1_000;
docs/acl.md: for 10 s after that `shutdown` fails, too
    src/delivery/intake/worker/lost_claims.rs: UNSURE: Duration = Duration::from_secs(10);
docs/coming-from-redisson.md: more than 500 elements or 1 MB ran out together
    lua/lib/return.lua: while count < 500 and bytes < 1000000 do
codec/docs/codecs.md: payloads up to 196,608 bytes
    codec/src/frame/lz4_v2.rs: LONGEST_LITERALS: usize = 196_608;
docs/operating/doctor.md: all members of a queue that has up to 5,000 of them
    rdq/src/queue/census/take.rs: QUICK: u64 = 5_000;
docs/operating/doctor.md: more than 64 MiB, it reads 2,000 members at each end
    rdq/src/queue/census/take.rs: QUICK_BYTES: u64 = 64 << 20;
    rdq/src/queue/census/take.rs: SAMPLE: u64 = 2_000;
docs/operating/doctor.md: looks again after half a second
    rdq/src/queue/census/take.rs: PAUSE: Duration = Duration::from_millis(500);
docs/operating/doctor.md: is 250 ms (a warning) or 5 s off
    rdq/src/doctor/checks/clock.rs: WARNING_MS: i64 = 250; const CRITICAL_MS: i64 = 5_000;
docs/operating/doctor.md: leases of take() that ran out more than 10 s ago
    rdq/src/doctor/checks/leases.rs: GRACE_MS: u64 = 10_000;
docs/operating/doctor.md: one atomic script of some 5 ms
    rdq/src/queue/amend/stepper.rs: GOAL: Duration = Duration::from_millis(5);
docs/operating/doctor.md: what stood behind place 200,000 goes to the end
    rdq/src/queue/amend/cost.rs: LAST_INSERTED: u64 = 200_000;
docs/operating/export.md: in portions of 500 entries or 256 KiB
    rdq/src/verb/import.rs: MOST: usize = 500; const MOST_BYTES: usize = 256 * 1_024;
    rdq/src/queue/script.rs: PORTION: u64 = 500;
docs/operating/export.md: Redis remembers for a week
    rdq/src/verb/import.rs: KEEP_MS: u64 = 7 * 86_400_000;
docs/operating/serve.md: A token has at least 20 characters
    rdq/src/serve/access.rs: SHORTEST: usize = 20;
docs/operating/serve.md: get a session of 12 hours
    rdq/src/serve/access.rs: SESSION: Duration = Duration::from_secs(12 * 3_600);
docs/operating/serve.md: of at most 1,000 rows of `dead`
    rdq/src/serve/api/dead.rs: MOST: usize = 1_000;
docs/operating/serve.md: may show ten different wrong tokens in a minute
    rdq/src/serve/attempts.rs: MOST: usize = 10;
    rdq/src/serve/attempts.rs: WINDOW: Duration = Duration::from_secs(60);
docs/operating/serve.md: A client has 10 s to send the head of a request or its body
    rdq/src/serve/connections.rs: PATIENCE: Duration = Duration::from_secs(10);
    rdq/src/serve/request.rs: PATIENCE: Duration = Duration::from_secs(10);
docs/operating/serve.md: At most 256 connections are served at a time
    rdq/src/verb/serve.rs: value_name = "COUNT", default_value = "256")
docs/operating/serve.md: answers the open ones for up to 5 s
    rdq/src/serve/connections.rs: GRACE: Duration = Duration::from_secs(5);
docs/operating/serve.md: at most 10,000 elements, 8 MiB or 0.4 s a request
    rdq/src/serve/page.rs: examined: 10_000, bytes: 8 << 20, time: Duration::from_millis(400),
docs/operating/transfer.md: asked every second, and Redis refuses no queue
    rdq/src/transfer/health.rs: CHECK: Duration = Duration::from_secs(1);
docs/operating/watch.md: if these have at most 4 KiB
    rdq/src/watch/upcoming.rs: WHOLE: usize = 4_096;
docs/operating/watch.md: the most in the last two minutes
    rdq/src/watch/lateness.rs: WINDOW_MS: u64 = 120_000;
docs/operating/watch.md: has been due for more than 6 s
    rdq/src/watch/lateness.rs: LATE_MS: u64 = 6_000;
docs/operating/watch.md: `top` asks for 256 queues at once
    rdq/src/watch/survey.rs: CHANNELS: usize = 256;
docs/operating/watch.md: `top` counts 8 queues at a time
    rdq/src/watch/survey.rs: AT_ONCE: usize = 8;
docs/operating/watch.md: not with more than 5,000 connections
    rdq/src/queue/programs.rs: MOST: u64 = 5_000;
"#;
