//! A client of one Redis: its sockets, and the task that moves due elements in its queues.

use std::sync::{Arc, Weak};

use crate::client::builder::ClientBuilder;
use crate::client::master::Master;
use crate::client::moves::{Move, moves};
use crate::codec::Codec;
use crate::delivery::session::Session;
use crate::error::Result;
use crate::event::Events;
use crate::link::access::Access;
use crate::link::address::{Address, IntoAddress};
use crate::metric;
use crate::options::Options;
use crate::queue::blocking_queue::BlockingQueue;
use crate::queue::delayed_queue::DelayedQueue;
use crate::queue::names::Names;
use crate::queue::raw::RawQueue;
use crate::queue::sharded::{ShardedQueue, Shards};
use crate::queue::stream::QueueStream;
use crate::queue::typed::Typed;
use crate::wire::keys::QueueKeys;

/// A client of one Redis: its sockets, and the task that moves due elements in its queues.
///
/// Clones are cheap and share everything. The client lives as long as a clone of it or a handle of
/// one of its queues. After the last of them its tasks give back the elements that they hold, and
/// end; use [`shutdown`](Self::shutdown) to wait for that. The client also ends with the runtime on
/// which it was made: every call answers [`Error::Closed`](crate::Error::Closed) then.
///
/// # Threads
///
/// A client has these threads of its own:
///
/// - One transfers, claims and confirms, so that callers which block their threads, as asynchronous
///   code should not, delay no delivery.
/// - One waits for the next due time, to the millisecond. On a cluster there is one for each master
///   that has a queue of the client.
/// - One for each master while [large payloads](crate::MAX_PAYLOAD) are under way, and another one
///   while [durable](crate::Durability) offers are.
///
/// All other commands go through the runtime on which the client was made, even if the call comes from
/// another runtime. While all threads of that runtime are blocked, no such call is sent or answered,
/// and an offer can end in [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown).
///
/// # Paused clocks
///
/// A client cannot work on a runtime whose clock is paused (`tokio::time::pause`). While the client
/// waits for a reply the runtime is idle, so Tokio moves the clock forward past the timeout of the
/// call. For tests of due times, `test_util` (feature `test-util`) has a clock.
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
/// use redisson_delayed_queue::{Client, DelayedQueue, codec::StringCodec};
///
/// # async fn run() -> redisson_delayed_queue::Result<()> {
/// let client = Client::connect("redis://127.0.0.1/").await?;
/// let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec)?;
/// queue.offer(&"order-17".to_owned(), Duration::from_secs(30)).await?;
/// println!("{}", queue.take().await?);
/// client.shutdown().await
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    session: Arc<Session>,
    queues: Arc<Names<RawQueue>>,
}

impl Client {
    /// Connects to the Redis at `address`, in any of the forms that [`IntoAddress`] lists, with the
    /// default settings.
    ///
    /// See [`ClientBuilder::connect`] for what this costs, its errors and its cancel safety.
    pub async fn connect(address: impl IntoAddress) -> Result<Self> {
        Self::builder().connect(address).await
    }

    /// Settings to choose before connecting.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    pub(crate) async fn connect_to(
        address: Address,
        access: Access,
        options: Options,
    ) -> Result<Self> {
        metric::describe();
        let (session, last_word) = Session::connect(address, access, options).await?;
        let client = Self {
            session: Arc::new(session),
            queues: Arc::default(),
        };
        let ending = || Ending {
            session: Arc::downgrade(&client.session),
            queues: Arc::clone(&client.queues),
        };
        client.session.run(last_word, ending);
        Ok(client)
    }

    /// A handle to the delayed queue `name`, as
    /// `redisson.getDelayedQueue(redisson.getBlockingQueue(name, codec))`.
    ///
    /// From now on this client moves the queue's due elements, for consumers in any language,
    /// unless that is [switched off](ClientBuilder::transfer). It goes on after the handle is
    /// dropped, until nothing is scheduled.
    ///
    /// Handles of one name share their claimed elements, whatever their codecs.
    ///
    /// # Redis
    ///
    /// A script moves up to 1,000 due elements, in the order of their due times. Each costs O(log
    /// N), except in the ordering list: Redis removes an entry there by scanning for it.
    ///
    /// - Elements that were all offered with the same delay stand at the head of that list, and the
    ///   scan is free.
    /// - If delays differ, a script moves elements for some 10 ms, or for two or three scans of the
    ///   list if that is longer.
    /// - Where that would be too few, the client first reads the list, up to 2,000 entries at a
    ///   time and 16 bytes of each, and tells the scripts where the elements stand. One scan then
    ///   does for hundreds. Meanwhile the client holds 24 to 43 bytes an entry, of up to four
    ///   million entries.
    ///
    /// A script reads some 4 MB of members, and at least one, so it moves few large elements.
    /// `docs/performance.md` has figures.
    ///
    /// The same scripts return what a killed process had claimed to the head of the target queue,
    /// up to 500 elements or some 1 MB a script.
    ///
    /// # Compatibility
    ///
    /// Redisson's channel of a queue is the same in all databases of a server. A Java client that
    /// hears of a later due time from another database puts its next look off, and delivers late.
    /// So do not use one name in two databases where Java moves elements.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`](crate::Error::Name) if `name` is empty, or puts the keys of the queue into
    ///   several slots of the cluster.
    /// - [`Error::Closed`](crate::Error::Closed) after [`shutdown`](Self::shutdown).
    pub fn delayed_queue<T: 'static, C: Codec<T>>(
        &self,
        name: impl Into<String>,
        codec: C,
    ) -> Result<DelayedQueue<T>> {
        let core = self.queue(&name.into(), true)?;
        Ok(DelayedQueue::new(Typed::new(core, codec)))
    }

    /// A handle to the target queue `name` alone, as `redisson.getBlockingQueue(name, codec)` and
    /// `redisson.getBlockingDeque(name, codec)`. Fails as [`delayed_queue`](Self::delayed_queue).
    ///
    /// This client does not move the due elements of a delayed queue of that name, unless it also
    /// has a [`delayed_queue`](Self::delayed_queue) of the name. Other clients may, in any
    /// language.
    pub fn blocking_queue<T: 'static, C: Codec<T>>(
        &self,
        name: impl Into<String>,
        codec: C,
    ) -> Result<BlockingQueue<T>> {
        let core = self.queue(&name.into(), false)?;
        Ok(BlockingQueue::new(Typed::new(core, codec)))
    }

    /// A handle to one logical queue over several Redis names; see [`ShardedQueue`], which has an
    /// example. Each name costs what [`delayed_queue`](Self::delayed_queue) costs.
    pub fn sharded_queue<T: 'static, C: Codec<T>>(
        &self,
        shards: Shards,
        codec: C,
    ) -> Result<ShardedQueue<T>> {
        let codec = Arc::new(codec);
        ShardedQueue::open(shards, |name| self.delayed_queue(name, Arc::clone(&codec)))
    }

    /// The masters of this Redis that have slots, for commands of your own: on a cluster those that
    /// the client knows now, else one. Nothing is sent.
    #[must_use]
    pub fn masters(&self) -> Vec<Master> {
        let nodes = self.session.nodes.all().into_iter();
        nodes
            .map(|node| Master::new(Arc::clone(&self.session), node))
            .collect()
    }

    /// The master that has the keys of the queue `name`, as far as the client knows now, for
    /// commands of your own. Nothing is sent.
    ///
    /// Fails with [`Error::Name`](crate::Error::Name) if `name` is empty, or if its keys lie in
    /// several slots of the cluster.
    pub fn master_of(&self, name: &str) -> Result<Master> {
        let node = self.session.node(&self.keys(name)?);
        Ok(Master::new(Arc::clone(&self.session), node))
    }

    /// Listens to what the Rust clients of the queue `name` move, from now on.
    ///
    /// Tells which client moves, how much, and when. The last that moved something leads: the others
    /// leave the queue to it while it is on time. Java clients say nothing about their moves.
    ///
    /// # Redis
    ///
    /// A connection of its own, `rdq:subscription` in `CLIENT LIST`, with one subscription. It is
    /// made when the stream is polled first, and closed when the stream is dropped. Each move then
    /// sends one message more, of some 100 bytes.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`](crate::Error::Name) if `name` is empty, or if its keys lie in several slots
    ///   of the cluster.
    /// - [`Error::Closed`](crate::Error::Closed) after [`shutdown`](Self::shutdown).
    ///
    /// An item of the stream is an error if the client cannot listen, or lost its connection. The next
    /// call connects again; the moves until then are missed, which does no harm to anything else.
    /// [`Error::Denied`](crate::Error::Denied) there means that the user lacks `+subscribe`, or the
    /// channel `rdq1_moved.<database>:{<name>}`. The stream ends when the client is shut down, and
    /// keeps the client alive until then. Moves that nobody reads wait in the memory of the process.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(client: redisson_delayed_queue::Client) -> redisson_delayed_queue::Result<()> {
    /// let mut moves = client.moves("orders")?;
    /// while let Some(moved) = moves.next().await {
    ///     match moved {
    ///         Ok(moved) => println!("{} moved {} elements", moved.by, moved.count),
    ///         Err(error) => eprintln!("moves may be missed: {error}"),
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub fn moves(&self, name: &str) -> Result<QueueStream<Move>> {
        let keys = self.keys(name)?;
        self.session.ensure_open()?;
        Ok(moves(&self.session, keys))
    }

    /// How many due elements this client has moved to the target queues of its queues since it
    /// connected. [`moves`](Self::moves) tells of all Rust clients of a queue.
    ///
    /// A move whose reply was lost is not counted.
    #[must_use]
    pub fn moved(&self) -> u64 {
        self.session.reporter.count_moved()
    }

    /// Reports what happens in the background from now on: quarantined members, refusals, lost
    /// connections.
    ///
    /// The client makes the connection that delivers in the background, so the first
    /// [`Event::Connected`](crate::Event::Connected) is usually still to come.
    #[must_use]
    pub fn events(&self) -> Events {
        self.session.reporter.subscribe()
    }

    /// Ends this client, its clones and all handles of its queues.
    ///
    /// Callers that wait, and all later calls, get [`Error::Closed`](crate::Error::Closed).
    /// Elements that were claimed and not handed over go back to the head of their queues, where a
    /// consumer in any language finds them. A second call waits for the same.
    ///
    /// It waits for the longer of the [retry window](ClientBuilder::retry_window) and the [response
    /// timeout](ClientBuilder::response_timeout) at most, and 200 ms more, even if the server does
    /// not answer at all.
    ///
    /// # Errors
    ///
    /// - The error that kept leases from being ended or elements from being given back. When these
    ///   leases run out, the elements are delivered again, including those that a caller already
    ///   has.
    /// - [`Error::Lost`](crate::Error::Lost) if a command was still waiting for its reply then.
    ///   Elements may be delivered again, too.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the client ends by itself if dropped.
    pub async fn shutdown(&self) -> Result<()> {
        close(&self.session, &self.queues);
        self.session.end().await
    }

    /// The queue that users call `name`. If `transfer` is true, this client moves its due elements
    /// from now on.
    fn queue(&self, name: &str, transfer: bool) -> Result<Arc<RawQueue>> {
        let keys = self.session.options.name_mapper.keys(name)?;
        RawQueue::open(&self.session, &self.queues, keys, transfer)
    }

    /// The keys of the queue that users call `name`. Fails if they lie in several slots of a cluster.
    fn keys(&self, name: &str) -> Result<QueueKeys> {
        let keys = self.session.options.name_mapper.keys(name)?;
        self.session.check_name(&keys)?;
        Ok(keys)
    }
}

/// Refuses new calls and new queues, and has the queues give back the elements that they hold.
fn close(session: &Session, queues: &Names<RawQueue>) {
    session.close();
    for queue in queues.take_all() {
        queue.close();
    }
}

/// Closes the client when dropped: when its service ends, since nothing is delivered then, or when
/// the runtime that carries its calls ends.
struct Ending {
    session: Weak<Session>,
    queues: Arc<Names<RawQueue>>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        // A client without handles has nobody to tell.
        if let Some(session) = self.session.upgrade() {
            close(&session, &self.queues);
        }
    }
}
