//! The client: its builder and settings, what all its queues share, and the threads it runs on.

pub(crate) mod background;
pub(crate) mod builder;
pub(crate) mod handle;
pub(crate) mod options;
pub(crate) mod session;
