//! A census: what stands in the timeout set and in the ordering list, and what does not belong.
//!
//! - [`cursor`] reads both keys in portions, so that no command keeps Redis busy for long.
//! - [`odd`]: a member that does not belong, and a group of them.
//! - [`take`] reads both keys, and after a pause takes a [`second_look`] at what was odd,
//!   because elements come and go meanwhile.

mod cursor;
mod odd;
mod second_look;
mod take;

pub(crate) use cursor::Members;
pub(crate) use odd::{Group, Odd, due_shown};
pub(crate) use take::{Census, Depth, IN_SECONDS, LATEST_MS};
