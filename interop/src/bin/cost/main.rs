//! What it costs to find or to remove one of many pending elements, in Java and in Rust.
//!
//! ```text
//! cargo run -p interop --release --bin cost [PENDING...]
//! ```
//!
//! Each number of pending elements gets a private Redis of its own, on which one language after the
//! other makes its calls. What they look for lies anywhere in the queue. Without numbers, 1000,
//! 20000 and 100000 are measured.

use std::{
    env,
    error::Error,
    result,
    time::{Duration, Instant},
};

use interop::{
    peer::{Peer, Reply},
    server::Server,
    value::encode,
};
use redisson_delayed_queue::{Client, DelayedQueue, codec::StringCodec};
use tokio::runtime::Runtime;

use call::{Call, Sample, calls};
use pending::{Pending, value};
use report::{Line, report};

mod call;
mod pending;
mod report;

type Result<T> = result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let sizes: result::Result<Vec<usize>, _> = env::args().skip(1).map(|it| it.parse()).collect();
    let mut sizes = sizes?;
    if sizes.is_empty() {
        sizes.extend([1_000, 20_000, 100_000]);
    }
    let runtime = Runtime::new()?;
    println!("Redisson {VERSION}");
    for size in sizes {
        report(size, &measure(&runtime, size)?);
    }
    Ok(())
}

/// Makes every call on a queue of this size.
fn measure(runtime: &Runtime, size: usize) -> Result<Vec<Line>> {
    let server = Server::start();
    let mut java = Peer::java(VERSION, &server.url());
    java.set_deadline(JAVA_DEADLINE);
    java.open_offering(NAME, NAME, "string");
    let client = Client::builder().transfer(false);
    let client = runtime.block_on(client.connect(server.url()))?;
    let queue = client.delayed_queue(NAME, StringCodec)?;

    let calls = calls();
    let mut pending = Pending::new(server.connection(), NAME);
    let samples = fill(runtime, &mut pending, &queue, &calls, size)?;
    let mut lines = Vec::new();
    for (call, samples) in calls.iter().zip(samples) {
        let mut times = Vec::new();
        for sample in &samples {
            let start = Instant::now();
            (call.run)(runtime, &queue, sample)?;
            times.push(start.elapsed());
        }
        lines.push(Line::new(format!("Rust {}", call.name), times));
    }
    // Last, because a call that Java gives up goes on in Redis.
    for (offset, method) in ["contains", "remove"].into_iter().enumerate() {
        let times = time_java(&mut java, method, offset, size);
        lines.push(Line::new(format!("Java {method}"), times));
    }
    Ok(lines)
}

/// Spreads what the calls will look for among `size` others.
fn fill(
    runtime: &Runtime,
    pending: &mut Pending,
    queue: &DelayedQueue<String>,
    calls: &[Call],
    size: usize,
) -> Result<Vec<Vec<Sample>>> {
    let mut samples: Vec<Vec<Sample>> = calls.iter().map(|_| Vec::new()).collect();
    for i in 0..SAMPLES {
        pending.fill_up_to(size * (i + 1) / SAMPLES)?;
        for (call, samples) in calls.iter().zip(&mut samples) {
            let value = format!("{} {i}", call.name);
            samples.push(runtime.block_on(Sample::offer(queue, value))?);
        }
    }
    Ok(samples)
}

/// Has Java make one call again and again, each time with another value, until the time for it is
/// over or Java gives up.
fn time_java(java: &mut Peer, method: &str, offset: usize, size: usize) -> Vec<Duration> {
    let end = Instant::now() + JAVA_BUDGET;
    let mut times = Vec::new();
    for i in 0..SAMPLES {
        // From one end to the other in leaps, so that the times are fair whenever the end comes.
        let place = i * LEAP % SAMPLES * size / SAMPLES + offset;
        let value = encode(value(place));
        match java.send(&format!("time {NAME} delayed {method} {value}")) {
            Reply::Ok(micros) => {
                let micros = micros.parse().expect("the time is a number");
                times.push(Duration::from_micros(micros));
            }
            Reply::Nil | Reply::Err(_) => break,
        }
        if Instant::now() > end {
            break;
        }
    }
    times
}

const NAME: &str = "orders";

const VERSION: &str = "4.7.0";

/// How often each call is made.
const SAMPLES: usize = 40;

/// A number of samples that reaches each of them.
const LEAP: usize = 17;

/// How long each call of Java is repeated.
const JAVA_BUDGET: Duration = Duration::from_secs(60);

/// Longer than Java's own retries go on.
const JAVA_DEADLINE: Duration = Duration::from_secs(120);
