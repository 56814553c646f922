//! `rdq migrate`: turns the members of Redisson 3.21.0 and older into those of newer versions.
//!
//! - [`layout`]: the new member of an old one.
//! - [`pass`]: one pass over the queue, the member that is due next first.

mod layout;
mod pass;

pub(crate) use layout::modern;
pub(crate) use pass::{Pass, Places};
