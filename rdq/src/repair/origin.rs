//! Where a queue was when it was repaired.

use std::fmt;

use redisson_delayed_queue::Master;
use redisson_delayed_queue::redis::cmd;
use serde::{Deserialize, Serialize};

use crate::failure::Result;
use crate::session::Session;
use crate::session::database::database;

/// A database of a server or of a cluster, as the header of a backup names it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Origin {
    /// The address of the master that has the queue.
    pub(crate) server: String,
    #[serde(default)]
    database: i64,
    /// The run ids of all masters, and the ids of their replication. Empty if the user has no right to
    /// `INFO`.
    #[serde(default)]
    ids: Vec<String>,
    /// The ids of the replication that masters had earlier: a replica that becomes the master keeps that
    /// of the old one. A header has none of them, because a copy of a server keeps it as well.
    #[serde(skip)]
    former: Vec<String>,
    /// For how long the master has been up at least.
    #[serde(skip)]
    up_ms: Option<u64>,
}

impl Origin {
    /// Where this master is.
    pub(crate) async fn of(session: &Session, master: &Master) -> Result<Self> {
        let mut origin = Self {
            server: master.address().to_string(),
            database: database(master).await,
            ..Self::default()
        };
        for each in session.client.masters() {
            let info: String = each.query(&cmd("INFO")).await.unwrap_or_default();
            let fields = info.lines().filter_map(|line| line.split_once(':'));
            for (name, value) in fields {
                match name {
                    "run_id" | "master_replid" => origin.ids.push(value.to_owned()),
                    "master_replid2" if value != NO_ID => origin.former.push(value.to_owned()),
                    "uptime_in_seconds" if each.address() == master.address() => {
                        // The difference of two whole seconds.
                        let up = value.parse().ok();
                        origin.up_ms = up.map(|it: u64| it.saturating_sub(1) * 1_000);
                    }
                    _ => {}
                }
            }
        }
        Ok(origin)
    }

    /// True if this, which was read `ago_ms` ago, and what is there now are one database, as far as
    /// that can be told.
    pub(crate) fn is(&self, now: &Self, ago_ms: u64) -> bool {
        if self.database != now.database {
            return false;
        }
        let mut ids = self.ids.iter();
        if ids.any(|id| now.ids.contains(id) || now.former.contains(id)) {
            return true;
        }
        // A restarted server has new ids.
        let is_restarted = now.up_ms.is_none_or(|up_ms| up_ms < ago_ms);
        self.server == now.server && (self.ids.is_empty() || is_restarted)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.database {
            0 => f.write_str(&self.server),
            number => write!(f, "database {number} of {}", self.server),
        }
    }
}

/// The second replication id of a master that has always been one.
const NO_ID: &str = "0000000000000000000000000000000000000000";

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(server: &str, ids: &[&str], up_ms: u64) -> Origin {
        Origin {
            server: server.to_owned(),
            database: 0,
            ids: ids.iter().map(|it| (*it).to_owned()).collect(),
            former: Vec::new(),
            up_ms: Some(up_ms),
        }
    }

    /// The same server, which had this replication id earlier.
    fn with_former(origin: Origin, id: &str) -> Origin {
        Origin {
            former: vec![id.to_owned()],
            ..origin
        }
    }

    const MINUTE: u64 = 60_000;

    #[test]
    fn a_replica_that_became_the_master_is_the_same() {
        let before = origin("one:6379", &["run1", "history1"], MINUTE);
        let other = origin("two:6379", &["run2", "history2"], 9 * MINUTE);
        assert!(!before.is(&other, MINUTE));
        assert!(before.is(&with_former(other, "history1"), MINUTE));
    }

    #[test]
    fn a_server_is_not_the_copy_of_it_that_was_repaired() {
        let live = origin("live:6379", &["run1", "history1"], 9 * MINUTE);
        let copy = origin("copy:6379", &["run2", "history2"], 9 * MINUTE);
        assert!(!with_former(copy, "history1").is(&live, MINUTE));
    }

    #[test]
    fn a_server_at_the_same_address_is_the_same_only_if_it_was_started_since() {
        let before = origin("localhost:6379", &["run1", "history1"], MINUTE);
        let other = |up_ms| origin("localhost:6379", &["run2", "history2"], up_ms);
        assert!(before.is(&other(MINUTE), 2 * MINUTE));
        assert!(!before.is(&other(3 * MINUTE), 2 * MINUTE));
    }

    #[test]
    fn another_database_is_another_place() {
        let before = origin("one:6379", &["run1"], MINUTE);
        let other = Origin {
            database: 3,
            ..before.clone()
        };
        assert!(!before.is(&other, MINUTE));
    }
}
