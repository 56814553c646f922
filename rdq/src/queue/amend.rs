//! Changes where members of a queue stand, step by step.
//!
//! - [`change`]: where a member stands before and after.
//! - [`script`] makes some changes in one atomic step.
//! - [`pace`]: how many changes a step may have, so that none keeps Redis busy for long.

mod change;
mod pace;
mod script;

pub(crate) use change::{Change, Listed, Score, Standing};
pub(crate) use pace::Pace;
pub(crate) use script::Outcome;
