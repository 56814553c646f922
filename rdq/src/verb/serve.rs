//! `rdq serve`

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::{Failure, Result};
use crate::serve::{self, Access, Hosts, Proxies, Token};
use crate::session::Session;

/// Serve a web dashboard: queues, plots, elements, and metrics for Prometheus.
///
/// It only reads, unless you give a write token. Whoever has that token can cancel, reschedule and
/// promote elements, requeue and purge dead letters, and pause and resume queues. It listens on this
/// machine only, unless you say otherwise; then it wants a read token, too.
///
/// /metrics is for Prometheus, /healthz says whether this process lives, /readyz whether it reaches
/// Redis. SIGTERM and Ctrl-C end it when the open requests are answered.
///
/// Redis: up to about 100 cheap commands for each of up to 500 queues once a minute, and a SCAN of all
/// keys every 10 minutes. While somebody looks, the same for each queue at most every 2 s, and a SCAN
/// at most every 30 s; all viewers share one reading.
#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Where to listen: an IP address and a port. Port 0 is any free one.
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:6390",
        env = "RDQ_LISTEN",
        value_parser = address
    )]
    listen: SocketAddr,
    /// The most connections at a time. One more closes the oldest one of the address that has the most.
    #[arg(long, value_name = "COUNT", default_value = "256")]
    connections: NonZeroUsize,
    /// A name by which browsers reach this address, such as that of a reverse proxy. Addresses
    /// and localhost need none.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// The address of a reverse proxy that appends the client's to X-Forwarded-For. Without it, all
    /// clients behind a proxy have one count of wrong tokens.
    #[arg(long = "proxy", value_name = "IP")]
    proxies: Vec<IpAddr>,
    /// The file with the token that lets its owner change elements. Or the variable
    /// RDQ_WRITE_TOKEN.
    #[arg(long, value_name = "FILE")]
    write_token_file: Option<PathBuf>,
    /// The file with the token that lets its owner read. Without it everybody may. Or the variable
    /// RDQ_READ_TOKEN.
    #[arg(long, value_name = "FILE")]
    read_token_file: Option<PathBuf>,
    /// Listen on other networks without a read token: whoever reaches the address may read all
    /// payloads.
    #[arg(long)]
    allow_remote: bool,
}

impl Serve {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let read = token(self.read_token_file.as_deref(), "RDQ_READ_TOKEN")?;
        let write = token(self.write_token_file.as_deref(), "RDQ_WRITE_TOKEN")?;
        if !self.listen.ip().is_loopback() && read.is_none() && !self.allow_remote {
            return Err(Failure::usage(format!(
                "everybody who reaches {} could read all payloads: give --read-token-file, or \
                 --allow-remote if that is meant",
                self.listen
            )));
        }
        let access = Access::new(read, write);
        let hosts = Hosts::new(&self.hosts);
        let proxies = Proxies::new(&self.proxies);
        serve::run(
            session,
            self.listen,
            self.connections,
            hosts,
            proxies,
            access,
        )
        .await
    }
}

/// The token in a file or, without one, in a variable.
fn token(file: Option<&Path>, variable: &str) -> Result<Option<Token>> {
    let (text, place) = match file {
        Some(path) => {
            let text = fs::read_to_string(path).map_err(|it| Failure::read(path, it))?;
            (text, path.display().to_string())
        }
        None => match std::env::var(variable) {
            Ok(text) => (text, format!("the variable {variable}")),
            Err(_) => return Ok(None),
        },
    };
    let wrong = |reason| Failure::usage(format!("{place}: {reason}"));
    Token::new(text.trim()).map(Some).map_err(wrong)
}

fn address(text: &str) -> std::result::Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "an IP address and a port are needed, such as 127.0.0.1:6390")
}
