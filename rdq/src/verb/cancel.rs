//! `rdq cancel`

use clap::Args;
use futures::FutureExt;
use redisson_delayed_queue::Listing;
use serde::Serialize;

use crate::element::change::change_all;
use crate::failure::{Failure, Result};
use crate::session::Session;

/// Remove pending elements, so that they never become due.
///
/// Prints the ids, and with --json the tickets, which hold the payloads; with --value only that it is done.
/// If stdout fails, these lines go to stderr. To take it back, keep what `ls --json` or `get --json` prints
/// of the elements: `offer --lines=elements` reads it. Elements that were moved to the target queue stay there.
///
/// Redis: a short script for each ticket. For each id, ZSCAN of all pending elements before that,
/// 1,000 a call; with --value a search of all pending elements, 1,000 a call.
#[derive(Args, Debug)]
pub(crate) struct Cancel {
    /// The queue's name in Redis.
    queue: String,
    /// Tickets, or ids or their beginnings in hex; - for those on stdin, one a line.
    #[arg(required_unless_present = "value", value_name = "ELEMENT")]
    elements: Vec<String>,
    /// Remove the oldest element with this value, written as `rdq ls` shows it.
    #[arg(long, value_name = "JSON", conflicts_with = "elements")]
    value: Option<String>,
}

#[derive(Serialize)]
struct Cancelled {
    done: bool,
}

impl Cancel {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let queue = session.queue(&self.queue)?;
        let Some(value) = &self.value else {
            let cancel = |ticket| {
                let queue = queue.clone();
                async move { queue.cancel(&ticket).await }.boxed()
            };
            return change_all(session, &self.queue, &self.elements, "cancelled", cancel).await;
        };
        let payload = session.payloads(&self.queue)?.read(value)?;
        let mut done = queue.pending().remove(&payload).await?;
        if !done {
            let unlisted = queue.with_listing(Listing::Unlisted);
            done = unlisted.pending().remove(&payload).await?;
        }
        if !done {
            let reason = format!("no pending element has the value {value}");
            return Err(Failure::Nothing(reason));
        }
        let text = format!("cancelled the oldest element with the value {value}");
        session.screen.say(&text, &Cancelled { done })
    }
}
