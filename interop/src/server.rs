//! A private Redis.

use std::{
    env, fs,
    net::{Ipv4Addr, TcpListener},
    path::PathBuf,
    process::{self, Child, Command, Stdio},
    sync::atomic::{AtomicU16, Ordering},
    thread,
    time::{Duration, Instant},
};

use redis::{Client, Connection, RedisResult};

/// A `redis-server` on a port of its own that keeps nothing on disk; killed when dropped.
#[derive(Debug)]
pub struct Server {
    process: Child,
    port: u16,
    log: PathBuf,
}

impl Server {
    /// Starts a Redis and waits until it answers.
    ///
    /// # Panics
    ///
    /// If there is no `redis-server`, or if it does not start.
    pub fn start() -> Self {
        // Someone may take the port between the search for it and Redis's bind.
        (0..PORT_ATTEMPTS)
            .find_map(|_| Self::launch(free_port()))
            .unwrap_or_else(|| panic!("redis-server found no free port, {PORT_ATTEMPTS} times"))
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Its port, for a proxy before it.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A new connection to it.
    ///
    /// # Panics
    ///
    /// If Redis does not accept it.
    pub fn connection(&self) -> Connection {
        self.connect()
            .expect("the private redis accepts connections")
    }

    /// Nothing if the port is taken.
    fn launch(port: u16) -> Option<Self> {
        let log = env::temp_dir().join(format!("interop-redis-{}-{port}.log", process::id()));
        let process = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no"])
            .arg("--logfile")
            .arg(&log)
            .stdout(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("cannot run redis-server, try `apt-get install redis-server`: {error}")
            });
        let mut server = Self { process, port, log };
        let deadline = Instant::now() + START_DEADLINE;
        while !server.is_ready() {
            let log = || fs::read_to_string(&server.log).unwrap_or_default();
            if server.process.try_wait().is_ok_and(|ended| ended.is_some()) {
                let log = log();
                assert!(
                    log.contains("Address already in use"),
                    "redis-server:\n{log}"
                );
                return None;
            }
            assert!(Instant::now() < deadline, "redis-server:\n{}", log());
            thread::sleep(Duration::from_millis(5));
        }
        Some(server)
    }

    /// Whether the Redis that answers is ours: after a lost race for the port it is another one.
    fn is_ready(&self) -> bool {
        let info = self.connect().and_then(|mut connection| {
            redis::cmd("INFO")
                .arg("server")
                .query::<String>(&mut connection)
        });
        let ours = format!("process_id:{}", self.process.id());
        info.is_ok_and(|info| info.lines().any(|line| line == ours))
    }

    fn connect(&self) -> RedisResult<Connection> {
        let connection = Client::open(self.url())?.get_connection_with_timeout(REPLY_DEADLINE)?;
        connection.set_read_timeout(Some(REPLY_DEADLINE))?;
        Ok(connection)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What has ended already, or was removed already, is as it should be.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_file(&self.log);
    }
}

/// A port that was free a moment ago and that this process has not used before.
///
/// It lies below the range from which systems choose the local ports of outgoing connections.
fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Processes that run at the same time start their search at different places.
    let start = process::id() % u32::from(PORTS) * 61;
    loop {
        let step = u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = FIRST_PORT + ((start + step) % u32::from(PORTS)) as u16;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}

const FIRST_PORT: u16 = 20_000;
const PORTS: u16 = 12_000;
const PORT_ATTEMPTS: usize = 10;
/// Long, for a machine that is building something else at the same time.
const START_DEADLINE: Duration = Duration::from_secs(30);
const REPLY_DEADLINE: Duration = Duration::from_secs(10);
