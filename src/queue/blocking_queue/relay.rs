//! Moving elements to another queue, one at a time.

use std::time::Duration;

use super::BlockingQueue;
use crate::delivery::intake::Patience;
use crate::error::Result;

/// Moving elements to another queue, one at a time.
impl<T: 'static> BlockingQueue<T> {
    /// Waits for an element, moves the last one to the head of the queue `name`, and returns it.
    ///
    /// The element is in one of the two queues at every moment. Its callers do not queue with those
    /// of [`take`](Self::take).
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/relay.lua` for each caller when there may be an element: `LINDEX`,
    /// `RPOP` and `LPUSH`. An `LLEN` follows if there was none. An element of more than 1 MiB takes
    /// two scripts; the second gets one more second for each 4 MiB.
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.takeLastAndOfferFirstTo(name)`. An element whose consumer vanished is
    /// moved first, wherever it stood.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost: an element may have been moved.
    ///   It is in one of the two queues.
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand the payload,
    ///   which has been moved.
    /// - [`Error::Name`](crate::Error::Name) if `name` is empty.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType):
    ///   nothing was moved.
    ///
    /// # Cancel safety
    ///
    /// Leaves an element moved or not; it is in one of the two queues.
    pub async fn take_last_and_offer_first_to(&self, name: &str) -> Result<T> {
        loop {
            // Never `None` without a limit to the wait.
            let payload = self.core.relay(name, Patience::Forever).await?;
            if let Some(payload) = payload {
                return self.decode(payload);
            }
        }
    }

    /// Waits up to `timeout` for an element, moves the last one to the head of the queue `name`,
    /// and returns it; `None` if none came. A timeout of zero looks once.
    ///
    /// # Redis
    ///
    /// As [`take_last_and_offer_first_to`](Self::take_last_and_offer_first_to).
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.pollLastAndOfferFirstTo(name, timeout, unit)`, but to the millisecond;
    /// with a timeout of zero as `RQueue.pollLastAndOfferFirstTo(name)`. A
    /// [name mapper](crate::NameMapper) applies to `name`. `RQueue` does not map it, so give Java
    /// the mapped name there.
    ///
    /// # Errors
    ///
    /// As [`take_last_and_offer_first_to`](Self::take_last_and_offer_first_to).
    ///
    /// # Cancel safety
    ///
    /// Leaves an element moved or not; it is in one of the two queues.
    pub async fn poll_last_and_offer_first_to(
        &self,
        name: &str,
        timeout: Duration,
    ) -> Result<Option<T>> {
        let patience = Patience::of(timeout);
        let payload = self.core.relay(name, patience).await?;
        payload.map(|it| self.decode(it)).transpose()
    }
}
