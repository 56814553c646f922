//! Connections to Redis: how one is made, shared, given up and made again. Nothing else decides to
//! reconnect.

use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use std::{fmt, io};

use redis::aio::MultiplexedConnection;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{
    AsyncConnectionConfig, Cmd, ConnectionInfo, ErrorKind, FromRedisValue, ProtocolVersion,
    PushInfo, PushKind, RedisError, RedisResult, Value,
};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;
use tokio::time::{sleep_until, timeout};

use crate::backoff::Backoff;
use crate::clock::RemoteClock;
use crate::sync::lock;

mod failure;
mod large;
mod push;

pub(crate) use failure::{Failure, is_denial, is_loss};
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

/// One shared connection that is made when it is first needed and again after it was lost.
pub(crate) struct Link {
    dialler: Arc<Dialler>,
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
    /// Subscriptions. Passes on what the server says.
    Subscription(UnboundedSender<Push>),
}

impl Purpose {
    /// Where what the server sends unasked goes.
    fn pushes(&self) -> Option<&UnboundedSender<Push>> {
        match self {
            Self::Calls => None,
            Self::Delivery(pushes) | Self::Subscription(pushes) => Some(pushes),
        }
    }
}

/// What makes the connections of a [`Link`].
struct Dialler {
    client: redis::Client,
    timeouts: Timeouts,
    /// Told what the server's clock shows whenever a connection is made.
    clock: Arc<RemoteClock>,
    purpose: Purpose,
    live: Arc<Mutex<Live>>,
    /// Held while connecting, so that callers share one attempt.
    connecting: tokio::sync::Mutex<Attempts>,
}

/// The connection in use, if any, and how many attempts to make one there have been.
#[derive(Default)]
struct Live {
    connection: Option<Connection>,
    generation: u64,
}

/// The attempts to connect since the last that succeeded.
#[derive(Debug)]
struct Attempts {
    backoff: Backoff,
    failed: Option<Failed>,
}

/// The last of them.
#[derive(Debug)]
struct Failed {
    at: Instant,
    retry_at: Instant,
    error: RedisError,
}

impl Attempts {
    /// The longest time between two.
    const LONGEST_PAUSE: Duration = Duration::from_millis(250);
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            backoff: Backoff::new(Self::LONGEST_PAUSE),
            failed: None,
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
        // RESP3 brings replies, messages and hints on one socket.
        let settings = info
            .redis_settings()
            .clone()
            .set_protocol(ProtocolVersion::RESP3);
        // Keepalive, or a forgotten NAT entry costs the next offer its certainty.
        let keepalive = TcpKeepalive::new().with_time(Duration::from_secs(30));
        let tcp = info
            .tcp_settings()
            .clone()
            .set_nodelay(true)
            .set_keepalive(keepalive);
        let dialler = Dialler {
            client: redis::Client::open(info.set_redis_settings(settings).set_tcp_settings(tcp))?,
            timeouts,
            clock,
            purpose,
            live: Arc::default(),
            connecting: tokio::sync::Mutex::default(),
        };
        Ok(Self {
            dialler: Arc::new(dialler),
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
        let (mut connection, generation) = self.connection().await.map_err(Failure::NotSent)?;
        let timeout = self.dialler.timeouts.response + extra_time(bytes);
        connection.set_response_timeout(timeout);
        work(connection).await.map_err(|error| {
            let lost = is_loss(&error);
            // After a missing reply nothing on this socket can be trusted to come in time either,
            // and a replica was the master when this socket was opened: the address may lead to
            // the new one.
            if lost || error.code() == Some("READONLY") {
                self.dialler.discard(generation);
            }
            if lost {
                Failure::Lost(error)
            } else {
                Failure::Refused(error)
            }
        })
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
    pub(crate) async fn connection(&self) -> RedisResult<(Connection, u64)> {
        if let Some(live) = self.dialler.live() {
            return Ok(live);
        }
        let asked = Instant::now();
        let dialler = Arc::clone(&self.dialler);
        // In a task, for a caller may stop polling while others wait for what it has begun; and in
        // a set, which ends it when the caller is gone.
        let mut dialling = JoinSet::new();
        dialling.spawn_on(async move { dialler.dial(asked).await }, &self.runtime);
        // An attempt of another comes first. Only a runtime that stands still takes longer.
        let patience = 2 * (self.dialler.timeouts.connect + Attempts::LONGEST_PAUSE);
        match timeout(patience, dialling.join_next()).await {
            Ok(dialled) => dialled
                .and_then(Result::ok)
                .unwrap_or_else(|| Err(runtime_gone())),
            Err(_) => Err(timed_out()),
        }
    }

    /// The number of the database.
    pub(crate) fn database(&self) -> i64 {
        let info = self.dialler.client.get_connection_info();
        info.redis_settings().db()
    }

    /// Whether the connection of this number is the one in use.
    pub(crate) fn is_current(&self, generation: u64) -> bool {
        let live = lock(&self.dialler.live);
        live.connection.is_some() && live.generation == generation
    }

    /// Closes the connection. A later call would make another one.
    pub(crate) fn close(&self) {
        lock(&self.dialler.live).connection = None;
    }
}

impl Dialler {
    /// Makes a connection for a caller that asked for it then.
    ///
    /// Cancel safe.
    async fn dial(&self, asked: Instant) -> RedisResult<(Connection, u64)> {
        let mut attempts = self.connecting.lock().await;
        if let Some(live) = self.live() {
            return Ok(live);
        }
        if let Some(failed) = &attempts.failed {
            // Callers share an attempt that they all waited for.
            if failed.at > asked {
                return Err(failed.error.clone());
            }
            // The tasks behind many queues come again by themselves, so there is time between two
            // attempts; a call is tried at once.
            if self.purpose.pushes().is_some() {
                sleep_until(failed.retry_at.into()).await;
            }
        }
        let connected = timeout(self.timeouts.connect, self.connect())
            .await
            .unwrap_or_else(|_| Err(timed_out()))
            .map_err(|error| self.name_server(error));
        match &connected {
            Ok(_) => *attempts = Attempts::default(),
            Err(error) => {
                let at = Instant::now();
                attempts.failed = Some(Failed {
                    at,
                    retry_at: at + attempts.backoff.next(),
                    error: error.clone(),
                });
            }
        }
        connected
    }

    /// Says of a failure of the network where the server was looked for.
    fn name_server(&self, error: RedisError) -> RedisError {
        if !error.is_io_error() {
            return error;
        }
        let kind = match &error {
            error if error.is_connection_refusal() => io::ErrorKind::ConnectionRefused,
            error if error.is_timeout() => io::ErrorKind::TimedOut,
            _ => io::ErrorKind::Other,
        };
        let address = self.client.get_connection_info().addr();
        io::Error::new(kind, format!("{address}: {error}")).into()
    }

    fn live(&self) -> Option<(Connection, u64)> {
        let live = lock(&self.live);
        live.connection.clone().map(|it| (it, live.generation))
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
                forget(&live, generation);
            }
            match (&pushes, Push::from_info(info)) {
                (Some(pushes), Some(push)) => pushes.send(push).map_err(|_| Hangup),
                _ => Ok(()),
            }
        }
    }

    fn discard(&self, generation: u64) {
        if forget(&self.live, generation)
            && let Some(pushes) = self.purpose.pushes()
        {
            // A frozen server never ends the socket, so the driver would not report it.
            let _ = pushes.send(Push::Disconnected);
        }
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The client holds the password.
        f.debug_struct("Link")
            .field("timeouts", &self.dialler.timeouts)
            .finish_non_exhaustive()
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

fn forget(live: &Mutex<Live>, generation: u64) -> bool {
    let mut live = lock(live);
    live.generation == generation && live.connection.take().is_some()
}

/// Nobody listens to pushes any more.
struct Hangup;

/// The error of a connection that did not come about in time.
fn timed_out() -> RedisError {
    io::Error::from(io::ErrorKind::TimedOut).into()
}

/// The error of a connection that nothing would drive.
fn runtime_gone() -> RedisError {
    io::Error::other("the runtime on which the client was made has ended").into()
}
