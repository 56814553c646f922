//! The members that nobody can read.

use std::sync::Arc;

use bytes::Bytes;
use futures::stream::Stream;

use super::RawQueue;
use crate::entry::ScoreRange;
use crate::error::{Result, Step};
use crate::queue::stream::paged;
use crate::wire::script::{self, DROPPED, Scored, WayOut};

impl RawQueue {
    /// The members in the quarantine with their scores, ordered by score. An error is the last
    /// item.
    pub(crate) fn quarantined(self: Arc<Self>) -> impl Stream<Item = Result<Scored>> + Send {
        paged(None, move |after: Option<Scored>| {
            let queue = Arc::clone(&self);
            async move {
                let (key, range) = (queue.keys.quarantine(), ScoreRange::everything());
                let page = queue.members(key, &range, after.as_ref(), Self::ENTRIES);
                let (mut members, next) = page.await?;
                members.retain(|it| it.member != DROPPED);
                Ok((members, next.map(Some)))
            }
        })
    }

    /// How many members are in the quarantine, without their count of those that did not fit.
    pub(crate) async fn count_quarantined(&self) -> Result<usize> {
        let mut command = redis::cmd("ZCARD");
        let key = self.keys.quarantine();
        command.arg(key);
        let count: usize = self.command(Step::Read, true, key, &command).await?;
        Ok(count - usize::from(self.count_dropped().await? > 0).min(count))
    }

    pub(crate) async fn count_dropped(&self) -> Result<u64> {
        let mut command = redis::cmd("ZSCORE");
        let key = self.keys.quarantine();
        command.arg(key).arg(DROPPED);
        let count: Option<f64> = self.command(Step::Read, true, key, &command).await?;
        Ok(count.unwrap_or(0.0) as u64)
    }

    pub(crate) async fn dequarantine(&self, member: &[u8], way: WayOut<'_>) -> Result<bool> {
        let payload = match way {
            WayOut::Deliver(payload) => payload.len(),
            WayOut::Restore => 0,
        };
        let bytes = member.len() + payload;
        // A second attempt finds it gone, and changes nothing.
        self.script_of_size(Step::Move, true, bytes, |it| {
            script::dequarantine(it, &self.keys, member, way)
        })
        .await
    }

    pub(crate) async fn drop_quarantined(&self, member: &[u8]) -> Result<bool> {
        let mut command = redis::cmd("ZREM");
        let key = self.keys.quarantine();
        command.arg(key).arg(member);
        self.command(Step::Delete, true, key, &command).await
    }

    pub(crate) async fn drop_quarantine(&self) -> Result<()> {
        let mut command = redis::cmd("UNLINK");
        let key = self.keys.quarantine();
        command.arg(key);
        self.command(Step::Delete, true, key, &command).await
    }
}

/// The member as bytes, and the moment at which it was due, unix ms.
pub(crate) fn taken_apart(scored: Scored) -> (Bytes, f64) {
    // Rust parses every score Redis prints.
    let score = scored.score.parse().unwrap_or_default();
    (scored.member.into(), score)
}
