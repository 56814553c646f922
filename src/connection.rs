//! Connections to Redis: how one is made, shared, given up and made again. Nothing else decides to
//! reconnect.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{
    AsyncConnectionConfig, ConnectionInfo, ErrorKind, ProtocolVersion, PushInfo, PushKind,
    RedisError, RedisResult, RetryMethod, ServerErrorKind, Value,
};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::timeout;

use crate::clock::RemoteClock;
use crate::error::{Error, Step};
use crate::sync::lock;

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
    client: redis::Client,
    timeouts: Timeouts,
    /// Told what the server's clock shows whenever a connection is made.
    clock: Arc<RemoteClock>,
    /// Where what the server sends unasked goes. Only such a link asks for hints about keys.
    pushes: Option<UnboundedSender<Push>>,
    live: Arc<Mutex<Live>>,
    /// Held while connecting, so that callers share one attempt; the last attempt's failure and
    /// when it failed.
    connecting: tokio::sync::Mutex<Option<(Instant, RedisError)>>,
}

/// The connection in use, if any, and how many there have been.
#[derive(Default)]
struct Live {
    connection: Option<Connection>,
    generation: u64,
}

/// What the server sent without being asked.
#[derive(Debug)]
pub(crate) enum Push {
    /// The connection of this number is gone, and with it its subscriptions and hints.
    Disconnected(u64),
    /// One of these keys may have changed; every key, if none is named.
    Invalidated(Vec<Vec<u8>>),
    /// Something was published.
    Message { channel: Vec<u8>, payload: Vec<u8> },
    /// The server will give no hints about keys on this connection.
    TrackingRefused(RedisError),
}

/// Why a call gave no result.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The connection failed or no reply came in time: the command may have run, and may yet run.
    Lost(RedisError),
    /// There was no connection to send it on.
    NotSent(RedisError),
    /// The server answered with an error.
    Refused(RedisError),
}

impl Link {
    /// A link to the server that `info` describes; nothing is connected yet.
    pub(crate) fn new(
        info: ConnectionInfo,
        timeouts: Timeouts,
        clock: Arc<RemoteClock>,
        pushes: Option<UnboundedSender<Push>>,
    ) -> RedisResult<Self> {
        // RESP3 brings replies, messages and hints on one socket.
        let settings = info
            .redis_settings()
            .clone()
            .set_protocol(ProtocolVersion::RESP3);
        let tcp = info.tcp_settings().clone().set_nodelay(true);
        Ok(Self {
            client: redis::Client::open(info.set_redis_settings(settings).set_tcp_settings(tcp))?,
            timeouts,
            clock,
            pushes,
            live: Arc::default(),
            connecting: tokio::sync::Mutex::new(None),
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
        let (connection, generation) = self.connection().await.map_err(Failure::NotSent)?;
        work(connection).await.map_err(|error| {
            if matches!(error.kind(), ErrorKind::Io | ErrorKind::Parse) {
                // After a missing reply nothing on this socket can be trusted to come in time
                // either.
                self.discard(generation);
                Failure::Lost(error)
            } else {
                Failure::Refused(error)
            }
        })
    }

    /// The connection and its number, which no later connection of this link has.
    ///
    /// Cancel safe.
    pub(crate) async fn connection(&self) -> RedisResult<(Connection, u64)> {
        if let Some(live) = self.live() {
            return Ok(live);
        }
        let asked = Instant::now();
        let mut last_failure = self.connecting.lock().await;
        if let Some(live) = self.live() {
            return Ok(live);
        }
        if let Some((_, error)) = last_failure.as_ref().filter(|(failed, _)| *failed > asked) {
            return Err(error.clone());
        }
        match timeout(self.timeouts.connect, self.connect()).await {
            Ok(Ok(live)) => Ok(live),
            Ok(Err(error)) => {
                *last_failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
            Err(_) => {
                let error = RedisError::from(std::io::Error::from(std::io::ErrorKind::TimedOut));
                *last_failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    fn live(&self) -> Option<(Connection, u64)> {
        let live = lock(&self.live);
        live.connection.clone().map(|it| (it, live.generation))
    }

    async fn connect(&self) -> RedisResult<(Connection, u64)> {
        let generation = lock(&self.live).generation + 1;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeouts.connect))
            .set_response_timeout(Some(self.timeouts.response))
            .set_push_sender(self.push_sender(generation));
        let mut connection = self
            .client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;

        let sent = Instant::now();
        let (seconds, us): (i64, i64) = redis::cmd("TIME").query_async(&mut connection).await?;
        self.clock
            .observe(sent, Instant::now(), seconds * 1_000_000 + us);
        if let Some(pushes) = &self.pushes {
            // NOLOOP: what this client itself moves, its own tasks tell each other.
            let tracking: RedisResult<()> = redis::cmd("CLIENT")
                .arg(&["TRACKING", "ON", "NOLOOP"])
                .query_async(&mut connection)
                .await;
            match tracking {
                Err(error) if error.is_io_error() => return Err(error),
                Err(error) => drop(pushes.send(Push::TrackingRefused(error))),
                Ok(()) => {}
            }
        }

        let mut live = lock(&self.live);
        live.generation = generation;
        live.connection = Some(connection.clone());
        Ok((connection, generation))
    }

    /// Hears the driver out on one connection: it reports the end of the socket at once, also when
    /// nothing is sent.
    fn push_sender(&self, generation: u64) -> impl Fn(PushInfo) -> Result<(), Hangup> + use<> {
        let live: Weak<Mutex<Live>> = Arc::downgrade(&self.live);
        let pushes = self.pushes.clone();
        move |info| {
            if info.kind == PushKind::Disconnection
                && let Some(live) = live.upgrade()
            {
                forget(&live, generation);
            }
            match (&pushes, Push::from_info(info, generation)) {
                (Some(pushes), Some(push)) => pushes.send(push).map_err(|_| Hangup),
                _ => Ok(()),
            }
        }
    }

    fn discard(&self, generation: u64) {
        if forget(&self.live, generation)
            && let Some(pushes) = &self.pushes
        {
            // A frozen server never ends the socket, so the driver would not report it.
            let _ = pushes.send(Push::Disconnected(generation));
        }
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The client holds the password.
        f.debug_struct("Link")
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}

fn forget(live: &Mutex<Live>, generation: u64) -> bool {
    let mut live = lock(live);
    live.generation == generation && live.connection.take().is_some()
}

/// Nobody listens to pushes any more.
struct Hangup;

impl Push {
    fn from_info(info: PushInfo, generation: u64) -> Option<Self> {
        let mut data = info.data.into_iter();
        match info.kind {
            PushKind::Disconnection => Some(Self::Disconnected(generation)),
            PushKind::Invalidate => Some(Self::Invalidated(match data.next() {
                Some(Value::Array(keys)) => keys.into_iter().filter_map(bulk).collect(),
                _ => Vec::new(),
            })),
            PushKind::Message => Some(Self::Message {
                channel: bulk(data.next()?)?,
                payload: bulk(data.next()?)?,
            }),
            _ => None,
        }
    }
}

fn bulk(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        _ => None,
    }
}

impl Failure {
    /// Whether the command was certainly not applied and the cause may pass by itself.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Lost(_) => false,
            Self::NotSent(error) => !is_denial(error),
            // BUSY: somebody's script runs too long.
            Self::Refused(error) => {
                error.code() == Some("BUSY")
                    || !matches!(error.retry_method(), RetryMethod::NoRetry)
            }
        }
    }

    /// Whether there is no working connection.
    pub(crate) fn is_disconnection(&self) -> bool {
        !matches!(self, Self::Refused(_))
    }

    pub(crate) fn into_redis_error(self) -> RedisError {
        match self {
            Self::Lost(error) | Self::NotSent(error) | Self::Refused(error) => error,
        }
    }

    pub(crate) fn into_error(self, step: Step) -> Error {
        match self {
            Self::Lost(source) => Error::Lost { step, source },
            Self::NotSent(source) if is_denial(&source) => Error::Denied {
                step: Step::Connect,
                source,
            },
            Self::NotSent(source) => Error::Connect { source },
            Self::Refused(source) if is_denial(&source) => Error::Denied { step, source },
            Self::Refused(source) => match source.code() {
                Some("RDQTYPE" | "WRONGTYPE") => Error::WrongType {
                    step,
                    detail: source.detail().unwrap_or_default().to_owned(),
                },
                _ => Error::Refused { step, source },
            },
        }
    }
}

fn is_denial(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::NoPerm)
    ) || matches!(error.code(), Some("NOAUTH" | "WRONGPASS"))
}
