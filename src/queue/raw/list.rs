//! The target queue as such.

use super::RawQueue;
use crate::error::{Result, Step};

mod change;
mod look;
mod offer;
mod places;

pub(crate) use places::Places;

impl RawQueue {
    pub(crate) async fn target_len(&self) -> Result<usize> {
        self.count("LLEN", self.keys.target()).await
    }

    pub(crate) async fn target_offer(&self, payload: &[u8]) -> Result<()> {
        let mut command = redis::cmd("RPUSH");
        command.arg(self.keys.target()).arg(payload);
        self.command(Step::Offer, false, &command).await
    }
}
