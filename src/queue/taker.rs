//! Taking values from one side of a queue.

use std::time::Duration;

use crate::codec::Codec;
use crate::delivery::intake::{Batch, Patience};
use crate::error::Result;
use crate::payload::decode;
use crate::queue::raw::RawQueue;
use crate::side::Side;
use crate::trace;

/// One side of a queue, and the codec of the handle that takes there.
pub(crate) struct Taker<'a, T> {
    pub(crate) core: &'a RawQueue,
    pub(crate) codec: &'a dyn Codec<T>,
    pub(crate) side: Side,
}

impl<T: 'static> Taker<'_, T> {
    pub(crate) async fn take(&self) -> Result<T> {
        loop {
            // Never `None` without a limit to the wait.
            if let Some(value) = self.next(Patience::Forever).await? {
                return Ok(value);
            }
        }
    }

    pub(crate) async fn poll(&self, timeout: Duration) -> Result<Option<T>> {
        self.next(Patience::of(timeout)).await
    }

    async fn next(&self, patience: Patience) -> Result<Option<T>> {
        let take = self.core.take(self.side, patience);
        let count = |it: &Option<_>| usize::from(it.is_some());
        let payload = trace::take(self.core.name(), take, count).await?;
        payload.map(|it| decode(self.codec, it)).transpose()
    }

    pub(crate) async fn take_many(&self, max: usize, wait: Duration) -> Result<Vec<T>> {
        trace::take(self.core.name(), self.next_many(max, wait), Vec::len).await
    }

    async fn next_many(&self, max: usize, wait: Duration) -> Result<Vec<T>> {
        if max == 0 || wait.is_zero() {
            return self.drain(max, 1).await;
        }
        let patience = Patience::of(wait);
        while let Some(batch) = self.core.take_batch(self.side, max, patience).await? {
            let values = self.accept(batch, true)?;
            if !values.is_empty() {
                return Ok(values);
            }
        }
        Ok(Vec::new())
    }

    /// Takes up to `max` elements with at most `claims` claims.
    pub(crate) async fn drain(&self, max: usize, claims: usize) -> Result<Vec<T>> {
        let batch = self.core.drain(self.side, max, claims).await?;
        self.accept(batch, true)
    }

    /// Takes the values before the first element that the codec does not understand. If that
    /// element comes first and `may_fail` is set, takes it alone, in the error. The rest of the
    /// batch goes back.
    pub(crate) fn accept(&self, batch: Batch, may_fail: bool) -> Result<Vec<T>> {
        let mut values = Vec::with_capacity(batch.len());
        let mut failure = None;
        for payload in batch.payloads() {
            match decode(self.codec, payload.clone()) {
                Ok(value) => values.push(value),
                Err(error) => {
                    failure = Some(error).filter(|_| may_fail && values.is_empty());
                    break;
                }
            }
        }
        // Hands over only now: a batch that is dropped before goes back whole.
        let count = failure.as_ref().map_or(values.len(), |_| 1);
        let handed_over = batch.hand_over(count);
        match failure {
            Some(error) if handed_over == [true] => Err(error),
            _ => Ok(values
                .into_iter()
                .zip(handed_over)
                .filter_map(|(value, is_ours)| is_ours.then_some(value))
                .collect()),
        }
    }
}
