//! Whether a queue's elements stand in the ordering list.

/// Whether the elements that a handle offers stand in the ordering list, and which order its calls
/// follow. Chosen with [`DelayedQueue::with_listing`](crate::DelayedQueue::with_listing).
///
/// Redisson keeps pending elements in two keys: the timeout set has their due times, and the
/// ordering list has the order of the offers. Redis must scan a list to remove one entry from it.
/// So every call that removes or moves an element costs more as more elements are pending. An
/// unlisted element stands in the timeout set alone: moving, cancelling, rescheduling or taking it
/// is O(log N). A search by value reads all elements, in pages, with either listing.
///
/// | Call | `Listed` | `Unlisted` |
/// |---|---|---|
/// | `offer` and its siblings, `schedule` | writes both keys | writes the timeout set |
/// | `cancel`, `reschedule`, `promote`, `take`, and all of [`object()`](crate::QueueObject) | every element | every element |
/// | `pending()`: `iter`, `between`, `peek_next`, `next_due`, `clear` | every element | every element |
/// | `pending()`: `len`, `is_empty`, `contains`, `contains_all`, `remove_all`, `retain_all` | listed elements | every element |
/// | `pending()`: `peek`, `poll`, `poll_many`, `read_all`, `remove`; `Offer::unique_in_queue` | listed elements, oldest offer first | every element, earliest due first |
/// | `pending()`: `poll_last_and_offer_first_to` | the listed element offered last | the element due last |
///
/// Each element is delivered once, whatever handles exist, of both kinds and in both languages. The
/// handles differ in what they see, so use the same listing for all handles of a queue.
///
/// # Compatibility
///
/// Redisson has no name for unlisted elements. It treats them like this (checked with 3.21.1,
/// 3.23.4, 3.52.0 and 4.7.0 by `interop/tests`):
///
/// | Java | Unlisted elements |
/// |---|---|
/// | moves due elements, alone or beside Rust clients | moves them like others, on time |
/// | `RBlockingQueue`: `take()`, `poll()` and all others | gets them like others, once they are due |
/// | `RDelayedQueue`: `size()`, `isEmpty()`, `contains(o)`, `readAll()`, `peek()`, `iterator()` | sees none |
/// | `RDelayedQueue`: `remove(o)`, `removeAll(c)`, `poll()`, `pollLastAndOfferFirstTo(q)` | finds none, and leaves them alone |
/// | `RDelayedQueue`: `clear()`, `delete()` | removes them with all others |
///
/// Redisson up to 3.21.0 cannot move them, nor anything else that this crate offers.
///
/// So a queue can be unlisted if Java only moves and takes its elements. Do not use unlisted
/// elements while another program keeps writing listed ones: Redisson looks for each element that
/// it moves in the ordering list, and scans the whole list for an element that is not there. With
/// 10,000 listed elements that blocks Redis for some 20 to 40 ms for each 100 unlisted elements,
/// with 100,000 for 0.2 to 0.4 s (measured on Redis 7.0.15).
///
/// # Changing a queue over
///
/// Choose `Unlisted` for all handles that offer, from the next deployment on. Elements that are
/// listed stay listed and drain by themselves. The two kinds may mix while they do; then the
/// ordering list is gone. The way back is the same.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Listing {
    /// Elements stand in the ordering list, as Redisson's do, and calls follow the order of the
    /// offers. The default.
    #[default]
    Listed,
    /// Elements stand in the timeout set alone, and calls follow the due times. A mark in their ids
    /// tells Rust clients to keep them out of the ordering list, and not to search it for them.
    Unlisted,
}
