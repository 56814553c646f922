use std::sync::Arc;
use std::time::Duration;

use super::BlockingQueue;
use crate::delivery::intake::Patience;
use crate::error::Result;
use crate::queue::selector::poll_in_order;
use crate::side::Side;

/// Taking from the first of several queues that has something.
impl<T: 'static> BlockingQueue<T> {
    /// Waits up to `timeout` for an element of this queue or one of `names`, and takes it; `None`
    /// if none came. Says which queue had it.
    ///
    /// If several have one, this queue comes first, and then the others in their order. This
    /// handle's codec reads them all. A timeout of zero looks once. To take fairly, or for long,
    /// use a [`Selector`](crate::Selector).
    ///
    /// This call moves no pending elements: for that, some client must hold a
    /// [`DelayedQueue`](crate::DelayedQueue) of each name.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua` for each queue in turn, until one has an element. If none
    /// has, as [`take`](Self::take) for all of them at once. If several queues then get elements at
    /// the same moment, one is taken and the others go back.
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.pollFromAny(timeout, unit, names)` and `RBlockingDeque.pollFirstFromAny`,
    /// but to the millisecond. This call looks at every name: Redisson's deque ignores the names, and
    /// in a cluster its timeout may pass before it comes to them.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn run(urgent: redisson_delayed_queue::BlockingQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let wait = Duration::from_secs(5);
    /// while let Some((name, value)) = urgent.poll_from_any(["normal", "bulk"], wait).await? {
    ///     println!("{name}: {value}");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn poll_from_any<N: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = N>,
        timeout: Duration,
    ) -> Result<Option<(String, T)>> {
        self.poll_side_of_any(Side::First, names, timeout).await
    }

    /// Takes the last element of a queue, where [`poll_from_any`](Self::poll_from_any) takes the first.
    pub async fn poll_last_from_any<N: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = N>,
        timeout: Duration,
    ) -> Result<Option<(String, T)>> {
        self.poll_side_of_any(Side::Last, names, timeout).await
    }

    async fn poll_side_of_any<N: AsRef<str>>(
        &self,
        side: Side,
        names: impl IntoIterator<Item = N>,
        timeout: Duration,
    ) -> Result<Option<(String, T)>> {
        let patience = Patience::of(timeout);
        let mut queues = vec![Arc::clone(&self.core.raw)];
        for name in names {
            queues.push(self.core.sibling(name.as_ref())?);
        }
        let Some((place, payload)) = poll_in_order(&queues, side, patience).await? else {
            return Ok(None);
        };
        let value = self.core.decode(payload)?;
        Ok(Some((queues[place].name().to_owned(), value)))
    }
}
