//! What checks of a server look at.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use redisson_delayed_queue::Master;
use redisson_delayed_queue::redis::cmd;

use super::clients::{self, Clients};
use super::refusals::{self, Refusal};
use crate::failure::Result;
use crate::queue::elsewhere;
use crate::queue::masters::master_count;
use crate::screen::shell::redis_line;
use crate::session::Session;
use crate::session::clock::now_us;
use crate::session::database::database;

/// A server.
pub(crate) struct Host {
    pub(crate) master: Master,
    /// The options by which `redis-cli` reaches it.
    pub(crate) redis_cli: Vec<String>,
    /// The database that this run looks at.
    pub(crate) database: i64,
    /// The fields of `INFO`.
    info: BTreeMap<String, String>,
    /// The settings; `None` if they cannot be read, as with many providers.
    pub(crate) config: Option<BTreeMap<String, String>>,
    pub(crate) clients: Clients,
    /// How often the server had taken elements from lists when this was read.
    pub(crate) takes: Option<u64>,
    /// The user of this run, if Redis says who that is.
    pub(crate) user: Option<String>,
    /// What the server has refused to its users in the last day.
    pub(crate) refusals: Vec<Refusal>,
    /// How many masters the cluster has in which this is a node.
    pub(crate) cluster_size: Option<u64>,
    /// By how many ms the clock of the server is ahead of the clock here, and by how many that may
    /// be wrong.
    pub(crate) clock_ahead_ms: (i64, i64),
}

impl Host {
    /// # Redis
    ///
    /// `INFO`, `INFO commandstats`, `CONFIG GET`, `CLIENT LIST`, `CLIENT INFO`, `ACL LOG` and `TIME`, some
    /// eleven commands, and in a cluster `CLUSTER INFO`.
    pub(crate) async fn read(session: &Session, master: Master) -> Result<Self> {
        let clock_ahead_ms = clock_ahead(&master).await?;
        let info: String = master.query(&cmd("INFO")).await.unwrap_or_default();
        let pair = |line: &str| {
            let (name, value) = line.trim_end().split_once(':')?;
            Some((name.to_owned(), value.to_owned()))
        };
        let info: BTreeMap<_, _> = info.lines().filter_map(pair).collect();
        let connected = info.get("connected_clients").and_then(|it| it.parse().ok());
        let database = database(&master).await;
        Ok(Self {
            redis_cli: session.redis_cli(&master.address(), database),
            database,
            user: master.query(cmd("ACL").arg("WHOAMI")).await.ok(),
            refusals: refusals::of_last_day(&master).await,
            cluster_size: master_count(&master).await,
            config: config(&master).await,
            clients: clients::list(&master, connected.unwrap_or(0)).await,
            takes: clients::takes(&master).await,
            info,
            master,
            clock_ahead_ms,
        })
    }

    /// A field of `INFO`; empty if the server does not say.
    pub(crate) fn info(&self, name: &str) -> &str {
        self.info.get(name).map_or("", String::as_str)
    }

    /// A number of `INFO`; 0 if the server does not say.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.info(name).parse().unwrap_or(0)
    }

    /// A setting, if it can be read.
    pub(crate) fn setting(&self, name: &str) -> Option<&str> {
        self.config.as_ref()?.get(name).map(String::as_str)
    }

    /// The other databases that have keys.
    pub(crate) fn other_databases(&self) -> Vec<i64> {
        let all = elsewhere::numbers(self.info.keys().map(String::as_str));
        all.filter(|it| *it != self.database).collect()
    }

    /// A command of Redis for this server, as a shell reads it.
    pub(crate) fn command(&self, words: &[&str]) -> String {
        redis_line(&self.redis_cli, words)
    }

    pub(crate) fn address(&self) -> String {
        self.master.address().to_string()
    }
}

async fn config(master: &Master) -> Option<BTreeMap<String, String>> {
    let mut config = BTreeMap::new();
    for name in SETTINGS {
        // One at a time: before version 7.0, Redis takes only one name.
        let found: BTreeMap<String, String> = master
            .query(cmd("CONFIG").arg("GET").arg(name))
            .await
            .ok()?;
        config.extend(found);
    }
    Some(config)
}

/// The settings that checks look at.
const SETTINGS: [&str; 8] = [
    "appendonly",
    "client-output-buffer-limit",
    "maxmemory",
    "maxmemory-policy",
    "min-replicas-to-write",
    "save",
    "tcp-keepalive",
    "timeout",
];

/// Compares the clock of the server with the clock here. Of several tries, the quickest has the
/// smallest error.
async fn clock_ahead(master: &Master) -> Result<(i64, i64)> {
    let mut best: Option<(Duration, i64)> = None;
    for _ in 0..5 {
        let (asked, here) = (Instant::now(), SystemTime::now());
        let there_us = now_us(master).await?;
        let took = asked.elapsed();
        let here = here.duration_since(UNIX_EPOCH).unwrap_or_default() + took / 2;
        let ahead_ms = (there_us as i64 - here.as_micros() as i64) / 1_000;
        if best.is_none_or(|(best, _)| took < best) {
            best = Some((took, ahead_ms));
        }
    }
    let (took, ahead_ms) = best.unwrap_or_default();
    Ok((ahead_ms, took.as_millis() as i64 / 2 + 1))
}
