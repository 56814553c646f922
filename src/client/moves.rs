//! Listening to what the Rust clients of a queue move.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::stream;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::delivery::peers::{Message, Moved};
use crate::delivery::session::Session;
use crate::entry::due_of;
use crate::error::{Result, Step};
use crate::link::connection::{Failure, Link, Purpose, Push};
use crate::link::pauses::Pauses;
use crate::queue::stream::QueueStream;
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

struct Listener {
    session: Arc<Session>,
    keys: QueueKeys,
    subscribed: Option<Subscribed>,
    pauses: Pauses,
    has_failed: bool,
    closed: watch::Receiver<bool>,
}

/// A connection that has subscribed to the channel.
struct Subscribed {
    link: Arc<Link>,
    pushes: UnboundedReceiver<Push>,
}

/// What the Rust clients of a queue move, from now on.
pub(super) fn moves(session: &Arc<Session>, keys: QueueKeys) -> QueueStream<Move> {
    let name = keys.name().to_owned();
    let listener = Listener {
        keys,
        subscribed: None,
        pauses: Pauses::new(Listener::LONGEST_PAUSE),
        has_failed: false,
        closed: session.closed(),
        session: Arc::clone(session),
    };
    let moves = stream::unfold(listener, |mut listener| async {
        let next = listener.next().await?;
        Some((next, listener))
    });
    QueueStream::new(name, moves)
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
            let Some(subscribed) = &mut self.subscribed else {
                if self.has_failed {
                    sleep(self.pauses.next()).await;
                }
                self.has_failed = true;
                let subscribed = self.connect().await;
                self.subscribed =
                    Some(subscribed.map_err(|failure| failure.into_error(Step::Subscribe))?);
                self.pauses.reset();
                continue;
            };
            match subscribed.pushes.recv().await {
                Some(Push::Message { payload, .. }) => {
                    if let Some(heard) = Move::read(&payload) {
                        return Ok(heard);
                    }
                }
                Some(Push::Disconnected) | None => {
                    let cause = subscribed.link.cause();
                    let lost = Failure::Lost(subscribed.link.met(cause.into_driver()));
                    self.subscribed = None;
                    return Err(lost.into_error(Step::Subscribe));
                }
                Some(_) => {}
            }
        }
    }

    async fn connect(&self) -> Result<Subscribed, Failure> {
        let (sender, pushes) = mpsc::unbounded_channel();
        let node = self.session.node(&self.keys);
        let runtime = self.session.tasks.runtime().clone();
        let link = Link::new(
            node.endpoint().clone(),
            Purpose::Subscription(sender),
            runtime,
        );
        let channel = self.keys.moved(link.database());
        link.call(|mut connection| async move { connection.subscribe(&[&*channel][..]).await })
            .await?;
        Ok(Subscribed { link, pushes })
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
