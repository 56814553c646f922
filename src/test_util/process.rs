//! A private `redis-server`.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{self, Child, Command};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use redis::{AsyncConnectionConfig, RedisResult};
use tokio::time::sleep;

use crate::error::Error;
use crate::link::connection::Connection;

/// A server with a port and a directory of its own. Dropping it kills the server and removes the
/// directory.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    port: u16,
    dir: PathBuf,
}

/// Why a server or a queue for a test could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The server runs, but the queue's client could not be made.
    #[error("cannot connect to the private redis-server")]
    Client {
        /// What the client reported.
        #[from]
        source: Error,
    },

    /// The directory for temporary files is not writable, or no port is free.
    #[error("cannot get a directory or a port for a private redis-server")]
    Io {
        /// What the system reported.
        #[source]
        source: io::Error,
    },

    /// The program could not be run: it is not installed, or not on the `PATH`.
    #[error("cannot run redis-server, which must be installed and on the PATH")]
    Missing {
        /// What the system reported.
        #[source]
        source: io::Error,
    },

    /// The program ended, or did not answer within 10 s.
    #[error("redis-server did not start; its log: {log}")]
    Stopped {
        /// What the server wrote.
        log: String,
    },
}

impl Process {
    /// How long a server may take to answer.
    const PATIENCE: Duration = Duration::from_secs(10);
    /// How many ports to try: another process may take a free port before the server does.
    const ATTEMPTS: usize = 10;

    /// Starts a server that keeps nothing on disk, and connects to it.
    pub(super) async fn start() -> Result<(Self, Connection), StartError> {
        let mut attempt = 1;
        loop {
            let mut process = Self::launch()?;
            match process.connection().await {
                Ok(connection) => return Ok((process, connection)),
                Err(log) if log.contains("in use") && attempt < Self::ATTEMPTS => attempt += 1,
                Err(log) => return Err(StartError::Stopped { log }),
            }
        }
    }

    pub(super) fn url(&self) -> String {
        format!("redis://{}/", self.address())
    }

    pub(super) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn launch() -> Result<Self, StartError> {
        let io = |source| StartError::Io { source };
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .map_err(io)?
            .port();
        let dir = new_directory().map_err(io)?;
        let spawn = || -> Result<Child, StartError> {
            let log = File::create(dir.join(LOG)).map_err(io)?;
            let errors = log.try_clone().map_err(io)?;
            Command::new("redis-server")
                .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
                .args(["--save", "", "--appendonly", "no", "--dir"])
                .arg(&dir)
                .stdout(log)
                .stderr(errors)
                .spawn()
                .map_err(|source| StartError::Missing { source })
        };
        match spawn() {
            Ok(child) => Ok(Self { child, port, dir }),
            Err(error) => {
                // A directory that stays behind is not worth another error.
                let _ = fs::remove_dir_all(&dir);
                Err(error)
            }
        }
    }

    /// Waits until the server answers. The error is the server's log.
    async fn connection(&mut self) -> Result<Connection, String> {
        let deadline = Instant::now() + Self::PATIENCE;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            if let Ok(connection) = self.connect().await {
                return Ok(connection);
            }
            sleep(Duration::from_millis(5)).await;
        }
        Err(fs::read_to_string(self.dir.join(LOG)).unwrap_or_else(|error| error.to_string()))
    }

    async fn connect(&self) -> RedisResult<Connection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(Self::PATIENCE))
            .set_response_timeout(Some(Self::PATIENCE));
        let client = redis::Client::open(self.url())?;
        let socket = client.get_multiplexed_async_connection_with_config(&config);
        let mut connection = Connection::in_resp2(socket.await?, self.address().into());
        let info: String = redis::cmd("INFO")
            .arg("server")
            .query_async(&mut connection)
            .await?;
        // If another server took the port first, that one answers.
        let ours = format!("process_id:{}", self.child.id());
        if info.lines().any(|line| line == ours) {
            Ok(connection)
        } else {
            Err(io::Error::from(io::ErrorKind::AddrInUse).into())
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The server keeps no data, so it can be killed. A drop cannot report a failure.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Makes a new directory, with a name that no earlier process left behind.
fn new_directory() -> io::Result<PathBuf> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    loop {
        let name = format!("rdq-test-{}-{}", process::id(), NEXT.fetch_add(1, Relaxed));
        let dir = std::env::temp_dir().join(name);
        match fs::create_dir(&dir) {
            Ok(()) => return Ok(dir),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

const LOG: &str = "redis.log";
