//! The connection of a process to one Redis.

use std::sync::Arc;

use redis::{ConnectionInfo, IntoConnectionInfo};

use crate::client::builder::ClientBuilder;
use crate::client::session::Shared;
use crate::codec::Codec;
use crate::error::Result;
use crate::event::Events;
use crate::options::Options;
use crate::queue::blocking_queue::BlockingQueue;
use crate::queue::delayed_queue::DelayedQueue;
use crate::wire::keys::QueueKeys;

/// A connection to one Redis, and the service that moves what is due in this client's queues.
///
/// Clones are cheap and share everything. The client lives as long as a clone of it or a handle of
/// one of its queues; when the last is gone, its tasks give back what they hold and end. Use
/// [`shutdown`](Self::shutdown) to wait for that. The client also ends with the runtime on which it
/// was made: every call answers [`Error::Closed`](crate::Error::Closed) then.
///
/// # Threads
///
/// A client has two threads of its own, and a third while it sends or reads
/// [large payloads](crate::MAX_PAYLOAD). One transfers, claims and confirms, so that callers which
/// block theirs, as asynchronous code should not, hold up no delivery. The other waits for the next
/// due time, to the millisecond. Everything else is sent by the runtime on which the client was
/// made, from whichever runtime the call comes: while all threads of that are blocked, no other
/// call is sent or answered, and an offer can end in
/// [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown).
///
/// # Paused clocks
///
/// A client cannot work on a runtime whose clock stands still (`tokio::time::pause`): while a reply
/// is on its way nothing else runs there, so Tokio moves the clock on, past the timeout of the call.
/// `test_util`, with the feature `test-util`, has a clock for tests of due times.
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
    shared: Arc<Shared>,
}

impl Client {
    /// Connects to `server`, a URL or a [`redis::ConnectionInfo`], with the default settings.
    ///
    /// See [`ClientBuilder::connect`] for what this costs, its errors and its cancel safety.
    pub async fn connect(server: impl IntoConnectionInfo) -> Result<Self> {
        Self::builder().connect(server).await
    }

    /// Settings to choose before connecting.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    pub(crate) async fn connect_to(info: ConnectionInfo, options: Options) -> Result<Self> {
        Ok(Self {
            shared: Shared::connect(info, options).await?,
        })
    }

    /// A handle to the delayed queue `name`, as
    /// `redisson.getDelayedQueue(redisson.getBlockingQueue(name, codec))`.
    ///
    /// From now on this client moves what is due in the queue, for all its consumers in any
    /// language, unless that is [switched off](ClientBuilder::transfer). It goes on after the
    /// handle is dropped until nothing is scheduled.
    ///
    /// Handles of one name share their claimed elements, whatever their codecs.
    ///
    /// # Redis
    ///
    /// What is due is moved in its order of due times, up to 1,000 elements a script, each in O(log
    /// N) but for the ordering list, from which Redis removes an entry by scanning for it. Elements
    /// that are all offered with one delay leave it at its head, and cost nothing more. Of others
    /// as many are moved in a script as take some 10 ms in all, or two or three times as long as
    /// one scan of the list if that is more. Where that would be too few, the list is read once, up
    /// to 2,000 entries at a time and 16 bytes of each, and the scripts are told where the elements
    /// stand, so that one scan does for hundreds; 24 to 43 bytes an entry are held meanwhile, for
    /// four million at the most. A script reads some 4 MB of members, and one at least, so it moves
    /// few large elements. `docs/performance.md` has figures.
    ///
    /// The same scripts return what a killed process had claimed to the head of the target queue,
    /// up to 1,000 elements a script, or some 1 MB.
    ///
    /// # Compatibility
    ///
    /// Redisson's channel of a queue is the same in all databases of a server. A Java client that
    /// hears of a later due time from another database puts its next look off, and delivers late.
    /// So do not use one name in two databases where Java moves elements.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`](crate::Error::Name) if `name` is empty.
    /// - [`Error::Closed`](crate::Error::Closed) after [`shutdown`](Self::shutdown).
    pub fn delayed_queue<T: 'static, C: Codec<T>>(
        &self,
        name: impl Into<String>,
        codec: C,
    ) -> Result<DelayedQueue<T>> {
        let core = self.shared.queue(QueueKeys::new(name)?, true)?;
        Ok(DelayedQueue::new(core, Arc::new(codec)))
    }

    /// A handle to the target queue `name` alone, as `redisson.getBlockingQueue(name, codec)` and
    /// `redisson.getBlockingDeque(name, codec)`.
    ///
    /// What is due in a delayed queue of that name is moved by others, in any language, or by this
    /// client from the moment at which it has a [`delayed_queue`](Self::delayed_queue) of the
    /// name.
    ///
    /// # Errors
    ///
    /// As [`delayed_queue`](Self::delayed_queue).
    pub fn blocking_queue<T: 'static, C: Codec<T>>(
        &self,
        name: impl Into<String>,
        codec: C,
    ) -> Result<BlockingQueue<T>> {
        let core = self.shared.queue(QueueKeys::new(name)?, false)?;
        Ok(BlockingQueue::new(core, Arc::new(codec)))
    }

    /// What happens in the background from now on: quarantined members, refusals, lost connections.
    /// The connection that delivers is made in the background, so the first
    /// [`Event::Connected`](crate::Event::Connected) is usually still to come.
    #[must_use]
    pub fn events(&self) -> Events {
        self.shared.events()
    }

    /// Ends this client, its clones and all handles of its queues.
    ///
    /// Callers that wait, and all later calls, get [`Error::Closed`](crate::Error::Closed).
    /// Elements that were claimed and not handed over go back to the head of their queues,
    /// where a consumer in any language finds them. Calling it again waits for nothing more.
    ///
    /// It waits for the [retry window](ClientBuilder::retry_window) at most, or for the [response
    /// timeout](ClientBuilder::response_timeout) if that is longer, and 200 ms more, also when the
    /// server does not answer at all.
    ///
    /// # Errors
    ///
    /// - What kept elements from being given back in that time. They are claimed again, by any Rust
    ///   client, once their leases run out.
    /// - [`Error::Lost`](crate::Error::Lost) if a command was still waiting for its reply then: the
    ///   same may hold.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the client ends by itself if dropped.
    pub async fn shutdown(&self) -> Result<()> {
        self.shared.close();
        self.shared.end().await
    }
}
