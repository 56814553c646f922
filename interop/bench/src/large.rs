//! A process that offers and takes one large element and many small ones, and prints how late they
//! were.

use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use redis::Connection;
use redisson_delayed_queue::{Client, DelayedQueue, codec::ByteArrayCodec};
use tokio::{runtime::Runtime, sync::watch, time::sleep};

use crate::Result;

/// The measured figures, in ms unless a field says otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    /// The longest command of the offer, of the transfer, and of what brought the element.
    pub(crate) offer: f64,
    pub(crate) transfer: f64,
    pub(crate) take: f64,
    /// The longest time without an answer to another connection.
    pub(crate) gap: f64,
    /// All such times of more than 5 ms together.
    pub(crate) blocked: f64,
    /// How late small elements were at the most, in the same queue and in another of the client.
    pub(crate) same_queue: f64,
    pub(crate) same_client: f64,
    /// From the due time until the element was there; infinite if it did not arrive.
    pub(crate) arrival: f64,
    /// How much the memory of the process grew at the most, by the size of the payload.
    pub(crate) memory: f64,
}

impl Figures {
    /// As one line.
    pub(crate) fn to_line(self) -> String {
        let Self {
            offer,
            transfer,
            take,
            gap,
            blocked,
            same_queue,
            same_client,
            arrival,
            memory,
        } = self;
        format!(
            "{offer} {transfer} {take} {gap} {blocked} {same_queue} {same_client} {arrival} {memory}"
        )
    }

    pub(crate) fn from_line(line: &str) -> Result<Self> {
        let numbers: Vec<f64> = line
            .split_whitespace()
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()?;
        let [
            offer,
            transfer,
            take,
            gap,
            blocked,
            same_queue,
            same_client,
            arrival,
            memory,
        ] = numbers[..]
        else {
            return Err(format!("not nine figures: {line}").into());
        };
        Ok(Self {
            offer,
            transfer,
            take,
            gap,
            blocked,
            same_queue,
            same_client,
            arrival,
            memory,
        })
    }
}

/// Measures, and prints the figures.
pub(crate) fn serve(megabytes: usize, url: &str) -> Result<()> {
    let figures = Runtime::new()?.block_on(measure(megabytes * 1_000_000, url))?;
    println!("{}", figures.to_line());
    Ok(())
}

async fn measure(size: usize, url: &str) -> Result<Figures> {
    let mut redis = redis::Client::open(url)?.get_connection()?;
    redis::cmd("CONFIG")
        .arg(&["SET", "slowlog-log-slower-than", "500"])
        .exec(&mut redis)?;
    let client = Client::connect(url).await?;
    let queue: DelayedQueue<Bytes> = client.delayed_queue("orders", ByteArrayCodec)?;
    let other: DelayedQueue<Bytes> = client.delayed_queue("others", ByteArrayCodec)?;
    let (large, mut arrived) = watch::channel(None);
    let same_queue = small_traffic(&queue, Some(large));
    let same_client = small_traffic(&other, None);
    // Until all of it is warm.
    sleep(Duration::from_secs(1)).await;
    same_queue.reset();
    same_client.reset();
    let before = peak_memory()?;
    redis::cmd("SLOWLOG").arg("RESET").exec(&mut redis)?;
    let pings = Pings::start(url)?;

    let due = SystemTime::now() + PASSAGE * (1 + u32::try_from(size / 20_000_000)?);
    let value = Bytes::from(vec![b'.'; size]);
    queue.offer_with(&value, due).await?;
    drop(value);
    let (offer, ..) = longest(&mut redis)?;
    redis::cmd("SLOWLOG").arg("RESET").exec(&mut redis)?;
    let wait = due.duration_since(SystemTime::now()).unwrap_or_default();
    let patience = wait + Duration::from_secs(20) + PASSAGE * u32::try_from(size / 4_000_000)?;
    let arrival = tokio::time::timeout(patience, arrived.wait_for(Option::is_some)).await;
    let arrival = arrival.ok().and_then(|it| it.ok().and_then(|it| *it));
    // Small ones behind it are still on their way.
    sleep(Duration::from_secs(1)).await;
    let (_, transfer, take) = longest(&mut redis)?;
    let (gap, blocked) = pings.stop()?;
    Ok(Figures {
        offer,
        transfer,
        take,
        gap,
        blocked,
        same_queue: same_queue.longest(),
        same_client: same_client.longest(),
        arrival: arrival.map_or(f64::INFINITY, |it| millis_since(it, due)),
        memory: (peak_memory()? - before) as f64 / size as f64,
    })
}

/// How late the small elements of a queue were.
struct Traffic {
    longest_ms: Arc<Mutex<f64>>,
}

impl Traffic {
    fn reset(&self) {
        *lock(&self.longest_ms) = 0.0;
    }

    fn longest(&self) -> f64 {
        *lock(&self.longest_ms)
    }
}

/// Offers a small element every 10 ms, due 100 ms later, and takes what comes; the moment at which
/// a large one does is told to `large`.
fn small_traffic(
    queue: &DelayedQueue<Bytes>,
    large: Option<watch::Sender<Option<SystemTime>>>,
) -> Traffic {
    let longest_ms = Arc::new(Mutex::new(0.0_f64));
    let producer = queue.clone();
    tokio::spawn(async move {
        loop {
            sleep(Duration::from_millis(10)).await;
            let producer = producer.clone();
            // Offers run at the same time, so one that waits holds up no other.
            tokio::spawn(async move {
                let due = SystemTime::now() + Duration::from_millis(100);
                let us = due
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default()
                    .as_micros();
                let value = Bytes::from(us.to_string());
                if let Err(error) = producer.offer_with(&value, due).await {
                    eprintln!("a small offer failed: {error:?}");
                }
            });
        }
    });
    let (consumer, longest) = (queue.clone(), Arc::clone(&longest_ms));
    tokio::spawn(async move {
        while let Ok(value) = consumer.take().await {
            let now = SystemTime::now();
            let due = std::str::from_utf8(&value).ok().filter(|it| it.len() < 100);
            if let Some(us) = due.and_then(|text| text.parse().ok()) {
                let late = millis_since(now, UNIX_EPOCH + Duration::from_micros(us));
                let mut longest = lock(&longest);
                *longest = longest.max(late);
            } else if let Some(large) = &large {
                large.send_replace(Some(now));
            }
        }
    });
    Traffic { longest_ms }
}

/// A thread that asks Redis all the time whether it answers.
struct Pings {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<redis::RedisResult<(Duration, Duration)>>,
}

impl Pings {
    fn start(url: &str) -> Result<Self> {
        let mut redis = redis::Client::open(url)?.get_connection()?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let (mut longest, mut blocked) = (Duration::ZERO, Duration::ZERO);
            while !stopped.load(Ordering::Relaxed) {
                let asked = Instant::now();
                redis::cmd("PING").exec(&mut redis)?;
                let gap = asked.elapsed();
                longest = longest.max(gap);
                if gap > Duration::from_millis(5) {
                    blocked += gap;
                }
                // A thread that never rests takes half of a machine of two cores.
                thread::sleep(Duration::from_micros(200));
            }
            Ok((longest, blocked))
        });
        Ok(Self { stop, thread })
    }

    /// The longest time without an answer, and all those of more than 5 ms, in ms.
    fn stop(self) -> Result<(f64, f64)> {
        self.stop.store(true, Ordering::Relaxed);
        let (longest, blocked) = self.thread.join().map_err(|_| "the pings panicked")??;
        Ok((longest.as_secs_f64() * 1e3, blocked.as_secs_f64() * 1e3))
    }
}

/// The longest command of an offer, of a transfer, and of anything else since the slow log began,
/// in ms. The scripts are told apart by how many keys they have.
fn longest(redis: &mut Connection) -> Result<(f64, f64, f64)> {
    type Entry = (u64, u64, f64, Vec<Bytes>);
    let entries: Vec<Vec<redis::Value>> = redis::cmd("SLOWLOG").arg("GET").arg(-1).query(redis)?;
    let (mut offer, mut transfer, mut other) = (0.0_f64, 0.0_f64, 0.0_f64);
    for entry in entries {
        let fields = redis::Value::Array(entry.into_iter().take(4).collect());
        let (_, _, us, words): Entry = redis::from_redis_value(fields)?;
        let keys = words.get(2).and_then(|it| std::str::from_utf8(it).ok());
        let keys = keys.and_then(|it| it.parse::<u32>().ok());
        let is_script = words
            .first()
            .is_some_and(|it| it.eq_ignore_ascii_case(b"evalsha"));
        let longest = match keys.filter(|_| is_script) {
            Some(3) => &mut offer,
            Some(8..) => &mut transfer,
            _ => &mut other,
        };
        *longest = longest.max(us / 1e3);
    }
    Ok((offer, transfer, other))
}

/// The most memory that the process has used, in bytes.
fn peak_memory() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    Ok(kilobytes.ok_or("no VmHWM")?.parse::<u64>()? * 1_024)
}

fn millis_since(moment: SystemTime, earlier: SystemTime) -> f64 {
    let since = moment.duration_since(earlier).unwrap_or_default();
    since.as_secs_f64() * 1e3
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// How long before its due time a large element of up to 20 MB is offered, and how much longer to
/// wait for one for each further 4 MB.
const PASSAGE: Duration = Duration::from_secs(1);
