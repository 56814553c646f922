//! Calls: commands that are sent for a caller, and sent again while that is safe.

use std::sync::Arc;

use redis::{RedisError, RedisResult};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::error::{Error, Result, Step};
use crate::link::connection::{Connection, Failure, LARGE};
use crate::link::node::Node;
use crate::link::nodes::Nodes;
use crate::link::pauses::Pauses;
use crate::options::Options;
use crate::payload::{MAX_PAYLOAD, check_command};

/// Sends the commands of callers.
#[derive(Debug)]
pub(crate) struct Calls {
    nodes: Arc<Nodes>,
    closed: watch::Receiver<bool>,
    options: Options,
}

/// Which of a node's connections for callers a command takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lane {
    /// For all calls; large ones have a connection of their own.
    Usual,
    /// For offers that wait for replicas or the disk.
    Durable,
}

impl Lane {
    async fn call<T, F>(
        self,
        node: &Node,
        bytes: usize,
        work: impl FnOnce(Connection) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = RedisResult<T>>,
    {
        match self {
            Self::Usual if bytes < LARGE => node.calls.call(work).await,
            Self::Usual => node.large.call(bytes, work).await,
            Self::Durable => node.durable.call(bytes, work).await,
        }
    }
}

impl Calls {
    /// How often to follow a redirect to another node. While slots move, all redirects may be
    /// wrong, and then it is better to wait.
    const REDIRECTS: usize = 3;

    /// Calls to these nodes, until `closed` is true.
    pub(crate) fn new(nodes: Arc<Nodes>, closed: watch::Receiver<bool>, options: Options) -> Self {
        Self {
            nodes,
            closed,
            options,
        }
    }

    /// Fails once the client is closed.
    pub(crate) fn ensure_open(&self) -> Result<()> {
        if *self.closed.borrow() {
            return Err(Error::Closed);
        }
        Ok(())
    }

    /// Runs `work` once, about keys of `slot`, at the node that has them. It sends or fetches `bytes`
    /// bytes.
    pub(crate) async fn send<T, F>(
        &self,
        lane: Lane,
        slot: u16,
        bytes: usize,
        work: impl Fn(Connection) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let mut redirects = 0;
        loop {
            let node = self.nodes.of(slot);
            match lane.call(&node, bytes, &work).await {
                // The node did nothing, and has said who has the slot.
                Err(failure) if failure.is_redirect() && redirects < Self::REDIRECTS => {
                    redirects += 1;
                }
                sent => return sent,
            }
        }
    }

    /// Sends a command of `bytes` bytes about keys of `slot`. Repeats it within the retry window if
    /// Redis certainly did not run it, or if it is `repeatable`.
    pub(crate) async fn call<T, F>(
        &self,
        slot: u16,
        step: Step,
        repeatable: bool,
        bytes: usize,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        self.repeat(slot, step, bytes, |_| repeatable, work).await
    }

    /// Reads something of unknown size from keys of `slot`, by a command of `bytes` bytes.
    ///
    /// If no reply comes in time and the server answers others, the reply is probably large. So
    /// this asks once more, on the connection for large calls and with time for the largest reply.
    pub(crate) async fn fetch<T, F>(
        &self,
        slot: u16,
        bytes: usize,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let in_time = |error: &RedisError| !error.is_timeout();
        let error = match self.repeat(slot, Step::Read, bytes, in_time, &work).await {
            Err(Error::Lost { source, .. }) if source.is_timeout() => source,
            other => return other,
        };
        tracing::debug!(%error, "a reply may be too large for the response timeout");
        let node = self.nodes.of(slot);
        if node.calls.connection().await.is_err() {
            return self.call(slot, Step::Read, true, bytes, work).await;
        }
        self.ensure_open()?;
        let fetched = self.send(Lane::Usual, slot, MAX_PAYLOAD, work).await;
        fetched.map_err(|failure| failure.into_error(Step::Read))
    }

    /// Sends a command of `bytes` bytes about keys of `slot`. Repeats it within the retry window if
    /// Redis certainly did not run it, or if `may_repeat` allows it. Each attempt goes to the node
    /// that has the slot then.
    async fn repeat<T, F>(
        &self,
        slot: u16,
        step: Step,
        bytes: usize,
        may_repeat: impl Fn(&RedisError) -> bool,
        work: impl Fn(Connection) -> F,
    ) -> Result<T>
    where
        F: Future<Output = RedisResult<T>>,
    {
        self.ensure_open()?;
        check_command(bytes)?;
        let give_up = Instant::now() + self.options.retry_window(bytes);
        let mut pauses = Pauses::new(self.options.longest_pause());
        // An earlier loss. It decides the error, since that attempt may have taken effect.
        let mut lost = None;
        loop {
            let failure = match self.send(Lane::Usual, slot, bytes, &work).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            let again =
                failure.may_pass() || matches!(&failure, Failure::Lost(error) if may_repeat(error));
            let wait = pauses.next();
            if !again || Instant::now() + wait >= give_up {
                return Err(lost.unwrap_or(failure).into_error(step));
            }
            // A call that only reads changes nothing.
            if matches!(failure, Failure::Lost(_)) && step != Step::Read {
                lost = Some(failure);
            }
            sleep(wait).await;
            if let Err(closed) = self.ensure_open() {
                return Err(lost.map_or(closed, |lost| lost.into_error(step)));
            }
        }
    }
}
