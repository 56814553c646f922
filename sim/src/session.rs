//! A connection, as the server knows it.

use std::collections::BTreeSet;

use bytes::Bytes;

use crate::{
    reply::{Protocol, Reply},
    tracking::Tracking,
};

/// One connection to a server.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct SessionId(pub(crate) u64);

#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(crate) protocol: Protocol,
    /// None before it says who it is, if it must.
    pub(crate) user: Option<Bytes>,
    pub(crate) database: usize,
    pub(crate) name: Bytes,
    pub(crate) channels: BTreeSet<Bytes>,
    pub(crate) tracking: Tracking,
    /// What came and is no whole command yet.
    pub(crate) incoming: Vec<u8>,
    /// What is to be sent.
    pub(crate) outgoing: Vec<u8>,
}

impl Session {
    pub(crate) fn send(&mut self, reply: &Reply) {
        reply.encode(self.protocol, &mut self.outgoing);
    }

    /// Sends a message that is no reply.
    pub(crate) fn push(&mut self, words: Vec<Reply>) {
        self.send(&Reply::Push(words));
    }

    /// True if it may do nothing but listen.
    pub(crate) fn only_listens(&self) -> bool {
        self.protocol == Protocol::Resp2 && !self.channels.is_empty()
    }
}
