//! Whether what is offered has a place in the offer order.

/// Whether the elements that a handle offers stand in the ordering list, and by what order its
/// calls go. Chosen with [`DelayedQueue::with_ordering`](crate::DelayedQueue::with_ordering).
///
/// Redisson keeps everything that is not yet due in two keys: the timeout set has the due times,
/// the ordering list the order of the offers. To take one element out of a list means to scan it,
/// and so whatever removes or moves an element costs the more, the more are pending. An unlisted
/// element stands in the timeout set alone, and to move, cancel, reschedule or take it is O(log N).
/// To find one by its value is a search of all, in pages, as it is with listed ones.
///
/// | Call | `Listed` | `Unlisted` |
/// |---|---|---|
/// | `offer` and its siblings, `schedule` | to both keys | to the timeout set |
/// | `cancel`, `reschedule`, `promote`, `take`, `iter`, `next_due`, and those about whole queues | every element | every element |
/// | `len`, `is_empty`, `contains`, `contains_all`, `remove_all`, `retain_all` | what is listed | every element |
/// | `peek`, `poll_undue`, `poll_undue_many`, `read_all`, `remove`, `replace` | what is listed, the first offered first | every element, the first due first |
/// | `poll_last_and_offer_first_to` | of what is listed, the last offered | of every element, the last due |
///
/// Each element is delivered once whatever handles there are, of both kinds and in both languages.
/// They differ in what they see, so all handles of a queue should have the same ordering.
///
/// # Compatibility
///
/// What Redisson does with unlisted elements, for which it has no name (checked with 3.21.1,
/// 3.23.4, 3.52.0 and 4.7.0 by `interop/tests`):
///
/// | Java | Unlisted elements |
/// |---|---|
/// | moves what is due, alone or beside Rust clients | as any others, on time |
/// | `RBlockingQueue`: `take()`, `poll()` and all others | as any others, once they are due |
/// | `RDelayedQueue`: `size()`, `isEmpty()`, `contains(o)`, `readAll()`, `peek()`, `iterator()` | sees none |
/// | `RDelayedQueue`: `remove(o)`, `removeAll(c)`, `poll()`, `pollLastAndOfferFirstTo(q)` | finds none, and leaves them alone |
/// | `RDelayedQueue`: `clear()`, `delete()` | removes them with all others |
///
/// Redisson until 3.21.0 cannot move them, nor anything else that this crate offers.
///
/// So a queue can be unlisted if Java only moves and takes its elements. It should not be while
/// somebody goes on to write listed ones: Redisson looks for each element that it moves in the
/// ordering list, and scans the whole list for one that is not there. With 10,000 listed elements
/// that blocks Redis for some 20 to 40 ms for each 100 unlisted elements, with 100,000 for 0.2 to
/// 0.4 s (measured on Redis 7.0.15).
///
/// # Changing a queue over
///
/// Choose `Unlisted` for all handles that offer, from the next deployment on. What is listed stays
/// so and drains by itself, and the two kinds may mix for as long as that takes; the ordering list
/// is then gone. The way back is the same.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Ordering {
    /// Elements stand in the ordering list, as Redisson's do, and calls go by the order of the
    /// offers. The default.
    #[default]
    Listed,
    /// Elements stand in the timeout set alone, and calls go by due time. Their ids have a mark
    /// that says so, by which Rust clients keep them out of the ordering list, and remove them
    /// without a look at it.
    Unlisted,
}
