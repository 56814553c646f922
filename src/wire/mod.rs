//! What is stored in Redis: keys, members and ids, and the scripts that change them.

pub(crate) mod chunk;
pub(crate) mod command;
mod digest;
pub(crate) mod ids;
pub mod keys;
pub(crate) mod name_mapper;
pub mod packed;
pub mod script;
