//! The masters that answer, and those that do not.

use std::time::Duration;

use futures::future::join_all;
use redisson_delayed_queue::redis::{Value, cmd};
use redisson_delayed_queue::{Client, Error, Master};
use serde::Serialize;
use tokio::time::timeout;

use crate::failure::{Failure, Result, with_sources};
use crate::screen::brief;
use crate::session::Session;

/// All masters, as far as they can be asked.
#[derive(Debug)]
pub(crate) struct Masters {
    pub(crate) answering: Vec<Master>,
    pub(crate) silent: Vec<Silent>,
}

/// A server that gives no answer, or none that helps.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Silent {
    pub(crate) server: String,
    pub(crate) reason: String,
}

impl Masters {
    /// Asks each master for the time. Fails if none tells it.
    ///
    /// Waits for the only master as long as for any answer. Of several, one that is silent must not keep
    /// the others back, so it gets a third of that time.
    pub(crate) async fn find(session: &Session) -> Result<Self> {
        let all = session.client.masters();
        let patience = match all.len() {
            1 => Duration::MAX,
            _ => session.timeout() / 3,
        };
        let asked = join_all(all.iter().map(|it| ask(it, patience))).await;
        let (mut answering, mut silent) = (Vec::new(), Vec::new());
        let mut first = None;
        for (master, answered) in all.into_iter().zip(asked) {
            match answered {
                Ok(()) => answering.push(master),
                Err(failure) => {
                    silent.push(Silent::at(&master, &failure));
                    first.get_or_insert(failure);
                }
            }
        }
        match first {
            Some(failure) if answering.is_empty() => Err(failure),
            _ => Ok(Self { answering, silent }),
        }
    }

    /// True if there are no others.
    pub(crate) fn is_only(&self) -> bool {
        self.answering.len() + self.silent.len() == 1
    }

    /// The master at this address, if it does not answer.
    pub(crate) fn silent_at(&self, address: &str) -> Option<&Silent> {
        self.silent.iter().find(|it| it.server == address)
    }

    /// Fails if the master that has this queue does not answer.
    pub(crate) fn ensure_answer(&self, client: &Client, queue: &str) -> Result {
        match client.master_of(queue).map(|it| it.address()) {
            Ok(address) => match self.silent_at(&address) {
                Some(silent) => Err(Failure::Unfinished(silent.reason.clone())),
                None => Ok(()),
            },
            // A cluster refuses the name: whoever asks for the queue is told.
            Err(_) => Ok(()),
        }
    }
}

/// How many masters the cluster of this one has; none without a cluster.
pub(crate) async fn master_count(master: &Master) -> Option<u64> {
    let info: String = master.query(cmd("INFO").arg("cluster")).await.ok()?;
    if !info.contains("cluster_enabled:1") {
        return None;
    }
    let info: String = master.query(cmd("CLUSTER").arg("INFO")).await.ok()?;
    let size = info.lines().find_map(|it| it.strip_prefix("cluster_size:"));
    size?.trim_end().parse().ok()
}

impl Silent {
    pub(crate) fn at(master: &Master, failure: &Failure) -> Self {
        Self {
            server: master.address().to_string(),
            reason: with_sources(failure),
        }
    }
}

async fn ask(master: &Master, patience: Duration) -> Result {
    let asked = timeout(patience, master.query::<Value>(&cmd("TIME"))).await;
    match asked {
        Ok(Ok(_) | Err(Error::Denied { .. })) => Ok(()),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => {
            let patience = brief(patience);
            Err(Failure::Unfinished(format!(
                "{} gave no answer within {patience}",
                master.address()
            )))
        }
    }
}
