//! One master of a client's Redis, for commands of your own.

use std::sync::Arc;

use redis::{Cmd, FromRedisValue, RedisResult};

use crate::delivery::session::Session;
use crate::error::{Result, Step};
use crate::link::connection::Connection;
use crate::link::node::Node;
use crate::wire::script::Call;

/// One master of a client's Redis, for commands of your own: `SCAN`, `INFO`, `CONFIG GET`.
///
/// Made by [`Client::masters`](crate::Client::masters) and
/// [`Client::master_of`](crate::Client::master_of). It uses the address, login and TLS settings of
/// the client, and its connection for calls. Clones share everything.
///
/// # Examples
///
/// ```no_run
/// use redisson_delayed_queue::{Client, redis};
///
/// # async fn run(client: Client) -> redisson_delayed_queue::Result<()> {
/// for master in client.masters() {
///     let keys: u64 = master.query(&redis::cmd("DBSIZE")).await?;
///     println!("{} has {keys} keys", master.address());
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Master {
    session: Arc<Session>,
    node: Arc<Node>,
}

impl Master {
    pub(crate) fn new(session: Arc<Session>, node: Arc<Node>) -> Self {
        Self { session, node }
    }

    /// The server's address, without credentials.
    ///
    /// With Sentinels, the address of the server that is the master now.
    #[must_use]
    pub fn address(&self) -> Arc<str> {
        self.node.calls.server()
    }

    /// Sends `command` once, and reads the reply, within the [response
    /// timeout](crate::ClientBuilder::response_timeout).
    ///
    /// Other calls of the client share the connection. So send nothing that blocks it (`BLPOP`,
    /// `MONITOR`) or changes it (`SELECT`, `MULTI`, `SUBSCRIBE`, `CLIENT REPLY`). If the call is
    /// dropped, Redis may run the command.
    ///
    /// # Errors
    ///
    /// - [`Error::Closed`](crate::Error::Closed) after [`shutdown`](crate::Client::shutdown),
    ///   [`Error::Connect`](crate::Error::Connect) and others as usual: Redis did not run the
    ///   command.
    /// - [`Error::Refused`](crate::Error::Refused) if Redis refused the command, for example
    ///   because this master no longer has the key (`MOVED`).
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost or comes too late. Redis may
    ///   have run the command. Nothing is sent again.
    pub async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T> {
        self.send(|mut connection| async move { command.query_async(&mut connection).await })
            .await
    }

    /// Runs a script, as [`query`](Self::query) runs a command. A server that does not know the
    /// script gets its text.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::sync::LazyLock;
    /// use redisson_delayed_queue::{Client, keys::QueueKeys, script::Script};
    ///
    /// static OVERDUE: LazyLock<Script> = LazyLock::new(|| {
    ///     Script::new(
    ///         "\
    /// -- overdue: count the elements that were due before a moment.
    /// -- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}
    /// -- ARGV[1] before_ms text that moment, unix ms
    /// return redis.call('ZCOUNT', timeouts, '-inf', '(' .. before_ms)
    /// ",
    ///     )
    /// });
    ///
    /// # async fn run(client: Client) -> redisson_delayed_queue::Result<()> {
    /// let orders = QueueKeys::new("orders")?;
    /// let mut call = OVERDUE.of(&orders);
    /// call.arg("before_ms", 1_800_000_000_000_u64);
    /// let count: u64 = client.master_of("orders")?.call(&mut call).await?;
    /// # drop(count);
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// In a debug build, if arguments are missing that the header of the script names.
    pub async fn call<T: FromRedisValue>(&self, call: &mut Call<'_>) -> Result<T> {
        self.send(|connection| call.invoke(connection)).await
    }

    async fn send<T, W: Future<Output = RedisResult<T>>>(
        &self,
        work: impl FnOnce(Connection) -> W,
    ) -> Result<T> {
        self.session.ensure_open()?;
        let sent = self.node.calls.call(work).await;
        sent.map_err(|failure| failure.into_error(Step::Command))
    }
}
