//! Making the connections of a link, and giving them up.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

use redis::{AsyncConnectionConfig, PushInfo, PushKind, RedisError, RedisResult};
use tokio::time::{sleep_until, timeout};

use super::attempts::Attempts;
use super::handshake::{Introduced, Role};
use super::{Connection, Purpose, Push, Timeouts, is_loss};
use crate::error::Cause;
use crate::link::clock::RemoteClock;
use crate::sync::lock;

/// What makes the connections of a [`Link`].
pub(super) struct Dialler {
    client: redis::Client,
    /// The number of the database.
    database: i64,
    timeouts: Timeouts,
    /// Told what the server's clock shows whenever a connection is made.
    clock: Arc<RemoteClock>,
    purpose: Purpose,
    live: Arc<Mutex<Live>>,
    /// Held while connecting, so that callers share one attempt.
    connecting: tokio::sync::Mutex<Attempts>,
    /// The last connection on which a command went well; 0 if none was since the last attempt to
    /// make one.
    of_use: AtomicU64,
}

/// The connection in use, if any, and how many attempts to make one there have been.
#[derive(Default)]
struct Live {
    connection: Option<Connection>,
    generation: u64,
    /// Why the last was given up.
    cause: Option<Cause>,
    /// The role of the server at the last connection.
    role: Role,
}

impl Dialler {
    pub(super) fn new(
        client: redis::Client,
        database: i64,
        timeouts: Timeouts,
        clock: Arc<RemoteClock>,
        purpose: Purpose,
    ) -> Self {
        Self {
            client,
            database,
            timeouts,
            clock,
            purpose,
            live: Arc::default(),
            connecting: tokio::sync::Mutex::default(),
            of_use: AtomicU64::new(0),
        }
    }

    pub(super) fn database(&self) -> i64 {
        self.database
    }

    pub(super) fn purpose(&self) -> &Purpose {
        &self.purpose
    }

    pub(super) fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    /// Makes a connection for a caller that asked for it then.
    ///
    /// Cancel safe.
    pub(super) async fn dial(&self, asked: Instant) -> RedisResult<(Connection, u64)> {
        let mut attempts = self.connecting.lock().await;
        if let Some(live) = self.live() {
            return Ok(live);
        }
        if let Some(error) = attempts.failed_since(asked) {
            return Err(error);
        }
        let was_of_use = self.of_use.load(Relaxed) != 0;
        let for_caller = matches!(self.purpose, Purpose::Calls | Purpose::Large);
        let next = attempts.next(was_of_use, for_caller, Instant::now());
        sleep_until(next.into()).await;
        self.of_use.store(0, Relaxed);
        let connected = timeout(self.timeouts.connect, self.connect())
            .await
            .unwrap_or_else(|_| Err(timed_out()));
        attempts.made(connected.as_ref().err(), Instant::now());
        if let Ok((_, generation)) = &connected {
            tracing::debug!(socket = self.purpose.name(), generation, "connected");
        }
        connected
    }

    pub(super) fn live(&self) -> Option<(Connection, u64)> {
        let live = lock(&self.live);
        live.connection.clone().map(|it| (it, live.generation))
    }

    /// Whether the connection of this number is the one in use.
    pub(super) fn is_current(&self, generation: u64) -> bool {
        let live = lock(&self.live);
        live.connection.is_some() && live.generation == generation
    }

    /// A command on the connection of this number went well.
    pub(super) fn was_of_use(&self, generation: u64) {
        if self.of_use.load(Relaxed) != generation {
            self.of_use.store(generation, Relaxed);
        }
    }

    /// Why the last connection was given up.
    pub(super) fn cause(&self) -> Cause {
        let cause = lock(&self.live).cause.clone();
        cause.unwrap_or_else(|| hung_up().into())
    }

    pub(super) fn close(&self) {
        lock(&self.live).connection = None;
    }

    async fn connect(&self) -> RedisResult<(Connection, u64)> {
        let generation = {
            let mut live = lock(&self.live);
            live.generation += 1;
            live.generation
        };
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeouts.connect))
            .set_response_timeout(Some(self.timeouts.response))
            .set_push_sender(self.push_sender(generation));
        let mut connection = self
            .client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        let sent = Instant::now();
        let introduced = Introduced::begin(&mut connection, self.database, &self.purpose).await?;
        self.clock.observe(sent, Instant::now(), introduced.time_us);
        let mut live = lock(&self.live);
        live.connection = Some(connection.clone());
        let is_news = live.role != introduced.role;
        live.role = introduced.role;
        drop(live);
        if let Purpose::Delivery(pushes) = &self.purpose {
            if let Err(refusal) = introduced.tracking {
                let _ = pushes.send(Push::TrackingRefused(refusal));
            }
            if is_news {
                let _ = pushes.send(Push::Role(introduced.role));
            }
        }
        Ok((connection, generation))
    }

    /// Listens to the driver of one connection: it reports the end of the socket at once, also when
    /// nothing is sent.
    fn push_sender(&self, generation: u64) -> impl Fn(PushInfo) -> Result<(), Hangup> + use<> {
        let live: Weak<Mutex<Live>> = Arc::downgrade(&self.live);
        let socket = self.purpose.name();
        let pushes = self.purpose.pushes().cloned();
        move |info| {
            if info.kind == PushKind::Disconnection
                && let Some(live) = live.upgrade()
            {
                forget(&live, socket, generation, hung_up());
            }
            match (&pushes, Push::from_info(info)) {
                (Some(pushes), Some(push)) => pushes.send(push).map_err(|_| Hangup),
                _ => Ok(()),
            }
        }
    }

    /// Gives the connection of this number up because of this error. If that says that it led to a
    /// replica it was of no use, whatever could be read.
    pub(super) fn discard(&self, generation: u64, error: &RedisError) {
        if !is_loss(error) {
            self.of_use.store(0, Relaxed);
        }
        if forget(&self.live, self.purpose.name(), generation, error.clone())
            && let Some(pushes) = self.purpose.pushes()
        {
            // A frozen server never ends the socket, so the driver would not report it.
            let _ = pushes.send(Push::Disconnected);
        }
    }
}

fn forget(live: &Mutex<Live>, socket: &str, generation: u64, cause: RedisError) -> bool {
    let mut live = lock(live);
    let is_lost = live.generation == generation && live.connection.take().is_some();
    if is_lost {
        let cause = live.cause.insert(cause.into());
        tracing::debug!(socket, generation, %cause, "gave the connection up");
    }
    is_lost
}

/// The error of a connection that ended by itself.
fn hung_up() -> RedisError {
    io::Error::new(io::ErrorKind::ConnectionReset, "the connection was closed").into()
}

/// Nobody listens to pushes any more.
struct Hangup;

/// The error of what was not done in time.
pub(crate) fn timed_out() -> RedisError {
    io::Error::from(io::ErrorKind::TimedOut).into()
}
