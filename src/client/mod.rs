//! The client: its builder, its handle, and the registry of its queues.

pub(crate) mod builder;
pub(crate) mod handle;
pub(crate) mod registry;
