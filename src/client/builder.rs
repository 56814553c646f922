//! Choosing a client's settings.

use std::time::Duration;

use redis::aio::AsyncStream;

use crate::client::handle::Client;
use crate::error::Result;
use crate::link::access::{Access, Credentials, Provider};
use crate::link::address::IntoAddress;
use crate::link::clock::Clock;
use crate::link::durability::{Durability, Durable};
use crate::link::host::Host;
use crate::options::Options;
use crate::trace::{Carrier, TraceCarrier};
use crate::wire::ids::MemberIds;
use crate::wire::name_mapper::{Mapper, NameMapper};

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
    access: Access,
    options: Options,
}

impl ClientBuilder {
    /// Whether the calls that take pop elements from Redis without a lease, as Java's `BLPOP` does.
    /// Default: false.
    ///
    /// By default the lease ends with the hand-over, and Redis learns of that one network trip
    /// later. If the process is killed in between, the element is delivered again.
    ///
    /// With this setting no element is delivered twice for that reason. But elements are **lost** if
    /// the process is killed, or the connection breaks, between the moment at which Redis sent them
    /// and the hand-over: up to as many as callers asked for. A call that does not wait then returns
    /// [`Error::Lost`](crate::Error::Lost). A dropped call loses nothing: the element goes to the next
    /// caller or back to the queue. If Redis refuses it, because it is full or the user lacks the
    /// right to `LPUSH`, the client keeps it, and a [`shutdown`](crate::Client::shutdown) then fails
    /// and loses it.
    ///
    /// The client claims nothing ahead of its callers: a loop of one caller takes one element a round
    /// trip.
    pub fn at_most_once(mut self, at_most_once: bool) -> Self {
        self.options.at_most_once = at_most_once;
        self
    }

    /// How long Redis keeps a claimed element for this process alone.
    ///
    /// If the process is killed after Redis moved an element out of the target queue, and before a
    /// caller has the element, this is how late the element becomes. After that time any Rust client
    /// that [transfers](Self::transfer) or takes returns it to the head of the target queue, where
    /// consumers in any language find it. A payload of more than 1 MiB has a second more for each 4 MiB. The
    /// client hands an element over only while a third of the lease is left. A lease that runs out
    /// after the hand-over can make an element come [twice](crate::DelayedQueue#delivery).
    ///
    /// Whole milliseconds, from 100 ms to an hour. Default: 30 s.
    pub fn claim_lease(mut self, lease: Duration) -> Self {
        self.options.claim_lease = lease;
        self
    }

    /// The name of this client in `CLIENT LIST`. Default: `rdq`.
    ///
    /// Each connection has this name, a colon and its purpose, such as `orders-service:calls`, so
    /// an operator sees which service a connection belongs to; Java's `setClientName(name)` gives
    /// all connections the same name. [`connect`](Self::connect) lists the purposes.
    ///
    /// Redis accepts printable ASCII characters without spaces. [`connect`](Self::connect) refuses
    /// another name, and an empty one, with [`Error::ClientName`](crate::Error::ClientName).
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.access.client_name = name.into().into();
        self
    }

    /// The user and the password. Default: those that stand in the address, or none.
    ///
    /// Here they may have any characters, where a URL must escape some. Sentinels have a login of
    /// their own: [`sentinel_credentials`](Self::sentinel_credentials). If
    /// [`credentials_provider`](Self::credentials_provider) is called as well, the later call
    /// holds.
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.access.login = Some(Provider::fixed(credentials));
        self
    }

    /// Gives the [credentials](Self::credentials) if they change, such as the tokens of a cloud provider:
    /// the client calls `provider` at each connect.
    ///
    /// That includes the short connections on which a client asks nodes of a cluster for their
    /// slots, and excludes those to Sentinels. So `provider` should keep a token that is still
    /// valid, and not fetch another at each call.
    ///
    /// A connection that is open stays open when its credentials end, for as long as the server
    /// lets it. The client waits for `provider` within the
    /// [connect timeout](Self::connect_timeout). If `provider` fails, the attempt to connect has
    /// failed, and the client tries again.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use redisson_delayed_queue::{Client, Credentials};
    /// # async fn token() -> std::io::Result<String> { Ok(String::new()) }
    ///
    /// # async fn run() -> redisson_delayed_queue::Result<()> {
    /// let client = Client::builder()
    ///     .credentials_provider(|| async { Ok(Credentials::new("orders", token().await?)) })
    ///     .connect("redis://redis-1")
    ///     .await?;
    /// # Ok(()) }
    /// ```
    pub fn credentials_provider<P, F>(mut self, provider: P) -> Self
    where
        P: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Result<Credentials, Box<dyn std::error::Error + Send + Sync>>>
            + Send
            + 'static,
    {
        self.access.login = Some(Provider::new(provider));
        self
    }

    /// `connect` makes a stream to the server at a host and port, and no thread is started. For
    /// simulations, with one runtime on one thread.
    #[doc(hidden)]
    pub fn simulated<C, F, S>(mut self, connect: C) -> Self
    where
        C: Fn(String) -> F + Send + Sync + 'static,
        F: Future<Output = std::io::Result<S>> + Send + 'static,
        S: AsyncStream + Send + Sync + 'static,
    {
        self.access.host = Host::simulated(connect);
        self
    }

    /// The user and the password of the Sentinels. Default: none. The user and the password of a
    /// `redis+sentinel://` URL are the master's, but each Sentinel of an
    /// [`Address::sentinel`](crate::Address::sentinel) can have its own.
    pub fn sentinel_credentials(mut self, credentials: Credentials) -> Self {
        self.access.sentinels = Some(Provider::fixed(credentials));
        self
    }

    /// Gives the [credentials of the Sentinels](Self::sentinel_credentials) if they change: the client calls
    /// `provider` at each connect to a Sentinel, as
    /// [`credentials_provider`](Self::credentials_provider) says.
    pub fn sentinel_credentials_provider<P, F>(mut self, provider: P) -> Self
    where
        P: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Result<Credentials, Box<dyn std::error::Error + Send + Sync>>>
            + Send
            + 'static,
    {
        self.access.sentinels = Some(Provider::new(provider));
        self
    }

    /// Continues the trace of an offer in the handler of its element. Default: no carrier.
    ///
    /// An offer of this client stores the context of its span, if the carrier returns one. The
    /// handlers of its consumers ([`Consumer::run`](crate::Consumer::run),
    /// [`Workers`](crate::Workers)) look for the context of their element. Both need a carrier, and
    /// they may be in different processes.
    ///
    /// A context is found by the payload, since an element has no other part that is the same after
    /// Java or this crate has moved it. Elements with equal payloads share a context: that of the
    /// latest offer, until one of them is acknowledged. If payloads are not unique, prefer links to
    /// parents. Nothing else uses the contexts, and no call fails if one is lost. Java neither
    /// writes nor reads them.
    ///
    /// # Redis
    ///
    /// One `SET` for each element that is offered, sent with the offer; one `GET` before each
    /// handler, which waits for it up to half a second; one `UNLINK` after each acknowledgement. The
    /// key goes an hour after the due time that the offer had, if nobody handles the element here.
    pub fn trace_carrier(mut self, carrier: impl TraceCarrier) -> Self {
        self.options.carrier = Carrier::new(carrier);
        self
    }

    /// Certificates for connections with TLS. Default: the client trusts what the system trusts.
    #[cfg(any(feature = "tls-native-tls", feature = "tls-rustls"))]
    pub fn tls(mut self, tls: crate::Tls) -> Self {
        self.access.tls = Some(tls);
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
        self.options.timeouts.connect = timeout;
        self
    }

    /// How safe an element must be before its offer succeeds, and how long offers wait for that (at
    /// most an hour), unless an [`Offer`](crate::Offer) says otherwise. Default:
    /// [`Durability::Master`], so no offer waits.
    ///
    /// This holds for `offer`, `offer_with` and `offer_all` of a
    /// [`DelayedQueue`](crate::DelayedQueue) or a [`ShardedQueue`](crate::ShardedQueue), and for no
    /// other call. [`Offer::durability`](crate::Offer::durability) explains the costs.
    pub fn durability(mut self, wanted: Durability, within: Duration) -> Self {
        self.options.durable = Durable::new(wanted, within);
        self
    }

    /// How the ids of offered elements are made. Default: [`MemberIds::Ordered`].
    pub fn member_ids(mut self, ids: MemberIds) -> Self {
        self.options.member_ids = ids;
        self
    }

    /// Translates the names of queues to their names in Redis, and back. Default: names are the
    /// same in Redis. [`PrefixMapper`](crate::PrefixMapper) has an example.
    ///
    /// It applies to every call that takes or shows the name of a queue; [`NameMapper`] says where.
    /// Give all clients of a queue the same mapper, in Java too.
    pub fn name_mapper(mut self, mapper: impl NameMapper) -> Self {
        self.options.name_mapper = Mapper::new(mapper);
        self
    }

    /// Whether Redis remembers every offered id for a minute. Default: false.
    ///
    /// The client offers again when a reply is lost, but by default not if the delay is shorter
    /// than the [`retry_window`](Self::retry_window): the element may have been delivered already,
    /// and a retry would deliver it twice. Such an offer ends in
    /// [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown). If Redis remembers the ids, every
    /// offer can be retried.
    ///
    /// Redisson moves elements by the clock of its own host. Where that clock may be ahead of Redis's,
    /// switch this on: an element may be delivered that much before its time, and a retry then delivers
    /// it twice.
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
    ///
    /// The sockets `rdq:delivery` and `rdq:subscription` are given up when Redis has answered nothing
    /// for this long. They send something for each queue as soon as they are connected, and for
    /// thousands of queues the answers may take longer.
    pub fn response_timeout(mut self, timeout: Duration) -> Self {
        self.options.timeouts.response = timeout;
        self
    }

    /// How long the client repeats a failed call, if that cannot make the call take effect twice.
    /// Default: 5 s, at most a minute.
    ///
    /// An offer takes effect within this time or the [response timeout](Self::response_timeout),
    /// whichever is longer, or never, even if the network delays it. Both are a second longer for
    /// each 4 MiB that the call sends. Zero switches retries off.
    pub fn retry_window(mut self, window: Duration) -> Self {
        self.options.retry_window = window;
        self
    }

    /// How often the client looks at every queue even if it knows of nothing due there. From 10 ms
    /// to an hour. Default: 1 s.
    ///
    /// If every message about an element is lost, this is how late the element becomes. With the
    /// default, a thousand queues at rest cost Redis a tenth of a core; see `docs/performance.md`.
    pub fn safety_poll(mut self, interval: Duration) -> Self {
        self.options.safety_poll = interval;
        self
    }

    /// Whether each queue has histograms of its own. Default: true.
    ///
    /// With `false`, the four [histograms](crate::metrics) are those of all queues of the client
    /// together, without the label `queue`. Counters and gauges keep it. A thousand queues with the
    /// buckets [`SECONDS`](crate::metrics::SECONDS) then make 15,000 lines a scrape instead of 99,000.
    #[cfg(feature = "metrics")]
    pub fn queue_histograms(mut self, each: bool) -> Self {
        self.options.queue_histograms = each;
        self
    }

    /// Whether this client moves due elements to the target queue. Default: true.
    ///
    /// If it does not, another client must: a Rust one, or a Java one that holds an
    /// `RDelayedQueue`. Only Rust clients that transfer or take return the elements that a killed
    /// process had claimed.
    pub fn transfer(mut self, transfer: bool) -> Self {
        self.options.transfer = transfer;
        self
    }

    /// Connects to the Redis at `address`: a URL such as `redis://127.0.0.1/`, a pair
    /// `("localhost", 6379)`, or another of the forms that [`IntoAddress`] lists.
    ///
    /// The server must be Redis 6.2 or later, or Valkey 8 or later. `docs/topologies.md` in the
    /// repository lists the tested ones. It may stand behind a proxy that does not know all commands:
    /// see "Without RESP3" below. Redis 6.2 cannot tell beforehand whether a user has the rights that a
    /// call needs; see [`Error::Denied`](crate::Error::Denied).
    ///
    /// # Redis
    ///
    /// Three sockets for any number of queues and callers, and up to two more for a while. A client of
    /// a cluster has as many for each master that has queues of it. `CLIENT LIST` shows them by these
    /// names, or with your [name](Self::client_name) in the place of `rdq`:
    ///
    /// | Socket | Opens | Closes | Sends when idle |
    /// |---|---|---|---|
    /// | `rdq:calls` | at once; in a cluster with the first call | with the client | `TIME` after 10 s |
    /// | `rdq:delivery` | at once; in a cluster with the first queue | with the client | `TIME` after 10 s |
    /// | `rdq:subscription` | with the first delayed queue that this client [transfers](Self::transfer) | with the client | `TIME` twice per [response timeout](Self::response_timeout) |
    /// | `rdq:large` | for calls that send 1 MiB or more, or fetch payloads of more than 1 MiB | 5 s after the last | |
    /// | `rdq:durable` | for offers that wait for [durability](crate::Offer::durability) | 5 s after the last | |
    /// | without a name, to each Sentinel | at once | with the client | asks for the master once a second |
    /// | without a name, short: to each Sentinel | at each connect to the master | after the answer | |
    /// | without a name, short: to up to five nodes of a cluster at a time | when the client asks who has which slots | after the answer | |
    ///
    /// Each socket begins with `HELLO 3` and `CLIENT SETINFO` from the driver. One with a name goes on
    /// with `CLIENT SETNAME`, `HELLO` and `TIME`, and outside database 0 also with `SELECT`.
    /// `rdq:delivery` also sends `CLIENT TRACKING ON OPTIN NOLOOP` and `CLIENT CACHING YES`.
    ///
    /// The guide [`docs/topologies.md`](crate::guide::topologies) says how a client of a cluster or
    /// of Sentinels finds its masters. A `redis://` address of a replica or of a node of a cluster can
    /// be connected to, but such a server refuses calls. [`Event::Replica`](crate::Event::Replica) or
    /// [`Event::Cluster`](crate::Event::Cluster) says so.
    ///
    /// `rdq:subscription` carries subscriptions and messages of less than 2 kB each. Payloads travel
    /// on the other sockets, because Redis cuts a subscriber off at 32 MB
    /// (`client-output-buffer-limit pubsub`) and does not limit others by default. `TIME` shows whether
    /// the server is still there.
    ///
    /// While callers wait for elements of a queue, Redis tracks at most one key of that queue for
    /// the client, and one more while the queue is paused or limited. It keeps track until the key
    /// changes, even after the client has gone. If there are more tracked keys than
    /// `tracking-table-max-keys` (a million by default), Redis drops some and reports a change of
    /// each, and the client looks and asks again. After some reports for nothing it waits before it
    /// asks, so they cost it at most some ten looks a second for each queue. An element that Java
    /// moves in such a wait comes that much later, as a rule a tenth of a second.
    ///
    /// # Without RESP3
    ///
    /// If a server or a proxy refuses RESP3 (`HELLO 3`), the client opens the socket again in RESP2,
    /// and [`Event::Resp3Refused`](crate::Event::Resp3Refused) says so. Redis then cannot tell it that
    /// a key has changed. An element that Java moves to a target queue, or any program pushes to it,
    /// may be late by up to the [safety poll](Self::safety_poll). So may the end of a pause or a rate
    /// limit that another process lifts. The guide
    /// [`docs/topologies.md`](crate::guide::topologies#servers-and-proxies-without-resp3) says what
    /// else differs, and what a proxy may refuse besides.
    ///
    /// # Rights
    ///
    /// The guide [`docs/acl.md`](crate::guide::acl) lists the rights that a user with restricted
    /// rights needs as a producer, a consumer or an operator, and what fails without each of them.
    ///
    /// # Errors
    ///
    /// - [`Error::ClientName`](crate::Error::ClientName) if Redis would refuse the [client
    ///   name](Self::client_name); nothing was sent.
    /// - [`Error::Settings`](crate::Error::Settings) if a setting is out of its bounds, if `address` is
    ///   not the address of a Redis, if it needs a feature that this build lacks, or if a certificate
    ///   cannot be read; nothing was sent.
    /// - [`Error::Connect`](crate::Error::Connect) if no server answers; or if no Sentinel knows
    ///   the master, or no node the slots of a cluster.
    /// - [`Error::Denied`](crate::Error::Denied) if the server refuses the credentials, or the user
    ///   lacks the right to `select`.
    ///
    /// # Panics
    ///
    /// Outside a Tokio runtime with time and I/O enabled.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing is left behind if dropped.
    pub async fn connect(self, address: impl IntoAddress) -> Result<Client> {
        self.access.check_client_name()?;
        self.options.check()?;
        Client::connect_to(address.into_address()?, self.access, self.options).await
    }
}
