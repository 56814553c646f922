//! Connections to Redis: how one is made, shared, given up and made again. Nothing else decides to
//! reconnect.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{
    Cmd, ConnectionInfo, ErrorKind, FromRedisValue, ProtocolVersion, RedisError, RedisResult,
};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::error::Cause;
use crate::link::clock::RemoteClock;

mod attempts;
mod dialler;
mod failure;
mod handshake;
mod large;
mod push;

use attempts::Attempts;
use dialler::Dialler;

pub(crate) use dialler::timed_out;
pub(crate) use failure::{Failure, Met, is_loss};
pub(crate) use handshake::Role;
pub(crate) use large::{BYTES_A_MS, LARGE, LargeLink, extra_time};
pub(crate) use push::Push;

/// What commands are sent on. Clones share one socket.
pub(crate) type Connection = MultiplexedConnection;

/// How long to wait for a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    pub(crate) connect: Duration,
    pub(crate) response: Duration,
}

impl Timeouts {
    /// How long a call waits for a connection: an attempt of another comes first.
    fn patience(self) -> Duration {
        2 * (self.connect + Attempts::LONGEST_PAUSE)
    }
}

/// One shared connection that is made when it is first needed and again after it was lost.
pub(crate) struct Link {
    dialler: Arc<Dialler>,
    /// The server's address, without credentials.
    server: Arc<str>,
    /// Where the connections are made and driven, whoever needs them first.
    runtime: Handle,
}

/// What the connections of a [`Link`] are for.
#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    /// Calls.
    Calls,
    /// Transfers and claims. Asks for hints about keys, and passes on what the server says.
    ///
    /// Carries payloads, so it never subscribes: Redis cuts a subscriber off whose replies have
    /// more than 32 MB, and sets no such limit for others.
    Delivery(UnboundedSender<Push>),
    /// Calls with large payloads.
    Large,
    /// Subscriptions. Passes on what the server says.
    Subscription(UnboundedSender<Push>),
}

impl Purpose {
    /// Where what the server sends unasked goes.
    fn pushes(&self) -> Option<&UnboundedSender<Push>> {
        match self {
            Self::Calls | Self::Large => None,
            Self::Delivery(pushes) | Self::Subscription(pushes) => Some(pushes),
        }
    }

    /// How log lines name the socket, and `CLIENT LIST` behind `rdq:`.
    fn name(&self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Delivery(_) => "delivery",
            Self::Large => "large",
            Self::Subscription(_) => "subscription",
        }
    }
}

impl Link {
    /// A link to the server that `info` describes; nothing is connected yet.
    pub(crate) fn new(
        info: ConnectionInfo,
        timeouts: Timeouts,
        clock: Arc<RemoteClock>,
        purpose: Purpose,
        runtime: Handle,
    ) -> RedisResult<Self> {
        let database = info.redis_settings().db();
        // RESP3 brings replies and what the server sends unasked on one socket.
        let settings = info
            .redis_settings()
            .clone()
            .set_db(0)
            .set_protocol(ProtocolVersion::RESP3);
        // Keepalive, or a forgotten NAT entry costs the next offer its certainty.
        let keepalive = TcpKeepalive::new().with_time(Duration::from_secs(30));
        let tcp = info
            .tcp_settings()
            .clone()
            .set_nodelay(true)
            .set_keepalive(keepalive);
        let info = info.set_redis_settings(settings).set_tcp_settings(tcp);
        let server = info.addr().to_string().into();
        let dialler = Dialler::new(
            redis::Client::open(info)?,
            database,
            timeouts,
            clock,
            purpose,
        );
        Ok(Self {
            dialler: Arc::new(dialler),
            server,
            runtime,
        })
    }

    /// Runs `work` on the connection, making one first if there is none.
    ///
    /// Leaves the command sent or not if dropped.
    pub(crate) async fn call<T, F, W>(&self, work: W) -> Result<T, Failure>
    where
        W: FnOnce(Connection) -> F,
        F: Future<Output = RedisResult<T>>,
    {
        self.call_sized(0, work).await
    }

    /// The same for `work` that sends or fetches so many bytes: it has the more time for each
    /// reply.
    pub(crate) async fn call_sized<T, F, W>(&self, bytes: usize, work: W) -> Result<T, Failure>
    where
        W: FnOnce(Connection) -> F,
        F: Future<Output = RedisResult<T>>,
    {
        let (mut connection, generation) = self.connection().await?;
        let timeout = self.dialler.timeouts().response + extra_time(bytes);
        connection.set_response_timeout(timeout);
        let error = match work(connection).await {
            Ok(result) => {
                self.dialler.was_of_use(generation);
                return Ok(result);
            }
            Err(error) => error,
        };
        let lost = is_loss(&error);
        // After a missing reply nothing on this socket can be trusted to come in time either, and a
        // replica was the master when this socket was opened: the address may lead to the new one.
        if lost || error.code() == Some("READONLY") {
            self.dialler.discard(generation, &error);
        }
        let met = self.met(error);
        Err(if lost {
            Failure::Lost(met)
        } else {
            Failure::Refused(met)
        })
    }

    /// This error, met at the server of this link.
    pub(crate) fn met(&self, error: RedisError) -> Met {
        Met {
            server: Arc::clone(&self.server),
            error,
        }
    }

    /// Reads a key, and has the server say once when that changes, on a link for deliveries.
    ///
    /// Leaves the command sent or not if dropped.
    pub(crate) async fn watch<T: FromRedisValue>(&self, read: Cmd) -> Result<T, Failure> {
        let mut pipeline = redis::pipe();
        pipeline
            .ignore_errors()
            .cmd("CLIENT")
            .arg(&["CACHING", "YES"])
            .ignore()
            .add_command(read);
        self.call(|mut connection| async move {
            // In one piece, for callers share the connection and the permission is for the next
            // command. Without the right to give it, the answer comes and the hint does not.
            let mut replies: Vec<RedisResult<T>> = pipeline.query_async(&mut connection).await?;
            replies.pop().unwrap_or_else(|| {
                let missing = "a pipeline was answered without a reply";
                Err((ErrorKind::UnexpectedReturnType, missing).into())
            })
        })
        .await
    }

    /// The connection and its number, which no other connection of this link has.
    ///
    /// Cancel safe.
    pub(crate) async fn connection(&self) -> Result<(Connection, u64), Failure> {
        let connection = self.connect().await;
        connection.map_err(|error| Failure::NotSent(self.met(error)))
    }

    async fn connect(&self) -> RedisResult<(Connection, u64)> {
        if let Some(live) = self.dialler.live() {
            return Ok(live);
        }
        let asked = Instant::now();
        let dialler = Arc::clone(&self.dialler);
        // In a task, for a caller may stop polling while others wait for what it has begun; and in
        // a set, which ends it when the caller is gone.
        let mut dialling = JoinSet::new();
        dialling.spawn_on(async move { dialler.dial(asked).await }, &self.runtime);
        // Only a runtime that stands still takes longer.
        let patience = self.dialler.timeouts().patience();
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

    /// The server's address, without credentials.
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Why the last connection was given up.
    pub(crate) fn cause(&self) -> Cause {
        self.dialler.cause()
    }

    /// How log lines name this socket.
    pub(crate) fn socket(&self) -> &'static str {
        self.dialler.purpose().name()
    }

    /// The number of the database.
    pub(crate) fn database(&self) -> i64 {
        self.dialler.database()
    }

    /// Whether the connection of this number is the one in use.
    pub(crate) fn is_current(&self, generation: u64) -> bool {
        self.dialler.is_current(generation)
    }

    /// Closes the connection. A later call would make another one.
    pub(crate) fn close(&self) {
        self.dialler.close();
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The client holds the password.
        f.debug_struct("Link")
            .field("timeouts", &self.dialler.timeouts())
            .finish_non_exhaustive()
    }
}

/// The error of a connection that nothing would drive.
fn runtime_gone() -> RedisError {
    let gone = "the runtime on which the client was made has ended";
    (ErrorKind::Client, gone).into()
}

/// The error of a connection whose making panicked: in the driver, which panics if it is to use TLS
/// and the process has no provider for it.
fn panicked(panic: &(dyn Any + Send)) -> RedisError {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or_default();
    (ErrorKind::Client, "the driver panicked", text.to_owned()).into()
}
