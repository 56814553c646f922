//! One queue on a private server.

use std::fmt;
use std::time::Duration;

use super::{ManualClock, StartError, TestServer};
use crate::client::handle::Client;
use crate::codec::Codec;
use crate::error::Result;
use crate::queue::delayed_queue::DelayedQueue;

/// A queue on a server of its own, with a clock under the test's control. Dropping it ends the
/// server.
pub struct TestQueue<T> {
    queue: DelayedQueue<T>,
    client: Client,
    server: TestServer,
}

impl<T: 'static> TestQueue<T> {
    /// The queue's name.
    pub const NAME: &'static str = "queue";

    /// Starts a [`TestServer`], and opens the queue [`NAME`](Self::NAME) on it. Cancel safe: a
    /// dropped call leaves nothing behind.
    ///
    /// Fails as [`TestServer::start`], and with [`StartError::Client`] if the client cannot
    /// connect.
    pub async fn start<C: Codec<T>>(codec: C) -> Result<Self, StartError> {
        let server = TestServer::start().await?;
        let client = server.client().await?;
        let queue = client.delayed_queue(Self::NAME, codec)?;
        Ok(Self {
            queue,
            client,
            server,
        })
    }

    /// The queue. Code under test gets clones of it.
    #[must_use]
    pub fn queue(&self) -> &DelayedQueue<T> {
        &self.queue
    }

    /// The client that the queue belongs to, for more queues on the same server.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The clock that dates offers and decides what is due.
    #[must_use]
    pub fn clock(&self) -> ManualClock {
        self.server.clock()
    }

    /// The server, to make more clients and to see what moves in other queues.
    #[must_use]
    pub fn server(&mut self) -> &mut TestServer {
        &mut self.server
    }

    /// Moves the clock forward by `time`, as [`TestServer::advance_to`] does. Returns the elements
    /// of this queue that became due, earliest first.
    ///
    /// Fails with [`Error::Decode`](crate::Error::Decode) also if the codec cannot decode an
    /// element. It was moved like the others.
    pub async fn advance(&mut self, time: Duration) -> Result<Vec<T>> {
        let moved = self.server.advance(time).await?;
        let ours = moved.into_iter().filter(|it| it.queue == Self::NAME);
        let core = self.queue.core();
        ours.map(|it| core.decode(it.payload)).collect()
    }

    /// Takes all ready elements.
    ///
    /// Fails as [`DelayedQueue::try_take`]. An error or a dropped call **loses** the elements that
    /// it took before; use [`take`](DelayedQueue::take) instead.
    pub async fn drain(&self) -> Result<Vec<T>> {
        let mut drained = Vec::new();
        while let Some(value) = self.queue.try_take().await? {
            drained.push(value);
        }
        Ok(drained)
    }
}

impl<T: 'static> fmt::Debug for TestQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestQueue")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
