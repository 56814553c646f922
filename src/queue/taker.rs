//! Taking values from one end of a queue, for the handles that do.

use std::time::Duration;

use futures::stream::{self, Stream};

use crate::codec::Codec;
use crate::delivery::intake::{Batch, Patience};
use crate::end::End;
use crate::error::{Error, Result};
use crate::payload::decode;
use crate::queue::raw::RawQueue;

/// One end of a queue, and the codec of the handle that takes there.
pub(crate) struct Taker<'a, T> {
    pub(crate) core: &'a RawQueue,
    pub(crate) codec: &'a dyn Codec<T>,
    pub(crate) end: End,
}

impl<T: 'static> Taker<'_, T> {
    pub(crate) async fn take(&self) -> Result<T> {
        loop {
            // Never `None` without a limit to the wait.
            if let Some(payload) = self.core.take(self.end, Patience::Forever).await? {
                return decode(self.codec, payload);
            }
        }
    }

    pub(crate) async fn poll(&self, timeout: Duration) -> Result<Option<T>> {
        let patience = Patience::of(timeout);
        let payload = self.core.take(self.end, patience).await?;
        payload.map(|it| decode(self.codec, it)).transpose()
    }

    pub(crate) async fn take_many(&self, max: usize, wait: Duration) -> Result<Vec<T>> {
        if max == 0 || wait.is_zero() {
            return self.drain(max, 1).await;
        }
        let patience = Patience::of(wait);
        while let Some(batch) = self.core.take_batch(self.end, max, patience).await? {
            let values = self.accept(batch, true)?;
            if !values.is_empty() {
                return Ok(values);
            }
        }
        Ok(Vec::new())
    }

    /// What is there, up to `max`, as far as so many claims bring it.
    pub(crate) async fn drain(&self, max: usize, claims: usize) -> Result<Vec<T>> {
        let batch = self.core.drain(self.end, max, claims).await?;
        self.accept(batch, true)
    }

    /// Takes of `batch` what comes before the first element that the codec does not understand. If
    /// that comes first and `may_fail`, takes it alone, in the error. The rest goes back.
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
        // Only now: until then a batch that is dropped goes back whole.
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

/// What `take` takes from `source` again and again; that the client is closed is the last item.
pub(crate) fn until_closed<S, T, F>(
    source: S,
    take: impl Fn(S) -> F + Send + 'static,
) -> impl Stream<Item = Result<T>> + Send + Unpin
where
    S: Send + 'static,
    T: 'static,
    F: Future<Output = (S, Result<T>)> + Send + 'static,
{
    let stream = stream::unfold(Some(source), move |source| {
        let taking = source.map(&take);
        async move {
            let (source, taken) = taking?.await;
            let rest = (!matches!(taken, Err(Error::Closed))).then_some(source);
            Some((taken, rest))
        }
    });
    // Boxed, so that callers need not pin it.
    Box::pin(stream)
}
