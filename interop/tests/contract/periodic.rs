//! Periodic offers of a Rust process on a queue of Java's.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interop::keyspace::keys;
use redisson_delayed_queue::{Client, DelayedQueue, Schedule, codec::StringCodec};
use tokio::runtime::Runtime;

use crate::stage::{Language, Roles, Stage};

/// Both transfer while Rust fires, and Java takes each occurrence once, on time. What was fired
/// ahead when Rust ends is Java's alone to deliver.
pub(crate) fn fired_ahead_for_java(version: &'static str) {
    const OCCURRENCES: usize = 6;
    let runtime = Runtime::new().expect("the system has threads");
    let mut stage = Stage::new(version);
    let roles = Roles {
        producer: Language::Rust,
        mover: Language::Java,
        consumer: Language::Java,
    };
    let queue = stage.open(roles, "periodic", "string");
    let (client, handle) = runtime.block_on(async {
        let client = Client::connect(stage.url()).await;
        let client = client.expect("the private redis accepts connections");
        let handle: DelayedQueue<String> = client
            .delayed_queue("periodic", StringCodec)
            .expect("the client is open");
        (client, handle)
    });
    // Redis runs on this machine, and so has this clock.
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let start = now.expect("the clock is set") + Duration::from_secs(3);
    let start = Duration::from_millis(start.as_millis() as u64);
    let secondly = Schedule::every(Duration::from_secs(1)).expect("a second is long enough");
    let secondly = secondly.starting_at(UNIX_EPOCH + start);
    let scheduled = runtime.block_on(handle.schedule("tick", &"tick".to_owned(), &secondly));
    scheduled.expect("redis stores schedules");

    let mut dues = (0..).map(|i| start.as_millis() as u64 + 1_000 * i);
    for due_ms in dues.by_ref().take(OCCURRENCES) {
        stage.take_on_time(&queue, b"tick", due_ms);
    }
    let ended = runtime.block_on(async {
        let ended = handle.unschedule("tick").await;
        client.shutdown().await.expect("nothing is held");
        ended
    });
    assert!(ended.expect("redis removes"), "it was scheduled");
    let mut left = 0;
    let count = |key: &str| redis::cmd("LLEN").arg(key).clone();
    let (ordering, target) = (count(keys("periodic").ordering()), count("periodic"));
    while stage.raw.query::<u64>(&ordering) + stage.raw.query::<u64>(&target) > 0 {
        stage.take_on_time(&queue, b"tick", dues.next().expect("it goes on"));
        left += 1;
    }
    assert!(left >= 2, "{version}: only {left} were offered ahead");
    let twice = stage.poll(&queue, Duration::from_secs(1));
    assert_eq!(twice, None, "{version}: each is delivered once");
}
