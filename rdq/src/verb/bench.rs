//! `rdq bench`

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use futures::stream::{self, StreamExt, TryStreamExt};
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Master, Offer};
use serde::Serialize;
use tokio::time::timeout;

use crate::argument::length::bounded;
use crate::failure::{Failure, Result};
use crate::queue::names;
use crate::screen::brief;
use crate::screen::number::{count_of, grouped};
use crate::session::Session;
use crate::session::clock::now_us;
use crate::session::interrupt::unless_interrupted;

/// Measure offers, takes and lateness on a queue of its own, which is deleted at the end.
///
/// Refuses a queue that has a key already, or a client that listens. Asks before it uses a queue that you
/// name: it takes and deletes what others offer there. Also deletes its queue on Ctrl-C and after a failure.
///
/// Redis: real load, on the master of that queue. Other queues of it wait behind this one's scripts.
#[derive(Args, Debug)]
pub(crate) struct Bench {
    /// The name of the queue. Default: rdq-bench- and some random digits.
    queue: Option<String>,
    /// How many elements.
    #[arg(short = 'n', long, default_value_t = 10_000, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    elements: u64,
    /// How many bytes each payload has, at least 16.
    #[arg(long, default_value_t = 100, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(16..))]
    size: u32,
    /// The shortest delay.
    #[arg(long, default_value = "1s", value_name = "TIME", value_parser = bounded)]
    delay: Duration,
    /// How much longer the longest delay is. The others lie between, evenly and in an order that looks
    /// random.
    #[arg(long, default_value = "1s", value_name = "TIME", value_parser = bounded)]
    spread: Duration,
    /// How many offers are under way at a time.
    #[arg(long, default_value_t = 64, value_name = "COUNT", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    offers: usize,
    /// How many elements a take may return.
    #[arg(long, default_value_t = 100, value_name = "COUNT", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    batch: usize,
}

/// What was measured.
#[derive(Debug, Serialize)]
struct Measured {
    queue: String,
    elements: u64,
    size: u32,
    offers_per_s: f64,
    /// From the first element that came to the last.
    takes_per_s: f64,
    late_p50_ms: f64,
    late_p99_ms: f64,
    late_max_ms: f64,
    /// How many came before their time by Redis's clock.
    early: usize,
    /// The error of the comparison of clocks: times may be wrong by this much.
    clock_error_ms: f64,
}

/// How long to wait for an element after the last one is due.
const PATIENCE: Duration = Duration::from_secs(30);

impl Bench {
    /// The settings of the client, which moves the elements of its queue.
    pub(crate) fn settings() -> ClientBuilder {
        Client::builder()
    }

    pub(crate) async fn run(&self, session: &Session) -> Result {
        let random = RandomState::new().hash_one(SystemTime::now());
        let name = match &self.queue {
            Some(name) => name.clone(),
            None => format!("rdq-bench-{random:016x}"),
        };
        let master = session.client.master_of(&name)?;
        // Before there is a handle, whose client would move elements, and listens itself.
        if names::is_known(&session.client, &session.client.masters(), &name).await? {
            return Err(Failure::usage(format!("the queue {name} exists already")));
        }
        if self.queue.is_some() {
            // Nothing tells of a service that only offers, and has nothing pending now.
            session.confirm(&format!(
                "Take whatever comes to {name}, and delete it at the end?"
            ))?;
        }
        let queue = session.queue(&name)?;
        let tally = Tally::default();
        let measured = unless_interrupted(self.measure(&master, &queue, &tally)).await;
        let cleaned = clean(&master, &queue).await;
        let measured = measured.map_err(|it| it.after(tally.text()))?;
        cleaned?;
        if session.screen.is_json() {
            return session.screen.say("", &measured);
        }
        let ms = |ms: f64| format!("{ms:.2} ms");
        let rows = [
            (
                "elements",
                format!("{} of {} bytes", measured.elements, measured.size),
            ),
            ("offers", format!("{:.0} a second", measured.offers_per_s)),
            ("takes", format!("{:.0} a second", measured.takes_per_s)),
            ("late, half of them", ms(measured.late_p50_ms)),
            ("late, 99 of 100", ms(measured.late_p99_ms)),
            ("late, the latest", ms(measured.late_max_ms)),
            ("early", measured.early.to_string()),
            ("clock", format!("known to {}", ms(measured.clock_error_ms))),
        ];
        let delays = format!(
            "{} to {}",
            brief(self.delay),
            brief(self.delay + self.spread)
        );
        let heading = format!("{} ({delays})", measured.queue);
        let cells = |(name, value): &(&str, String)| vec![(*name).to_owned(), value.clone()];
        session.screen.rows(&[&heading, ">"], &rows, cells)
    }

    async fn measure(
        &self,
        master: &Master,
        queue: &DelayedQueue<Bytes>,
        tally: &Tally,
    ) -> Result<Measured> {
        let clock = Clock::compare(master).await?;
        let (offers_per_s, arrivals) = futures::try_join!(
            self.offer_all(queue, &clock, tally),
            self.take_all(queue, &clock, tally)
        )?;
        let (first, last) = (arrivals.first, arrivals.last);
        let mut late = arrivals.late_ms;
        late.sort_by(f64::total_cmp);
        let at = |part: f64| late[((late.len() - 1) as f64 * part) as usize];
        Ok(Measured {
            queue: queue.name().to_owned(),
            elements: self.elements,
            size: self.size,
            offers_per_s,
            takes_per_s: self.elements as f64 / (last - first).as_secs_f64().max(0.001),
            late_p50_ms: at(0.5),
            late_p99_ms: at(0.99),
            late_max_ms: at(1.0),
            early: late.iter().filter(|it| **it < -clock.error_ms).count(),
            clock_error_ms: clock.error_ms,
        })
    }

    /// Offers all elements, each with its due time in its payload. Returns how many a second.
    async fn offer_all(
        &self,
        queue: &DelayedQueue<Bytes>,
        clock: &Clock,
        tally: &Tally,
    ) -> Result<f64> {
        let begin = Instant::now();
        let offers = stream::iter(0..self.elements).map(|number| async move {
            let due_ms = (clock.now_ms() + self.delay_of(number).as_secs_f64() * 1_000.0) as u64;
            let mut payload = vec![b'x'; self.size as usize];
            payload[..8].copy_from_slice(&due_ms.to_be_bytes());
            payload[8..16].copy_from_slice(&number.to_be_bytes());
            let due = UNIX_EPOCH + Duration::from_millis(due_ms);
            let payload = Bytes::from(payload);
            queue.offer_with(&payload, Offer::at(due)).await?;
            tally.offered.set(tally.offered.get() + 1);
            Ok::<_, Failure>(())
        });
        let offers = offers.buffer_unordered(self.offers.max(1));
        offers.try_collect::<()>().await?;
        Ok(self.elements as f64 / begin.elapsed().as_secs_f64())
    }

    /// The delay of an element: a step of the golden ratio each, so that neighbours lie far apart.
    fn delay_of(&self, number: u64) -> Duration {
        let part = (number as f64 * 0.618_033_988_749_895).fract();
        self.delay + self.spread.mul_f64(part)
    }

    /// Takes all elements, and notes how late each came.
    async fn take_all(
        &self,
        queue: &DelayedQueue<Bytes>,
        clock: &Clock,
        tally: &Tally,
    ) -> Result<Arrivals> {
        let mut arrivals = Arrivals {
            first: Instant::now(),
            last: Instant::now(),
            late_ms: Vec::new(),
        };
        let latest = self.delay + self.spread + PATIENCE;
        while (arrivals.late_ms.len() as u64) < self.elements {
            let taken = timeout(latest, queue.take_many(self.batch.max(1), PATIENCE)).await;
            let taken =
                taken.map_err(|_| Failure::Nothing("elements are missing".to_owned()))??;
            let now_ms = clock.now_ms();
            arrivals.last = Instant::now();
            if arrivals.late_ms.is_empty() {
                arrivals.first = arrivals.last;
            }
            let due_ms = |payload: &Bytes| {
                let due = payload.first_chunk().copied().unwrap_or_default();
                u64::from_be_bytes(due) as f64
            };
            let late = taken.iter().map(|it| now_ms - due_ms(it));
            arrivals.late_ms.extend(late);
            tally.taken.set(arrivals.late_ms.len() as u64);
        }
        Ok(arrivals)
    }
}

/// How far the elements have come.
#[derive(Default)]
struct Tally {
    offered: Cell<u64>,
    taken: Cell<u64>,
}

impl Tally {
    fn text(&self) -> String {
        let offered = count_of(self.offered.get(), "element", "elements");
        let taken = grouped(self.taken.get());
        format!("it ended early: {offered} offered, {taken} of them taken")
    }
}

/// When elements came.
struct Arrivals {
    first: Instant,
    last: Instant,
    late_ms: Vec<f64>,
}

/// Redis's clock, computed from the clock of this machine.
struct Clock {
    /// What Redis's clock showed, unix ms, and when that was.
    shown_ms: f64,
    at: Instant,
    /// How far off it may be.
    error_ms: f64,
}

impl Clock {
    /// Asks for the time several times, and keeps the quickest answer: it has the smallest error.
    async fn compare(master: &Master) -> Result<Self> {
        let mut best: Option<Self> = None;
        for _ in 0..20 {
            let asked = Instant::now();
            let shown_us = now_us(master).await?;
            let half = asked.elapsed() / 2;
            let clock = Self {
                shown_ms: shown_us as f64 / 1_000.0,
                at: asked + half,
                error_ms: half.as_secs_f64() * 1_000.0,
            };
            if best.as_ref().is_none_or(|it| clock.error_ms < it.error_ms) {
                best = Some(clock);
            }
        }
        best.ok_or_else(|| Failure::Nothing("Redis tells no time".to_owned()))
    }

    fn now_ms(&self) -> f64 {
        self.shown_ms + self.at.elapsed().as_secs_f64() * 1_000.0
    }
}

/// Deletes the queue with all that it leaves.
async fn clean(master: &Master, queue: &DelayedQueue<Bytes>) -> Result {
    queue.object().delete().await?;
    let keys = QueueKeys::new(queue.name())?;
    // It would go by itself in a minute.
    let _: u64 = master.query(cmd("UNLINK").arg(keys.settled())).await?;
    Ok(())
}
