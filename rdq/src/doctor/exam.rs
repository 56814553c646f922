//! What checks of a queue look at.

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::{Cmd, FromRedisValue};
use redisson_delayed_queue::{Error, Master, Result};

use super::host::Host;
use crate::failure;
use crate::queue::census::{Depth, Members};
use crate::queue::nodes::Nodes;
use crate::session::Session;
use crate::session::clock::now_us;

/// A queue that is examined.
pub(crate) struct Exam<'a> {
    pub(crate) name: String,
    pub(crate) keys: QueueKeys,
    pub(crate) depth: Depth,
    pub(crate) nodes: &'a Nodes,
    pub(crate) hosts: &'a [Host],
    /// The master that has the queue; an error if the keys of the name lie in several slots.
    master: Result<Master>,
    is_cluster: bool,
}

impl<'a> Exam<'a> {
    pub(crate) async fn begin(
        session: &Session,
        name: String,
        depth: Depth,
        nodes: &'a Nodes,
        hosts: &'a [Host],
    ) -> failure::Result<Self> {
        Ok(Self {
            keys: QueueKeys::new(&*name)?,
            master: session.client.master_of(&name),
            is_cluster: hosts.iter().any(|it| it.info("cluster_enabled") == "1"),
            name,
            depth,
            nodes,
            hosts,
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
        let address = self.master().ok()?.address();
        self.hosts.iter().find(|it| it.master.address() == address)
    }

    pub(crate) fn members(&self) -> Result<Members<'_>> {
        Ok(Members {
            master: self.master()?,
            keys: &self.keys,
        })
    }

    /// Sends a command of these words to the master.
    pub(crate) async fn ask<T: FromRedisValue>(&self, words: &[&str]) -> Result<T> {
        let mut command = Cmd::new();
        command.arg(words);
        self.master()?.query(&command).await
    }

    /// The clock of the server, in Unix ms.
    pub(crate) async fn now_ms(&self) -> Result<u64> {
        Ok(now_us(self.master()?).await? / 1_000)
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
