//! The two services: what each does with an order, in its own language.

use std::{
    collections::HashMap,
    process,
    sync::mpsc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use interop::{delays::delays, order::Order, peer::Peer};
use redis::Connection;
use redisson_delayed_queue::{
    Client, DelayedQueue,
    codec::{Codec, TypedJsonJacksonCodec},
    keys::QueueKeys,
    packed::Packed,
};
use tokio::runtime::Runtime;

use crate::{
    Language, Result, Route,
    report::{self, Arrival},
};

/// Both services, on one Redis.
pub(crate) struct Services {
    java: Peer,
    /// Moves what is due on the queues that it opens.
    rust: Client,
    /// Moves nothing: for queues on which Java does.
    rust_without_mover: Client,
    runtime: Runtime,
    /// Reads the due times, for neither service.
    raw: Connection,
}

/// When each order is due, in Unix milliseconds, by its id.
type DueMs = HashMap<Option<String>, u64>;

/// One queue as the services have opened it.
struct Open {
    route: Route,
    name: String,
    /// There if Rust has a role.
    rust: Option<DelayedQueue<Order>>,
}

impl Services {
    pub(crate) fn start(redisson: &str, url: &str) -> Result<Self> {
        let runtime = Runtime::new()?;
        Ok(Self {
            // Before Java starts: here an unusable URL is answered in one line.
            rust: runtime.block_on(Client::connect(url))?,
            rust_without_mover: runtime.block_on(Client::builder().transfer(false).connect(url))?,
            raw: redis::Client::open(url)?.get_connection()?,
            java: Peer::java(redisson, url),
            runtime,
        })
    }

    pub(crate) fn redis_version(&mut self) -> Result<String> {
        let info: String = redis::cmd("INFO").arg("server").query(&mut self.raw)?;
        let version = info
            .lines()
            .find_map(|line| line.strip_prefix("redis_version:"));
        Ok(version.unwrap_or("of unknown version").to_owned())
    }

    /// A few orders that nobody measures, so that no figure includes the loading of classes and
    /// scripts.
    pub(crate) fn warm_up(&mut self, route: Route) -> Result<()> {
        let open = self.open(route)?;
        for (i, delay) in delays(1, SPREAD / 10).take(WARM_UP).enumerate() {
            self.offer(&open, &order(i), delay)?;
        }
        self.take(&open, WARM_UP, IDLE, |_, _| Ok(()))
    }

    /// Sends orders that become due within two seconds, the first at least a second from now, and
    /// prints the first that arrive.
    pub(crate) fn run(&mut self, route: Route, count: usize) -> Result<Vec<Arrival>> {
        let open = self.open(route)?;
        let (mut due_ms, shortest) = self.offer_all(&open, count)?;
        let start = due_ms.values().min().copied().unwrap_or(0);
        let mut arrivals = Vec::new();
        self.take(&open, count, shortest + IDLE, |order, micros| {
            let due_ms = due_ms
                .remove(&order.id)
                .ok_or("took what was not offered")?;
            let arrival = Arrival { due_ms, micros };
            if arrivals.len() < report::SHOWN {
                println!("{}", report::line(&order, arrival, start));
            }
            arrivals.push(arrival);
            Ok(())
        })?;
        Ok(arrivals)
    }

    pub(crate) fn stop(self) -> Result<()> {
        self.java.exit();
        self.runtime.block_on(self.rust_without_mover.shutdown())?;
        Ok(self.runtime.block_on(self.rust.shutdown())?)
    }

    /// Opens the route's queue such that only its mover transfers.
    fn open(&mut self, route: Route) -> Result<Open> {
        // A name of our own, because the Redis may have queues of others.
        let name = format!("interop-demo-{}-{route}", process::id()).replace(" -> ", "-");
        let all = [route.producer, route.mover, route.consumer];
        let client = match route.mover {
            Language::Rust => &self.rust,
            Language::Java => &self.rust_without_mover,
        };
        let rust = match all.contains(&Language::Rust) {
            true => Some(client.delayed_queue(&name, TypedJsonJacksonCodec::new())?),
            false => None,
        };
        match (route.mover, route.producer) {
            (Language::Java, _) => self.java.open(&name, &name, "json"),
            (Language::Rust, Language::Java) => self.java.open_offering(&name, &name, "json"),
            (Language::Rust, Language::Rust) => self.java.open_target(&name, &name, "json"),
        }
        Ok(Open { route, name, rust })
    }

    /// Offers the orders. Returns when each is due, in Unix milliseconds, and the shortest delay.
    ///
    /// On a busy machine the first order is moved before the last is offered, and its due time is
    /// gone: then takes all, and offers them again with longer delays.
    fn offer_all(&mut self, open: &Open, count: usize) -> Result<(DueMs, Duration)> {
        for shortest in SHORTEST {
            for (i, delay) in delays(2, SPREAD).take(count).enumerate() {
                self.offer(open, &order(i), shortest + delay)?;
            }
            let due_ms = self.due_ms(&open.name)?;
            if due_ms.len() == count {
                return Ok((due_ms, shortest));
            }
            self.take(open, count, shortest + IDLE, |_, _| Ok(()))?;
        }
        let longest = SHORTEST[SHORTEST.len() - 1].as_secs();
        Err(format!("offering took longer than {longest} s: this machine is too busy").into())
    }

    fn offer(&mut self, open: &Open, order: &Order, delay: Duration) -> Result<()> {
        match (open.route.producer, &open.rust) {
            (Language::Rust, Some(queue)) => {
                self.runtime.block_on(queue.offer(order, delay))?;
            }
            _ => {
                let value = TypedJsonJacksonCodec::new().encode(order)?;
                self.java.offer(&open.name, delay, value);
            }
        }
        Ok(())
    }

    /// Takes `count` orders, and says of each when the consumer had it, in microseconds since the
    /// Unix epoch. Java waits `idle` for the first order, and after each.
    ///
    /// Each language takes in a loop of its own, so work on one order does not delay the next.
    fn take(
        &mut self,
        open: &Open,
        count: usize,
        idle: Duration,
        mut arrived: impl FnMut(Order, u64) -> Result<()>,
    ) -> Result<()> {
        if let (Language::Rust, Some(queue)) = (open.route.consumer, &open.rust) {
            let queue = queue.clone();
            let (sender, arrivals) = mpsc::channel();
            self.runtime.spawn(async move {
                for _ in 0..count {
                    let taken = queue.poll(PATIENCE).await;
                    if sender.send((taken, SystemTime::now())).is_err() {
                        break;
                    }
                }
            });
            for (taken, now) in arrivals {
                let order = taken?.ok_or("an order is lost")?;
                let micros = now.duration_since(UNIX_EPOCH)?.as_micros();
                arrived(order, u64::try_from(micros)?)?;
            }
        } else {
            let all = self.java.drain(&open.name, idle);
            if all.len() < count {
                return Err("an order is lost".into());
            }
            for taken in all {
                let order = TypedJsonJacksonCodec::new().decode(taken.value.into())?;
                arrived(order, taken.micros)?;
            }
        }
        Ok(())
    }

    /// When each scheduled order is due, in Unix milliseconds, by its id.
    fn due_ms(&mut self, name: &str) -> Result<DueMs> {
        let mut command = redis::cmd("ZRANGE");
        command
            .arg(QueueKeys::new(name)?.timeouts())
            .arg(&["0", "-1", "WITHSCORES"]);
        let scheduled: Vec<(Vec<u8>, u64)> = command.query(&mut self.raw)?;
        let dated = scheduled.into_iter().map(|(member, due_ms)| {
            let payload = Packed::parse(Bytes::from(member))?.payload;
            let order: Order = TypedJsonJacksonCodec::new().decode(payload)?;
            Ok((order.id, due_ms))
        });
        dated.collect()
    }
}

fn order(i: usize) -> Order {
    let customers = ["Ada", "Grace", "Edsger", "Barbara", "Alan"];
    Order {
        id: Some(format!("order-{:03}", i + 1)),
        customer: Some(customers[i % customers.len()].to_owned()),
        amount_cents: 500 + 37 * i as i64,
        quantity: 1,
        tags: None,
    }
}

const WARM_UP: usize = 30;
/// The shortest delay: until then nothing moves, and the due times can be read. The longer ones are
/// for busy machines.
const SHORTEST: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(4),
    Duration::from_secs(16),
];
const SPREAD: Duration = Duration::from_secs(2);
/// After this an order is lost: longer than any delay.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long Java still waits after the last order, beside the shortest delay: longer than the time
/// between any two orders.
const IDLE: Duration = Duration::from_secs(3);
