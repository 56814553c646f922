//! The handles of a queue: what users call, and below them one queue as bytes.

pub(crate) mod blocking_queue;
pub(crate) mod delayed_queue;
pub(crate) mod raw;
pub(crate) mod selector;
pub(crate) mod taker;
