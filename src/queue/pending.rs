//! The pending elements of a delayed queue, as a collection.

use std::fmt;

use crate::listing::Listing;
use crate::queue::typed::Typed;

mod entries;
mod look;
mod poll;
mod remove;

pub use entries::Entries;

/// The pending elements of a delayed queue; Redisson's `RDelayedQueue` as a collection.
///
/// Made by [`DelayedQueue::pending`](crate::DelayedQueue::pending). Clones are cheap and are handles
/// to the same elements. A handle keeps the [listing](crate::Listing) of the queue that made it.
///
/// # Which elements are pending
///
/// An element is pending from its offer until a client moves it to the target queue, when it is
/// due. So the first elements by due time may be due already, for a moment or while the queue is
/// [paused](crate::DelayedQueue::pause). Elements in the target queue are not pending:
/// [`DelayedQueue::destination`](crate::DelayedQueue::destination) has them.
///
/// Two elements are equal if the codec writes the same bytes for both, as in Redisson.
///
/// # Order
///
/// Redisson keeps its delayed queue in the order of the offers, which need not be the order in which
/// elements become due. Calls that are named like Redisson's follow the order of the offers:
/// [`peek`](Self::peek), [`poll`](Self::poll), [`read_all`](Self::read_all),
/// [`remove`](Self::remove). For an [unlisted](crate::Listing::Unlisted) handle they follow the due
/// times. [`peek_next`](Self::peek_next), [`next_due`](Self::next_due), [`iter`](Self::iter) and
/// [`between`](Self::between) always follow the due times.
///
/// # Waiting
///
/// No call here waits for an element: [`poll`](Self::poll) takes a pending element before it is
/// due. To wait for the next due element, use [`DelayedQueue::take`](crate::DelayedQueue::take) or
/// [`DelayedQueue::poll`](crate::DelayedQueue::poll).
///
/// # Redis
///
/// Redisson blocks Redis for a whole search or read. Here a call that looks at many elements sends
/// a script or command for each page of them. It sees every element that is pending from its start
/// to its end. It may or may not see an element that comes or goes meanwhile; for an
/// [unlisted](crate::Listing::Unlisted) handle, that includes an element that is rescheduled. A
/// call that takes elements out notes them in `rdq1_settled:{name}`, as
/// [`DelayedQueue`](crate::DelayedQueue#redis) says; [`clear`](Self::clear) notes nothing. N
/// elements are pending:
///
/// | Call | Of a listed handle | Of an unlisted handle |
/// |---|---|---|
/// | [`len`](Self::len), [`is_empty`](Self::is_empty) | `LLEN` of the ordering list, O(1) | `ZCARD` of the timeout set, O(1) |
/// | [`contains`](Self::contains) | `lua/find.lua` for each 1,000 elements, from the newest on, until it finds one | `lua/seek.lua`, from the earliest due on |
/// | [`contains_all`](Self::contains_all) | `LRANGE` of 1,000 elements with their payloads, from the newest on, until it has found all | `lua/page.lua`, as [`iter`](Self::iter) |
/// | [`peek`](Self::peek) | `LRANGE 0 0` of the ordering list, O(1) | as `peek_next` |
/// | [`peek_next`](Self::peek_next), [`next_due`](Self::next_due) | `lua/page.lua`, and again for each 500 malformed members before the element, O(log N) | the same |
/// | [`read_all`](Self::read_all) | `LRANGE` of 1,000 elements | `lua/page.lua`, as `iter` |
/// | [`iter`](Self::iter), [`between`](Self::between) | `lua/page.lua` for each 500 elements, or 256 KiB if that is fewer, O(log N) each | the same |
/// | [`remove`](Self::remove) | `lua/find.lua` for each 1,000 elements, and `lua/remove.lua` | `lua/seek.lua` until it finds an element, and `lua/remove.lua` |
/// | [`clear`](Self::clear) | `DEL` of the timeout set, the ordering list, `rdq1_keyed:{name}` and `rdq1_keyed_due:{name}`, O(N) | the same |
///
/// # Compatibility
///
/// A call does what `RDelayedQueue`'s method of the same name does; the guide [coming from
/// Redisson](crate::guide::coming_from_redisson) has the counterpart of each. Java fails on a
/// malformed member, and loses it if it polls. Here such a member stays where it is, and is left
/// out.
///
/// # Errors
///
/// - [`Error::Encode`](crate::Error::Encode) if the codec refuses a value,
///   [`Error::TooLarge`](crate::Error::TooLarge) if its payload exceeds
///   [`MAX_PAYLOAD`](crate::MAX_PAYLOAD), [`Error::Name`](crate::Error::Name) if the name of
///   another queue is empty; nothing was sent.
/// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand an element, which
///   stays in the queue.
/// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType), and
///   [`Error::Closed`](crate::Error::Closed) after [`Client::shutdown`](crate::Client::shutdown):
///   nothing was changed.
/// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the [retry
///   window](crate::ClientBuilder::retry_window). Until then the client repeats the call. A read
///   changed nothing. A removal may have happened; calling again is safe, except that
///   [`remove`](Self::remove) may then remove another equal element.
///
/// # Cancel safety
///
/// Calls that only read are cancel safe. A dropped call that removes elements leaves each of them
/// removed or not.
///
/// # Examples
///
/// ```no_run
/// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
/// let pending = queue.pending();
/// println!("{} wait, the next until {:?}", pending.len().await?, pending.next_due().await?);
/// # Ok(()) }
/// ```
pub struct Pending<T> {
    core: Typed<T>,
    listing: Listing,
}

impl<T: 'static> Pending<T> {
    pub(crate) fn new(core: Typed<T>, listing: Listing) -> Self {
        Self { core, listing }
    }
}

impl<T: 'static> Clone for Pending<T> {
    fn clone(&self) -> Self {
        Self::new(self.core.clone(), self.listing)
    }
}

impl<T: 'static> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("name", &self.core.name())
            .field("listing", &self.listing)
            .finish_non_exhaustive()
    }
}
