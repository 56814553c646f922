//! Making the connections of a link, and giving them up.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

use redis::{
    AsyncConnectionConfig, ConnectionInfo, PushInfo, PushKind, RedisError, RedisResult, Value,
};
use tokio::time::{sleep_until, timeout};

use super::attempts::Attempts;
use super::{Connection, Purpose, Push, Timeouts, is_loss};
use crate::clock::RemoteClock;
use crate::sync::lock;

/// What makes the connections of a [`Link`].
pub(super) struct Dialler {
    client: redis::Client,
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
    cause: Option<RedisError>,
}

impl Dialler {
    pub(super) fn new(
        client: redis::Client,
        timeouts: Timeouts,
        clock: Arc<RemoteClock>,
        purpose: Purpose,
    ) -> Self {
        Self {
            client,
            timeouts,
            clock,
            purpose,
            live: Arc::default(),
            connecting: tokio::sync::Mutex::default(),
            of_use: AtomicU64::new(0),
        }
    }

    pub(super) fn info(&self) -> &ConnectionInfo {
        self.client.get_connection_info()
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
        let for_caller = matches!(self.purpose, Purpose::Calls);
        let next = attempts.next(was_of_use, for_caller, Instant::now());
        sleep_until(next.into()).await;
        self.of_use.store(0, Relaxed);
        let connected = timeout(self.timeouts.connect, self.connect())
            .await
            .unwrap_or_else(|_| Err(timed_out()));
        attempts.made(connected.as_ref().err(), Instant::now());
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
    pub(super) fn cause(&self) -> RedisError {
        lock(&self.live).cause.clone().unwrap_or_else(hung_up)
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
        if let Purpose::Delivery(pushes) = &self.purpose
            && let Err(refusal) = track(&mut connection).await?
        {
            let _ = pushes.send(Push::TrackingRefused(refusal));
        }

        let sent = Instant::now();
        let (seconds, us): (i64, i64) = redis::cmd("TIME").query_async(&mut connection).await?;
        self.clock
            .observe(sent, Instant::now(), seconds * 1_000_000 + us);
        lock(&self.live).connection = Some(connection.clone());
        Ok((connection, generation))
    }

    /// Listens to the driver of one connection: it reports the end of the socket at once, also when
    /// nothing is sent.
    fn push_sender(&self, generation: u64) -> impl Fn(PushInfo) -> Result<(), Hangup> + use<> {
        let live: Weak<Mutex<Live>> = Arc::downgrade(&self.live);
        let pushes = self.purpose.pushes().cloned();
        move |info| {
            if info.kind == PushKind::Disconnection
                && let Some(live) = live.upgrade()
            {
                forget(&live, generation, hung_up());
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
        if forget(&self.live, generation, error.clone())
            && let Some(pushes) = self.purpose.pushes()
        {
            // A frozen server never ends the socket, so the driver would not report it.
            let _ = pushes.send(Push::Disconnected);
        }
    }
}

/// Has the server track keys for this connection. Says why if it refuses.
///
/// Only those keys whose reads are permitted one by one: otherwise it would remember all keys of
/// every script, for each queue that ever was, until they change.
async fn track(connection: &mut Connection) -> RedisResult<RedisResult<()>> {
    let mut pipeline = redis::pipe();
    pipeline
        .ignore_errors()
        // NOLOOP: what this client itself moves, its own tasks tell each other.
        .cmd("CLIENT")
        .arg(&["TRACKING", "ON", "OPTIN", "NOLOOP"])
        // Tried before it is needed. It holds for the next command, which reads no key.
        .cmd("CLIENT")
        .arg(&["CACHING", "YES"]);
    let replies: Vec<RedisResult<Value>> = pipeline.query_async(connection).await?;
    Ok(replies.into_iter().try_for_each(|reply| reply.map(drop)))
}

fn forget(live: &Mutex<Live>, generation: u64, cause: RedisError) -> bool {
    let mut live = lock(live);
    let is_lost = live.generation == generation && live.connection.take().is_some();
    if is_lost {
        live.cause = Some(cause);
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
