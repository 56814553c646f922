//! A queue whose elements are values.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::codec::Codec;
use crate::delivery::intake::{Batch, Patience};
use crate::entry::Entry;
use crate::error::Result;
use crate::payload;
use crate::queue::raw::RawQueue;
use crate::side::Side;
use crate::trace;
use crate::wire::script::RawEntry;

/// A queue with the codec of its elements, as the handles of one queue share it.
pub(crate) struct Typed<T> {
    pub(crate) raw: Arc<RawQueue>,
    pub(crate) codec: Arc<dyn Codec<T>>,
}

impl<T> Clone for Typed<T> {
    fn clone(&self) -> Self {
        Self {
            raw: Arc::clone(&self.raw),
            codec: Arc::clone(&self.codec),
        }
    }
}

impl<T> Deref for Typed<T> {
    type Target = RawQueue;

    fn deref(&self) -> &RawQueue {
        &self.raw
    }
}

impl<T: 'static> Typed<T> {
    pub(crate) fn new<C: Codec<T>>(raw: Arc<RawQueue>, codec: C) -> Self {
        Self {
            raw,
            codec: Arc::new(codec),
        }
    }

    pub(crate) fn encode(&self, value: &T) -> Result<Bytes> {
        payload::encode(&*self.codec, value)
    }

    pub(crate) fn encode_all<'a, C: FromIterator<Bytes>>(
        &self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Result<C> {
        values.into_iter().map(|value| self.encode(value)).collect()
    }

    pub(crate) fn decode(&self, payload: Bytes) -> Result<T> {
        payload::decode(&*self.codec, payload)
    }

    pub(crate) fn decode_all(&self, payloads: Vec<Bytes>) -> Result<Vec<T>> {
        payloads.into_iter().map(|it| self.decode(it)).collect()
    }

    pub(crate) fn decode_entry(&self, entry: RawEntry) -> Result<Entry<T>> {
        Ok(Entry {
            due: entry.due(),
            ticket: entry.ticket,
            value: self.decode(entry.payload)?,
        })
    }
}

/// Taking values from one side.
impl<T: 'static> Typed<T> {
    pub(crate) async fn take_value(&self, side: Side) -> Result<T> {
        Patience::forever(|patience| self.next(side, patience)).await
    }

    pub(crate) async fn poll_value(&self, side: Side, timeout: Duration) -> Result<Option<T>> {
        self.next(side, Patience::of(timeout)).await
    }

    async fn next(&self, side: Side, patience: Patience) -> Result<Option<T>> {
        let take = self.raw.take(side, patience);
        let count = |it: &Option<_>| usize::from(it.is_some());
        let payload = trace::take(self.raw.name(), take, count).await?;
        payload.map(|it| self.decode(it)).transpose()
    }

    pub(crate) async fn take_values(
        &self,
        side: Side,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<T>> {
        trace::take(self.raw.name(), self.next_values(side, max, wait), Vec::len).await
    }

    async fn next_values(&self, side: Side, max: usize, wait: Duration) -> Result<Vec<T>> {
        if max == 0 || wait.is_zero() {
            return self.drain_values(side, max, 1).await;
        }
        let patience = Patience::of(wait);
        while let Some(batch) = self.raw.take_batch(side, max, patience).await? {
            let values = self.accept(batch, true)?;
            if !values.is_empty() {
                return Ok(values);
            }
        }
        Ok(Vec::new())
    }

    /// Takes up to `max` elements with at most `claims` claims.
    pub(crate) async fn drain_values(
        &self,
        side: Side,
        max: usize,
        claims: usize,
    ) -> Result<Vec<T>> {
        let batch = self.raw.drain(side, max, claims).await?;
        self.accept(batch, true)
    }

    /// Takes the values before the first element that the codec does not understand. If that
    /// element comes first and `may_fail` is set, takes it alone, in the error. The rest of the
    /// batch goes back.
    pub(crate) fn accept(&self, batch: Batch, may_fail: bool) -> Result<Vec<T>> {
        let mut values = Vec::with_capacity(batch.len());
        let mut failure = None;
        for payload in batch.payloads() {
            match self.decode(payload.clone()) {
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
