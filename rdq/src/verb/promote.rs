//! `rdq promote`

use clap::Args;
use futures::FutureExt;

use crate::element::change::change_all;
use crate::failure::Result;
use crate::session::Session;

/// Make pending elements due now.
///
/// The services that move the queue's elements are told, and move them at once. rdq moves none itself.
///
/// Redis: a short script for each ticket. For each id, ZSCAN of all pending elements before that,
/// 1,000 a call.
#[derive(Args, Debug)]
pub(crate) struct Promote {
    /// The queue's name in Redis.
    queue: String,
    /// Tickets, or ids or their beginnings in hex; - for those on stdin, one a line.
    #[arg(required = true, value_name = "ELEMENT")]
    elements: Vec<String>,
}

impl Promote {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let queue = session.queue(&self.queue)?;
        let promote = |ticket| {
            let queue = queue.clone();
            async move { queue.promote(&ticket).await }.boxed()
        };
        change_all(session, &self.queue, &self.elements, "promoted", promote).await
    }
}
