//! The target queue: elements that were due and moved, and elements offered without a delay.

use std::fmt;

use crate::queue::typed::Typed;

// What every user needs comes first in the documentation.
mod offer;
mod take;

mod any;
mod change;
mod elements;
mod last;
mod look;
mod relay;

/// The list that a delayed queue delivers to; Redisson's `RBlockingQueue` and `RBlockingDeque` of
/// the same name.
///
/// Made by [`DelayedQueue::destination`](crate::DelayedQueue::destination) and
/// [`Client::blocking_queue`](crate::Client::blocking_queue). A client's handles of one name share
/// the elements that they claim, whichever way they were made.
///
/// # Which elements are in it
///
/// The list has the elements that are **ready**: those that were due and moved, and those that were
/// offered here. Each stays until a consumer takes it. When a Rust process claims an element for a
/// caller, the element leaves the list: no call below sees, counts or removes it. If no caller gets
/// it after all, it comes back to the front. Elements that are not yet moved are in
/// [`DelayedQueue::pending`](crate::DelayedQueue::pending).
///
/// Elements have no ids here, only payloads: two elements are equal if the codec writes the same
/// bytes for both, as in Redisson. A place, counted from 0 at the front, is true for one moment,
/// because elements leave at the front all the time.
///
/// # Waiting
///
/// The name of a call says whether it waits for an element, as on a
/// [`DelayedQueue`](crate::DelayedQueue#waiting). [`poll_many`](Self::poll_many) and
/// [`drain_to`](Self::drain_to) do not wait.
///
/// # Redis
///
/// Calls that take claim elements by a script; see
/// [`DelayedQueue::take`](crate::DelayedQueue::take). Others send plain commands. N elements are in
/// the list, M are in the call:
///
/// | Call | Commands | Cost | In Java |
/// |---|---|---|---|
/// | [`len`](Self::len), [`is_empty`](Self::is_empty) | `LLEN` | O(1) | |
/// | [`peek`](Self::peek), [`peek_last`](Self::peek_last) | `LINDEX` | O(1) | |
/// | [`get`](Self::get) | `LINDEX` | O(D): D elements lie between the place and the nearer side; Redis skips a hundred or so at a time | `RList.get(index)` on the same key; a negative index counts from the back |
/// | [`read_all`](Self::read_all), [`iter`](Self::iter) | `LRANGE` for each 1,000 elements or 1 MiB; the first two for 4 and 64 | O(N) | reads all in one command, or one place at a time |
/// | [`range`](Self::range) | the same, and `LLEN` if the range may hold more | O(M), and O(D) as for `get` | `RList.range(from, to)` on the same key includes `to` |
/// | [`contains`](Self::contains), [`index_of`](Self::index_of) | `LPOS` from the front | O(N): some 30 ms for a million elements of 68 bytes | `indexOf` of Redisson 4.3.1 and later reads all elements into a script |
/// | [`last_index_of`](Self::last_index_of) | `LPOS` from the end | O(N) | `RList.lastIndexOf(o)` on the same key |
/// | [`contains_all`](Self::contains_all) | `LPOS` for each value until one is not found, up to 16 at once | O(N) each | compares all elements with all values in one script |
/// | [`offer`](Self::offer) | `RPUSH` | O(1) | |
/// | [`offer_first`](Self::offer_first) | `LPUSH` | O(1) | |
/// | [`add_all`](Self::add_all), [`add_all_first`](Self::add_all_first) | `RPUSH` or `LPUSH` for each 1,000 values or 256 KiB; `LLEN` without values | O(M) | one command; `addAll` returns whether there were values |
/// | [`add_first_if_exists`](Self::add_first_if_exists), [`add_last_if_exists`](Self::add_last_if_exists) | one `LPUSHX` or `RPUSHX`, so all values are added or none; `LLEN` without values | O(M) | |
/// | [`remove`](Self::remove), [`remove_up_to`](Self::remove_up_to) | `LREM` from the front | O(N): some 30 ms for a million elements of 68 bytes | `RList.remove(o, count)` on the same key |
/// | [`remove_last_occurrence`](Self::remove_last_occurrence) | `LREM` from the end | O(N) | |
/// | [`remove_all`](Self::remove_all) | `LREM` for each value that differs from those before it | O(N) each | one script, which removes the same and returns false if none of the values was there exactly once |
/// | [`trim`](Self::trim) | `LTRIM` | O(M) | `RList.trim(from, to)` on the same key includes `to` |
/// | [`clear`](Self::clear) | `DEL` | O(N) | |
///
/// No call runs a long script; a command that searches or deletes a list takes as long as the table
/// says. Redisson sends one command or script for any number of elements;
/// some calls here send several instead, and others see the list in between. A call that moves
/// elements to another list needs the right to both keys; in a cluster both must have the same hash
/// tag.
///
/// # Compatibility
///
/// A call does what Redisson's method of the same name does. The guide [coming from
/// Redisson](crate::guide::coming_from_redisson) has the counterpart of each. Timeouts count to the
/// millisecond; Redisson cuts them to whole seconds. Where Java throws because the list is empty,
/// or returns -1, the result here is `None`.
///
/// # Errors
///
/// - [`Error::Encode`](crate::Error::Encode) if the codec refuses a value,
///   [`Error::TooLarge`](crate::Error::TooLarge) if its payload exceeds
///   [`MAX_PAYLOAD`](crate::MAX_PAYLOAD), [`Error::Name`](crate::Error::Name) if the name of
///   another queue is empty; nothing was sent.
/// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType), and
///   [`Error::Closed`](crate::Error::Closed) after [`Client::shutdown`](crate::Client::shutdown):
///   nothing was changed.
/// - [`Error::Lost`](crate::Error::Lost) if the reply was lost. A read changed nothing, and a call
///   that takes took nothing. A call that adds, removes or moves elements may have done so: the
///   client does not send it again, because nothing tells two equal payloads in this list apart.
///   Calling again may then add, remove or move as many once more.
/// - [`Error::Unfinished`](crate::Error::Unfinished) if one of several commands failed after an
///   earlier one had changed something. It says how many elements were done.
/// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand an element. An
///   element that the call only read stays; one that the call took or moved is in the error.
///
/// # Cancel safety
///
/// Calls that only read and calls that take are cancel safe: nothing was changed or taken if
/// dropped. A dropped call that adds, removes or moves elements leaves that done or not, or done in
/// part if it is about several elements.
pub struct BlockingQueue<T> {
    core: Typed<T>,
}

impl<T: 'static> BlockingQueue<T> {
    pub(crate) fn new(core: Typed<T>) -> Self {
        Self { core }
    }

    /// The name of the queue. It is also its key, unless the client has a
    /// [name mapper](crate::NameMapper).
    #[must_use]
    pub fn name(&self) -> &str {
        self.core.name()
    }

    pub(crate) fn core(&self) -> &Typed<T> {
        &self.core
    }
}

impl<T: 'static> Clone for BlockingQueue<T> {
    fn clone(&self) -> Self {
        Self::new(self.core.clone())
    }
}

impl<T: 'static> fmt::Debug for BlockingQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockingQueue")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}
