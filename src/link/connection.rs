//! Connections to Redis: how one is made, shared, given up and made again. Nothing else decides to
//! reconnect.
//!
//! Most callers have a [`Link`]: it runs a command on a [`Connection`], and makes that again
//! after a loss. A [`SideLink`] does the same on a socket that is open only while calls need it: for
//! large payloads, and for offers that wait for replicas.

mod failure;
mod handshake;
mod leave;
mod link;
mod nested;
mod plain;
mod protocol;
mod pub_sub;
mod purpose;
mod push;
mod redial;
mod role;
mod side;
mod size;
mod socket;
mod timeouts;
mod waits;

pub(crate) use failure::{Failure, Met, is_loss, timed_out, unless_former_master};
pub(crate) use leave::Leave;
pub(crate) use link::Link;
pub(crate) use plain::plain;
pub(crate) use purpose::Purpose;
pub(crate) use push::Push;
pub(crate) use role::Role;
pub(crate) use side::SideLink;
pub(crate) use size::{BYTES_A_MS, LARGE, bytes_within, extra_time};
pub(crate) use socket::Connection;
pub(crate) use timeouts::Timeouts;
