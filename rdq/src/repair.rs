//! `rdq repair`: puts right what `rdq doctor` finds among the members of a queue.
//!
//! - [`fix`]: what can be put right.
//! - [`mod@listed`]: what stands where it does not belong, with its value.
//! - [`mod@plan`] turns a census into changes.
//! - [`backup`]: the file that has each change before it is made, and what became of it.
//! - [`origin`]: where a queue was when it was repaired.
//! - [`mod@apply`] makes changes, or takes back those of a file.

mod apply;
mod backup;
mod fix;
mod listed;
mod origin;
mod plan;

pub(crate) use apply::{Tallies, Tally, apply, undo};
pub(crate) use backup::{Backup, Header, read as read_backup};
pub(crate) use fix::{Fix, Ghosts, Unlisted};
pub(crate) use listed::list;
pub(crate) use origin::Origin;
pub(crate) use plan::{Choices, Plan, plan};
