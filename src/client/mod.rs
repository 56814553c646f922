//! The client: its builder, its handle, and what all its queues share.

pub(crate) mod builder;
pub(crate) mod handle;
pub(crate) mod session;
