use std::time::Duration;

use super::BlockingQueue;
use crate::delivery::intake::Patience;
use crate::error::Result;

/// Moving elements to another queue, one at a time.
impl<T: 'static> BlockingQueue<T> {
    /// Waits for an element, moves the last one to the head of the queue `name`, and returns it.
    ///
    /// The element is in one of the two queues at every moment. An element whose consumer vanished
    /// is moved first, wherever it stood. The callers of this method do not queue with those of
    /// [`take`](Self::take).
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/relay.lua` for each caller when there may be an element: `LINDEX`,
    /// `RPOP` and `LPUSH`. An `LLEN` follows if there was none. An element of more than 1 MiB takes
    /// two scripts; the second gets one more second for each 4 MiB.
    pub async fn take_last_and_offer_first_to(&self, name: &str) -> Result<T> {
        let payload = Patience::forever(|patience| self.core.relay(name, patience)).await?;
        self.core.decode(payload)
    }

    /// Waits up to `timeout` for an element, and moves it as
    /// [`take_last_and_offer_first_to`](Self::take_last_and_offer_first_to); `None` if none came. A
    /// timeout of zero looks once.
    ///
    /// # Compatibility
    ///
    /// `RBlockingQueue.pollLastAndOfferFirstTo(name, timeout, unit)`, and with a timeout of zero
    /// `RQueue.pollLastAndOfferFirstTo(name)`.
    pub async fn poll_last_and_offer_first_to(
        &self,
        name: &str,
        timeout: Duration,
    ) -> Result<Option<T>> {
        let patience = Patience::of(timeout);
        let payload = self.core.relay(name, patience).await?;
        payload.map(|it| self.core.decode(it)).transpose()
    }
}
