//! Removing from the target queue, and moving to another one.

use std::collections::HashSet;

use bytes::Bytes;

use super::Places;
use crate::error::{Result, Step};
use crate::queue::raw::RawQueue;
use crate::queue::raw::page_size::signed;
use crate::side::Side;
use crate::wire::keys::QueueKeys;
use crate::wire::script;

impl RawQueue {
    /// How many elements one script may move.
    const MOST_MOVED: usize = 1_000;

    /// Removes up to `count` elements with this payload, those first that are nearest to `from`;
    /// returns how many.
    pub(crate) async fn target_remove(
        &self,
        payload: &[u8],
        count: usize,
        from: Side,
    ) -> Result<usize> {
        if count == 0 {
            // For LREM, 0 means all.
            return Ok(0);
        }
        let count = match from {
            Side::First => signed(count),
            Side::Last => -signed(count),
        };
        self.remove_equal(payload, count).await
    }

    pub(crate) async fn target_remove_all(&self, payloads: &[Bytes]) -> Result<usize> {
        let mut removed = 0;
        let mut done = HashSet::new();
        for payload in payloads.iter().filter(|it| done.insert(*it)) {
            let of_one = self.remove_equal(payload, 0).await;
            removed += of_one.map_err(|error| error.after(Step::Remove, removed))?;
        }
        Ok(removed)
    }

    async fn remove_equal(&self, payload: &[u8], count: i64) -> Result<usize> {
        let mut command = redis::cmd("LREM");
        command.arg(self.keys.target()).arg(count).arg(payload);
        self.command(Step::Remove, false, &command).await
    }

    pub(crate) async fn target_retain(&self, payloads: &[Bytes]) -> Result<usize> {
        // Random, so that no element equals it by chance or by intent.
        let marker: [u8; 16] = rand::random();
        let bytes = payloads.iter().map(Bytes::len).sum();
        let (mut behind, mut removed) = (0, 0);
        loop {
            let page = self
                .script_of_size(Step::Remove, false, bytes, |connection| {
                    script::retain(connection, &self.keys, behind, &marker, payloads)
                })
                .await
                .map_err(|error| error.after(Step::Remove, removed))?;
            behind += page.stay;
            removed += page.removed;
            if page.left == 0 {
                return Ok(removed);
            }
        }
    }

    pub(crate) async fn target_trim(&self, places: Option<Places>) -> Result<()> {
        let (first, last) = match places {
            Some(Places { first, last }) => (signed(first), last.map_or(-1, signed)),
            None => (1, 0),
        };
        let mut command = redis::cmd("LTRIM");
        command.arg(self.keys.target()).arg(first).arg(last);
        self.command(Step::Remove, false, &command).await
    }

    pub(crate) async fn target_clear(&self) -> Result<()> {
        let mut command = redis::cmd("DEL");
        command.arg(self.keys.target());
        self.command(Step::Remove, true, &command).await
    }

    pub(crate) async fn target_move(
        &self,
        other: &QueueKeys,
        from: Side,
        to: Side,
        count: usize,
    ) -> Result<usize> {
        let mut count = count;
        if other.target() == self.keys.target() {
            // Rotates at most once.
            count = count.min(self.target_len().await?);
        }
        let mut moved = 0;
        while moved < count {
            let most = Self::MOST_MOVED.min(count - moved);
            let (of_script, is_more) = self
                .script_moving(Step::Move, |connection, bytes| {
                    let ends = (from, to);
                    script::move_between(connection, &self.keys, other, ends, most, bytes)
                })
                .await
                .map_err(|error| error.after(Step::Move, moved))?;
            moved += of_script;
            if of_script < most && !is_more {
                break;
            }
        }
        Ok(moved)
    }
}
