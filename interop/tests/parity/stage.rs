//! Runs the rows of a table.

use std::{
    thread,
    time::{Duration, Instant, SystemTime},
};

use interop::{
    messages::Messages,
    peer::{Peer, Reply},
    value,
};
use redis::Connection;
use redisson_delayed_queue::{Client, codec::StringCodec, keys::QueueKeys};
use testbed::Server;
use tokio::runtime::Runtime;

use crate::{
    answer,
    outcome::{Outcome, Seen, keys, other, query},
    row::{DUE, Expected, OTHER, PENDING, Queues, Row, Start},
};

/// Makes the call of each row in both languages; fails with all rows that did not do as they say.
pub(crate) fn run(version: &str, rows: Vec<Row>) {
    let runtime = Runtime::new().expect("the system has threads");
    let mut stage = Stage::open(version, &runtime);
    let failures: Vec<String> = rows
        .iter()
        .filter_map(|row| stage.run(&runtime, row).err())
        .collect();
    assert!(
        failures.is_empty(),
        "{version}: {} of {} rows\n\n{}",
        failures.len(),
        rows.len(),
        failures.join("\n\n")
    );
}

/// Both languages on one Redis, each with a queue of its own. Nothing becomes due and nobody
/// transfers. What is used first comes first, so that it ends before Redis does.
struct Stage {
    java: Peer,
    queues: Queues,
    messages: Messages,
    redis: Connection,
    version: Vec<u32>,
    _server: Server,
}

impl Stage {
    fn open(version: &str, runtime: &Runtime) -> Self {
        let server = Server::start();
        let mut java = Peer::java(version, &server.url());
        for name in [JAVA, RUST] {
            java.open_offering(name, name, "string");
        }
        let queues = runtime.block_on(async {
            let client = Client::builder().transfer(false);
            let client = client.connect(server.url()).await;
            let client = client.expect("the private redis accepts connections");
            let delayed = client.delayed_queue(RUST, StringCodec);
            let delayed = delayed.expect("the client is open");
            Queues {
                target: delayed.destination(),
                delayed,
                other: other(RUST),
            }
        });
        Self {
            java,
            queues,
            messages: Messages::of(&server.url()),
            redis: server.connection(),
            version: numbers(version),
            _server: server,
        }
    }

    fn run(&mut self, runtime: &Runtime, row: &Row) -> Result<(), String> {
        let start = SystemTime::now();
        self.prepare(row.start);
        let call = row.java.replace("{other}", &other(JAVA));
        let reply = self.java.send(&format!("call {JAVA} {call}"));
        let is_missing = reply == Reply::Err("unsupported".to_owned());
        let is_newer = row.since.is_some_and(|it| self.version < numbers(it));
        if is_missing || is_newer {
            let what = || format!("{}: since {:?}, but {reply:?}", row.java, row.since);
            return (is_missing && is_newer).then_some(()).ok_or_else(what);
        }
        if row.java.contains(" rename") {
            // Redisson's object has the new name, too.
            self.java.open_offering(JAVA, JAVA, "string");
        }
        let of_java = (row.reading)(answer::of_java(reply));
        let of_rust = (row.rust)(runtime, &self.queues);
        let seen = Seen {
            start,
            messages: &self.messages.heard(),
        };
        let java = Outcome::read(&mut self.redis, JAVA, of_java, &seen);
        self.check_keys();
        let (because, expected) = match row.expected {
            Expected::Differs {
                because,
                java,
                rust,
            } => (because, [java, rust]),
            Expected::Same => ("", [""; 2]),
        };
        // What Rust claimed and nobody wanted goes back after a moment.
        let deadline = Instant::now() + PATIENCE;
        let differing = loop {
            let rust = Outcome::read(&mut self.redis, RUST, of_rust.clone(), &seen);
            let differing = [java.without(&rust), rust.without(&java)];
            if differing == expected {
                return Ok(());
            }
            if Instant::now() > deadline {
                break differing;
            }
            thread::sleep(Duration::from_millis(5));
        };
        let what = |[java, rust]: [&str; 2]| format!("java: {java:?}\n  rust: {rust:?}");
        Err(format!(
            "{}\n  {}\n expected to differ {because:?}\n  {}",
            row.java,
            what(differing.each_ref().map(String::as_str)),
            what(expected)
        ))
    }

    /// Leaves nothing but what the row starts with.
    fn prepare(&mut self, start: Start) {
        let found: Vec<String> = query(&mut self.redis, redis::cmd("KEYS").arg("*"));
        for key in found {
            let _: u64 = query(&mut self.redis, redis::cmd("DEL").arg(key));
        }
        let mut lines = Vec::new();
        for name in [JAVA, RUST] {
            if matches!(start, Start::Filled | Start::OtherOnly) {
                let mut push = redis::cmd("RPUSH");
                let _: u64 = query(&mut self.redis, push.arg(other(name)).arg(OTHER));
            }
            if !matches!(start, Start::Empty | Start::OtherOnly) {
                lines.extend(PENDING.map(|(value, hours)| {
                    let millis = hours * 3_600_000;
                    format!("offer {name} {millis} {}", value::encode(value))
                }));
            }
            if matches!(start, Start::Alone | Start::Expiring | Start::Filled) {
                let due = DUE.map(|value| format!("target-offer {name} {}", value::encode(value)));
                lines.extend(due);
            }
        }
        let replies = self.java.send_all(&lines);
        assert!(replies.iter().all(|it| *it == Reply::Ok(String::new())));
        if start == Start::Expiring {
            let found: Vec<String> = query(&mut self.redis, redis::cmd("KEYS").arg("*"));
            for key in found {
                let mut expire = redis::cmd("EXPIRE");
                let _: u64 = query(&mut self.redis, expire.arg(key).arg(90 * 60));
            }
        }
        self.messages.heard();
    }

    /// There are the keys of Redisson, and for Rust those of this crate.
    fn check_keys(&mut self) {
        let found: Vec<String> = query(&mut self.redis, redis::cmd("KEYS").arg("*"));
        let names = [JAVA, RUST].map(|name| [name.to_owned(), other(name)]);
        let keys: Vec<QueueKeys> = names.iter().flatten().map(|name| keys(name)).collect();
        let is_foreseen = |key: &String| {
            let is_of_crate = key.starts_with("rdq1_") && key.contains(RUST);
            let mut redissons = keys
                .iter()
                .flat_map(|keys| [keys.target(), keys.ordering(), keys.timeouts()]);
            is_of_crate || redissons.any(|it| it == key)
        };
        let strange: Vec<&String> = found.iter().filter(|key| !is_foreseen(key)).collect();
        assert!(strange.is_empty(), "{strange:?}");
    }
}

/// A version as numbers, which compare as versions do.
fn numbers(version: &str) -> Vec<u32> {
    let parts = version.split('.').map(str::parse);
    let parts: Result<Vec<u32>, _> = parts.collect();
    parts.expect("versions are numbers")
}

/// The queue that Java works on.
const JAVA: &str = "java";

/// The queue that Rust works on.
const RUST: &str = "rust";

/// How long Rust may take to settle.
const PATIENCE: Duration = Duration::from_secs(3);
