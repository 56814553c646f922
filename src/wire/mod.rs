//! What stands in Redis: keys, members, ids and scripts.

pub(crate) mod chunk;
pub(crate) mod ids;
pub mod keys;
pub mod packed;
pub(crate) mod script;
