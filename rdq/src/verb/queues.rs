//! `rdq queues`

use std::collections::BTreeSet;

use clap::Args;
use futures::StreamExt;
use futures::stream::iter;
use serde::Serialize;

use crate::failure::{Failure, Result, with_sources};
use crate::queue::masters::{Masters, master_count};
use crate::queue::names;
use crate::queue::stats::Stats;
use crate::screen::relative;
use crate::session::Session;

/// List all delayed queues of the server or cluster, with what is in them.
///
/// Finds a queue by its keys and by the clients that listen to it. A queue with nothing but ready
/// elements and no client looks like any other list, and is not found.
///
/// NOTE says what is odd at first sight. `rdq doctor` looks at the members, too: it knows those of old
/// versions of Redisson, for example.
///
/// LISTENERS are the clients that listen to the channel of the queue. All databases share a channel, so these
/// clients may move a queue of the same name in another database.
///
/// If a master of several does not answer, lists the queues of the others, and ends with exit code 1.
///
/// Redis: SCAN of all keys, 1,000 a call, then a script or two and PUBSUB NUMSUB for each queue.
#[derive(Args, Debug)]
pub(crate) struct Queues {}

/// What there is to say about one queue.
#[derive(Serialize)]
#[serde(untagged)]
enum Row {
    Counted {
        #[serde(flatten)]
        stats: Box<Stats>,
        /// Some of its keys stand at a node that does not own their slot.
        #[serde(skip)]
        is_astray: bool,
    },
    /// A key of it has another type, for example.
    Failed { queue: String, error: String },
}

/// How many queues to count at a time.
const AT_ONCE: usize = 16;

impl Queues {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let masters = Masters::find(session).await?;
        let found = names::homes(&session.client, &masters.answering).await?;
        let unsearched = found.silent.clone();
        let strays = found.strays.iter().map(|it| it.queue.clone());
        let strays: BTreeSet<String> = strays.collect();
        let names = &found.names([]) | &strays;
        let rows = iter(names).map(|name| {
            let is_astray = strays.contains(&name);
            Row::of(session, &masters, name, is_astray)
        });
        let rows: Vec<Row> = rows.buffered(AT_ONCE).collect().await;
        let headings = [
            "QUEUE",
            ">PENDING",
            ">OVERDUE",
            ">READY",
            ">IN FLIGHT",
            ">DEAD",
            ">LISTENERS",
            "NEXT DUE",
            "NOTE",
        ];
        session.screen.rows(&headings, &rows, Row::cells)?;
        if let ([only], true) = (&masters.answering[..], masters.is_only())
            && let Some(count @ 2..) = master_count(only).await
        {
            let address = only.address();
            session.screen.note(&format!(
                "This is one of {count} masters of a cluster: --server redis+cluster://{address} lists the queues \
                 of all."
            ));
        }
        let missing = masters.silent.iter().chain(&unsearched);
        let missing: Vec<_> = missing
            .map(|it| format!("queues of {} are missing here: {}", it.server, it.reason))
            .collect();
        match missing.is_empty() {
            true => Ok(()),
            false => Err(Failure::Unfinished(missing.join("\n"))),
        }
    }
}

impl Row {
    async fn of(session: &Session, masters: &Masters, queue: String, is_astray: bool) -> Self {
        let read = async {
            masters.ensure_answer(&session.client, &queue)?;
            Stats::read(&session.client, &queue).await
        };
        match read.await {
            Ok(stats) => Self::Counted {
                stats: Box::new(stats),
                is_astray,
            },
            Err(error) => Self::Failed {
                queue,
                error: with_sources(&error),
            },
        }
    }

    fn cells(&self) -> Vec<String> {
        let (stats, is_astray) = match self {
            Self::Counted { stats, is_astray } => (stats, *is_astray),
            Self::Failed { queue, error } => {
                let mut cells = vec![String::new(); 9];
                cells[0].clone_from(queue);
                cells[8].clone_from(error);
                return cells;
            }
        };
        let next = stats.next_due_ms.map(|due| relative(due, stats.at_ms));
        vec![
            stats.queue.clone(),
            stats.pending.to_string(),
            stats.overdue.to_string(),
            stats.ready.to_string(),
            stats.held().to_string(),
            stats.dead.to_string(),
            stats.subscribers.to_string(),
            next.unwrap_or_default(),
            stats.note(is_astray.then_some("keys at a wrong node")),
        ]
    }
}
