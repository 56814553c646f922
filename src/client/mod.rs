//! The client: its builder, its handle, its masters, and the registry of its queues.

pub(crate) mod builder;
pub(crate) mod handle;
pub(crate) mod master;
pub(crate) mod registry;
