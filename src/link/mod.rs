//! The way to Redis: its sockets, how they are made again, and whose time it is.

pub(crate) mod background;
pub(crate) mod backoff;
pub(crate) mod clock;
pub(crate) mod connection;
