//! The client: its builder, its handle, its masters, what it hears of moves, and the registry of its
//! queues.

pub(crate) mod builder;
pub(crate) mod handle;
pub(crate) mod master;
pub(crate) mod moves;
pub(crate) mod registry;
