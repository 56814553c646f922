//! What checks of a queue look at.

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::{Cmd, FromRedisValue};
use redisson_delayed_queue::{Error, Master, Result};

use super::host::Host;
use crate::failure;
use crate::queue::census::{Depth, Members};
use crate::queue::home::Home;
use crate::queue::names;
use crate::queue::nodes::Nodes;
use crate::screen::shell::{command_line, redis_line};
use crate::session::Session;
use crate::session::clock::{now_us, steady_now_us};
use crate::session::database::database;

/// A queue that is examined.
pub(crate) struct Exam<'a> {
    pub(crate) name: String,
    pub(crate) keys: QueueKeys,
    pub(crate) depth: Depth,
    pub(crate) nodes: &'a Nodes,
    pub(crate) hosts: &'a [Host],
    /// Says whether the keys surely belong to this queue.
    pub(crate) home: Home,
    /// The master that has the queue; an error if the keys of the name lie in several slots.
    master: Result<Master>,
    is_cluster: bool,
    /// The options by which `redis-cli` reaches that master.
    redis_cli: Vec<String>,
}

impl<'a> Exam<'a> {
    pub(crate) async fn begin(
        session: &Session,
        name: String,
        depth: Depth,
        nodes: &'a Nodes,
        hosts: &'a [Host],
    ) -> failure::Result<Self> {
        let keys = QueueKeys::new(&*name)?;
        let master = session.client.master_of(&name);
        let redis_cli = match &master {
            Ok(it) => match host_of(it, hosts) {
                Some(host) => host.redis_cli.clone(),
                // It was not examined.
                None => session.redis_cli(&it.address(), database(it).await),
            },
            Err(_) => Vec::new(),
        };
        Ok(Self {
            home: Home::find(&session.client, &keys).await?,
            keys,
            master,
            is_cluster: hosts.iter().any(|it| it.info("cluster_enabled") == "1"),
            name,
            depth,
            nodes,
            hosts,
            redis_cli,
        })
    }

    /// The master that has the queue.
    pub(crate) fn master(&self) -> Result<&Master> {
        self.master.as_ref().map_err(Error::clone)
    }

    pub(crate) fn is_cluster(&self) -> bool {
        self.is_cluster
    }

    /// What is known about the server that has the queue.
    pub(crate) fn host(&self) -> Option<&Host> {
        host_of(self.master().ok()?, self.hosts)
    }

    pub(crate) fn members(&self) -> Result<Members<'_>> {
        Ok(Members {
            master: self.master()?,
            keys: &self.keys,
        })
    }

    /// A run of this program about the queue, as a shell reads it.
    pub(crate) fn command(&self, verb: &[&str], options: &[&str]) -> String {
        command_line(verb, &self.name, options)
    }

    /// A command of Redis for the server that has the queue, as a shell reads it.
    pub(crate) fn redis(&self, words: &[&str]) -> String {
        redis_line(&self.redis_cli, words)
    }

    /// Sends a command of these words to the master.
    pub(crate) async fn ask<T: FromRedisValue>(&self, words: &[&str]) -> Result<T> {
        let mut command = Cmd::new();
        command.arg(words);
        self.master()?.query(&command).await
    }

    /// Reads entries of a key, unless it takes much of Redis's memory.
    pub(crate) async fn small(&self, read: &[&str]) -> Result<Vec<Vec<u8>>> {
        const MOST_BYTES: u64 = 1 << 20;
        let used: Option<u64> = self
            .ask(&["MEMORY", "USAGE", read[1]])
            .await
            .unwrap_or(None);
        match used {
            Some(..MOST_BYTES) => self.ask(read).await,
            _ => Ok(Vec::new()),
        }
    }

    /// True if the queue has the dead letters of another one.
    pub(crate) fn is_dead_letters(&self) -> bool {
        names::buried_in(&self.name).is_some()
    }

    /// The clock of the server, in Unix ms.
    pub(crate) async fn now_ms(&self) -> Result<u64> {
        Ok(now_us(self.master()?).await? / 1_000)
    }

    /// The clock by which leases and retries of the queue end, in Unix ms.
    pub(crate) async fn steady_now_ms(&self) -> Result<u64> {
        Ok(steady_now_us(self.master()?, &self.keys).await? / 1_000)
    }

    /// How many members of a set have scores up to this one.
    pub(crate) async fn count_up_to(&self, key: &str, score: &str) -> Result<u64> {
        self.ask(&["ZCOUNT", key, "-inf", score]).await
    }

    /// How many connections listen to a channel of this queue, on all servers that answer. In a
    /// cluster they may be connected to any node.
    pub(crate) async fn listeners(&self, channel: &str) -> Result<u64> {
        self.nodes.listeners(channel).await
    }
}

/// The examined host of this master, if there is one.
fn host_of<'a>(master: &Master, hosts: &'a [Host]) -> Option<&'a Host> {
    let address = master.address();
    hosts.iter().find(|it| it.master.address() == address)
}
