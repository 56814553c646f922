//! The way to Redis: addresses and topologies, sockets and how they are made again, calls,
//! background threads and tasks, and clocks.
//!
//! A [`Node`](node::Node) has the links to one master. [`Nodes`](nodes::Nodes) knows which node has
//! the keys of a queue, in each [topology].

pub(crate) mod access;
pub(crate) mod address;
pub(crate) mod background;
pub(crate) mod calls;
pub(crate) mod clock;
pub(crate) mod connection;
pub(crate) mod durability;
pub(crate) mod endpoint;
pub(crate) mod host;
pub(crate) mod node;
pub(crate) mod nodes;
pub(crate) mod pauses;
pub(crate) mod tasks;
#[cfg(any(feature = "tls-native-tls", feature = "tls-rustls"))]
pub(crate) mod tls;
pub(crate) mod topology;
