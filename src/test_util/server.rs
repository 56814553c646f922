//! A private server. The test controls the clock of its queues.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use redis::{RedisError, RedisResult};

use super::process::Process;
use super::{ManualClock, StartError};
use crate::client::builder::ClientBuilder;
use crate::client::handle::Client;
use crate::error::{Error, Result, Step};
use crate::link::clock::time_of;
use crate::link::clock::{Clock, ms_up, unix_ms};
use crate::link::connection::{Connection, Failure, Met};
#[cfg(feature = "periodic")]
use crate::wire::ids::{IdSource, MemberIds};
use crate::wire::keys::QueueKeys;
use crate::wire::name_mapper::NameMapper;
use crate::wire::packed::Packed;
use crate::wire::script::{self, Guesses, Transfer};

/// A private `redis-server`, and the clock of its queues. Dropping it ends the server.
///
/// A killed test leaves its server behind. So does a `TestServer` in a `static`, because it is
/// never dropped.
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
/// use redisson_delayed_queue::codec::StringCodec;
/// use redisson_delayed_queue::test_util::TestServer;
///
/// const HOUR: Duration = Duration::from_secs(3_600);
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let mut server = TestServer::start().await?;
/// let client = server.client().await?;
/// let orders = client.delayed_queue("orders", StringCodec)?;
/// orders.offer(&"17".to_owned(), HOUR).await?;
///
/// let moved = server.advance(HOUR).await?;
/// assert_eq!(moved[0].queue, "orders");
/// assert_eq!(moved[0].due, server.clock().now());
/// assert_eq!(moved[0].payload, "17");
/// # Ok(()) }
/// ```
pub struct TestServer {
    process: Process,
    connection: Connection,
    clock: ManualClock,
    name_mapper: Option<Arc<dyn NameMapper>>,
    #[cfg(feature = "periodic")]
    ids: IdSource,
}

/// An element that became due and was moved to its target queue.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Moved {
    /// The queue's name, [unmapped](TestServer::with_name_mapper) if the server has a name mapper.
    pub queue: String,
    /// When it was due.
    pub due: SystemTime,
    /// The bytes that the codec wrote.
    pub payload: Bytes,
}

impl TestServer {
    /// The most elements to move in one run of the script.
    const BATCH: usize = 100;

    /// Starts an empty server on a free port of this machine. Its clock shows
    /// [`ManualClock::default`]. Cancel safe: a dropped call leaves nothing behind.
    ///
    /// # Errors
    ///
    /// - [`StartError::Missing`] if there is no `redis-server` on the `PATH`.
    /// - [`StartError::Io`], [`StartError::Stopped`] if it cannot be started.
    pub async fn start() -> Result<Self, StartError> {
        let (process, connection) = Process::start().await?;
        Ok(Self {
            process,
            connection,
            clock: ManualClock::default(),
            name_mapper: None,
            #[cfg(feature = "periodic")]
            ids: IdSource::new(MemberIds::default()),
        })
    }

    /// Gives the server a [name mapper](NameMapper). The clients of [`builder`](Self::builder) and
    /// [`client`](Self::client) have it from now on, and [`Moved::queue`] is unmapped.
    ///
    /// `unmap` also gets the names of queues that clients without the mapper made.
    #[must_use]
    pub fn with_name_mapper(mut self, mapper: impl NameMapper) -> Self {
        self.name_mapper = Some(Arc::new(mapper));
        self
    }

    /// The address, for clients of any kind. A client that [`builder`](Self::builder) did not make
    /// uses its own [clock](crate::Clock).
    #[must_use]
    pub fn url(&self) -> String {
        self.process.url()
    }

    /// The clock that dates offers and decides what is due.
    #[must_use]
    pub fn clock(&self) -> ManualClock {
        self.clock
    }

    /// Settings for a client of this server. The client uses the test's clock and moves no
    /// elements: they move only when the clock is [advanced](Self::advance).
    pub fn builder(&self) -> ClientBuilder {
        let builder = Client::builder()
            .clock(Clock::Manual(self.clock))
            .transfer(false);
        match &self.name_mapper {
            Some(mapper) => builder.name_mapper(Arc::clone(mapper)),
            None => builder,
        }
    }

    /// Connects a client with the settings of [`builder`](Self::builder), as
    /// [`ClientBuilder::connect`] does. Several clients act like several processes.
    pub async fn client(&self) -> Result<Client> {
        self.builder().connect(self.url()).await
    }

    /// Moves the clock forward by `time`, rounded up to a millisecond, as
    /// [`advance_to`](Self::advance_to) does.
    pub async fn advance(&mut self, time: Duration) -> Result<Vec<Moved>> {
        let ms = i64::try_from(ms_up(time)).unwrap_or(i64::MAX);
        self.run_until(self.clock.unix_ms().saturating_add(ms))
            .await
    }

    /// Moves the clock forward to `time`, rounded up to a millisecond, and moves every element that
    /// is due by then. Returns the elements in the order in which they were due.
    ///
    /// The elements move to the target queues of all queues on the server.
    ///
    /// The clock stops at each moment at which something is due, and goes on when everything due
    /// has been moved. So a periodic offer occurs at each of its times. If code under test offers
    /// an element in reaction, the moment at which the clock stands dates that offer. The call does
    /// not wait for it: the element moves now or with the next call. An earlier `time` leaves the
    /// clock where it is and moves what is due.
    ///
    /// A [paused](crate::DelayedQueue::pause) queue moves nothing. The first call after the pause
    /// moves what is due by then, unless it has [expired](crate::DelayedQueue::expired).
    ///
    /// Elements are moved, not taken: whoever waits in [`take`](crate::DelayedQueue::take) gets
    /// them right after. Redis's own clock, which nobody moves, says when leases end and what a rate
    /// limit lets through.
    ///
    /// Elements that a [`Consumer`](crate::Consumer) is to get again come earlier by as much as the
    /// clock moves. So a retry after a minute comes when the clock has advanced by a minute, or when a
    /// minute has really passed. They are not among those that this returns, and the clock does not stop
    /// for them.
    ///
    /// The server recognises a queue by its keys. `orders` and `{orders}` share keys and both count
    /// as `orders`.
    ///
    /// # Errors
    ///
    /// - An error of the connection or of Redis. Some elements may have been moved.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: a dropped call may leave the clock short of its goal, and some due elements
    /// not moved.
    pub async fn advance_to(&mut self, time: SystemTime) -> Result<Vec<Moved>> {
        self.run_until(unix_ms(time)).await
    }

    async fn run_until(&mut self, end_ms: i64) -> Result<Vec<Moved>> {
        let end_ms = end_ms.max(self.clock.unix_ms());
        let mut moved = Vec::new();
        loop {
            let next_ms = self
                .move_due(&mut moved)
                .await
                .map_err(|error| self.lost(error))?;
            match next_ms.filter(|next| *next <= end_ms) {
                Some(next_ms) => self.set_clock(next_ms).await?,
                None => break,
            }
        }
        self.set_clock(end_ms).await?;
        Ok(moved)
    }

    /// Sets the clock, and lets as much time pass for retries, which go by Redis's clock.
    async fn set_clock(&self, unix_ms: i64) -> Result<()> {
        let passed_ms = unix_ms - self.clock.unix_ms();
        self.clock.set_unix_ms(unix_ms);
        let bring = self.bring_retries_forward(passed_ms);
        bring.await.map_err(|error| self.lost(error))
    }

    async fn bring_retries_forward(&self, by_ms: i64) -> RedisResult<()> {
        if by_ms <= 0 {
            return Ok(());
        }
        let mut connection = self.connection.clone();
        for keys in self.queues().await? {
            let mut tokens: Vec<(Vec<u8>, f64)> = redis::cmd("ZRANGE")
                .arg(&[keys.retries(), "0", "-1", "WITHSCORES"])
                .query_async(&mut connection)
                .await?;
            let mut pipe = redis::pipe();
            for (token, score) in &mut tokens {
                *score -= by_ms as f64;
                // A consumer may have claimed it in between.
                pipe.cmd("ZADD")
                    .arg(keys.retries())
                    .arg(&["XX", "INCR", &(-by_ms).to_string()])
                    .arg(&token[..])
                    .ignore();
            }
            let Some((_, first_ms)) = tokens.first() else {
                continue;
            };
            // As lua/conclude.lua does for a retry that is earlier than all others.
            pipe.cmd("PUBLISH")
                .arg(keys.moved(0))
                .arg(format!("retry {first_ms:.0}"))
                .ignore();
            let () = pipe.query_async(&mut connection).await?;
        }
        Ok(())
    }

    /// Moves everything that is due now. Returns when something is due next.
    async fn move_due(&self, moved: &mut Vec<Moved>) -> RedisResult<Option<i64>> {
        let mut next = None;
        let before = moved.len();
        for keys in self.queues().await? {
            let occurs = self.fire(&keys).await?;
            let due = self.transfer(&keys, moved).await?;
            next = next.into_iter().chain(occurs).chain(due).min();
        }
        moved[before..].sort_by_key(|it| it.due);
        Ok(next)
    }

    async fn queues(&self) -> RedisResult<Vec<QueueKeys>> {
        let found: Vec<Vec<u8>> = redis::cmd("KEYS")
            .arg("*")
            .query_async(&mut self.connection.clone())
            .await?;
        let mut queues: Vec<_> = found
            .iter()
            .filter_map(|key| QueueKeys::of_key(std::str::from_utf8(key).ok()?))
            .collect();
        queues.sort_by(|a, b| a.target().cmp(b.target()));
        queues.dedup_by(|a, b| a.target() == b.target());
        Ok(queues)
    }

    /// Offers the occurrences that are soon. Returns when the next one is.
    #[cfg(feature = "periodic")]
    async fn fire(&self, keys: &QueueKeys) -> RedisResult<Option<i64>> {
        let clock = Clock::Manual(self.clock);
        let fired =
            crate::delivery::transfer::fire(&self.connection, keys, clock, &self.ids).await?;
        Ok(fired.next_us.map(|us| self.clock.unix_ms() + us / 1_000))
    }

    #[cfg(not(feature = "periodic"))]
    async fn fire(&self, _keys: &QueueKeys) -> RedisResult<Option<i64>> {
        Ok(None)
    }

    /// What users call the queue of these keys.
    fn name_of(&self, keys: &QueueKeys) -> String {
        match &self.name_mapper {
            Some(mapper) => mapper.unmap(keys.target()),
            None => keys.target().to_owned(),
        }
    }

    /// A failure of the private server. Nothing is sent to it again.
    fn lost(&self, error: RedisError) -> Error {
        let is_lost = error.is_io_error();
        let met = Met {
            server: self.process.address().into(),
            error,
        };
        let failure = if is_lost {
            Failure::Lost(met)
        } else {
            Failure::Refused(met)
        };
        failure.into_error(Step::Transfer)
    }

    /// Moves what is due in one queue. Returns when its next element is due.
    async fn transfer(&self, keys: &QueueKeys, moved: &mut Vec<Moved>) -> RedisResult<Option<i64>> {
        loop {
            let now_ms = self.clock.unix_ms();
            let due: Vec<(Vec<u8>, f64)> = redis::cmd("ZRANGEBYSCORE")
                .arg(&[keys.timeouts(), "-inf", &now_ms.to_string()])
                .arg(&["WITHSCORES", "LIMIT", "0"])
                .arg(Self::BATCH)
                .query_async(&mut self.connection.clone())
                .await?;
            // Moves no more than were seen. The next round moves what is offered in between.
            let limit = due.len();
            let run = Transfer {
                clock: Clock::Manual(self.clock),
                limit,
                look_ahead: Duration::ZERO,
                measures: false,
                guesses: &Guesses::default(),
                bulky_score: "",
                channel: "",
                mover: "",
                takes: false,
                wanted: 0,
                waiting: "",
            };
            let run = script::transfer(self.connection.clone(), keys, run);
            let run = run.await?;
            // A member that cannot be moved yet waits for the next round, with all behind it.
            let readable = due.into_iter().filter_map(|(member, score)| {
                let payload = Packed::parse(Bytes::from(member.clone())).ok()?.payload;
                Some((member, score, payload))
            });
            let left = readable.take(run.left());
            let delivered = left.filter(|(member, ..)| !run.expired.contains(member));
            moved.extend(delivered.map(|(_, score, payload)| Moved {
                queue: self.name_of(keys),
                due: time_of(score.ceil() as i64),
                payload,
            }));
            match run.head_us {
                Some(0) => {}
                head_us => return Ok(head_us.map(|us| now_ms + us / 1_000)),
            }
        }
    }
}

impl fmt::Debug for TestServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestServer")
            .field("process", &self.process)
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}
