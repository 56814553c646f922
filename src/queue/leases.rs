//! The elements of a queue that processes hold.

use std::fmt;
use std::sync::Arc;

use futures::stream::StreamExt;

use crate::error::Result;
use crate::queue::leased_element::LeasedElement;
use crate::queue::raw::RawLeased;
use crate::queue::stream::QueueStream;
use crate::queue::typed::Typed;

/// The elements of a queue that processes hold; made by
/// [`DelayedQueue::leases`](crate::DelayedQueue::leases).
///
/// For operators: it shows the elements that a killed process has left behind. It gives those
/// elements back before their leases run out, even if no other Rust client uses the queue.
///
/// Errors, repeats after a lost reply and cancel safety are those of a
/// [`DelayedQueue`](crate::DelayedQueue#errors). A dropped release may have released some elements;
/// calling it again is safe.
///
/// # Examples
///
/// ```no_run
/// use futures::TryStreamExt;
/// use redisson_delayed_queue::{DelayedQueue, LeasedElement, Result};
///
/// # async fn run(queue: DelayedQueue<String>) -> Result<()> {
/// let leases = queue.leases();
/// let all: Vec<LeasedElement<String>> = leases.iter().try_collect().await?;
/// let expired: Vec<_> = all.iter().filter(|it| it.has_expired()).collect();
/// println!("{} of {} go back", leases.release(&expired).await?, all.len());
/// # Ok(()) }
/// ```
pub struct Leases<T> {
    core: Typed<T>,
}

impl<T: 'static> Leases<T> {
    pub(crate) fn new(core: Typed<T>) -> Self {
        Self { core }
    }

    /// Reads the elements that processes hold: first those that `take()` has claimed, then those
    /// that consumers have, then those that wait for another attempt. Each part is in the order of
    /// its times.
    ///
    /// A payload of more than 1 MiB is left out. So are deliveries that wait for
    /// [their turn](crate::Processing): nobody holds those.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/leased.lua` for each 500 elements, or 256 KiB if that is fewer.
    pub fn iter(&self) -> QueueStream<LeasedElement<T>> {
        self.stream(true)
    }

    /// The elements of [`iter`](Self::iter) without their payloads: for many or large elements.
    ///
    /// Each `EVALSHA` returns up to 500 elements, whatever their size.
    pub fn iter_without_values(&self) -> QueueStream<LeasedElement<T>> {
        self.stream(false)
    }

    fn stream(&self, with_payloads: bool) -> QueueStream<LeasedElement<T>> {
        let codec = Arc::clone(&self.core.codec);
        let leased = Arc::clone(&self.core.raw).leased(with_payloads);
        let leased = leased.map(move |leased| {
            let codec = Arc::clone(&codec);
            leased.map(|raw| LeasedElement::new(raw, codec))
        });
        QueueStream::new(self.core.name(), leased)
    }

    /// Takes these elements from whoever holds them. Returns how many it took: elements that are
    /// gone, or that somebody else has claimed since, do not count. After a lost reply the number
    /// may be too low.
    ///
    /// Elements that `take()` had claimed go back to the head of the target queue, where consumers
    /// in any language find them. The next attempt at a delivery is due at once; the last one still
    /// counts.
    ///
    /// If the process that holds an element still runs, two may work on it. A consumer is told: its
    /// acknowledgement fails with [`Error::Late`](crate::Error::Late) and changes nothing. A caller
    /// of `take()` is not. So wait until the leases run out, unless you know that the process is
    /// gone.
    ///
    /// If the call fails after it released some, the error is
    /// [`Error::Unfinished`](crate::Error::Unfinished), and calling again goes on.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/give_back.lua` or `lua/release.lua` for each 500 elements, or 256 KiB if
    /// that is fewer. O(M log L): M released, L leases. Each of them is atomic.
    pub async fn release(&self, elements: &[&LeasedElement<T>]) -> Result<usize> {
        let raw: Vec<&RawLeased> = elements.iter().map(|it| it.raw()).collect();
        self.core.release(&raw, false).await
    }

    /// [Releases](Self::release) these elements, and puts deliveries back at the head of the target queue,
    /// too: `take()` and Java then find them there. Deliveries lose the count of their attempts, and
    /// their [turn](crate::Processing).
    pub async fn release_to_target(&self, elements: &[&LeasedElement<T>]) -> Result<usize> {
        let raw: Vec<&RawLeased> = elements.iter().map(|it| it.raw()).collect();
        self.core.release(&raw, true).await
    }
}

impl<T> fmt::Debug for Leases<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leases")
            .field("queue", &self.core.name())
            .finish_non_exhaustive()
    }
}
