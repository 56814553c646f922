//! A private Redis that a test may kill, freeze and restart.

use std::{env, sync::OnceLock, time::Duration};

use redis::{AsyncConnectionConfig, Client, FromRedisValue, aio::MultiplexedConnection};
use testbed::{ClockOffset, Server, Settings, Tair};
use tokio::task::spawn_blocking;

/// A [`Server`] of one test. The test's other tasks go on while it starts.
///
/// Dropping it kills the process, frozen or not, and removes what it wrote.
pub(crate) struct RedisServer {
    server: Server,
    /// Stands in front of the server if the environment asks for it.
    front: OnceLock<Tair>,
}

impl RedisServer {
    /// Starts a Redis that keeps nothing on disk, which is what most tests want, and waits until it answers.
    pub(crate) async fn start() -> Self {
        Self::with(Settings::new()).await
    }

    /// Starts a Redis that finds its data again after [`kill`](Self::kill) and [`restart`](Self::restart).
    pub(crate) async fn durable() -> Self {
        let settings = Settings::new().set("appendonly", "yes");
        Self::with(settings.set("appendfsync", "always")).await
    }

    /// Starts a Redis with these settings, for what only a configuration can bring about.
    pub(crate) async fn with(settings: Settings) -> Self {
        let server = blocking(move || Server::with(&settings)).await;
        let front = OnceLock::new();
        Self { server, front }
    }

    /// The URL of database 0 in RESP2; append `?protocol=resp3` for pushes.
    ///
    /// With `FRONT=tair` in the environment, it leads through a proxy that refuses scripts as a managed cluster does.
    pub(crate) fn url(&self) -> String {
        if env::var("FRONT").is_ok_and(|front| front == "tair") {
            let start = || Tair::start(self.port());
            return self.front.get_or_init(start).url();
        }
        format!("{}/", self.server.url())
    }

    /// The port, for putting a [`Proxy`](super::Proxy) in front. It outlives a restart.
    pub(crate) fn port(&self) -> u16 {
        self.server.port()
    }

    /// Ends the process with SIGKILL and waits until it is gone: a crash that saves nothing and closes every connection.
    pub(crate) fn kill(&self) {
        self.server.kill();
    }

    /// Runs Redis again with the same port, directory and settings, after killing it if it still runs.
    ///
    /// Clients find the new process at the old address, with no scripts loaded and only the data that was on disk.
    pub(crate) async fn restart(&self) {
        let server = self.server.clone();
        blocking(move || server.restart()).await;
    }

    /// As [`restart`](Self::restart), with this clock.
    pub(crate) async fn restart_with_clock(&self, clock: ClockOffset) {
        self.server.set_clock(clock);
        self.restart().await;
    }

    /// Freezes the process with SIGSTOP: connections stay up, connecting works, and nothing is answered.
    ///
    /// What clients send meanwhile is executed after [`resume`](Self::resume), also when they no longer wait for it.
    pub(crate) fn pause(&self) {
        self.server.pause();
    }

    /// Continues a frozen process with SIGCONT.
    pub(crate) fn resume(&self) {
        self.server.resume();
    }

    /// A new connection for assertions on raw contents, which waits half a minute for a reply where the default is 0.5 s.
    pub(crate) async fn connection(&self) -> MultiplexedConnection {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(PATIENCE))
            .set_response_timeout(Some(PATIENCE));
        let client = Client::open(self.server.url()).expect("the URL is valid");
        let connected = client.get_multiplexed_async_connection_with_config(&config);
        connected.await.expect("the test's own Redis accepts")
    }

    /// Runs a command on a new connection.
    pub(crate) async fn run<T: FromRedisValue>(&self, command: &[&str]) -> T {
        let ran = redis::cmd(command[0])
            .arg(&command[1..])
            .query_async(&mut self.connection().await)
            .await;
        ran.unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }

    /// How often Redis has run the commands `names`, to prove that an idle client is silent or that a batch is one call.
    ///
    /// Names are those of `INFO commandstats`: lower case, subcommands as `script|load`. Calls from inside a script
    /// count, and so do those of other clients, among them the CLIENT SETINFO of every new redis-rs connection.
    pub(crate) async fn command_count(&self, names: &[&str]) -> u64 {
        let stats: String = self.run(&["INFO", "commandstats"]).await;
        let count = |line: &str| {
            let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            let (calls, _) = rest.split_once(',')?;
            let is_named = names.contains(&name);
            is_named.then(|| {
                calls
                    .parse::<u64>()
                    .expect("Redis counts calls in whole numbers")
            })
        };
        stats.lines().filter_map(count).sum()
    }

    /// Closes every connection of `kind` (`normal` or `pubsub`) and returns how many: a fault that Redis survives.
    ///
    /// The count can include connections that their client dropped a moment ago, [`connection`](Self::connection)s too.
    pub(crate) async fn kill_clients(&self, kind: &str) -> usize {
        self.run(&["CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes"])
            .await
    }
}

/// Runs work that blocks its thread beside the tasks of the test.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    spawn_blocking(work).await.expect("the server starts")
}

/// Long, for a machine that is building something else at the same time.
const PATIENCE: Duration = Duration::from_secs(30);
