//! Listening to what the Rust clients of a queue move.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use futures::stream::{self, Stream, StreamExt};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::delivery::peers::{Message, Moved};
use crate::delivery::session::Session;
use crate::entry::due_of;
use crate::error::{Result, Step};
use crate::link::backoff::Backoff;
use crate::link::connection::{Failure, Link, Purpose, Push};
use crate::wire::keys::QueueKeys;

/// Due elements that a Rust client has moved to the target queue, as that client said.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Move {
    /// Which client moved them: 16 hex digits, the same until that client ends.
    pub by: String,
    /// True if callers of that client take from the queue.
    pub takes: bool,
    /// How many elements it moved, 1 at least.
    pub count: u64,
    /// When, by Redis's clock.
    pub at: SystemTime,
    /// When the next pending element is due. `None` if none is pending.
    pub next_due: Option<SystemTime>,
}

/// What the Rust clients of a queue move, as a stream, from the call of
/// [`Client::moves`](crate::Client::moves) on. It ends when the client is shut down.
///
/// An item is an error if the client cannot listen, or lost its connection. The stream connects again
/// by itself, and misses the moves until then. That does no harm: nothing else depends on these
/// messages.
pub struct Moves {
    moves: Pin<Box<dyn Stream<Item = Result<Move>> + Send>>,
}

struct Listener {
    session: Arc<Session>,
    keys: QueueKeys,
    ear: Option<Ear>,
    backoff: Backoff,
    has_failed: bool,
    closed: watch::Receiver<bool>,
}

/// A connection that listens.
struct Ear {
    link: Link,
    pushes: UnboundedReceiver<Push>,
}

impl Moves {
    pub(crate) fn new(session: Arc<Session>, keys: QueueKeys) -> Self {
        let listener = Listener {
            keys,
            ear: None,
            backoff: Backoff::new(Listener::LONGEST_PAUSE),
            has_failed: false,
            closed: session.closed(),
            session,
        };
        let moves = stream::unfold(listener, |mut listener| async {
            let next = listener.next().await?;
            Some((next, listener))
        });
        Self {
            moves: Box::pin(moves.fuse()),
        }
    }

    /// Waits for the next move; `None` once the client is shut down. Cancel safe: a dropped call
    /// takes no move.
    ///
    /// `Moves` is a `Stream` as well. This method needs no import of `StreamExt`. After an error,
    /// call again: the next call connects again. [`Error::Denied`](crate::Error::Denied) means that
    /// the user may not subscribe to the channel.
    pub async fn next(&mut self) -> Option<Result<Move>> {
        self.moves.next().await
    }
}

impl Stream for Moves {
    type Item = Result<Move>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.moves.poll_next_unpin(context)
    }
}

impl fmt::Debug for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moves").finish_non_exhaustive()
    }
}

impl Listener {
    const LONGEST_PAUSE: Duration = Duration::from_secs(5);

    /// The next item, or `None` once the client is closed.
    async fn next(&mut self) -> Option<Result<Move>> {
        let mut closed = self.closed.clone();
        tokio::select! {
            biased;
            _ = closed.wait_for(|closed| *closed) => None,
            heard = self.listen() => Some(heard),
        }
    }

    async fn listen(&mut self) -> Result<Move> {
        loop {
            let Some(ear) = &mut self.ear else {
                if self.has_failed {
                    sleep(self.backoff.next()).await;
                }
                self.has_failed = true;
                let ear = self.connect().await;
                self.ear = Some(ear.map_err(|failure| failure.into_error(Step::Subscribe))?);
                self.backoff.reset();
                continue;
            };
            match ear.pushes.recv().await {
                Some(Push::Message { payload, .. }) => {
                    if let Some(heard) = Move::read(&payload) {
                        return Ok(heard);
                    }
                }
                Some(Push::Disconnected) | None => {
                    let cause = ear.link.cause();
                    let lost = Failure::Lost(ear.link.met(cause.into()));
                    self.ear = None;
                    return Err(lost.into_error(Step::Subscribe));
                }
                Some(_) => {}
            }
        }
    }

    async fn connect(&self) -> Result<Ear, Failure> {
        let (sender, pushes) = mpsc::unbounded_channel();
        let node = self.session.node(&self.keys);
        let runtime = self.session.tasks.runtime().clone();
        let link = Link::new(node.endpoint(), Purpose::Subscription(sender), runtime);
        let channel = self.keys.moved(link.database());
        link.call(|mut connection| async move { connection.subscribe(&[&*channel][..]).await })
            .await?;
        Ok(Ear { link, pushes })
    }
}

impl Move {
    /// Reads a message. `None` if it is about something else, or about no element.
    fn read(payload: &[u8]) -> Option<Self> {
        let Some(Message::Moved(moved)) = Message::parse(payload) else {
            return None;
        };
        let Moved {
            by, takes, count, ..
        } = moved;
        (count > 0).then(|| Self {
            by: by.to_string(),
            takes,
            count,
            at: due_of(moved.at_us as f64 / 1_000.0),
            next_due: moved.head_ms.map(|ms| due_of(ms as f64)),
        })
    }
}
