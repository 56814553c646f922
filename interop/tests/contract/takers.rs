//! Every way to take an element, in both languages, on one queue at once.

use std::{
    panic::resume_unwind,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use interop::{
    peer::{Peer, Reply},
    tally::assert_each_once,
    value::decode,
};
use redisson_delayed_queue::{
    BlockingQueue, Client, DelayedQueue, RateLimit, Result, Selector, codec::StringCodec,
};
use testbed::Server;
use tokio::{runtime::Runtime, time::timeout};

/// Java transfers, polls, drains and takes from both ends. So does Rust, whose callers do not stay
/// for long, while the queue is paused now and then and its rate limited. Each element is taken
/// once.
pub(crate) fn conserve(version: &'static str) {
    let runtime = Runtime::new().expect("the system has threads");
    let server = Server::start();
    let mut offering = Peer::java(version, &server.url());
    offering.open("q", "q", "string");
    let mut taking = Peer::java(version, &server.url());
    taking.open("q", "q", "string");
    let is_over = AtomicBool::new(false);
    let taken = thread::scope(|scope| {
        let by_java = scope.spawn(|| {
            // Ends them also if this fails; otherwise they would never end.
            let _over = Over(&is_over);
            offering.start("offer-many q 2000 3000 a 5");
            let started = Instant::now();
            let lines = JAVA.iter().cycle();
            let taken: Vec<String> = lines
                .take_while(|_| started.elapsed() < LASTS)
                .flat_map(|line| values(taking.send(line)))
                .collect();
            assert_eq!(offering.finish(), Reply::Ok(String::new()), "{version}");
            taken
        });
        let mut taken = runtime.block_on(async {
            let client = Client::connect(server.url()).await;
            let client = client.expect("the private redis accepts connections");
            rust_takes(version, &client, &is_over).await
        });
        let by_java = by_java.join();
        let by_java = by_java.unwrap_or_else(|panic| resume_unwind(panic));
        assert!(!by_java.is_empty(), "{version}: Java found nothing");
        taken.extend(by_java);
        taken
    });

    let offered = (0..2_000).map(|i| format!("a-{i}"));
    let offered = offered.chain((0..OF_RUST).map(|i| format!("b-{i}")));
    assert_each_once(version, taken, offered);
}

/// Takes in every way until it is over, and then what is left.
async fn rust_takes(version: &str, client: &Client, is_over: &AtomicBool) -> Vec<String> {
    let queue = client.delayed_queue("q", StringCodec);
    let queue: DelayedQueue<String> = queue.expect("the client is open");
    let other = client.blocking_queue("r", StringCodec);
    let other: BlockingQueue<String> = other.expect("the client is open");
    let target = queue.destination();
    let selector = Selector::new([target.clone(), other]);
    let rust = Rust { queue, is_over };
    let queue = &rust.queue;
    let (offered, barred, many, last, drained, selected, pending, any) = tokio::join!(
        rust.offers(),
        rust.bars(),
        rust.takes(async || queue.take_many(5, LONG).await),
        rust.takes(async || target.take_last().await.map(|it| vec![it])),
        rust.takes(async || target.drain_to(7).await),
        rust.takes(async || selector.take().await.map(|(_, it)| vec![it])),
        rust.takes(async || queue.pending().poll_many(2).await),
        rust.takes(async || {
            let taken = target.poll_from_any(["r"], LONG).await?;
            Ok(taken.into_iter().map(|(_, it)| it).collect())
        }),
    );
    (offered.and(barred)).expect("redis answers");
    let by_call = [many, last, drained, selected, pending, any];
    let by_call = by_call.map(|taken| taken.expect("redis delivers"));
    println!("{version}: taken {:?}", by_call.each_ref().map(Vec::len));
    let mut taken = by_call.concat();
    while let Some(value) = queue.poll(PATIENCE).await.expect("redis delivers") {
        taken.push(value);
    }
    taken
}

/// Ends the other tasks when dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// What the calls of this process share.
struct Rust<'a> {
    queue: DelayedQueue<String>,
    is_over: &'a AtomicBool,
}

impl Rust<'_> {
    async fn offers(&self) -> Result<()> {
        for i in 0..OF_RUST {
            let delay = Duration::from_millis(i * 10);
            self.queue.offer(&format!("b-{i}"), delay).await?;
        }
        Ok(())
    }

    /// Pauses and limits the queue now and then.
    async fn bars(&self) -> Result<()> {
        for i in 0.. {
            if self.is_over.load(Relaxed) {
                break;
            }
            let limit = (i % 2 == 0).then(|| RateLimit::new(1_000, Duration::from_secs(1)));
            self.queue.set_rate_limit(limit).await?;
            self.queue.pause().await?;
            tokio::time::sleep(Duration::from_millis(5)).await;
            self.queue.resume().await?;
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
        self.queue.set_rate_limit(None).await
    }

    /// Calls again and again, and does not always wait for the answer.
    async fn takes(&self, call: impl AsyncFn() -> Result<Vec<String>>) -> Result<Vec<String>> {
        let mut taken = Vec::new();
        for i in 0_u64.. {
            if self.is_over.load(Relaxed) {
                break;
            }
            let patience = Duration::from_micros(300 + i * 7_919 % 4_000);
            if let Ok(values) = timeout(patience, call()).await {
                taken.extend(values?);
            }
        }
        Ok(taken)
    }
}

/// The values in a reply, which is one or a list of them, or nothing.
fn values(reply: Reply) -> Vec<String> {
    let told = match reply {
        Reply::Err(message) => panic!("{message}"),
        Reply::Nil => return Vec::new(),
        Reply::Ok(told) => told,
    };
    let inner = told.trim_start_matches('[').trim_end_matches(']');
    let text = |token| {
        let value = decode(token).unwrap_or_else(|| panic!("not a VALUE: {token:?}"));
        String::from_utf8(value).expect("payloads are text")
    };
    inner.split_terminator(',').map(text).collect()
}

/// How Java takes, in turn.
const JAVA: [&str; 6] = [
    "call q deque drainTo [] 3",
    "call q queue poll",
    "call q deque pollLast",
    "call q delayed poll",
    "call q deque pollLast 1 SECONDS",
    "call q queue pollFromAny 1 SECONDS (:r)",
];

/// How many elements Rust offers.
const OF_RUST: u64 = 300;

/// Longer than the longest delay.
const LASTS: Duration = Duration::from_secs(4);

/// Longer than any caller stays.
const LONG: Duration = Duration::from_millis(50);

const PATIENCE: Duration = Duration::from_secs(2);
