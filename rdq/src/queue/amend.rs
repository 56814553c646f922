//! Changes where members of a queue stand, step by step.
//!
//! - [`change`]: where a member stands before and after.
//! - [`cost`]: what a change costs Redis.
//! - [`script`] makes some changes in one atomic step.
//! - [`stepper`]: how many changes a step may have, so that none keeps Redis busy for long.

mod change;
mod cost;
mod script;
mod stepper;

pub(crate) use change::{Change, ListPlace, Score, Standing};
pub(crate) use script::Outcome;
pub(crate) use stepper::Stepper;
