//! Adding to the target queue.

use bytes::Bytes;

use crate::error::{Result, Step};
use crate::queue::raw::RawQueue;
use crate::side::Side;
use crate::wire::chunk::chunks;

impl RawQueue {
    /// How many values one command may add.
    const MOST_VALUES: usize = 1_000;

    pub(crate) async fn target_offer_all(&self, side: Side, payloads: &[Bytes]) -> Result<usize> {
        let mut length = None;
        let mut offered = 0;
        for chunk in chunks(payloads, Self::MOST_VALUES, Bytes::len) {
            let pushed = self.push(side.push(), chunk).await;
            length = Some(pushed.map_err(|error| error.after(Step::Offer, offered))?);
            offered += chunk.len();
        }
        match length {
            Some(length) => Ok(length),
            None => self.target_len().await,
        }
    }

    pub(crate) async fn target_offer_if_exists(
        &self,
        side: Side,
        payloads: &[Bytes],
    ) -> Result<usize> {
        if payloads.is_empty() {
            return self.target_len().await;
        }
        self.push(side.push_if_exists(), payloads).await
    }

    async fn push(&self, push: &str, payloads: &[Bytes]) -> Result<usize> {
        let mut command = redis::cmd(push);
        command.arg(self.keys.target());
        for payload in payloads {
            command.arg(payload.as_ref());
        }
        self.command(Step::Offer, false, &command).await
    }
}
