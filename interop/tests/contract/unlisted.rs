//! Elements that stand in no ordering list, beside real Redisson.

use std::{
    panic::resume_unwind,
    thread,
    time::{Duration, SystemTime},
};

use interop::{
    keyspace::keys,
    peer::{Peer, Reply, Taken},
    tally::assert_each_once,
};
use redisson_delayed_queue::{
    Client, DelayedQueue, IfPending, Listing, MemberIds, Offer, Result, codec::StringCodec,
};
use testbed::{Server, eventually};
use tokio::runtime::Runtime;

use crate::{
    raw::Raw,
    stage::{Language, ON_TIME, Roles, Stage},
};

/// Java alone moves and takes them, with either kind of id, on time and in order; it wakes for what
/// Rust promotes and reschedules; and its delayed queue is empty to it all the while, but for
/// `clear` and `delete`.
pub(crate) fn moved_and_not_seen_by_java(version: &'static str) {
    let mut stage = Stage::new(version);
    let runtime = Runtime::new().expect("the system has threads");
    for ids in [MemberIds::Ordered, MemberIds::Random] {
        let name = format!("unlisted-{ids:?}");
        let roles = Roles {
            producer: Language::Rust,
            mover: Language::Java,
            consumer: Language::Java,
        };
        let queue = stage.open(roles, &name, "string");
        let builder = Client::builder().transfer(false).member_ids(ids);
        let offering = runtime.block_on(open(builder.connect(stage.url()), &name));
        let offered = runtime.block_on(offer_in_every_way(&offering));
        let offered = offered.expect("redis accepts offers");
        assert_eq!(stage.raw.timeouts(&name).len(), offered.len(), "{version}");
        assert!(stage.raw.ordering(&name).is_empty(), "{version}");
        sees_none(&mut stage.java, &name, &offered[0]);
        assert_eq!(stage.raw.timeouts(&name).len(), offered.len(), "{version}");

        let mut taken = Vec::new();
        for _ in &offered {
            let element = stage.poll(&queue, ON_TIME);
            let element = element.unwrap_or_else(|| panic!("{version}, {name}: only {taken:?}"));
            taken.push(String::from_utf8(element.value).expect("values are text"));
        }
        if ids == MemberIds::Random {
            taken.sort();
        }
        assert_eq!(taken, offered, "{version}, {name}");

        let far = Duration::from_secs(3_600);
        for earlier in [Duration::ZERO, Duration::from_millis(1_500)] {
            let changed = runtime.block_on(async {
                let ticket = offering.offer(&"earlier".to_owned(), far).await?;
                match earlier {
                    Duration::ZERO => offering.promote(&ticket).await,
                    _ => offering.reschedule(&ticket, earlier).await,
                }
            });
            assert!(changed.expect("redis answers"), "{version}: it was pending");
            let due_ms = now_ms() + earlier.as_millis() as u64;
            let element = stage.poll(&queue, ON_TIME);
            let micros = element.expect("Java was woken").micros;
            let late = Duration::from_micros(micros.saturating_sub(due_ms * 1_000));
            assert!(late < ON_TIME, "{version}: late by {late:?}");
        }

        let cleared = runtime.block_on(offering.offer(&"cleared".to_owned(), far));
        let cleared = cleared.expect("redis accepts offers");
        match ids {
            MemberIds::Random => stage.java.clear(&name),
            _ => drop(stage.java.send(&format!("call {name} delayed delete"))),
        }
        let found = runtime.block_on(offering.cancel(&cleared));
        assert!(!found.expect("redis answers"), "{version}: Java cleared it");
        // What Rust keeps for itself, for which Java is not to blame.
        let left: Vec<String> = stage.raw.query(redis::cmd("KEYS").arg("*"));
        assert!(left.iter().all(|key| key.starts_with("rdq1_")), "{left:?}");
        let _: () = stage.raw.query(&redis::cmd("FLUSHALL"));
    }
}

/// In each way that offers, with due times in this order.
async fn offer_in_every_way(queue: &DelayedQueue<String>) -> Result<Vec<String>> {
    let values: Vec<String> = (0..30).map(|i| format!("{i:03}")).collect();
    // Long enough to offer all and look at them before anything moves.
    let delay = Duration::from_secs(4);
    queue
        .offer_all(values[..20].iter().map(|it| (it, delay)))
        .await?;
    for (i, value) in (1..).zip(&values[20..]) {
        let delay = delay + Duration::from_millis(50 * i);
        let never = SystemTime::now() + 100 * delay;
        let offer = Offer::after(delay);
        let offer = match i % 5 {
            0 => offer,
            1 => offer.expires_at(never),
            2 => offer.key(value),
            3 => offer.keyed_by_value(),
            _ => offer.unique_in_queue().if_pending(IfPending::Replace),
        };
        queue.offer_with(value, offer).await?;
        queue.pending().remove(&"none".to_owned()).await?;
        if i % 5 == 2 {
            // As if another had been there.
            let other = format!("{value} once");
            queue
                .offer_with(
                    &other,
                    Offer::after(delay)
                        .key(value)
                        .if_pending(IfPending::Replace),
                )
                .await?;
            queue
                .offer_with(
                    value,
                    Offer::after(delay)
                        .key(value)
                        .if_pending(IfPending::Replace),
                )
                .await?;
        }
    }
    Ok(values)
}

/// Every call that looks into the delayed queue finds it empty, and takes nothing out.
#[track_caller]
fn sees_none(java: &mut Peer, name: &str, value: &str) {
    assert_eq!(java.size(name), 0);
    assert!(!java.contains(name, value));
    assert!(!java.remove(name, value));
    assert!(java.read_all(name).is_empty());
    assert_eq!(java.peek(name), None);
    for (call, expected) in [
        ("isEmpty", Reply::Ok("true".to_owned())),
        ("iterator", Reply::Ok("[]".to_owned())),
        ("poll", Reply::Nil),
        (
            &format!("containsAll [={value}]"),
            Reply::Ok("false".to_owned()),
        ),
        (
            &format!("removeAll [={value}]"),
            Reply::Ok("false".to_owned()),
        ),
        ("pollLastAndOfferFirstTo :others", Reply::Nil),
    ] {
        let reply = java.send(&format!("call {name} delayed {call}"));
        assert_eq!(reply, expected, "{call}");
    }
}

/// Two processes of Java, whose offers are listed, and two clients of Rust, whose offers are not,
/// all of which transfer and take; Rust also cancels some. Each element comes once, and nothing is
/// left in either key.
pub(crate) fn conserved_beside_listed_ones(version: &'static str) {
    let runtime = Runtime::new().expect("the system has threads");
    let server = Server::start();
    let mut raw = Raw::new(server.connection());
    let url = server.url();
    let mut javas = [Peer::java(version, &url), Peer::java(version, &url)];
    for java in &mut javas {
        java.open("q", "q", "string");
    }
    let taken: Vec<String> = thread::scope(|scope| {
        let work = |(number, java): (i64, _)| {
            let java: &mut Peer = java;
            scope.spawn(move || {
                java.offer_many("q", OF_EACH, MAX_DELAY, &format!("java{number}"), number);
                java.drain("q", IDLE)
            })
        };
        let workers: Vec<_> = (0..).zip(&mut javas).map(work).collect();
        let by_rust = runtime.block_on(async {
            let rust = |number| offer_and_take(Client::connect(url.clone()), number);
            tokio::join!(rust(0), rust(1))
        });
        let ended = workers.into_iter().map(|worker| worker.join());
        let by_java = ended.flat_map(|it| it.unwrap_or_else(|panic| resume_unwind(panic)));
        let mut taken: Vec<String> = by_java.map(Taken::text).collect();
        assert!(!taken.is_empty(), "{version}: Java found nothing");
        taken.extend(by_rust.0);
        taken.extend(by_rust.1);
        taken
    });

    let mut expected: Vec<String> = Vec::new();
    for number in 0..2 {
        expected.extend((0..OF_EACH).map(|i| format!("java{number}-{i}")));
        expected.extend((0..OF_EACH).map(|i| format!("rust{number}-{i}")));
    }
    assert_each_once(version, taken, expected);
    let keys = keys("q");
    let mut command = redis::cmd("EXISTS");
    command
        .arg("q")
        .arg(keys.timeouts())
        .arg(keys.ordering())
        .arg(keys.leases());
    eventually(&format!("{version}: nothing is left"), || {
        raw.query::<usize>(&command) == 0
    });
}

/// Returns what was taken, by the caller or out of the queue.
async fn offer_and_take(
    connecting: impl Future<Output = Result<Client>>,
    number: usize,
) -> Vec<String> {
    let queue = open(connecting, "q").await;
    let offers = async {
        let mut cancelled = Vec::new();
        for i in 0..OF_EACH {
            let value = format!("rust{number}-{i}");
            let ms = (i * 7_919 % MAX_DELAY.as_millis() as usize) as u64;
            let ticket = queue.offer(&value, Duration::from_millis(ms)).await?;
            if i % 3 == 0 && queue.cancel(&ticket).await? {
                cancelled.push(value);
            }
        }
        Ok(cancelled)
    };
    let takes = async {
        let mut taken = Vec::new();
        loop {
            let values = queue.take_many(50, IDLE).await?;
            if values.is_empty() {
                return Ok(taken);
            }
            taken.extend(values);
        }
    };
    let (cancelled, taken): (Result<_>, Result<Vec<_>>) = tokio::join!(offers, takes);
    [
        cancelled.expect("redis answers"),
        taken.expect("redis delivers"),
    ]
    .concat()
}

async fn open(
    connecting: impl Future<Output = Result<Client>>,
    name: &str,
) -> DelayedQueue<String> {
    let client = connecting.await;
    let client = client.expect("the private redis accepts connections");
    let queue = client.delayed_queue(name, StringCodec);
    let queue: DelayedQueue<String> = queue.expect("the client is open");
    queue.with_listing(Listing::Unlisted)
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.expect("the clock is set").as_millis() as u64
}

/// How many elements each process offers.
const OF_EACH: usize = 1_000;
const MAX_DELAY: Duration = Duration::from_secs(2);
/// Longer than elements stay away, also on a busy machine.
const IDLE: Duration = Duration::from_secs(4);
