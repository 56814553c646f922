//! A private Redis that a test may kill, freeze and restart.

use std::{
    env,
    fs::{self, File},
    path::PathBuf,
    process::{Child, Command},
    sync::OnceLock,
    thread,
    time::Duration,
};

use redis::{AsyncConnectionConfig, Client, RedisResult, aio::MultiplexedConnection};
use testbed::{ClockOffset, Tair};
use tokio::time::{Instant, sleep};

use place::{Port, new_directory};

mod place;

/// A `redis-server` of one test, on its own port and in its own directory, so that no test can disturb another.
///
/// Dropping it kills the process, frozen or not, and removes the directory, unless the test fails.
pub(crate) struct RedisServer {
    /// `None` after [`kill9`](Self::kill9).
    child: Option<Child>,
    port: Port,
    dir: PathBuf,
    args: Vec<String>,
    clock: ClockOffset,
    /// Stands in front of the server if the environment asks for it.
    front: OnceLock<Tair>,
}

impl RedisServer {
    /// Starts a Redis that keeps nothing on disk, which is what most tests want, and waits until it answers PING.
    pub(crate) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts a Redis with additional `args`, for what only a configuration can bring about.
    ///
    /// For example `&["--appendonly", "yes", "--appendfsync", "always"]`, to find the data again after
    /// [`kill9`](Self::kill9) and [`restart`](Self::restart).
    pub(crate) async fn start_with(args: &[&str]) -> Self {
        let mut server = Self {
            child: None,
            port: Port::free(),
            dir: new_directory(),
            args: args.iter().map(ToString::to_string).collect(),
            clock: ClockOffset::default(),
            front: OnceLock::new(),
        };
        for _ in 0..PORT_ATTEMPTS {
            match server.launch().await {
                Ok(()) => return server,
                // Someone took the port between the search for it and Redis's bind.
                Err(log) if log.contains("Address already in use") => server.port = Port::free(),
                Err(log) => panic!("redis-server stopped while starting:\n{log}"),
            }
        }
        panic!("redis-server found no free port in {PORT_ATTEMPTS} attempts");
    }

    /// The URL of database 0 in RESP2; append `?protocol=resp3` for pushes.
    ///
    /// With `FRONT=tair` in the environment, it leads through a proxy that refuses scripts as a managed cluster does.
    pub(crate) fn url(&self) -> String {
        if env::var("FRONT").is_ok_and(|front| front == "tair") {
            return self
                .front
                .get_or_init(|| Tair::start(self.port.number))
                .url();
        }
        format!("redis://127.0.0.1:{}/", self.port.number)
    }

    /// The port, for putting a [`Proxy`](super::Proxy) in front. It outlives a restart.
    pub(crate) fn port(&self) -> u16 {
        self.port.number
    }

    /// Ends the process with SIGKILL and waits until it is gone: a crash that saves nothing and closes every connection.
    pub(crate) fn kill9(&mut self) {
        if let Some(mut child) = self.child.take() {
            child
                .kill()
                .expect("a child that was not waited for can be signalled");
            child.wait().expect("a killed child ends");
        }
    }

    /// Runs Redis again with the same port, directory and arguments, after killing it if it still runs.
    ///
    /// Clients find the new process at the old address, with no scripts loaded and only the data that was on disk.
    pub(crate) async fn restart(&mut self) {
        self.kill9();
        if let Err(log) = self.launch().await {
            panic!("redis-server stopped while restarting:\n{log}");
        }
    }

    /// As [`restart`](Self::restart), with this clock.
    pub(crate) async fn restart_with_clock(&mut self, clock: ClockOffset) {
        self.clock = clock;
        self.restart().await;
    }

    /// Freezes the process with SIGSTOP: connections stay up, connecting works, and nothing is answered.
    ///
    /// What clients send meanwhile is executed after [`resume`](Self::resume), also when they no longer wait for it.
    pub(crate) fn pause(&self) {
        self.signal("STOP");
    }

    /// Continues a frozen process with SIGCONT.
    pub(crate) fn resume(&self) {
        self.signal("CONT");
    }

    /// A new connection for assertions on raw contents, which waits half a minute for a reply where the default is 0.5 s.
    pub(crate) async fn connection(&self) -> MultiplexedConnection {
        connect(self.port.number)
            .await
            .expect("the test's own redis-server accepts connections")
    }

    /// How often Redis has run the commands `names`, to prove that an idle client is silent or that a batch is one call.
    ///
    /// Names are those of `INFO commandstats`: lower case, subcommands as `script|load`. Calls from inside a script
    /// count, and so do those of other clients, among them the CLIENT SETINFO of every new redis-rs connection.
    pub(crate) async fn command_count(&self, names: &[&str]) -> u64 {
        let stats: String = redis::cmd("INFO")
            .arg("commandstats")
            .query_async(&mut self.connection().await)
            .await
            .expect("INFO answers");
        stats
            .lines()
            .filter_map(|line| line.strip_prefix("cmdstat_")?.split_once(":calls="))
            .filter(|(name, _)| names.contains(name))
            .map(|(_, rest)| {
                rest.split(',')
                    .next()
                    .expect("split yields at least one part")
            })
            .map(|calls| {
                calls
                    .parse::<u64>()
                    .expect("Redis counts calls in whole numbers")
            })
            .sum()
    }

    /// Closes every connection of `kind` (`normal` or `pubsub`) and returns how many: a fault that Redis survives.
    ///
    /// The count can include connections that their client dropped a moment ago, [`connection`](Self::connection)s too.
    pub(crate) async fn kill_clients(&self, kind: &str) -> usize {
        redis::cmd("CLIENT")
            .arg(&["KILL", "TYPE", kind, "SKIPME", "yes"])
            .query_async(&mut self.connection().await)
            .await
            .expect("CLIENT KILL accepts the kind and answers")
    }

    /// Starts the process and waits until it answers PING. If it ends instead, returns its log.
    async fn launch(&mut self) -> Result<(), String> {
        let log = self.dir.join("redis.log");
        let output = File::create(&log).expect("the test's own directory is writable");
        let errors = output.try_clone().expect("a file handle can be duplicated");
        let mut command = Command::new("redis-server");
        self.clock.apply(&mut command);
        let child = command
            .args([
                "--port",
                &self.port.number.to_string(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
            ])
            .arg("--dir")
            .arg(&self.dir)
            .args(&self.args)
            .stdout(output)
            .stderr(errors)
            .spawn()
            .unwrap_or_else(|error| {
                panic!("cannot run redis-server, try `apt-get install redis-server`: {error}")
            });
        let process = child.id();
        let child = self.child.insert(child);

        let log = || fs::read_to_string(&log).unwrap_or_else(|error| format!("no log: {error}"));
        let deadline = Instant::now() + START_DEADLINE;
        while child
            .try_wait()
            .expect("the child's state can be read")
            .is_none()
        {
            if is_ready(self.port.number, process).await {
                return Ok(());
            }
            assert!(
                Instant::now() < deadline,
                "redis-server not ready in {START_DEADLINE:?}:\n{}",
                log()
            );
            sleep(Duration::from_millis(5)).await;
        }
        self.child = None;
        Err(log())
    }

    fn signal(&self, name: &str) {
        let process = self
            .child
            .as_ref()
            .expect("only a running server is paused or resumed")
            .id();
        // `kill` is built into every shell; as a program of its own it is missing from slim images.
        let status = Command::new("sh")
            .arg("-c")
            .arg(format!("kill -{name} {process}"))
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "SIG{name} was not delivered to process {process}"
        );
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        let was_running = self.child.is_some();
        self.kill9();
        if was_running && thread::panicking() {
            eprintln!("the log and the data of redis: {}", self.dir.display());
            return;
        }
        // A directory that stays behind is not worth a panic.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// True if the Redis on `port` is `process` and has loaded its data.
///
/// After a lost race for the port it is another test's Redis that answers, until our own process ends.
async fn is_ready(port: u16, process: u32) -> bool {
    let ready: RedisResult<bool> = async {
        let mut connection = connect(port).await?;
        let _pong: String = redis::cmd("PING").query_async(&mut connection).await?;
        let info: String = redis::cmd("INFO")
            .arg("server")
            .query_async(&mut connection)
            .await?;
        Ok(info
            .lines()
            .any(|line| line == format!("process_id:{process}")))
    }
    .await;
    ready.unwrap_or(false)
}

async fn connect(port: u16) -> RedisResult<MultiplexedConnection> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(RESPONSE_TIMEOUT))
        .set_response_timeout(Some(RESPONSE_TIMEOUT));
    Client::open(("127.0.0.1", port))?
        .get_multiplexed_async_connection_with_config(&config)
        .await
}

const PORT_ATTEMPTS: usize = 10;
/// Long, for a machine that is building something else at the same time.
const START_DEADLINE: Duration = Duration::from_secs(30);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
