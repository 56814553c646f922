//! What a call about one pending element costs, by how many are pending.
//!
//! `cargo bench --bench pending`, which needs `redis-server`; `docs/performance.md` holds figures.
//! The calls go one after the other to a private Redis that does nothing else. The elements are due
//! in random order and their members have 68 bytes. Beside the time of a call stands the processor
//! time of Redis, which other work on the machine does not change.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot go on fails by panicking"
)]

use std::fmt;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use redis::Connection;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::packed::{MemberId, Packed, pack};
use redisson_delayed_queue::{Client, DelayedQueue, IfPending, Placed, Ticket};

const PENDING: [usize; 4] = [1_000, 20_000, 100_000, 1_000_000];
const SAMPLES: usize = 200;
const KEY: &str = "key";
/// The payload whose member has 68 bytes with an id of 16.
const PAYLOAD: usize = 43;

/// Who offered what is pending.
#[derive(Clone, Copy)]
enum Writer {
    Rust,
    Redisson,
}

/// What is measured: a call about one of the pending elements.
#[derive(Clone, Copy)]
enum Call {
    /// Of an element anywhere in the offer order.
    Cancel,
    /// To another random time.
    Reschedule,
    /// The same, of the element that is pending under a key.
    Move,
    /// Of another element in the place of the one that is pending under a key.
    Replace,
    /// Of one more element, which depends on nothing else: the cost of any call.
    Offer,
}

impl Call {
    const ALL: [Self; 5] = [
        Self::Cancel,
        Self::Reschedule,
        Self::Move,
        Self::Replace,
        Self::Offer,
    ];

    /// Makes the call about the element that `ticket` names and that is pending under [`KEY`].
    async fn run(self, queue: &DelayedQueue<String>, ticket: &Ticket, value: &String) {
        let delay = random_delay();
        let keyed = async |value| {
            let placed = queue.offer_keyed(KEY, value, delay, IfPending::Replace);
            placed.await.unwrap()
        };
        match self {
            Self::Cancel => assert!(queue.cancel(ticket).await.unwrap()),
            Self::Reschedule => assert!(queue.reschedule(ticket, delay).await.unwrap()),
            Self::Move => assert!(matches!(keyed(value).await, Placed::Moved(_))),
            Self::Replace => {
                let placed = keyed(&"another value".to_owned()).await;
                assert!(matches!(placed, Placed::Replaced(_)));
            }
            Self::Offer => drop(queue.offer(value, delay).await.unwrap()),
        }
    }
}

fn main() {
    let redis = Redis::start();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    println!(
        "us: p50 / p99 / mean of redis's cpu, and that cpu beside that of {} pending",
        PENDING[0]
    );
    for writer in [Writer::Rust, Writer::Redisson] {
        let mut first = None;
        for pending in PENDING {
            let tickets = redis.fill(writer, pending);
            let rows = runtime.block_on(measure(&redis, tickets));
            let first = *first.get_or_insert_with(|| rows.map(|row| row.cpu));
            print!("{writer:>9}, {pending:>9} pending:");
            for ((call, row), first) in Call::ALL.iter().zip(rows).zip(first) {
                let ratio = row.cpu.as_secs_f64() / first.as_secs_f64();
                let [p50, p99, cpu] = [row.p50, row.p99, row.cpu].map(|it| it.as_micros());
                print!("  {call} {p50} / {p99} / {cpu} x{ratio:.1}");
            }
            println!();
        }
    }
}

/// The cost of one call.
#[derive(Clone, Copy)]
struct Row {
    p50: Duration,
    p99: Duration,
    /// What Redis computed, on average.
    cpu: Duration,
}

/// Measures each call on elements chosen at random, of which there is one for each sample.
async fn measure(redis: &Redis, mut tickets: Vec<Ticket>) -> [Row; Call::ALL.len()] {
    let client = Client::builder().transfer(false).connect(redis.url());
    let client = client.await.unwrap();
    let queue = client.delayed_queue("orders", StringCodec).unwrap();
    let mut rows = Vec::new();
    for call in Call::ALL {
        let mut samples = Vec::new();
        let cpu = redis.cpu();
        for _ in 0..SAMPLES {
            let ticket = tickets.swap_remove(rand::random_range(0..tickets.len()));
            let value = redis.put_under_key(&ticket);
            let start = Instant::now();
            call.run(&queue, &ticket, &value).await;
            samples.push(start.elapsed());
        }
        let cpu = (redis.cpu() - cpu) / SAMPLES as u32;
        samples.sort();
        rows.push(Row {
            p50: samples[SAMPLES / 2],
            p99: samples[SAMPLES * 99 / 100],
            cpu,
        });
    }
    client.shutdown().await.unwrap();
    rows.try_into().ok().unwrap()
}

fn random_delay() -> Duration {
    Duration::from_millis(rand::random_range(3_600_000..7_200_000))
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Rust => "Rust",
            Self::Redisson => "Redisson",
        })
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancel => "cancel",
            Self::Reschedule => "reschedule",
            Self::Move => "move by key",
            Self::Replace => "replace by key",
            Self::Offer => "offer",
        })
    }
}

/// A `redis-server` of this benchmark, which ends with it.
struct Redis {
    process: Child,
    port: u16,
}

impl Redis {
    fn start() -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let process = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--save", ""])
            .args(["--port", &port.to_string()])
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server is on the PATH");
        Self { process, port }
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    fn connection(&self) -> Connection {
        let client = redis::Client::open(self.url()).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            match client.get_connection() {
                Ok(connection) => return connection,
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// How long Redis's main thread has computed since it was started.
    fn cpu(&self) -> Duration {
        let mut info = redis::cmd("INFO");
        let info: String = info.arg("cpu").query(&mut self.connection()).unwrap();
        let of_main_thread = |line: &str| {
            let (name, seconds) = line.split_once(':')?;
            let counts = name.starts_with("used_cpu") && name.ends_with("_main_thread");
            counts.then(|| seconds.parse::<f64>().unwrap())
        };
        Duration::from_secs_f64(info.lines().filter_map(of_main_thread).sum())
    }

    /// Has the element pending under [`KEY`], and returns its value.
    fn put_under_key(&self, ticket: &Ticket) -> String {
        let keys = QueueKeys::new("orders").unwrap();
        let member = ticket.as_bytes();
        let mut pipe = redis::pipe();
        pipe.hset(keys.keyed(), format!("k{KEY}"), &member[..]);
        let () = pipe.query(&mut self.connection()).unwrap();
        let payload = Packed::parse(member.clone()).unwrap().payload;
        String::from_utf8(payload.to_vec()).unwrap()
    }

    /// Puts this many elements, and nothing else, into the queue.
    fn fill(&self, writer: Writer, pending: usize) -> Vec<Ticket> {
        let keys = QueueKeys::new("orders").unwrap();
        let mut connection = self.connection();
        let () = redis::cmd("FLUSHALL").query(&mut connection).unwrap();
        let (seconds, _): (u64, u64) = redis::cmd("TIME").query(&mut connection).unwrap();
        let mut tickets = Vec::new();
        while tickets.len() < pending {
            let mut pipe = redis::pipe();
            for _ in 0..1_000 {
                let (id, payload) = match writer {
                    Writer::Rust => {
                        // As a client has made them until now, one each ms.
                        let age_ms = (pending - tickets.len()) as u64;
                        let stamp = (seconds * 1_000 - age_ms) << 16;
                        let id = u128::from(stamp) << 64 | 7;
                        (MemberId::from(id.to_be_bytes()), PAYLOAD)
                    }
                    Writer::Redisson => (MemberId::from(rand::random::<[u8; 8]>()), PAYLOAD + 8),
                };
                let member = pack(&id, "x".repeat(payload).as_bytes());
                let due_ms = u128::from(seconds) * 1_000 + random_delay().as_millis();
                pipe.zadd(keys.timeouts(), &member[..], due_ms as u64)
                    .ignore();
                pipe.rpush(keys.ordering(), &member[..]).ignore();
                tickets.push(Ticket::from_bytes(member).unwrap());
            }
            let () = pipe.query(&mut connection).unwrap();
        }
        tickets
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // There is nothing to be done if it has ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
