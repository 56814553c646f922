//! `rdq reschedule`

use std::time::Duration;

use clap::Args;
use futures::FutureExt;

use crate::argument::moment::Moment;
use crate::argument::when::When;
use crate::element::change::change_all;
use crate::failure::{Failure, Result};
use crate::session::Session;

/// Give pending elements another due time, earlier or later: say --delay or --at.
///
/// They keep their tickets and their places in the offer order.
///
/// Redis: a short script for each ticket. For each id, ZSCAN of all pending elements before that,
/// 1,000 a call.
#[derive(Args, Debug)]
pub(crate) struct Reschedule {
    /// The queue's name in Redis.
    queue: String,
    /// Tickets, or ids or their beginnings in hex; - for those on stdin, one a line.
    #[arg(required = true, value_name = "ELEMENT")]
    elements: Vec<String>,
    #[command(flatten)]
    when: When,
}

impl Reschedule {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let queue = session.queue(&self.queue)?;
        let Some(due) = self.when.said() else {
            return Err(Failure::usage("say when: --delay or --at"));
        };
        let reschedule = |ticket| {
            let queue = queue.clone();
            let work = async move {
                match due {
                    Moment::At(time) => queue.reschedule_at(&ticket, time).await,
                    Moment::FromNow(delay) => queue.reschedule(&ticket, delay).await,
                    Moment::Ago(_) => queue.reschedule(&ticket, Duration::ZERO).await,
                }
            };
            work.boxed()
        };
        change_all(
            session,
            &self.queue,
            &self.elements,
            "rescheduled",
            reschedule,
        )
        .await
    }
}
