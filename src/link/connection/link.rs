//! One shared connection to a server, for as long as it is needed.
//!
//! This file makes the calls. `dial` makes the connection and gives it up.

use std::any::Any;
use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use redis::{Cmd, ErrorKind, FromRedisValue, RedisError, RedisResult};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};

use super::failure::{Failure, Met, hung_up, is_loss, missing_reply, timed_out};
use super::nested;
use super::purpose::Purpose;
use super::redial::Redial;
use super::role::Role;
use super::size::extra_time;
use super::socket::{Connection, Shared};
use crate::error::Cause;
use crate::link::clock::RemoteClock;
use crate::link::endpoint::Endpoint;
use crate::metric::{self, Counter};
use crate::sync::lock;

mod dial;
mod probe;

/// One shared connection. It is made at the first call, and again after each loss.
pub(crate) struct Link {
    endpoint: Endpoint,
    purpose: Purpose,
    live: Arc<Mutex<Live>>,
    /// The number of the last attempt whose connection must not be used any more, since another
    /// server is the master.
    left: watch::Sender<u64>,
    /// Held while connecting, so that callers share one attempt.
    connecting: tokio::sync::Mutex<Redial>,
    /// The number of the last connection on which a command succeeded; 0 if none did since the last
    /// attempt to connect.
    of_use: AtomicU64,
    /// There was a connection before.
    was_connected: AtomicBool,
    reconnects: Counter,
    /// The runtime that makes and drives the connections, whichever runtime a call comes from.
    runtime: Handle,
}

/// The connection in use, if any.
#[derive(Default)]
struct Live {
    connection: Option<Connection>,
    /// How many attempts to connect there have been; the number of the connection.
    generation: u64,
    /// Why the last connection was given up.
    cause: Option<Cause>,
    /// The role of the server at the last connection that asked for it.
    role: Role,
    /// The server refused RESP3 at the last connection.
    is_resp3_refused: bool,
    /// The same for tracking.
    is_tracking_refused: bool,
    /// The address of the server to which the last attempt connected, without credentials.
    server: Option<Arc<str>>,
}

impl Link {
    /// A link to this server. It connects at the first call.
    pub(crate) fn new(endpoint: Endpoint, purpose: Purpose, runtime: Handle) -> Arc<Self> {
        Arc::new(Self {
            live: Arc::default(),
            left: watch::Sender::new(0),
            connecting: tokio::sync::Mutex::default(),
            of_use: AtomicU64::new(0),
            was_connected: AtomicBool::new(false),
            reconnects: metric::reconnects(endpoint.server(), purpose.name()),
            endpoint,
            purpose,
            runtime,
        })
    }

    /// Runs `work` on the connection, making one first if there is none.
    ///
    /// Leaves the command sent or not if dropped.
    pub(crate) async fn call<T, F, W>(self: &Arc<Self>, work: W) -> Result<T, Failure>
    where
        W: FnOnce(Connection) -> F,
        F: Future<Output = RedisResult<T>>,
    {
        self.call_sized(0, work).await
    }

    /// The same for `work` that sends or fetches `bytes` bytes: large ones get a longer timeout.
    pub(crate) async fn call_sized<T, F, W>(
        self: &Arc<Self>,
        bytes: usize,
        work: W,
    ) -> Result<T, Failure>
    where
        W: FnOnce(Connection) -> F,
        F: Future<Output = RedisResult<T>>,
    {
        let (mut connection, generation) = self.connection().await?;
        let server = Arc::clone(connection.server());
        let endpoint = &self.endpoint;
        let timeout = endpoint.timeouts().response + extra_time(bytes);
        let is_patient = self.purpose.is_patient();
        let answering = is_patient.then(|| Arc::clone(connection.shared()));
        connection.set_response_timeout(if is_patient { Duration::MAX } else { timeout });
        // In one place: offers in flight shall be small.
        let work = pin!(work(connection));
        let work = pin!(self.unless_left(generation, work));
        let result = match &answering {
            Some(answering) => while_answered(answering, timeout, work).await,
            None => work.await,
        };
        let error = match result {
            Ok(result) => {
                self.note_use(generation);
                return Ok(result);
            }
            Err(error) => nested::unwrap(error),
        };
        endpoint.note(&error);
        let error = endpoint.explain(error);
        let lost = is_loss(&error);
        // One missing reply makes all others on this socket doubtful. A server that is a replica now
        // was the master when the socket was opened; a new connection may reach the new master.
        if lost || matches!(error.code(), Some("READONLY" | "MASTERDOWN")) {
            self.discard(generation, &error);
        }
        let met = Met { server, error };
        Err(if lost {
            Failure::Lost(met)
        } else {
            Failure::Refused(met)
        })
    }

    /// Waits for a reply, but not if the server is no longer the master: it may never answer.
    async fn unless_left<T>(
        &self,
        generation: u64,
        work: impl Future<Output = RedisResult<T>>,
    ) -> RedisResult<T> {
        if !self.endpoint.must_be_master() {
            return work.await;
        }
        tokio::select! {
            biased;
            done = work => done,
            () = self.left(generation) => Err(hung_up()),
        }
    }

    /// Adds the server of the last connection, or attempt to connect, to an error.
    pub(crate) fn met(&self, error: RedisError) -> Met {
        Met {
            server: self.server(),
            error,
        }
    }

    /// Reads a key, and has the server report its next change. Only a link for deliveries hears it,
    /// and only in RESP3.
    ///
    /// Leaves the command sent or not if dropped.
    pub(crate) async fn watch<T: FromRedisValue>(
        self: &Arc<Self>,
        read: Cmd,
    ) -> Result<T, Failure> {
        self.call(|mut connection| async move {
            let mut pipeline = redis::pipe();
            pipeline.ignore_errors();
            if connection.hears() {
                let caching = pipeline.cmd("CLIENT").arg(&["CACHING", "YES"]);
                caching.ignore();
            }
            pipeline.add_command(read);
            // In one piece: callers share the connection, and `CACHING` applies only to the next
            // command. Without the right to `CACHING` the reply comes, and the report does not.
            let mut replies: Vec<RedisResult<T>> = pipeline.query_async(&mut connection).await?;
            replies.pop().unwrap_or_else(|| Err(missing_reply()))
        })
        .await
    }

    /// The connection and its number, which no other connection of this link has.
    ///
    /// Cancel safe.
    pub(crate) async fn connection(self: &Arc<Self>) -> Result<(Connection, u64), Failure> {
        let connection = self.live_or_dialled().await;
        connection.map_err(|error| Failure::NotSent(self.met(error)))
    }

    async fn live_or_dialled(self: &Arc<Self>) -> RedisResult<(Connection, u64)> {
        if let Some(live) = self.live() {
            return Ok(live);
        }
        let asked = Instant::now();
        let link = Arc::clone(self);
        // In a task, since this caller may stop polling while others wait for the attempt. In a
        // set, so the task ends with the caller.
        let mut dialling = JoinSet::new();
        dialling.spawn_on(async move { link.dial(asked).await }, &self.runtime);
        // Another caller's attempt may come first. Only a runtime that stands still takes longer
        // than both attempts.
        let connect = self.endpoint.timeouts().connect;
        let patience = 2 * (connect + Redial::LONGEST_PAUSE);
        match timeout(patience, dialling.join_next()).await {
            Ok(Some(Ok(dialled))) => dialled,
            Ok(Some(Err(ended))) => Err(match ended.try_into_panic() {
                Ok(panic) => panicked(&*panic),
                Err(_) => runtime_gone(),
            }),
            Ok(None) => Err(runtime_gone()),
            Err(_) => Err(timed_out()),
        }
    }

    /// The server's address without credentials. While only Sentinels know it, how they name the
    /// master.
    pub(crate) fn server(&self) -> Arc<str> {
        let server = lock(&self.live).server.clone();
        server.unwrap_or_else(|| Arc::clone(self.endpoint.server()))
    }

    /// The clock of the server, as far as any link to it has seen it.
    pub(crate) fn clock(&self) -> &RemoteClock {
        self.endpoint.clock()
    }

    /// How log lines name this socket.
    pub(crate) fn socket(&self) -> &'static str {
        self.purpose.name()
    }

    pub(crate) fn database(&self) -> i64 {
        self.endpoint.database()
    }

    /// True if there is a connection, as far as this client knows.
    pub(crate) fn is_connected(&self) -> bool {
        lock(&self.live).connection.is_some()
    }

    /// True if the connection of this number is the one in use.
    pub(crate) fn is_current(&self, generation: u64) -> bool {
        let live = lock(&self.live);
        live.connection.is_some() && live.generation == generation
    }

    /// Why the last connection was given up.
    pub(crate) fn cause(&self) -> Cause {
        let cause = lock(&self.live).cause.clone();
        cause.unwrap_or_else(|| Cause::of(hung_up()))
    }

    /// Closes the connection. A later call would make another one.
    pub(crate) fn close(&self) {
        lock(&self.live).connection = None;
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The endpoint holds the password.
        f.debug_struct("Link")
            .field("server", &self.server())
            .finish_non_exhaustive()
    }
}

/// Waits for a reply up to `timeout`, and on while other replies come on the same connection: Redis
/// answers in turn.
async fn while_answered<T>(
    connection: &Shared,
    timeout: Duration,
    mut work: impl Future<Output = RedisResult<T>> + Unpin,
) -> RedisResult<T> {
    let mut until = Instant::now() + timeout;
    loop {
        if let Ok(done) = timeout_at(until, &mut work).await {
            return done;
        }
        let later = connection.replied() + timeout;
        if later <= until {
            return Err(timed_out());
        }
        until = later;
    }
}

/// The error of a connection whose runtime has ended.
fn runtime_gone() -> RedisError {
    let gone = "the runtime on which the client was made has ended";
    (ErrorKind::Client, gone).into()
}

/// The error of an attempt to connect that panicked in the driver. The driver panics if the address
/// asks for TLS and the process has no provider of it.
fn panicked(panic: &(dyn Any + Send)) -> RedisError {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or_default();
    (ErrorKind::Client, "the driver panicked", text.to_owned()).into()
}
