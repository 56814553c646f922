//! Where the masters are: those of a cluster, and the one that Sentinels name.
//!
//! Nothing outside `link` and `services` knows which of them a client has. The rest asks [`Nodes`] for
//! the node of a queue, and is told when that changes.
//!
//! [`Nodes`]: crate::link::nodes::Nodes

mod address;
mod answers;
pub(crate) mod cluster;
pub(crate) mod sentinels;
mod successor;
mod view;
