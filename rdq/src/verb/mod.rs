//! The verbs: each has its arguments and its work in a file.

pub(crate) mod queues;
pub(crate) mod stats;
