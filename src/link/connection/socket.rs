//! The connection that carries commands, or subscriptions.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{Cmd, ErrorKind, Pipeline, RedisError, RedisFuture, RedisResult, ToRedisArgs, Value};
use tokio::time::Instant;

use super::failure::is_loss;
use super::pub_sub::PubSub;
use super::waits::Waits;
use crate::link::durability::{Acknowledged, Durability};
use crate::sync::lock;

/// A connection to the server that has the keys of a queue. Clones share one socket.
///
/// Everything that sends commands takes this type and not one of the driver, so that a connection
/// of another kind needs a change here alone.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    socket: Socket,
    /// The server's address, without credentials.
    server: Arc<str>,
    /// How long this clone waits for replies.
    response_timeout: Duration,
    shared: Arc<Shared>,
}

/// What the clones of a connection share besides its socket.
#[derive(Debug)]
pub(super) struct Shared {
    waits: Waits,
    /// When the last reply came.
    replied: Mutex<Instant>,
}

impl Shared {
    /// When the last reply came, or when the socket was opened.
    pub(super) fn replied(&self) -> Instant {
        *lock(&self.replied)
    }

    /// Notes when a reply came, if this is one.
    fn note<T>(&self, reply: &RedisResult<T>) {
        if !reply.as_ref().is_err_and(is_loss) {
            *lock(&self.replied) = Instant::now();
        }
    }
}

#[derive(Clone, Debug)]
enum Socket {
    /// In RESP3: replies, and what the server sends unasked.
    Full(MultiplexedConnection),
    /// In RESP2: replies alone.
    Replies(MultiplexedConnection),
    /// In RESP2: subscriptions alone.
    PubSub(PubSub),
}

impl Connection {
    /// Call this on the runtime that drives the socket.
    fn new(socket: Socket, server: Arc<str>) -> Self {
        Self {
            socket,
            server,
            response_timeout: Duration::ZERO,
            shared: Arc::new(Shared {
                waits: Waits::new(),
                replied: Mutex::new(Instant::now()),
            }),
        }
    }

    pub(super) fn in_resp3(socket: MultiplexedConnection, server: Arc<str>) -> Self {
        Self::new(Socket::Full(socket), server)
    }

    pub(crate) fn in_resp2(socket: MultiplexedConnection, server: Arc<str>) -> Self {
        Self::new(Socket::Replies(socket), server)
    }

    pub(super) fn of_subscriptions(socket: PubSub, server: Arc<str>) -> Self {
        Self::new(Socket::PubSub(socket), server)
    }

    /// The server's address, without credentials.
    pub(crate) fn server(&self) -> &Arc<str> {
        &self.server
    }

    /// How long commands sent on this clone wait for their replies.
    pub(super) fn set_response_timeout(&mut self, timeout: Duration) {
        self.response_timeout = timeout;
        match &mut self.socket {
            Socket::Full(socket) | Socket::Replies(socket) => socket.set_response_timeout(timeout),
            Socket::PubSub(socket) => socket.set_response_timeout(timeout),
        }
    }

    /// False if the socket carries subscriptions alone.
    pub(super) fn takes_commands(&self) -> bool {
        !matches!(self.socket, Socket::PubSub(_))
    }

    /// True if the server may send what it was not asked for, and the driver reports the end of the
    /// socket.
    pub(super) fn hears(&self) -> bool {
        matches!(self.socket, Socket::Full(_))
    }

    /// True if the socket has ended and nobody was told of it.
    ///
    /// In RESP2 the driver does not report the end of a socket, but it takes no command any more. So
    /// this sends `TIME` and waits for no reply. Without this, the first offer after a proxy has
    /// restarted would have an unknown outcome, although it was never sent.
    pub(super) fn is_over(&self) -> bool {
        let Socket::Replies(socket) = &self.socket else {
            return false;
        };
        let mut time = redis::cmd("TIME");
        time.set_no_response(true);
        let mut socket = socket.clone();
        let sent = socket.send_packed_command(&time).now_or_never();
        matches!(sent, Some(Err(_)))
    }

    /// Asks whether the server is there. An error may be its answer.
    ///
    /// Sends `TIME`, which every user may: connecting sends it, too. `PING` would need another right,
    /// but a socket for subscriptions in RESP2 takes nothing else.
    pub(super) async fn probe(&mut self) -> RedisResult<()> {
        match &mut self.socket {
            Socket::PubSub(socket) => socket.ping().await,
            Socket::Full(_) | Socket::Replies(_) => redis::cmd("TIME").exec_async(self).await,
        }
    }

    pub(super) fn response_timeout(&self) -> Duration {
        self.response_timeout
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Waits until what was written on this connection is as durable as `wanted`, or until `until`.
    /// Returns what is confirmed then.
    ///
    /// Redis answers nothing else on this connection meanwhile, for up to [`Waits::LONGEST`] at a
    /// time.
    ///
    /// Cancel safe.
    pub(crate) async fn acknowledged(
        &self,
        wanted: Durability,
        until: Instant,
    ) -> RedisResult<Acknowledged> {
        self.shared.waits.wait(self, wanted, until).await
    }

    pub(super) fn waits(&self) -> &Waits {
        &self.shared.waits
    }

    pub(crate) async fn subscribe(&mut self, channels: impl ToRedisArgs) -> RedisResult<()> {
        let reply = match &mut self.socket {
            Socket::Full(socket) => socket.subscribe(channels).await,
            Socket::PubSub(socket) => socket.subscribe(channels).await,
            Socket::Replies(_) => return Err(wrong_kind()),
        };
        self.shared.note(&reply);
        reply
    }

    pub(crate) async fn unsubscribe(&mut self, channels: impl ToRedisArgs) -> RedisResult<()> {
        let reply = match &mut self.socket {
            Socket::Full(socket) => socket.unsubscribe(channels).await,
            Socket::PubSub(socket) => socket.unsubscribe(channels).await,
            Socket::Replies(_) => return Err(wrong_kind()),
        };
        self.shared.note(&reply);
        reply
    }
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
        let (Socket::Full(socket) | Socket::Replies(socket)) = &mut self.socket else {
            return async { Err(wrong_kind()) }.boxed();
        };
        noting(&self.shared, socket.req_packed_command(command)).boxed()
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match &mut self.socket {
            Socket::Full(socket) | Socket::Replies(socket) => {
                let replies = socket.req_packed_commands(pipeline, offset, count);
                noting(&self.shared, replies).boxed()
            }
            Socket::PubSub(_) => async { Err(wrong_kind()) }.boxed(),
        }
    }

    fn get_db(&self) -> i64 {
        match &self.socket {
            Socket::Full(socket) | Socket::Replies(socket) => socket.get_db(),
            Socket::PubSub(_) => 0,
        }
    }
}

/// Waits for a reply, and notes that it came.
async fn noting<T>(shared: &Shared, reply: impl Future<Output = RedisResult<T>>) -> RedisResult<T> {
    let reply = reply.await;
    shared.note(&reply);
    reply
}

/// The error of a command that a connection of this kind cannot carry.
fn wrong_kind() -> RedisError {
    let text = "in RESP2 a socket carries either subscriptions or other commands";
    (ErrorKind::Client, text).into()
}
