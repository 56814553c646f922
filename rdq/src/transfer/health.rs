//! Tells others whether the mover works.

use std::collections::BTreeSet;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::try_join_all;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Client, Event};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::Report;
use crate::failure::{Failure, Result};

/// Where others look.
#[derive(Clone, Debug)]
pub(crate) enum HealthSign {
    /// A file that is there while the mover works. It holds the unix ms of the last check.
    File(PathBuf),
    /// An address that answers each HTTP request with 200 or 503.
    Http(SocketAddr),
}

impl FromStr for HealthSign {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        Ok(match text.parse() {
            Ok(address) => Self::Http(address),
            // A host name with a port, rather than a file of that name.
            Err(_) if text.contains(':') && !text.contains('/') => {
                return Err("an address has the form 127.0.0.1:8080; a file with a colon, ./a:b");
            }
            Err(_) => Self::File(text.into()),
        })
    }
}

/// Whether the mover works: each master answers, and no queue's elements are refused.
pub(crate) struct Health {
    /// The queues whose elements could not be moved.
    failing: Mutex<BTreeSet<String>>,
    state: watch::Sender<String>,
}

/// How often to check.
const CHECK: Duration = Duration::from_secs(1);

/// How long a caller may take for a request.
const PATIENCE: Duration = Duration::from_secs(5);

/// What `state` says when all is well.
const WELL: &str = "ok";

impl Health {
    pub(crate) fn new() -> Self {
        Self {
            failing: Mutex::default(),
            state: watch::Sender::new("starting".to_owned()),
        }
    }

    /// Learns from what the client reports.
    pub(crate) fn note(&self, event: &Event) {
        let Ok(mut failing) = self.failing.lock() else {
            return;
        };
        match event {
            Event::TransferFailed { queue, .. } => _ = failing.insert(queue.clone()),
            Event::TransferResumed { queue, .. } => _ = failing.remove(queue),
            _ => {}
        }
    }

    /// Checks again and again, and says so at `place`.
    ///
    /// # Redis
    ///
    /// `PING` of each master, each second.
    pub(crate) async fn serve(
        &self,
        client: &Client,
        place: Option<HealthSign>,
        report: Report,
    ) -> Result {
        let checks = async {
            loop {
                let state = self.check(client).await;
                self.state.send_replace(state);
                if let Some(HealthSign::File(path)) = &place {
                    self.write(path)?;
                }
                sleep(CHECK).await;
            }
        };
        match &place {
            Some(HealthSign::Http(address)) => {
                let listener = TcpListener::bind(address).await;
                let what = format!("cannot listen on {address}");
                let failed = |source| Failure::Io { what, source };
                let bound = listener.and_then(|it| Ok((it.local_addr()?, it)));
                let (address, listener) = bound.map_err(failed)?;
                report.say("health", None, &format!("is told at {address}"))?;
                tokio::select! {
                    done = checks => done,
                    () = self.answer(listener) => Ok(()),
                }
            }
            Some(HealthSign::File(_)) => checks.await,
            None => std::future::pending().await,
        }
    }

    /// The state now, as text.
    async fn check(&self, client: &Client) -> String {
        let masters = client.masters();
        let pings = masters.iter().map(|master| async {
            let answered: redisson_delayed_queue::Result<String> = master.query(&cmd("PING")).await;
            answered
        });
        if let Err(error) = try_join_all(pings).await {
            return error.to_string();
        }
        let failing = self.failing.lock().map(|it| it.clone()).unwrap_or_default();
        match failing.is_empty() {
            true => WELL.to_owned(),
            false => {
                let names: Vec<_> = failing.into_iter().collect();
                format!("elements are not moved: {}", names.join(", "))
            }
        }
    }

    /// Leaves the file there only if all is well.
    fn write(&self, path: &PathBuf) -> Result {
        let written = match *self.state.borrow() == WELL {
            true => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                fs::write(path, now.unwrap_or_default().as_millis().to_string())
            }
            false => match fs::remove_file(path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            },
        };
        written.map_err(|source| Failure::write(path, source))
    }

    /// Says at `place` that the mover has ended.
    pub(crate) fn end(&self, place: Option<&HealthSign>) {
        self.state.send_replace("ended".to_owned());
        if let Some(HealthSign::File(path)) = place {
            // The file may be gone already. If it stays, its time tells.
            let _ = self.write(path);
        }
    }

    async fn answer(&self, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((caller, _)) => {
                    let state = self.state.borrow().clone();
                    tokio::spawn(async move { timeout(PATIENCE, respond(caller, state)).await });
                }
                // Out of sockets, for example.
                Err(_) => sleep(CHECK).await,
            }
        }
    }
}

/// Reads the head of a request, and answers it.
async fn respond(mut caller: TcpStream, state: String) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut part = [0; 1_024];
    while head.len() < 16 * 1_024 && !head.windows(4).any(|it| it == b"\r\n\r\n") {
        match caller.read(&mut part).await? {
            0 => return Ok(()),
            count => head.extend_from_slice(&part[..count]),
        }
    }
    let status = match state.as_str() {
        WELL => "200 OK",
        _ => "503 Service Unavailable",
    };
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{state}\n",
        state.len() + 1
    );
    caller.write_all(response.as_bytes()).await?;
    caller.shutdown().await
}
