//! Choosing a client's settings.

use std::time::Duration;

use redis::IntoConnectionInfo;

use crate::client::handle::Client;
use crate::error::{Error, Result};
use crate::link::clock::Clock;
use crate::options::Options;
use crate::wire::ids::MemberIds;

/// Settings for a [`Client`], made by [`Client::builder`].
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
/// use redisson_delayed_queue::Client;
///
/// # async fn run() -> redisson_delayed_queue::Result<()> {
/// let client = Client::builder()
///     .safety_poll(Duration::from_millis(500))
///     .connect("redis://127.0.0.1/")
///     .await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `connect`"]
pub struct ClientBuilder {
    options: Options,
}

impl ClientBuilder {
    /// Whether the calls that take end an element's lease before they hand the element over.
    /// Default: false.
    ///
    /// Without it the lease is ended at the hand-over, and Redis learns that one way of the network
    /// later. A process that is killed in between leaves the element to be delivered again.
    ///
    /// With it no element is delivered twice for that reason. A process that is killed between the
    /// end of the lease and the hand-over loses the element, and so does one that cannot reach Redis
    /// for an hour. A lost reply or a dropped call loses nothing: the element stays in the client
    /// for the next caller, or goes back to the queue.
    ///
    /// Each claim costs one more script and one more round trip, and nothing is claimed ahead of
    /// callers: a loop of one caller takes one element in two round trips.
    pub fn at_most_once(mut self, at_most_once: bool) -> Self {
        self.options.at_most_once = at_most_once;
        self
    }

    /// How long an element that was claimed for this process is kept from others.
    ///
    /// It bounds how late an element becomes when a process is killed after Redis moved the element
    /// out of the target queue and before it was handed to the caller: any client that
    /// [transfers](Self::transfer) then returns the element to the head of the target queue, where
    /// consumers in any language find it. A payload of more than 1 MiB has a second more for each 4
    /// MiB. An element is handed over only while a third of the lease is left.
    ///
    /// An element is delivered twice if its consumer cannot reach Redis for longer than the lease
    /// after the hand-over, or if Redis's clock jumps forward past the end of the lease.
    ///
    /// Whole milliseconds, from 100 ms to an hour. Default: 30 s.
    pub fn claim_lease(mut self, lease: Duration) -> Self {
        self.options.claim_lease = lease.clamp(Duration::from_millis(100), HOUR);
        self
    }

    /// Whose clock dates offers and decides what is due. Default: [`Clock::Redis`].
    pub fn clock(mut self, clock: Clock) -> Self {
        self.options.clock = clock;
        self
    }

    /// How long to wait for a connection, from the name lookup to the last reply of the handshake.
    /// Default: 2 s, at most a minute.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.options.timeouts.connect = timeout.min(Options::MAX_WINDOW);
        self
    }

    /// How the ids of offered elements are made. Default: [`MemberIds::Ordered`].
    pub fn member_ids(mut self, ids: MemberIds) -> Self {
        self.options.member_ids = ids;
        self
    }

    /// Whether Redis remembers every offered id for a minute. Default: false.
    ///
    /// The client offers again when a reply is lost, but by default not if the delay is shorter than
    /// the [`retry_window`](Self::retry_window): the element may have been delivered already, and a
    /// retry would deliver it twice. Such an offer ends in
    /// [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown). If Redis remembers the ids, every
    /// offer can be retried.
    ///
    /// This costs each script of offers seven more commands, and one for each further value. The
    /// sorted set `rdq1_settled:{name}` holds the ids of the last minute.
    pub fn remember_offers(mut self, remember: bool) -> Self {
        self.options.remember_offers = remember;
        self
    }

    /// How long to wait for a reply before the connection is given up. Default: 2 s, at most a
    /// minute.
    ///
    /// This also bounds how long a frozen server or a half-open socket goes unnoticed. A call has a
    /// second more for each 4 MiB that it sends; see [`MAX_PAYLOAD`](crate::MAX_PAYLOAD).
    pub fn response_timeout(mut self, timeout: Duration) -> Self {
        self.options.timeouts.response = timeout.min(Options::MAX_WINDOW);
        self
    }

    /// How long a call goes on trying while it cannot have taken effect twice. Default: 5 s, at
    /// most a minute.
    ///
    /// An offer never takes effect after this or the [response timeout](Self::response_timeout) has
    /// passed since it was made, whichever is longer, also when the network holds it back. Both are
    /// a second longer for each 4 MiB that the call sends. Zero switches retries off.
    pub fn retry_window(mut self, window: Duration) -> Self {
        self.options.retry_window = window.min(Options::MAX_WINDOW);
        self
    }

    /// How often to look at every queue although nothing is known to be due. From 10 ms to an hour.
    /// Default: 1 s.
    ///
    /// This bounds how late an element can be when every message about it was lost. A thousand queues
    /// at rest cost Redis a tenth of a core so; see `docs/performance.md`.
    pub fn safety_poll(mut self, interval: Duration) -> Self {
        self.options.safety_poll = interval.clamp(Duration::from_millis(10), HOUR);
        self
    }

    /// Whether this client moves what is due. Default: true.
    ///
    /// Switched off, another client must: a Rust one, or a Java one that holds an `RDelayedQueue`.
    /// Only a Rust client that transfers, or takes, returns what a killed process had claimed.
    pub fn transfer(mut self, transfer: bool) -> Self {
        self.options.transfer = transfer;
        self
    }

    /// Connects to the server that `server` names: a URL, or a [`redis::ConnectionInfo`].
    ///
    /// The server must be Redis 7.0 or later, or a relative of it.
    ///
    /// # Redis
    ///
    /// Three sockets for any number of queues and callers: one for calls, one that delivers, and
    /// one that listens, which a client that [moves](Self::transfer) nothing does without. A fourth
    /// is open while payloads of 1 MiB and more are sent or fetched, and for 5 s after. Each begins
    /// with `HELLO 3`, `CLIENT SETNAME` and `TIME`, the second also with `CLIENT TRACKING ON OPTIN
    /// NOLOOP`. `CLIENT LIST` shows them as `rdq:calls`, `rdq:delivery`, `rdq:subscription` and
    /// `rdq:large`.
    ///
    /// A replica and a node of a Redis Cluster accept connections as well. They refuse calls, and
    /// [`Event::Replica`](crate::Event::Replica) or [`Event::Cluster`](crate::Event::Cluster) says
    /// so.
    ///
    /// The socket that listens carries subscriptions, messages of less than 2 kB each, and `TIME`
    /// twice per [response timeout](Self::response_timeout), to see whether the server is there.
    /// Payloads travel on the other sockets, whose output Redis does not limit by default. It cuts a
    /// subscriber off at 32 MB (`client-output-buffer-limit pubsub`).
    ///
    /// Redis notes which queues' callers wait here, to say when something is pushed: at most one key
    /// a queue, and one more while that is paused or limited. It keeps the note until the key
    /// changes, also when the client is gone, up to `tracking-table-max-keys` (a million by
    /// default); notes that it drops at this limit are made again.
    ///
    /// A user with restricted rights needs, for the queue `orders`:
    ///
    /// ```text
    /// ~orders ~redisson_delay_queue:{orders} ~redisson_delay_queue_timeout:{orders}
    /// ~rdq1_leases:{orders} ~rdq1_quarantine:{orders} ~rdq1_settled:{orders}
    /// ~rdq1_keyed:{orders} ~rdq1_keyed_due:{orders} ~rdq1_periodic:{orders}
    /// ~rdq1_periodic_due:{orders} ~rdq1_state:{orders} ~rdq1_counts:{orders}
    /// &redisson_delay_queue_channel:{orders} &rdq1_moved.0:{orders}
    /// +hello +time +client|setname +client|tracking +client|caching +evalsha +script|load +type
    /// +subscribe +unsubscribe +publish +lindex +llen +lpop +lpos +lpush +lpushx +lrange +lrem +lset +ltrim
    /// +rpop +rpush +rpushx +zadd +zcard +zcount +zmscore +zrange +zrangebyscore +zrank +zrem
    /// +zremrangebyrank +zremrangebyscore +zscore +del +exists +hdel +hexists +hget +hincrby +hmget
    /// +hset +hsetnx +pexpire +pttl
    /// +copy +memory|usage +persist +pexpireat +rename +touch +unlink
    /// ```
    ///
    /// The number in the last channel is that of the database. Another database than 0 takes
    /// `+select`, too. The last line is for the calls about a queue as a whole, such as
    /// [`DelayedQueue::delete`](crate::DelayedQueue::delete) and
    /// [`rename`](crate::DelayedQueue::rename), which also needs the keys of the other name.
    ///
    /// Without the right to `client|setname` the connections have no names. Without the right to
    /// Redisson's channel, to `client|tracking` or to `client|caching` elements
    /// may be late by up to the [safety poll](Self::safety_poll). Without the right to `rdq1_moved`
    /// nothing is late, but each client of the queue moves and claims as if there were no other, and
    /// sends some four commands for each element that any of them gets. Without one of the others,
    /// calls fail and nothing is changed.
    ///
    /// # Errors
    ///
    /// - [`Error::Connect`] if no server answers, or one that cannot speak RESP3; or if `server` is
    ///   no address of a Redis, or one with TLS (`rediss://`), for which the `redis` crate needs one
    ///   of its TLS features.
    /// - [`Error::Denied`] if the credentials are refused, or the right to `select` is missing.
    ///
    /// # Panics
    ///
    /// Outside a Tokio runtime with time and I/O enabled.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is left behind if dropped.
    pub async fn connect(self, server: impl IntoConnectionInfo) -> Result<Client> {
        let info = server.into_connection_info().map_err(Error::of_address)?;
        Client::connect_to(info, self.options).await
    }
}

const HOUR: Duration = Duration::from_secs(3_600);
