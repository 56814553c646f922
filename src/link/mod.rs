//! The way to Redis: where the masters are, the sockets and how they are made again, the calls on
//! them, the threads and tasks that go on besides, and whose time it is.
//!
//! A [`Node`](node::Node) has the links to one master. [`Nodes`](nodes::Nodes) knows which node has
//! the keys of a queue, for each [`Topology`](topology::Topology).

pub(crate) mod access;
pub(crate) mod address;
pub(crate) mod background;
pub(crate) mod backoff;
pub(crate) mod calls;
pub(crate) mod clock;
pub(crate) mod connection;
pub(crate) mod durability;
pub(crate) mod endpoint;
pub(crate) mod node;
pub(crate) mod nodes;
pub(crate) mod tasks;
#[cfg(any(feature = "tls-native-tls", feature = "tls-rustls"))]
pub(crate) mod tls;
pub(crate) mod topology;
