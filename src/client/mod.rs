//! The client: its builder, its handle, its masters, and what it hears of moves.

pub(crate) mod builder;
pub(crate) mod handle;
pub(crate) mod master;
pub(crate) mod moves;
