//! `rdq keys`

use std::time::Duration;

use clap::Args;
use futures::future::try_join_all;
use redisson_delayed_queue::Master;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;
use serde::Serialize;

use crate::failure::Result;
use crate::queue::types::{self, Held};
use crate::screen::brief;
use crate::screen::number::grouped;
use crate::session::Session;

/// Show the keys that a queue has in Redis: type, length, memory, and when they vanish.
///
/// Those of the default dead-letter queue are among them. Keys that are not there are left out.
///
/// Redis: TYPE of each key. For those that are there, a length, MEMORY USAGE and PTTL.
#[derive(Args, Debug)]
pub(crate) struct Keys {
    /// The queue's name in Redis.
    queue: String,
}

#[derive(Serialize)]
struct Row {
    key: String,
    #[serde(rename = "type")]
    held: String,
    /// How many elements, fields or bytes; none for a type that no queue has.
    length: Option<u64>,
    /// About how many bytes of Redis's memory; none if Redis does not say.
    memory: Option<u64>,
    /// None for a key that stays.
    ttl_ms: Option<u64>,
}

impl Keys {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let keys = QueueKeys::new(&*self.queue)?;
        let master = session.client.master_of(&self.queue)?;
        let held = types::held(&master, &keys).await?;
        let held = held.into_iter().filter(|it| it.held != "none");
        let rows = try_join_all(held.map(|it| Row::of(&master, it))).await?;
        let headings = ["KEY", "TYPE", ">LENGTH", ">MEMORY", "VANISHES"];
        session.screen.rows(&headings, &rows, Row::cells)
    }
}

impl Row {
    async fn of(master: &Master, key: Held) -> Result<Self> {
        let Held { key, held, .. } = key;
        let length = match &*held {
            "hash" => Some("HLEN"),
            "list" => Some("LLEN"),
            "set" => Some("SCARD"),
            "string" => Some("STRLEN"),
            "zset" => Some("ZCARD"),
            _ => None,
        };
        let length = match length {
            Some(command) => Some(master.query(cmd(command).arg(&key)).await?),
            None => None,
        };
        let memory = master.query(cmd("MEMORY").arg("USAGE").arg(&key)).await;
        let ttl_ms: i64 = master.query(cmd("PTTL").arg(&key)).await?;
        Ok(Self {
            key,
            held,
            length,
            memory: memory.ok().flatten(),
            ttl_ms: u64::try_from(ttl_ms).ok(),
        })
    }

    fn cells(&self) -> Vec<String> {
        let number = |it: Option<u64>| it.map(grouped).unwrap_or_default();
        let vanishes = self.ttl_ms.map(Duration::from_millis).map(brief);
        vec![
            self.key.clone(),
            self.held.clone(),
            number(self.length),
            number(self.memory),
            vanishes.map(|it| format!("in {it}")).unwrap_or_default(),
        ]
    }
}
